//! The recording on disk: JSON lines, the first one the header, each further one an entry.

use std::io::{BufRead, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::event::{Data, Entry};

/// The version of the recording format this build writes and reads.
pub const FORMAT: u16 = 1;

/// Longest line of a recording that is read, in bytes: a message at its bound, escaped.
const LONGEST_LINE: u64 = 128 * 1024 * 1024;

/// What a run was: the first line of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// [`FORMAT`].
    pub format: u16,
    /// Version of the tool that recorded.
    pub tool_version: String,
    /// The target as shown to people: command line or URL, without secrets.
    pub target: String,
    /// How it was reached.
    pub transport: TransportKind,
    /// The revision the questions were asked in.
    pub target_revision: String,
    /// When the run began, RFC 3339, UTC.
    pub started_at: String,
    /// How long the run took, in milliseconds.
    pub duration_ms: u64,
    /// The era that the user forced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_era: Option<String>,
}

/// The two transports of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransportKind {
    /// A child process on its standard streams.
    Stdio,
    /// Streamable HTTP.
    Http,
}

impl std::fmt::Display for TransportKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        })
    }
}

/// Everything that happened in a run: the only evidence there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// What was run.
    pub header: Header,
    /// What happened, ordered by the plan.
    pub entries: Vec<Entry>,
}

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be read.
    #[error("read the recording: {0}")]
    Io(#[from] std::io::Error),
    /// A line is not what this version writes.
    #[error("read line {line} of the recording: {cause}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// What is wrong.
        cause: String,
    },
    /// Another format.
    #[error("read the recording: its format is {0}, this version reads {FORMAT}; record it again")]
    Format(u16),
}

impl Transcript {
    /// Writes the recording.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&self, to: &mut impl Write) -> std::io::Result<()> {
        serde_json::to_writer(&mut *to, &self.header)?;
        to.write_all(b"\n")?;
        for entry in &self.entries {
            serde_json::to_writer(&mut *to, entry)?;
            to.write_all(b"\n")?;
        }
        to.flush()
    }

    /// Reads a recording.
    ///
    /// # Errors
    /// If the reader fails, a line is malformed or longer than 128 MiB, or the format is another.
    pub fn read(from: &mut impl BufRead) -> Result<Self, ReadError> {
        let mut header: Option<Header> = None;
        let mut entries = Vec::new();
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            if std::io::Read::take(&mut *from, LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            number += 1;
            let at = |cause: serde_json::Error| ReadError::Line {
                line: number,
                cause: cause.to_string(),
            };
            if header.is_none() {
                let read: Header = serde_json::from_slice(&line).map_err(at)?;
                if read.format != FORMAT {
                    return Err(ReadError::Format(read.format));
                }
                header = Some(read);
            } else {
                entries.push(serde_json::from_slice(&line).map_err(at)?);
            }
        }
        let header = header.ok_or(ReadError::Line {
            line: 1,
            cause: "the file is empty".into(),
        })?;
        Ok(Self { header, entries })
    }
}

/// [`Data`] on disk: text where it is text, Base64 where it is not; the length only where it was cut.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
}

impl From<Data> for Kept {
    fn from(data: Data) -> Self {
        let length = data.is_cut().then_some(data.length);
        match String::from_utf8(data.bytes) {
            Ok(text) => Self {
                text: Some(text),
                base64: None,
                length,
            },
            Err(other) => Self {
                text: None,
                base64: Some(STANDARD.encode(other.as_bytes())),
                length,
            },
        }
    }
}

impl TryFrom<Kept> for Data {
    type Error = String;

    fn try_from(kept: Kept) -> Result<Self, String> {
        let bytes = match (kept.text, kept.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(coded)) => STANDARD.decode(coded).map_err(|error| error.to_string())?,
            _ => return Err("exactly one of text and base64 must be present".into()),
        };
        let length = kept.length.unwrap_or(bytes.len() as u64);
        Ok(Self { bytes, length })
    }
}

pub(super) mod micros {
    //! Durations as whole microseconds.
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::transcript) fn serialize<S: Serializer>(
        at: &Duration,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(at.as_micros()).unwrap_or(u64::MAX))
    }

    pub(in crate::transcript) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}
