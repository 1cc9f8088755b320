//! The requirement ledger: what the specification asks of a server, under permanent ids.

mod revision_2026_07_28;

use crate::report::Level;

/// One requirement.
#[derive(Debug)]
pub struct Requirement {
    /// Permanent id.
    pub id: &'static str,
    /// The specification's word.
    pub level: Level,
    /// Page under the revision's folder, with its anchor.
    pub page: &'static str,
    /// The requirement in plain words.
    pub statement: &'static str,
}

impl Requirement {
    /// The page's address.
    #[must_use]
    pub fn url(&self) -> String {
        if let Some(schema) = self.page.strip_prefix("schema#") {
            return format!(
                "https://modelcontextprotocol.io/specification/2026-07-28/schema#{}",
                schema.to_ascii_lowercase()
            );
        }
        if let Some(sep) = self.page.strip_prefix("sep:") {
            return format!("https://modelcontextprotocol.io/seps/{sep}");
        }
        format!(
            "https://modelcontextprotocol.io/specification/2026-07-28/{}",
            self.page
        )
    }
}

/// The requirements that this build judges.
pub static REQUIREMENTS: &[Requirement] = revision_2026_07_28::REQUIREMENTS;

/// The requirement with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Requirement> {
    REQUIREMENTS.iter().find(|known| known.id == id)
}
