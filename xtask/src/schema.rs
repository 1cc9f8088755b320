//! `cargo xtask schema`: the JSON Schema of a report.

use anyhow::Result;
use mcp_assay_core::render;

use crate::generated::{self, File};

pub(crate) fn command(arguments: &[String]) -> Result<bool> {
    let check = generated::wants_check("schema", arguments)?;
    generated::settle("schema", &[file()?], &[], check)
}

fn file() -> Result<File> {
    Ok(File {
        path: "docs/report.schema.json".into(),
        text: serde_json::to_string_pretty(&render::schema())? + "\n",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_the_source() {
        let file = file().unwrap();
        let committed = generated::read(&file.path).unwrap();
        assert!(committed == Some(file.text), "run `cargo xtask schema`");
    }
}
