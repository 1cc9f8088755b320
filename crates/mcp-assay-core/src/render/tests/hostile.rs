use super::samples;
use crate::render::sanitise::is_hidden;
use crate::render::{Format, Options, render};
use crate::report::Verdict;

const STRINGS: [&str; 13] = [
    "\u{1b}[2J\u{1b}[HREADY",
    "\u{1b}]8;;http://evil.example/\u{7}x\u{1b}]8;;\u{7}",
    "x\rREADY  all good",
    "x\nREADY  all good\n\nREADY",
    "READY READY READY READY READY READY READY READY READY READY READY READY READY READY READY",
    "<script>alert(1)</script></details><img src=x>",
    "::error file=a.rs::fake\n::set-output name=a::b ##[error]fake",
    "[click](http://evil.example) ![x](http://evil.example/x.png) http://evil.example www.evil.example",
    "@octocat #12 GH-12 octo/repo#1 a|b|c ```` `x` # h",
    "\u{202e}YDAER\u{2066}\u{200b}\u{feff}\u{2028}\u{2029}\u{e0041}\u{85}\u{9b}2J\u{7f}\u{0}",
    "https://user:hunter2@evil.example/mcp?token=hunter2#hunter2",
    "```\n</details>\n# READY\n```\n",
    "",
];

const VERDICTS: [Verdict; 6] = [
    Verdict::Unreachable,
    Verdict::AuthRequired,
    Verdict::NotMcp,
    Verdict::NotReady,
    Verdict::Incomplete,
    Verdict::Ready,
];

fn every(mut check: impl FnMut(&str, Verdict, Format, &str)) {
    for string in STRINGS {
        for verdict in VERDICTS {
            let report = samples::hostile(string, verdict);
            for format in Format::ALL {
                for (width, verbose) in [(40, true), (80, false), (140, true)] {
                    let options = Options {
                        width,
                        verbose,
                        ..Options::default()
                    };
                    check(string, verdict, format, &render(&report, format, &options));
                }
            }
        }
    }
}

#[test]
fn no_format_lets_anything_hidden_through() {
    every(|string, _, format, out| {
        assert!(out.ends_with('\n'));
        let found = out.chars().find(|&c| is_hidden(c) && c != '\n');
        assert_eq!(found, None, "{format} of {string:?}");
        assert!(!out.contains("##["), "{format} of {string:?}");
        for line in out.lines() {
            assert!(
                !line.trim_start().starts_with("::"),
                "{format} of {string:?}: {line}"
            );
        }
    });
}

#[test]
fn only_our_words_stand_in_the_first_column_of_text() {
    every(|string, verdict, format, out| {
        if format != Format::Text {
            return;
        }
        let ready = out.lines().filter(|line| line.starts_with("READY")).count();
        // The first line begins with the name of the tool, which is only hostile here.
        let first = usize::from(out.starts_with("READY"));
        let expected = usize::from(verdict == Verdict::Ready);
        assert_eq!(ready - first, expected, "{string:?}:\n{out}");
        assert!(!out.lines().any(|line| line.starts_with("all good")));
    });
}

#[test]
fn markdown_gains_no_markup() {
    every(|string, _, format, out| {
        if format != Format::Markdown {
            return;
        }
        use pulldown_cmark::{Event, Options as Extensions, Parser, Tag};
        let mut headings = 0;
        for event in Parser::new_ext(
            out,
            Extensions::ENABLE_TABLES | Extensions::ENABLE_STRIKETHROUGH,
        ) {
            match event {
                Event::Start(Tag::Heading { .. }) => headings += 1,
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::BlockQuote(_)) => {
                    panic!("{event:?} of {string:?}\n{out}")
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let ours = html.starts_with("<details><summary>")
                        || ["</details>", "<sub>", "</sub>"].contains(&html.trim());
                    assert!(ours, "{html} of {string:?}\n{out}");
                }
                _ => {}
            }
        }
        assert_eq!(headings, 1, "{string:?}");
    });
}

#[test]
fn sarif_gains_no_link_and_publishes_no_target_secret() {
    every(|_, _, format, out| {
        if format == Format::Sarif {
            assert!(!out.contains("]("));
            let log: serde_json::Value = serde_json::from_str(out).unwrap();
            let target = log["runs"][0]["properties"]["target"].as_str().unwrap();
            assert!(!target.contains("hunter2"), "{target}");
        }
    });
}

#[test]
fn markdown_fits_a_comment() {
    for text in [
        "x".repeat(5000),
        "\u{1b}@#|".repeat(5000),
        "` |".repeat(5000),
    ] {
        let mut report = samples::hostile(&text, Verdict::NotReady);
        for _ in 0..7 {
            report.findings.extend_from_within(..);
        }
        let comment = render(&report, Format::Markdown, &Options::default());
        assert!(comment.len() < 65_536, "{}", comment.len());
    }
}
