//! Values of `Mcp-Name` and `Mcp-Param-*` headers (basic/transports/streamable-http, Value
//! Encoding).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Why an encoded header value cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderValueError {
    /// What the markers enclose is not standard, padded Base64.
    #[error("header value has the base64 markers, but no valid base64 between them: {reason}")]
    NotBase64 {
        /// The decoder's words: which byte, which offset.
        reason: String,
    },
    /// It is Base64, but not of UTF-8 text.
    #[error("header value is base64 of something that is not utf-8 from byte {at} on")]
    NotUtf8 {
        /// Offset in the decoded bytes.
        at: usize,
    },
}

/// Encodes a value for a header: as it is where that is safe and unambiguous, else as Base64
/// between markers. The empty string is safe.
#[must_use]
pub fn encode_value(value: &str) -> String {
    let safe = value
        .bytes()
        .all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let padded = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    let marked = value.starts_with(PREFIX) && value.ends_with(SUFFIX);
    if safe && !padded && !marked {
        value.to_owned()
    } else {
        format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value))
    }
}

/// Decodes a header value: what is not between the markers, which are case-sensitive, is itself.
///
/// # Errors
///
/// [`HeaderValueError`] if there are markers around something that is not Base64 of UTF-8.
pub fn decode_value(value: &str) -> Result<String, HeaderValueError> {
    let Some(encoded) = value
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
    else {
        return Ok(value.to_owned());
    };
    let bytes = STANDARD
        .decode(encoded)
        .map_err(|error| HeaderValueError::NotBase64 {
            reason: error.to_string(),
        })?;
    String::from_utf8(bytes).map_err(|error| HeaderValueError::NotUtf8 {
        at: error.utf8_error().valid_up_to(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn encodes_only_where_needed() {
        for plain in [
            "",
            "us-west1",
            "a b\tc",
            "file:///x?y=1",
            "=?base64?x",
            "=?BASE64?eA==?=",
        ] {
            assert_eq!(encode_value(plain), plain);
        }
        for (value, encoded) in [
            ("é", "=?base64?w6k=?="),
            (" a", "=?base64?IGE=?="),
            ("a\t", "=?base64?YQk=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("\u{7f}", "=?base64?fw==?="),
            ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
            // Its markers overlap, yet it starts with the one and ends with the other.
            ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ] {
            assert_eq!(encode_value(value), encoded);
        }
    }

    #[test]
    fn decodes_strictly_between_the_markers() {
        assert_eq!(decode_value("=?base64??="), Ok(String::new()));
        assert_eq!(
            decode_value("=?Base64?eA==?="),
            Ok("=?Base64?eA==?=".to_owned())
        );
        for broken in [
            "=?base64?eA?=",
            "=?base64?*?=",
            "=?base64?eA==",
            "=?base64?_-8=?=",
        ] {
            let ok = decode_value(broken).is_ok();
            assert_eq!(ok, !broken.ends_with(SUFFIX), "{broken}");
        }
        assert_eq!(
            decode_value("=?base64?eP8=?="),
            Err(HeaderValueError::NotUtf8 { at: 1 })
        );
    }

    proptest! {
        #[test]
        fn comes_back_as_it_was(value in any::<String>(), marked in "=\\?base64\\?.{0,6}\\?=") {
            for value in [value, marked] {
                let encoded = encode_value(&value);
                prop_assert!(encoded.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')));
                prop_assert_eq!(encoded.trim(), &encoded);
                prop_assert_eq!(decode_value(&encoded), Ok(value));
            }
        }
    }
}
