//! A server of the Rust SDK. Argument: `stdio`, `http` or `stateless`.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router,
    schemars, tool, tool_handler, tool_router,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Code {
    code: String,
}

#[derive(Clone)]
struct Interop;

#[tool_router]
impl Interop {
    #[tool(description = "Return the text")]
    fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        text
    }

    #[tool(description = "Add two numbers")]
    fn add(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> String {
        (a + b).to_string()
    }
}

#[prompt_router]
impl Interop {
    /// Ask for a review
    #[prompt(name = "review")]
    async fn review(
        &self,
        Parameters(Code { code }): Parameters<Code>,
        _context: RequestContext<RoleServer>,
    ) -> Result<Vec<PromptMessage>, ErrorData> {
        Ok(vec![PromptMessage::new_text(
            Role::User,
            format!("Review {code}"),
        )])
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for Interop {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::from_build_env())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult {
            resources: vec![Resource::new("interop://greeting", "greeting")],
            ..Default::default()
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == "interop://greeting" {
            let contents = vec![ResourceContents::text("hello", request.uri)];
            return Ok(ReadResourceResult::new(contents).into());
        }
        Err(ErrorData::resource_not_found("resource not found", None))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    if mode == "stdio" {
        Interop.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = mode != "stateless";
    let service = StreamableHttpService::new(
        || Ok(Interop),
        LocalSessionManager::default().into(),
        config,
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    let address = format!("127.0.0.1:{}", std::env::var("PORT")?);
    axum::serve(tokio::net::TcpListener::bind(address).await?, router).await?;
    Ok(())
}
