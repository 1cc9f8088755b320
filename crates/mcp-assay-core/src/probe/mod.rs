//! Questions as data: a valid base request, a target, and exactly one named deviation or none.

mod catalogue;
mod encode;

pub use catalogue::*;
pub use encode::{Aim, Context, encode};

use serde_json::Value;

/// One question.
#[derive(Debug)]
pub struct Probe {
    /// Permanent id; part of a recording's keys.
    pub id: &'static str,
    /// What it asks, in a few words.
    pub about: &'static str,
    /// The valid request it starts from.
    pub base: Base,
    /// In what it differs from that request.
    pub deviation: Deviation,
}

impl Probe {
    /// The JSON-RPC method, if the probe is a message.
    #[must_use]
    pub const fn method(&self) -> Option<&'static str> {
        match self.base {
            Base::Modern(method)
            | Base::Legacy(method)
            | Base::Notification(method)
            | Base::LegacyNotification(method) => Some(method),
            Base::Raw(_) => None,
        }
    }

    /// True for an unmodified request of the target revision: only answers to these are judged as
    /// answers to a modern client.
    #[must_use]
    pub const fn is_base(&self) -> bool {
        matches!(
            (&self.base, &self.deviation),
            (Base::Modern(_), Deviation::None)
        )
    }

    /// True if the request claims the target revision in any way.
    #[must_use]
    pub const fn is_modern(&self) -> bool {
        matches!(self.base, Base::Modern(_))
    }
}

/// The valid request a probe starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// A request of revision 2026-07-28: version and capabilities in `_meta`, mirrored in headers.
    Modern(&'static str),
    /// A request as a client of a handshake revision sends it: no `_meta`.
    Legacy(&'static str),
    /// A notification of revision 2026-07-28.
    Notification(&'static str),
    /// A notification of a handshake revision.
    LegacyNotification(&'static str),
    /// A bodiless HTTP request with this HTTP method.
    Raw(&'static str),
}

/// In what a probe differs from its base.
#[derive(Debug, Clone, Copy)]
pub enum Deviation {
    /// In nothing.
    None,
    /// Edits the message before it is encoded; headers that mirror it follow.
    Intent {
        /// JSON Pointers of everything that changes.
        changes: &'static [&'static str],
        /// The edit.
        edit: fn(&mut Value),
    },
    /// Edits the headers afterwards; nothing follows. HTTP only.
    Header {
        /// Names of the headers that change.
        changes: &'static [&'static str],
        /// The edit.
        edit: fn(&mut Vec<(String, String)>),
    },
}

#[cfg(test)]
mod tests;
