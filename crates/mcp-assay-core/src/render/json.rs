//! The report as it is: a public contract.

use serde_json::Value;

use crate::report::Report;

use super::sanitise;

/// The JSON Schema of a report.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(Report).to_value()
}

pub(super) fn render(report: &Report) -> String {
    let document = serde_json::to_string_pretty(report)
        .expect("a report has string keys only and nothing else that JSON lacks");
    sanitise::json(&document) + "\n"
}
