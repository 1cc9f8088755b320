use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::render::sanitise::*;

const EVERY: [fn(&str, usize) -> String; 9] = [
    terminal,
    markdown,
    markdown_code,
    sarif,
    workflow,
    workflow_property,
    html,
    xml,
    |text, max| lines(text, max).join(" "),
];

/// Strings in which the dangerous is frequent.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => any::<char>().prop_map(String::from),
        4 => "[ -~]",
        2 => prop::sample::select(vec![
            "\u{1b}[2J", "\u{1b}]8;;x\u{7}", "\r", "\n", "\t", "\u{9b}", "\u{7f}", "\u{202e}", "\u{200b}",
            "\u{2028}", "\u{e0041}", "\u{feff}", "\u{61c}", "\u{2066}", "\u{fffe}", "   ", "```", "``",
        ]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "::error::", "##[error]", "# ", "@octo", "#12", "GH-12", "https://", "www.", "a@b.c", "[x](y)",
            "![x](y)", "<b>", "</details>", "&#64;", "|", "\\", "`", "*", "_", "~~", "- ", "1. ", "===", "---",
            "$x$", ":tada:", "> ", "<!--", "|-|", "[^1]",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn assert_visible(out: &str) {
    assert!(!out.contains(is_hidden), "{out:?}");
    assert!(!out.contains("##["), "{out:?}");
    for (at, _) in out.match_indices("::") {
        assert!(
            !out[at + 2..].starts_with(|c: char| c.is_ascii_alphabetic()),
            "{out:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_hidden_is_left(text in nasty(), max in 0_usize..80) {
        for function in EVERY {
            assert_visible(&function(&text, max));
        }
        for line in markdown_block(&text, max).lines() {
            assert_visible(line);
        }
        prop_assert!(terminal(&text, max).chars().count() <= max + 1);
        prop_assert!(lines(&text, max).iter().map(|line| line.chars().count()).sum::<usize>() <= 2 * max + 2);
    }

    #[test]
    fn plain_text_is_left_alone(text in "[a-zA-Z0-9 äöü漢字é\"'(),;/-]{0,60}") {
        prop_assert_eq!(terminal(&text, 60), text);
    }

    #[test]
    fn markdown_is_text(text in nasty()) {
        let shown = terminal(&text, 200);
        let shown = shown.trim_matches(' ');
        for (before, after) in [("", ""), ("- ", ""), ("words\n", "\nwords"), ("**", " x**"), ("| a |\n|---|\n| ", " |")] {
            let inline = markdown(&text, 200);
            let source = format!("{before}{inline}{after}\n");
            let mut read = String::new();
            let mut cells = 0;
            for event in Parser::new_ext(&source, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
                match event {
                    Event::Text(text) => read += &text,
                    Event::Start(Tag::TableCell) => cells += 1,
                    Event::Start(Tag::Paragraph | Tag::List(None) | Tag::Item | Tag::Strong
                        | Tag::Table(_) | Tag::TableHead | Tag::TableRow) | Event::End(_) => {}
                    Event::SoftBreak => read.push('\n'),
                    other => prop_assert!(false, "{other:?} of {source:?}"),
                }
            }
            if cells > 0 {
                prop_assert_eq!(cells, 2, "{}", source);
            }
            assert_no_reference(&read);
            let read = read.replace('\u{200b}', "");
            if before.is_empty() {
                prop_assert_eq!(read, shown, "{}", source);
            }
        }
    }

    #[test]
    fn code_spans_hold(text in nasty()) {
        let source = format!("- x: {}\n", markdown_code(&text, 200));
        let mut spans = 0;
        for event in Parser::new_ext(&source, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
            match event {
                Event::Code(_) => spans += 1,
                Event::Text(text) => prop_assert!(["x: ", "x: (empty)"].contains(&&*text), "{text} of {source:?}"),
                Event::Start(Tag::List(None) | Tag::Item) | Event::End(_) => {}
                other => prop_assert!(false, "{other:?} of {source:?}"),
            }
        }
        prop_assert!(spans <= 1);
    }

    #[test]
    fn code_blocks_hold(text in nasty()) {
        let source = format!("{}after\n", markdown_block(&text, 200));
        let mut after = String::new();
        let mut inside = false;
        let mut blocks = 0;
        for event in Parser::new_ext(&source, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => { inside = true; blocks += 1; }
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => inside = false,
                Event::Text(text) if !inside => after += &text,
                _ => {}
            }
        }
        prop_assert_eq!((blocks, after.as_str()), (1, "after"));
    }

    #[test]
    fn markup_languages_show_the_text(text in nasty()) {
        for escaped in [html(&text, 200), xml(&text, 200)] {
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            let read = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"")
                .replace("&#39;", "'").replace("&amp;", "&");
            prop_assert_eq!(read, terminal(&text, 200));
        }
    }
}

/// What GitHub looks for in finished text.
fn assert_no_reference(text: &str) {
    let chars: Vec<char> = text.chars().collect();
    for pair in chars.windows(2) {
        assert!(
            !(pair[0] == '@' && pair[1].is_ascii_alphanumeric()),
            "{text:?}"
        );
        assert!(
            !(pair[0] == '#' && pair[1].is_ascii_alphanumeric()),
            "{text:?}"
        );
    }
    assert!(!text.contains("://"), "{text:?}");
    assert!(!text.to_ascii_lowercase().contains("www."), "{text:?}");
    assert!(!text.contains("GH-1"), "{text:?}");
}

#[test]
fn the_hidden_is_shown() {
    assert_eq!(
        terminal("a\u{1b}[31m\r\n\tb\u{202e}", 80),
        "a\\u{1b}[31m\\r\\n\\tb\\u{202e}"
    );
    assert_eq!(
        terminal("\u{e0041}\u{2028}\u{feff}\u{9b}", 80),
        "\\u{e0041}\\u{2028}\\u{feff}\\u{9b}"
    );
    assert_eq!(
        terminal("::error file=x::y ##[group]", 80),
        "\\u{3a}:error file=x::y \\u{23}#[group]".replace("x::y", "x\\u{3a}:y")
    );
    assert_eq!(terminal("abcdef", 3), "abc…");
    assert_eq!(terminal("ab\u{1b}", 3), "ab…");
    assert_eq!(lines("a\r\nb\n", 80), ["a", "b"]);
    assert_eq!(workflow_property("50%: a, b", 80), "50%25%3A a%2C b");
    assert_eq!(sarif("[x](http://y)", 80), "[x]\\u{28}http://y)");
    assert_eq!(markdown_code("a``b`", 80), "``` a``b` ```");
    assert_eq!(markdown_code(" ", 80), "(empty)");
}
