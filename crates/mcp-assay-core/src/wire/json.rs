//! One JSON document, read under limits and with what is odd about it noted (RFC 8259).

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Oddities noted per document; further ones are not recorded.
pub const MAX_ODDITIES: usize = 16;

/// Bytes kept of the path of an oddity; a longer one is cut and ends in `…`.
const MAX_PATH: usize = 1024;

/// Levels at which the parser stops by itself, to protect the stack.
const PARSER_DEPTH: usize = 128;

/// Bounds that are enforced while a document is read, not after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most values (scalars, arrays, objects) a document may have. Default 250,000.
    pub nodes: usize,
    /// Nesting of arrays and objects that is refused: `[]` has 1. Default 128, which is also
    /// the highest that has an effect.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 250_000,
            depth: PARSER_DEPTH,
        }
    }
}

/// A document that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The value. Of a duplicate key it holds the last value, as most readers do.
    pub value: Value,
    /// What other readers may see differently, in the order it was met; at most
    /// [`MAX_ODDITIES`].
    pub oddities: Vec<Oddity>,
}

/// Something legal enough to be read, but read differently by different clients.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oddity {
    /// An object has the same key more than once (RFC 8259 section 4).
    DuplicateKey {
        /// JSON Pointer (RFC 6901) of the member; cut, with `…` at its end, beyond 1024 bytes.
        path: String,
    },
}

/// Why a document could not be read. Columns count bytes from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// Nothing but white space.
    #[error("empty, where a json value was expected")]
    Empty,
    /// Not UTF-8, which JSON and MCP require.
    #[error("not utf-8 from byte {at} on")]
    NotUtf8 {
        /// Offset of the first byte that is not valid.
        at: usize,
    },
    /// Starts with a UTF-8 byte order mark, which RFC 8259 section 8.1 forbids.
    #[error("starts with a byte order mark, which json must not have")]
    ByteOrderMark,
    /// Not JSON; trailing data counts.
    #[error("not json at line {line} column {column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column.
        column: usize,
        /// What the parser expected; never contains text of the document.
        message: String,
    },
    /// An escape names half of a surrogate pair, so the string is no Unicode text. The grammar
    /// allows it (RFC 8259 section 8.2), and JavaScript readers take it.
    #[error("lone surrogate in a string at line {line} column {column}")]
    LoneSurrogate {
        /// Line, from 1.
        line: usize,
        /// Column.
        column: usize,
    },
    /// A number that no 64-bit float can hold.
    #[error("number out of range at line {line} column {column}")]
    NumberOutOfRange {
        /// Line, from 1.
        line: usize,
        /// Column.
        column: usize,
    },
    /// Arrays and objects nest too deeply.
    #[error("nested {limit} levels deep or more")]
    TooDeep {
        /// The limit that was met.
        limit: usize,
    },
    /// More values than the limit.
    #[error("more than {limit} json values")]
    TooManyNodes {
        /// The limit that was met.
        limit: usize,
    },
}

/// Reads exactly one JSON document.
///
/// Memory grows with the length of the text and the number of nodes; reading stops at the node
/// that exceeds a limit.
///
/// # Errors
///
/// [`Unreadable`] says what stands in the way; nothing of the document is returned then.
pub fn read(bytes: &[u8], limits: Limits) -> Result<Document, Unreadable> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Unreadable::ByteOrderMark);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| Unreadable::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    if text
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    {
        return Err(Unreadable::Empty);
    }

    let mut state = State {
        limits,
        nodes: 0,
        refused: None,
        oddities: Vec::new(),
    };
    let mut parser = serde_json::Deserializer::from_str(text);
    let node = Node {
        state: &mut state,
        at: None,
    };
    let outcome = node
        .deserialize(&mut parser)
        .and_then(|value| parser.end().map(|()| value));
    match outcome {
        Ok(value) => Ok(Document {
            value,
            oddities: state.oddities,
        }),
        Err(error) => Err(state.refused.unwrap_or_else(|| unreadable(&error, limits))),
    }
}

/// The parser has no public error kinds, so its fixed messages tell them apart; tests pin them.
fn unreadable(error: &serde_json::Error, limits: Limits) -> Unreadable {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let message = text
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&text);
    match message {
        "recursion limit exceeded" => Unreadable::TooDeep {
            limit: limits.depth.min(PARSER_DEPTH),
        },
        "number out of range" => Unreadable::NumberOutOfRange { line, column },
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            Unreadable::LoneSurrogate { line, column }
        }
        _ => Unreadable::Syntax {
            line,
            column,
            message: message.to_owned(),
        },
    }
}

/// What is shared by all nodes of one reading.
struct State {
    limits: Limits,
    nodes: usize,
    /// Set when one of our limits ended the reading; the parser's own error is then a stand-in.
    refused: Option<Unreadable>,
    oddities: Vec<Oddity>,
}

/// The way from a node up to the root, on the stack: a path costs nothing until it is needed.
struct Frame<'a> {
    parent: Option<&'a Frame<'a>>,
    depth: usize,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// Reads the value at `at`; `None` is the root.
struct Node<'a> {
    state: &'a mut State,
    at: Option<&'a Frame<'a>>,
}

impl Node<'_> {
    /// Depth of the children of this array or object, or a refusal.
    fn enter<E: serde::de::Error>(&mut self) -> Result<usize, E> {
        let depth = self.at.map_or(1, |frame| frame.depth + 1);
        let limit = self.state.limits.depth;
        if depth >= limit {
            self.state.refused = Some(Unreadable::TooDeep { limit });
            return Err(E::custom("too deep"));
        }
        Ok(depth)
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let limit = self.state.limits.nodes;
        if self.state.nodes == limit {
            self.state.refused = Some(Unreadable::TooManyNodes { limit });
            return Err(D::Error::custom("too many nodes"));
        }
        self.state.nodes += 1;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a json value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let depth = self.enter()?;
        let mut array = Vec::new();
        loop {
            let frame = Frame {
                parent: self.at,
                depth,
                step: Step::Index(array.len()),
            };
            let node = Node {
                state: &mut *self.state,
                at: Some(&frame),
            };
            match items.next_element_seed(node)? {
                Some(value) => array.push(value),
                None => return Ok(Value::Array(array)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let depth = self.enter()?;
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let frame = Frame {
                parent: self.at,
                depth,
                step: Step::Key(&key),
            };
            if self.state.oddities.len() < MAX_ODDITIES && object.contains_key(&key) {
                self.state.oddities.push(Oddity::DuplicateKey {
                    path: frame.pointer(),
                });
            }
            let node = Node {
                state: &mut *self.state,
                at: Some(&frame),
            };
            let value = members.next_value_seed(node)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

impl Frame<'_> {
    /// JSON Pointer of the frame, at most [`MAX_PATH`] bytes and an ellipsis.
    fn pointer(&self) -> String {
        let mut steps: Vec<Step<'_>> = std::iter::successors(Some(self), |frame| frame.parent)
            .map(|frame| frame.step)
            .collect();
        steps.reverse();

        let mut path = String::new();
        for step in steps {
            let index;
            let name = match step {
                Step::Key(key) => key,
                Step::Index(number) => {
                    index = number.to_string();
                    &index
                }
            };
            path.push('/');
            for symbol in name.chars() {
                if path.len() >= MAX_PATH {
                    path.push('…');
                    return path;
                }
                match symbol {
                    '~' => path.push_str("~0"),
                    '/' => path.push_str("~1"),
                    _ => path.push(symbol),
                }
            }
        }
        path
    }
}
