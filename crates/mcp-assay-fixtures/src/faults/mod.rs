//! The table of faults: one file per family, each an ordered slice.

mod auth;
mod chaos;
mod errors;
mod http;
mod legacy;
mod opening;
mod options;
mod processes;
mod removed;
mod results;
mod unjudged;
mod variants;
mod writing;

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::fault::Fault;
use crate::message::{Reply, Request};
use crate::modern::finish;
use crate::server::Server;

static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
    [
        opening::FAULTS,
        results::FAULTS,
        removed::FAULTS,
        errors::FAULTS,
        http::FAULTS,
        auth::FAULTS,
        unjudged::FAULTS,
        variants::FAULTS,
        options::FAULTS,
        writing::FAULTS,
        processes::FAULTS,
        legacy::FAULTS,
        chaos::FAULTS,
    ]
    .concat()
});

/// All faults, in the order of their families.
pub fn faults() -> &'static [Fault] {
    &FAULTS
}

/// The fault called `name`.
pub fn fault(name: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| fault.name == name)
}

/// Serves `method`, which this revision does not have, with the given result.
fn served(server: &Server, request: &Request, method: &str, result: Value) -> Option<Reply> {
    (request.method == method).then(|| Reply::result(request, finish(server, request, result)))
}

/// Replaces a member of the result, or adds it.
fn set(reply: &mut Reply, name: &str, value: impl Into<Value>) {
    if let Some(result) = reply.result_mut() {
        result.insert(name.to_owned(), value.into());
    }
}

/// Takes a member of the result away.
fn remove(reply: &mut Reply, name: &str) {
    if let Some(result) = reply.result_mut() {
        result.remove(name);
    }
}

/// Replaces a member of the result that is there.
fn replace(reply: &mut Reply, name: &str, value: impl Into<Value>) {
    if let Some(member) = reply.result_mut().and_then(|result| result.get_mut(name)) {
        *member = value.into();
    }
}

/// The metadata of a valid modern request.
fn envelope() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": crate::server::MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}
