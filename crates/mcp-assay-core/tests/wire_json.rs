//! The JSON reader: limits while reading, oddities noted, every refusal told apart.

use mcp_assay_core::wire::json::{Document, Limits, MAX_ODDITIES, Oddity, Unreadable, read};
use proptest::prelude::*;
use serde_json::{Value, json};

fn document(text: &str) -> Document {
    read(text.as_bytes(), Limits::default()).expect("readable")
}

fn refusal(bytes: &[u8]) -> Unreadable {
    read(bytes, Limits::default()).expect_err("unreadable")
}

fn path(oddity: &Oddity) -> &str {
    match oddity {
        Oddity::DuplicateKey { path } => path,
        other => panic!("{other:?}"),
    }
}

fn paths(document: &Document) -> Vec<&str> {
    document.oddities.iter().map(path).collect()
}

#[test]
fn notes_duplicate_keys_and_keeps_the_last() {
    let document = document(r#"{"a":1,"b":[0,{"x/y~":1,"x\/y~":2}],"a":{"c":3},"a":4}"#);
    assert_eq!(document.value, json!({"a": 4, "b": [0, {"x/y~": 2}]}));
    assert_eq!(paths(&document), ["/b/1/x~1y~0", "/a", "/a"]);
}

#[test]
fn bounds_what_it_notes() {
    let many = format!("{{{}\"k\":0}}", "\"k\":0,".repeat(1000));
    assert_eq!(document(&many).oddities.len(), MAX_ODDITIES);

    let key = "é".repeat(100_000);
    let long = document(&format!(r#"{{"{key}":1,"{key}":2}}"#));
    assert!(paths(&long)[0].len() < 1100 && paths(&long)[0].ends_with('…'));
}

#[test]
fn a_key_that_means_something_to_the_parser_is_a_key() {
    for key in [
        "$serde_json::private::RawValue",
        "$serde_json::private::Number",
    ] {
        let text = format!(r#"{{"{key}":"[1]"}}"#);
        assert_eq!(document(&text).value, json!({ key: "[1]" }));
    }
}

#[test]
fn tells_refusals_apart() {
    assert_eq!(refusal(b""), Unreadable::Empty);
    assert_eq!(refusal(b" \r\n\t"), Unreadable::Empty);
    assert_eq!(refusal(b"\xef\xbb\xbf{}"), Unreadable::ByteOrderMark);
    assert_eq!(refusal(b"{\"a\":\"\xff\"}"), Unreadable::NotUtf8 { at: 6 });
    assert!(matches!(
        refusal(b"1e999"),
        Unreadable::NumberOutOfRange { line: 1, .. }
    ));
    for lone in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\n""#,
        r#"{"\ud800\ud800":1}"#,
    ] {
        assert!(
            matches!(refusal(lone.as_bytes()), Unreadable::LoneSurrogate { .. }),
            "{lone}"
        );
    }
    for broken in [
        "{}{}",
        "[1,]",
        "{\"a\" 1}",
        "[",
        "\"",
        "\"\\u12",
        "nul",
        "NaN",
        "01",
        "\"\n\"",
        "\0",
    ] {
        assert!(
            matches!(refusal(broken.as_bytes()), Unreadable::Syntax { .. }),
            "{broken}"
        );
    }
    assert_eq!(
        refusal(b"{\n  x}"),
        Unreadable::Syntax {
            line: 2,
            column: 3,
            message: "key must be a string".into()
        }
    );
}

#[test]
fn refuses_depth_without_deep_recursion() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(read(nested(127).as_bytes(), Limits::default()).is_ok());
    for levels in [128, 129, 100_000] {
        assert_eq!(
            refusal(nested(levels).as_bytes()),
            Unreadable::TooDeep { limit: 128 }
        );
    }
    assert_eq!(
        refusal("[".repeat(100_000).as_bytes()),
        Unreadable::TooDeep { limit: 128 }
    );
    let objects = r#"{"a":"#.repeat(100_000);
    assert_eq!(
        refusal(objects.as_bytes()),
        Unreadable::TooDeep { limit: 128 }
    );

    let shallow = Limits {
        depth: 3,
        ..Limits::default()
    };
    assert!(read(br#"[{"a":1}]"#, shallow).is_ok());
    assert_eq!(
        read(br#"[{"a":[]}]"#, shallow),
        Err(Unreadable::TooDeep { limit: 3 })
    );
}

#[test]
fn counts_nodes_while_reading() {
    let limits = Limits {
        nodes: 4,
        ..Limits::default()
    };
    assert!(read(br"[1,2,{}]", limits).is_ok());
    assert_eq!(
        read(b"[1,2,3,4]", limits),
        Err(Unreadable::TooManyNodes { limit: 4 })
    );
    // The text past the limit is never looked at.
    let rubbish = read(br#"[1,2,{"a":3 rubbish"#, limits);
    assert_eq!(rubbish, Err(Unreadable::TooManyNodes { limit: 4 }));

    let hostile = format!("[{}0]", "[],".repeat(5_000_000));
    assert_eq!(
        refusal(hostile.as_bytes()),
        Unreadable::TooManyNodes { limit: 250_000 }
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn agrees_with_the_plain_reader(value in any_json()) {
        let text = value.to_string();
        let document = document(&text);
        prop_assert_eq!(&document.value, &serde_json::from_str::<Value>(&text).unwrap());
        prop_assert_eq!(document.oddities, vec![]);
    }

    #[test]
    fn never_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        text in "[\\[\\]{},:\"a1\\\\ud8e.-]{0,32}",
    ) {
        let _ = read(&bytes, Limits::default());
        let plain = serde_json::from_str::<Value>(&text);
        prop_assert_eq!(read(text.as_bytes(), Limits::default()).is_ok(), plain.is_ok());
    }
}
