//! Reports as text and data: one file per format over one model, one sanitiser for all.
//!
//! Everything here is a pure function of a [`Report`]. Every string of a report counts as hostile:
//! most of them quote a server.

pub mod explain;
mod json;
mod markdown;
mod page;
pub mod sanitise;
mod sarif;
mod text;
mod words;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use crate::report::Report;

pub use json::schema;

/// What a report can be rendered as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// For people at a terminal.
    Text,
    /// The whole report, for programs.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// For a comment on a pull request.
    Markdown,
}

impl Format {
    /// Every format, in the order in which help lists them.
    pub const ALL: [Self; 4] = [Self::Text, Self::Json, Self::Sarif, Self::Markdown];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Markdown => "markdown",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A format that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no format is called {0:?}; there are {known}", known = Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// How to render. Formats ignore what does not concern them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// ANSI colours (text).
    pub colour: bool,
    /// Columns (text); fewer than 40 count as 40.
    pub width: usize,
    /// All rules with their outcomes, whole notes, commands, and the traffic if the report has it
    /// (text).
    pub verbose: bool,
    /// The file that results point to, relative to the root of the repository (SARIF).
    pub sarif_anchor: String,
    /// Where the pages of the rules are: a URL to which `/mcp001.html` can be appended (SARIF,
    /// Markdown). Without it no rule is linked.
    pub docs: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            colour: false,
            width: 80,
            verbose: false,
            sarif_anchor: "README.md".to_owned(),
            docs: None,
        }
    }
}

impl Options {
    fn docs_page(&self, rule: &str) -> Option<String> {
        let base = self.docs.as_deref()?.trim_end_matches('/');
        let plain = !rule.is_empty() && rule.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plain.then(|| format!("{base}/{}.html", rule.to_ascii_lowercase()))
    }
}

/// Renders `report`. The result ends with a line break and contains no control character but that
/// and, with [`Options::colour`], the escape sequences of colours.
#[must_use]
pub fn render(report: &Report, format: Format, options: &Options) -> String {
    match format {
        Format::Text => text::render(report, options),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report, options),
        Format::Markdown => markdown::render(report, options),
    }
}
