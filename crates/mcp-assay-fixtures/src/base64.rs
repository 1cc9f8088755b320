//! Standard Base64 (RFC 4648, section 4), decoding only.

/// Decodes `text`, or returns `None` when it is not padded standard Base64.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let payload = text.trim_end_matches('=');
    if text.len() - payload.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(payload.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0u32);
    for character in payload.bytes() {
        bits = (bits << 6) | value(character)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

fn value(character: u8) -> Option<u32> {
    Some(u32::from(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes_the_standard_alphabet() {
        assert_eq!(decode("").unwrap(), b"");
        assert_eq!(decode("Zg==").unwrap(), b"f");
        assert_eq!(decode("Zm9vYmE=").unwrap(), b"fooba");
        assert_eq!(decode("Zm9vYmFy").unwrap(), b"foobar");
        assert_eq!(decode("+/+/").unwrap(), [0xfb, 0xff, 0xbf]);
    }

    #[test]
    fn refuses_what_is_not_padded_standard_base64() {
        for text in ["Zg", "Zg=", "Z===", "Zm9v!A==", "-_-_", "Zh=="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
