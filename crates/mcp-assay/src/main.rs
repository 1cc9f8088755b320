//! The command line of mcp-assay.
fn main() {}
