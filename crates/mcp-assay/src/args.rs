//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use mcp_assay_core::render::Format;

const AFTER: &str = "\
Exit codes:
  0  ready, or no finding at or above --fail-on
  1  findings at or above --fail-on
  2  usage error, could not judge, or a bug of mcp-assay

Examples:
  mcp-assay demo
  mcp-assay --stdio \"node dist/server.js\"
  mcp-assay --http https://api.example.com/mcp --bearer-env TOKEN
  mcp-assay -- npx -y @modelcontextprotocol/server-everything";

/// Does this MCP server work with the 2026-07-28 clients, and if not, who has to fix what?
#[derive(Debug, Parser)]
#[command(name = "mcp-assay", version, after_help = AFTER, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check four built-in servers: a correct, a legacy, a broken and a dead one
    Demo(DemoArgs),
    /// List the rules
    Rules(RulesArgs),
    /// Explain a rule: what is asked, what is legal, how to fix it
    Explain {
        /// Id or name of the rule
        rule: String,
    },
    /// Judge a recorded run again, without a server
    Replay(ReplayArgs),
    /// Run a built-in server, correct or wrong on purpose
    Fixture(FixtureArgs),
    /// Print a completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// URL of the server, or a command after `--`
    #[arg(value_name = "URL")]
    pub(crate) words: Vec<String>,
    /// Program and arguments of the server, each a word of its own
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) argv: Vec<String>,
    /// Start the server with this command and talk to it on its standard streams; never a shell
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["http", "argv", "words"])]
    pub(crate) stdio: Option<String>,
    /// Talk to the server at this URL
    #[arg(long, value_name = "URL", conflicts_with_all = ["argv", "words"])]
    pub(crate) http: Option<String>,
    #[command(flatten)]
    pub(crate) stdio_args: StdioArgs,
    #[command(flatten)]
    pub(crate) http_args: HttpArgs,
    #[command(flatten)]
    pub(crate) asking: AskingArgs,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Write the run to this file, for `replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) record: Option<PathBuf>,
    /// Print all that would be sent, and send nothing
    #[arg(long)]
    pub(crate) plan: bool,
    /// List the rules, like `mcp-assay rules`
    #[arg(long)]
    pub(crate) list_rules: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Server on stdio")]
pub(crate) struct StdioArgs {
    /// Working directory of the server
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Set a variable in the server's environment; its value is kept out of all output, unless it is
    /// a plain word or path
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Pass a variable of ours on to the server
    #[arg(long, value_name = "NAME")]
    pub(crate) env_pass: Vec<String>,
    /// Pass our whole environment on to the server
    #[arg(long)]
    pub(crate) env_pass_all: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Server on HTTP")]
pub(crate) struct HttpArgs {
    /// Add a header to every request; its value is kept out of all output
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// Add a header whose value is in this environment variable
    #[arg(long, value_name = "NAME: VARIABLE")]
    pub(crate) header_env: Vec<String>,
    /// Send the token in this environment variable as `Authorization: Bearer`
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) bearer_env: Option<String>,
    /// Trust the certificate authorities in this PEM file, beside the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_cert: Option<PathBuf>,
    /// Requests in flight at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) concurrency: usize,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is asked")]
pub(crate) struct AskingArgs {
    /// Which era to ask for
    #[arg(long, value_enum, default_value_t = EraArg::Auto)]
    pub(crate) era: EraArg,
    /// Wait for one answer; a bare number is milliseconds
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) timeout: Duration,
    /// Wait for the whole run
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = duration)]
    pub(crate) deadline: Duration,
    /// Don't read a listed resource or get a listed prompt
    #[arg(long)]
    pub(crate) no_read: bool,
    /// Don't fetch authorization metadata that the server names
    #[arg(long)]
    pub(crate) no_metadata: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is judged")]
pub(crate) struct JudgingArgs {
    /// Judge only these rules: ids, names or families
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Leave these rules out; subtracts from --only
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) skip: Vec<String>,
    /// What makes the exit code 1
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub(crate) fail_on: FailOn,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// What to print: text, json, sarif or markdown
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Write it to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also write the report in another format to a file (repeatable)
    #[arg(long, value_name = "FORMAT:FILE")]
    pub(crate) emit: Vec<String>,
    /// Show every rule and the traffic
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// No colours (also: NO_COLOR, or an output that is no terminal)
    #[arg(long)]
    pub(crate) no_color: bool,
    /// The file that SARIF results point to
    #[arg(long, value_name = "PATH", default_value = "README.md")]
    pub(crate) sarif_anchor: String,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Show every rule and the traffic
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// No colours
    #[arg(long)]
    pub(crate) no_color: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// Print the requirements with the rules that judge them
    #[arg(long)]
    pub(crate) coverage: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A file that --record wrote
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FixtureArgs {
    /// Serve on standard streams
    #[arg(long, conflicts_with = "http")]
    pub(crate) stdio: bool,
    /// Serve at this port of 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "PORT")]
    pub(crate) http: Option<u16>,
    /// The era of the server
    #[arg(long, value_enum, default_value_t = FixtureEra::Dual)]
    pub(crate) era: FixtureEra,
    /// What is wrong with it; it then has the era that this needs
    #[arg(long, value_name = "NAME")]
    pub(crate) fault: Option<String>,
    /// List the faults
    #[arg(long)]
    pub(crate) list: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FixtureEra {
    Modern,
    Legacy,
    Dual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EraArg {
    Auto,
    Modern,
    Legacy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A finding of severity error
    Error,
    /// A finding of severity error or warning
    Warning,
    /// Any failed check at level MUST or MUST NOT
    Must,
    /// Nothing
    Never,
}

/// `500` and `500ms` are milliseconds; `10s`, `2m`.
fn duration(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|known: char| !known.is_ascii_digit() && known != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is no time; write 500, 500ms, 10s or 2m"))?;
    let seconds = match unit {
        "" | "ms" => number / 1000.0,
        "s" => number,
        "m" => number * 60.0,
        _ => return Err(format!("`{unit}` is no unit of time; use ms, s or m")),
    };
    if seconds <= 0.0 || seconds > 86_400.0 {
        return Err(format!(
            "`{text}` is out of bounds: more than 0, at most a day"
        ));
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_bounds() {
        assert_eq!(duration("1500"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "s", "0", "-1s", "1h", "ten", "999999m", "1e9"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
