//! `WWW-Authenticate` challenges (RFC 9110 section 11.6.1), read tolerantly.
//!
//! What servers send is often not quite the grammar (unquoted URLs, missing commas), so each
//! part that can be told apart is kept and the rest is passed over.

/// Challenges read from one header value; further ones are dropped.
const MAX_CHALLENGES: usize = 16;

/// Parameters read per challenge; further ones are dropped.
const MAX_PARAMS: usize = 64;

/// One challenge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The scheme as it was written; schemes are case-insensitive.
    pub scheme: String,
    /// Parameters in order as they were written, quotes and escapes resolved; may repeat.
    pub params: Vec<(String, String)>,
    /// A single credential-like value in place of parameters, as `Negotiate` has it.
    pub token68: Option<String>,
}

impl Challenge {
    /// The first parameter of that name, compared without regard to case.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        let (_, value) = self
            .params
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(value)
    }
}

/// Reads the challenges of one `WWW-Authenticate` value, at most 16 of 64 parameters each.
///
/// Never fails: what cannot be read is left out.
#[must_use]
pub fn parse(value: &str) -> Vec<Challenge> {
    let mut challenges: Vec<Challenge> = Vec::new();
    let mut cursor = Cursor { rest: value };
    loop {
        cursor.skip(|symbol| symbol == ',' || is_space(symbol));
        if cursor.rest.is_empty() {
            return challenges;
        }
        if let Some((name, value)) = cursor.param() {
            if let Some(challenge) = challenges.last_mut()
                && challenge.params.len() < MAX_PARAMS
            {
                challenge.params.push((name.to_owned(), value));
            }
            continue;
        }
        let scheme = cursor.take(is_token);
        if scheme.is_empty() {
            // Nothing that could begin here: a stray character or a stray quoted string.
            cursor.value();
            cursor.skip(|symbol| symbol == '=');
            continue;
        }
        if challenges.len() == MAX_CHALLENGES {
            return challenges;
        }
        let token68 = cursor.token68().map(str::to_owned);
        challenges.push(Challenge {
            scheme: scheme.to_owned(),
            params: Vec::new(),
            token68,
        });
    }
}

fn is_space(symbol: char) -> bool {
    matches!(symbol, ' ' | '\t')
}

/// `tchar` of RFC 9110 section 5.6.2.
fn is_token(symbol: char) -> bool {
    symbol.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(symbol)
}

fn is_token68(symbol: char) -> bool {
    symbol.is_ascii_alphanumeric() || "-._~+/".contains(symbol)
}

struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self
            .rest
            .find(|symbol| !wanted(symbol))
            .unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        self.take(unwanted);
    }

    /// `name = value`, or nothing, and then the cursor has not moved.
    fn param(&mut self) -> Option<(&'a str, String)> {
        let start = self.rest;
        let name = self.take(is_token);
        self.skip(is_space);
        if name.is_empty() || !self.rest.starts_with('=') {
            self.rest = start;
            return None;
        }
        self.rest = &self.rest[1..];
        self.skip(is_space);
        Some((name, self.value()))
    }

    /// A quoted string, or everything up to the next comma or white space.
    fn value(&mut self) -> String {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            return self
                .take(|symbol| symbol != ',' && !is_space(symbol))
                .to_owned();
        };
        let mut value = String::new();
        let mut symbols = quoted.chars();
        while let Some(symbol) = symbols.next() {
            match symbol {
                '"' => break,
                '\\' => value.extend(symbols.next()),
                _ => value.push(symbol),
            }
        }
        self.rest = symbols.as_str();
        value
    }

    /// A token68 that is all there is up to the next comma, or nothing.
    fn token68(&mut self) -> Option<&'a str> {
        let start = self.rest;
        self.skip(is_space);
        let whole = self.rest;
        let body = self.take(is_token68);
        let padding = self.take(|symbol| symbol == '=');
        let token = &whole[..body.len() + padding.len()];
        self.skip(is_space);
        if body.is_empty() || !(self.rest.is_empty() || self.rest.starts_with(',')) {
            self.rest = start;
            return None;
        }
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn challenge(scheme: &str, params: &[(&str, &str)], token68: Option<&str>) -> Challenge {
        Challenge {
            scheme: scheme.to_owned(),
            params: params
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
            token68: token68.map(str::to_owned),
        }
    }

    #[test]
    fn reads_what_the_grammar_allows() {
        let url = "https://api.test/.well-known/oauth-protected-resource";
        assert_eq!(
            parse(&format!(r#"Bearer resource_metadata="{url}", scope="a b""#)),
            [challenge(
                "Bearer",
                &[("resource_metadata", url), ("scope", "a b")],
                None
            )]
        );
        assert_eq!(
            parse(
                r#"Newauth realm="apps", type=1, title="Login to \"apps\", \\ x", Basic realm = "s""#
            ),
            [
                challenge(
                    "Newauth",
                    &[
                        ("realm", "apps"),
                        ("type", "1"),
                        ("title", r#"Login to "apps", \ x"#)
                    ],
                    None
                ),
                challenge("Basic", &[("realm", "s")], None),
            ]
        );
        assert_eq!(
            parse(", Negotiate, ,NTLM YWJj/+==, Bearer"),
            [
                challenge("Negotiate", &[], None),
                challenge("NTLM", &[], Some("YWJj/+==")),
                challenge("Bearer", &[], None),
            ]
        );
        assert_eq!(parse("Bearer Error=x")[0].param("error"), Some("x"));
        assert_eq!(parse(""), []);
    }

    #[test]
    fn tolerates_what_servers_send() {
        assert_eq!(
            parse("Bearer resource_metadata=https://a.test/x?y=1, error=invalid_token"),
            [challenge(
                "Bearer",
                &[
                    ("resource_metadata", "https://a.test/x?y=1"),
                    ("error", "invalid_token")
                ],
                None
            )]
        );
        assert_eq!(
            parse(r#"Bearer realm="a" error="b""#),
            [challenge("Bearer", &[("realm", "a"), ("error", "b")], None)]
        );
        assert_eq!(
            parse(r#"Bearer realm="never closed, error=x"#),
            [challenge(
                "Bearer",
                &[("realm", "never closed, error=x")],
                None
            )]
        );
        assert_eq!(parse(r#"realm="no scheme""#), []);
        assert_eq!(
            parse(r#""quoted" = Bearer a=é"#),
            [challenge("Bearer", &[("a", "é")], None)]
        );
    }

    #[test]
    fn stays_within_its_bounds() {
        assert_eq!(parse(&"Basic a=b, ".repeat(1000)).len(), MAX_CHALLENGES);
        assert_eq!(
            parse(&format!("Basic {}", "a=b, ".repeat(1000)))[0]
                .params
                .len(),
            MAX_PARAMS
        );
    }

    proptest! {
        #[test]
        fn never_panics(any in any::<String>(), likely in "[Ba =,\"\\\\é/;]{0,40}") {
            let _ = parse(&any);
            let _ = parse(&likely);
        }

        #[test]
        fn a_quoted_string_comes_back(value in "[ -~]{0,20}", scheme in "[A-Z][a-z]{0,6}") {
            let quoted = value.replace('\\', r"\\").replace('"', r#"\""#);
            let read = parse(&format!("{scheme} realm=\"{quoted}\", Next"));
            let expected = [challenge(&scheme, &[("realm", &value)], None), challenge("Next", &[], None)];
            prop_assert_eq!(read, expected);
        }
    }
}
