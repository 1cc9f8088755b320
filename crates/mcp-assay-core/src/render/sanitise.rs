//! Makes foreign text harmless, with one function per destination.
//!
//! All of them show what cannot be seen: control characters, bidirectional controls, characters
//! without width, tags and line separators become escapes such as `\u{1b}`, `\n` and `\t`. All of
//! them break the two forms of a workflow command (`::name::` and `##[name]`), since whatever is
//! printed may be read by a CI runner. `max` bounds the visible characters; a text that is longer
//! ends in an ellipsis.

use std::fmt::Write as _;

/// True for a character that must not reach a reader as it is.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    // Controls, what Unicode calls default ignorable (but not the two presentation selectors that
    // emoji need), separators, interlinear annotations and noncharacters.
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// One line for a terminal.
#[must_use]
pub fn terminal(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max) + 4);
    let mut left = max;
    for (at, c) in text.char_indices() {
        let before = out.len();
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if is_hidden(c) || starts_command(&text[at..]) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
        let used = out[before..].chars().count();
        if used > left {
            out.truncate(before);
            out.push('…');
            break;
        }
        left -= used;
    }
    out
}

/// `::` and a letter, or `##[`: a runner acts on them, on the former even after blanks.
fn starts_command(rest: &str) -> bool {
    rest.starts_with("##[")
        || rest
            .strip_prefix("::")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Several lines, each harmless for a terminal; `max` bounds their sum. A last line break ends the
/// last line.
#[must_use]
pub fn lines(text: &str, max: usize) -> Vec<String> {
    let mut left = max;
    let mut out = Vec::new();
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if left == 0 {
            out.push("…".to_owned());
            break;
        }
        let line = terminal(line.strip_suffix('\r').unwrap_or(line), left);
        // A line break counts, or a text of nothing else would have no bound.
        left = left.saturating_sub(line.chars().count() + 1);
        out.push(line);
    }
    out
}

/// Text inside a Markdown paragraph or table cell: no markup, no link, no mention, no reference
/// comes of it.
///
/// A backslash is enough where Markdown itself would act. What GitHub finds in the finished text
/// (mentions, references, addresses, emoji) is broken by the entity of a zero-width space instead.
#[must_use]
pub fn markdown(text: &str, max: usize) -> String {
    const BREAK: &str = "&#8203;";
    let visible = terminal(text, max);
    let visible = visible.trim_matches(' ');
    let mut out = String::with_capacity(visible.len() + visible.len() / 8);
    let mut previous = None::<char>;
    let mut only_digits = true;
    let mut chars = visible.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '~' | '&' | '!' | '^' => {
                out.push('\\');
                out.push(c);
            }
            // An escaped bar would still divide some renderers' tables.
            '|' => out.push_str("&#124;"),
            '$' => out.push_str("\\$"),
            '@' => {
                out.push(c);
                out.push_str(BREAK);
            }
            '#' => {
                out.push_str("\\#");
                out.push_str(BREAK);
            }
            ':' => {
                out.push_str(if previous.is_none() { "\\:" } else { ":" });
                if next.is_some_and(|next| next != ' ') {
                    out.push_str(BREAK);
                }
            }
            '.' if previous.is_some_and(|c| c.eq_ignore_ascii_case(&'w')) => {
                out.push_str(BREAK);
                out.push(c);
            }
            // `GH-1`, `JIRA-1`
            '-' if previous.is_some_and(|c| c.is_ascii_alphabetic())
                && next.is_some_and(|c| c.is_ascii_digit()) =>
            {
                out.push(c);
                out.push_str(BREAK);
            }
            // The beginning of a list, an underline or a rule.
            '-' | '+' | '=' if previous.is_none() => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if only_digits && previous.is_some() => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
        only_digits &= c.is_ascii_digit();
        previous = Some(c);
    }
    out
}

/// A Markdown code span, delimiters included. Not for table cells.
#[must_use]
pub fn markdown_code(text: &str, max: usize) -> String {
    let code = terminal(text, max);
    if code.trim_matches(' ').is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(&code) + 1);
    let pad = code.starts_with(['`', ' ']) || code.ends_with(['`', ' ']);
    let pad = if pad { " " } else { "" };
    format!("{fence}{pad}{code}{pad}{fence}")
}

/// A fenced Markdown code block, fences included, which keeps line breaks. To be put at the
/// beginning of a line; ends with a line break.
#[must_use]
pub fn markdown_block(text: &str, max: usize) -> String {
    let code = lines(text, max).join("\n");
    let fence = "`".repeat(longest_run(&code).max(2) + 1);
    format!("{fence}text\n{code}\n{fence}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A message in SARIF: as for a terminal, and no embedded link comes of it.
#[must_use]
pub fn sarif(text: &str, max: usize) -> String {
    terminal(text, max).replace("](", "]\\u{28}")
}

/// The data of a GitHub workflow command.
#[must_use]
pub fn workflow(text: &str, max: usize) -> String {
    terminal(text, max).replace('%', "%25")
}

/// A property of a GitHub workflow command.
#[must_use]
pub fn workflow_property(text: &str, max: usize) -> String {
    workflow(text, max).replace(':', "%3A").replace(',', "%2C")
}

/// Text or a quoted attribute in HTML.
#[must_use]
pub fn html(text: &str, max: usize) -> String {
    entities(&terminal(text, max))
}

/// Text or a quoted attribute in XML 1.0.
#[must_use]
pub fn xml(text: &str, max: usize) -> String {
    entities(&terminal(text, max))
}

fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// A JSON document with `\uXXXX` for every hidden character, and no workflow command.
///
/// In a document that a serializer wrote, such characters occur inside strings only.
#[must_use]
pub(super) fn json(document: &str) -> String {
    let mut out = String::with_capacity(document.len() + 16);
    for (at, c) in document.char_indices() {
        // A line break is the serializer's own: inside strings it has been escaped.
        if (is_hidden(c) && c != '\n') || document[at..].starts_with("##[") {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}
