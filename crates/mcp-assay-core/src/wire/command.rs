//! The one-string form of a server command, split by rules of our own: the same on every
//! system, and never by a shell.
//!
//! - White space (ASCII) separates words.
//! - Between single quotes everything is literal; double quotes group. Quotes may begin and end
//!   inside a word, and an empty pair is an empty word.
//! - A backslash is literal unless a double quote follows, or, outside quotes, a single quote or
//!   white space; those it makes literal. In a run of backslashes before one of these, each pair
//!   stands for one backslash. So `C:\srv\server.exe` needs no care.

/// Why a command string cannot be split. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// Nothing but white space.
    #[error("the command is empty; give the program to start and its arguments")]
    Empty,
    /// A quote without its partner.
    #[error("the quote {quote} at column {column} of the command is never closed{}", closing_hint(*.escaped))]
    Unbalanced {
        /// The quote character.
        quote: char,
        /// Where it opens.
        column: usize,
        /// A backslash made a later quote of that kind literal, perhaps not on purpose.
        escaped: bool,
    },
}

fn closing_hint(escaped: bool) -> &'static str {
    if escaped {
        "; a backslash before a quote makes it literal, write two to mean one"
    } else {
        ""
    }
}

/// Splits a command into words.
///
/// # Errors
///
/// [`SplitError::Empty`] without any word, [`SplitError::Unbalanced`] for a quote left open.
pub fn split(command: &str) -> Result<Vec<String>, SplitError> {
    let symbols: Vec<char> = command.chars().collect();
    let mut words = Vec::new();
    // `None` between words: an empty word is not the same as none.
    let mut word: Option<String> = None;
    let mut open: Option<(char, usize)> = None;
    let mut escaped = false;
    let mut at = 0;
    while let Some(&symbol) = symbols.get(at) {
        let quote = open.map(|(quote, _)| quote);
        if symbol == '\\' && quote != Some('\'') {
            let run = symbols[at..]
                .iter()
                .take_while(|symbol| **symbol == '\\')
                .count();
            at += run;
            let text = word.get_or_insert_default();
            match symbols.get(at).filter(|next| escapable(**next, quote)) {
                Some(&next) => {
                    text.extend(std::iter::repeat_n('\\', run / 2));
                    if run % 2 == 1 {
                        text.push(next);
                        escaped |= quote == Some(next);
                        at += 1;
                    }
                }
                None => text.extend(std::iter::repeat_n('\\', run)),
            }
            continue;
        }
        at += 1;
        match (symbol, quote) {
            (_, Some(quote)) if symbol == quote => open = None,
            ('\'' | '"', None) => {
                open = Some((symbol, at));
                escaped = false;
                word.get_or_insert_default();
            }
            (_, None) if symbol.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(symbol),
        }
    }
    if let Some((quote, column)) = open {
        return Err(SplitError::Unbalanced {
            quote,
            column,
            escaped,
        });
    }
    words.extend(word);
    if words.is_empty() {
        Err(SplitError::Empty)
    } else {
        Ok(words)
    }
}

fn escapable(symbol: char, quote: Option<char>) -> bool {
    symbol == '"' || (quote.is_none() && (symbol == '\'' || symbol.is_ascii_whitespace()))
}

/// Joins words into a command that [`split`] takes apart again into the same words.
#[must_use]
pub fn join(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let special = |symbol: char| matches!(symbol, '\'' | '"') || symbol.is_ascii_whitespace();
    if !word.is_empty() && !word.contains(special) && !word.ends_with('\\') {
        return word.to_owned();
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let mut quoted = String::from('"');
    let mut run = 0;
    for symbol in word.chars() {
        if symbol == '"' {
            // The run before it is halved again, and one more backslash keeps it literal.
            quoted.extend(std::iter::repeat_n('\\', run + 1));
        }
        run = if symbol == '\\' { run + 1 } else { 0 };
        quoted.push(symbol);
    }
    quoted.extend(std::iter::repeat_n('\\', run));
    quoted.push('"');
    quoted
}

/// A hint for a command that seems to have been meant for a shell: a lower-case fragment, `None`
/// if nothing looks like it. Values of variables are not repeated, they may be secrets.
#[must_use]
pub fn hint(words: &[String]) -> Option<String> {
    let first = words.first()?;
    if let Some(name) = assigned(first) {
        return Some(format!(
            "`{name}=...` before a command needs a shell, and none is involved: use `--env {name}=...`"
        ));
    }
    if first == "cd" {
        return Some("`cd` needs a shell, and none is involved: use `--cwd`".to_owned());
    }
    let found = words.iter().find_map(|word| shell_syntax(word))?;
    Some(format!(
        "no shell is involved, so {found} is passed on as it is: write it out, or start the shell yourself, as in `sh -c '...'`"
    ))
}

/// The name in `NAME=value`.
fn assigned(word: &str) -> Option<&str> {
    let (name, _) = word.split_once('=')?;
    is_name(name).then_some(name)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Says which shell syntax a word has, if any.
fn shell_syntax(word: &str) -> Option<String> {
    let redirect = word.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
    if matches!(word, "|" | "||" | "&&" | "&" | ";" | "|&" | "<<" | "<")
        || matches!(redirect, ">" | ">>" | ">&1" | ">&2" | ">/dev/null" | "<&0")
    {
        return Some(format!("the operator `{word}`"));
    }
    if word.len() > 1 && word.ends_with(';') {
        return Some("the operator `;`".to_owned());
    }
    if word == "~" || word.starts_with("~/") {
        return Some("`~`".to_owned());
    }
    let (_, variable) = word.split_once('$')?;
    let braced = variable
        .strip_prefix('{')
        .and_then(|rest| rest.split_once('}'))
        .map(|(name, _)| name);
    let end = variable.find(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_');
    let bare = &variable[..end.unwrap_or(variable.len())];
    let name = braced.unwrap_or(bare);
    is_name(name).then(|| format!("the variable `${name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn splits_into_words() {
        for (command, words) in [
            ("node dist/server.js", &["node", "dist/server.js"][..]),
            ("  a\t b\r\nc ", &["a", "b", "c"]),
            (
                r#""C:\Program Files\x.exe" --a"#,
                &[r"C:\Program Files\x.exe", "--a"],
            ),
            (
                r"C:\foo\bar.exe \\host\share\x",
                &[r"C:\foo\bar.exe", r"\\host\share\x"],
            ),
            (r"C:\Program\ Files\x.exe", &[r"C:\Program Files\x.exe"]),
            (
                r#"'a "b" \' "it's" '' "" x''y"#,
                &[r#"a "b" \"#, "it's", "", "", "xy"],
            ),
            (r#"--a="b c"'d e'f"#, &["--a=b cd ef"]),
            (
                r#""say \"hi\"" \"x\" \'y\'"#,
                &[r#"say "hi""#, r#""x""#, "'y'"],
            ),
            (
                r#""dir\\" "a\\\"b" dir\\ c\"#,
                &[r"dir\", r#"a\"b"#, r"dir\", r"c\"],
            ),
            (
                r#""{\"a\": \"\\n\"}" "\'\ ""#,
                &[r#"{"a": "\\n"}"#, r"\'\ "],
            ),
            ("sh -c 'a && b'", &["sh", "-c", "a && b"]),
            ("é\u{a0}ü", &["é\u{a0}ü"]),
        ] {
            assert_eq!(split(command).unwrap(), words, "{command}");
        }
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        assert_eq!(split(" \t"), Err(SplitError::Empty));
        let unbalanced = |quote, column, escaped| {
            Err(SplitError::Unbalanced {
                quote,
                column,
                escaped,
            })
        };
        assert_eq!(split("é 'a"), unbalanced('\'', 3, false));
        assert_eq!(split(r#"a"b" "c"#), unbalanced('"', 6, false));
        assert_eq!(split(r#""C:\dir\""#), unbalanced('"', 1, true));
        assert_eq!(
            split(r#""C:\dir\""#).unwrap_err().to_string(),
            "the quote \" at column 1 of the command is never closed; \
             a backslash before a quote makes it literal, write two to mean one"
        );
    }

    #[test]
    fn hints_where_a_shell_was_expected() {
        let hint = |command: &str| hint(&split(command).unwrap()).unwrap_or_default();
        assert!(hint("TOKEN=secret node x").contains("`--env TOKEN=...`"));
        assert!(!hint("TOKEN=secret node x").contains("secret"));
        assert!(hint("cd x && node y").contains("--cwd"));
        for (command, named) in [
            ("a | b", "`|`"),
            ("a && b", "`&&`"),
            ("a; b", "`;`"),
            ("a 2> log", "`2>`"),
            ("a 2>&1", "`2>&1`"),
            ("~/bin/server", "`~`"),
            ("a --key=$KEY/x", "`$KEY`"),
            ("a ${HOME}/x", "`$HOME`"),
        ] {
            assert!(
                hint(command).contains(named),
                "{command}: {}",
                hint(command)
            );
        }
        for fine in ["node x.js --a=b", "a b=c", "a 5 $", "./a=b", "a x~y c:d$1"] {
            assert_eq!(hint(fine), "", "{fine}");
        }
    }

    proptest! {
        #[test]
        fn joined_words_split_again(
            words in prop::collection::vec(prop_oneof![any::<String>(), "[a \\\\\"'\t]{0,8}"], 1..5),
        ) {
            prop_assert_eq!(split(&join(&words)), Ok(words));
        }

        #[test]
        fn never_panics(any in any::<String>(), likely in "[a $~=;>\\\\\"']{0,20}") {
            for command in [any, likely] {
                if let Ok(words) = split(&command) {
                    let _ = hint(&words);
                }
            }
        }
    }
}
