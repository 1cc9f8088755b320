use super::samples;
use crate::render::{Format, Options, render, schema};

fn text(width: usize, verbose: bool) -> Options {
    Options {
        width,
        verbose,
        ..Options::default()
    }
}

#[test]
fn text_at_80_and_140_columns() {
    for (name, report) in samples::all() {
        for width in [80, 140] {
            let page = render(&report, Format::Text, &text(width, false));
            for line in page.lines() {
                assert!(
                    line.chars().count() <= width || line.trim_start().starts_with("spec "),
                    "{line}"
                );
                assert_eq!(line, line.trim_end());
            }
            insta::assert_snapshot!(format!("text_{name}_{width}"), page);
        }
    }
}

#[test]
fn one_screen_for_a_legacy_server() {
    let page = render(&samples::legacy(), Format::Text, &text(80, false));
    assert!(page.lines().count() <= 24, "{page}");
}

#[test]
fn verbose_text() {
    insta::assert_snapshot!(
        "text_legacy_verbose",
        render(&samples::legacy(), Format::Text, &text(80, true))
    );
}

#[test]
fn coloured_text() {
    let options = Options {
        colour: true,
        ..text(80, false)
    };
    let coloured = render(&samples::legacy(), Format::Text, &options);
    insta::assert_snapshot!(
        "text_legacy_colour",
        coloured.escape_debug().to_string().replace("\\n", "\n")
    );
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain += before;
        rest = after.split_once('m').unwrap().1;
    }
    plain += rest;
    assert_eq!(
        plain,
        render(&samples::legacy(), Format::Text, &text(80, false))
    );
}

#[test]
fn markdown() {
    for (name, report) in samples::all() {
        let options = Options {
            docs: Some("https://docs.example.com/rules/".to_owned()),
            ..Options::default()
        };
        insta::assert_snapshot!(
            format!("markdown_{name}"),
            render(&report, Format::Markdown, &options)
        );
    }
}

#[test]
fn json_is_the_report() {
    for (_, report) in samples::all() {
        let json = render(&report, Format::Json, &Options::default());
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read, serde_json::to_value(&report).unwrap());
    }
    insta::assert_snapshot!(
        "json_legacy",
        render(&samples::legacy(), Format::Json, &Options::default())
    );
}

#[test]
fn sarif() {
    insta::assert_snapshot!(
        "sarif_legacy",
        render(&samples::legacy(), Format::Sarif, &Options::default())
    );
}

#[test]
fn schema_names_the_contract() {
    let schema = schema();
    for field in [
        "schemaVersion",
        "verdict",
        "findings",
        "rules",
        "crashedRules",
    ] {
        assert!(schema["properties"][field].is_object(), "{field}");
    }
}

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
    let error = "yaml".parse::<Format>().unwrap_err().to_string();
    assert_eq!(
        error,
        "no format is called \"yaml\"; there are text, json, sarif, markdown"
    );
}
