# The tasks of every day. CI runs `.ci/run`, which does all of them.

default: test

# Everything that CI checks.
ci:
    .ci/run

# All tests.
test:
    cargo test --workspace

# Formatting and lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# One rule or fault against the built-in servers: just matrix ttl-missing
matrix filter:
    MATRIX_ONLY={{filter}} cargo test --package mcp-assay --test matrix each_fault

# Make what is made from the source: the rules' pages, the tables, the schema.
generate:
    cargo xtask docs
    cargo xtask schema

# Take over changed snapshots; read the difference before you commit it.
snapshots:
    INSTA_UPDATE=always cargo test --workspace
    git diff --stat -- '*.snap'

# Servers built on real SDKs.
interop *arguments:
    cargo xtask interop {{arguments}}

# Four built-in servers, checked.
demo:
    cargo run --quiet -- demo
