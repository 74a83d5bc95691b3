//! Tests of the sentences about pages of saved outputs, and of the requests for the next page.

use overspill::core::Limits;
use overspill::internal::notice::mark_line;
use overspill::internal::retrieve::{
    self, FromValue, JsonPath, outputs_not_searched, read, values,
};
use overspill::retrieve::{Answer, Query, Request};
use overspill::store::{Memory, OutputId, Store};
use overspill::{Call, Part};

fn saved(text: &str) -> (Memory, OutputId) {
    let store = Memory::default();
    let mut draft = store.create(&Call::default()).unwrap();
    draft.append(text.as_bytes()).unwrap();
    let id = draft.publish().unwrap().id;
    (store, id)
}

fn values_of(text: &str, path: &str, from: FromValue, limits: &Limits) -> Answer {
    let (store, id) = saved(text);
    let path = JsonPath::parse(path).unwrap();
    values(&store, &id, &path, from, limits).unwrap().answer(&id, &path)
}

#[test]
fn footer_has_token_sentence_and_next_request() {
    let (store, id) = saved("1\n2\n3\n4\n5");
    let answer = |part: Part| read(&store, &id, &part, &Limits::NONE).unwrap().answer(&store, &id);
    let print = |request: &Request| match request {
        Request::Part { part, .. } => format!("{part:?}"),
        _ => unreachable!("a page leads to a page"),
    };
    let footer = |rest: &str| format!("[overspill {}: {rest}]\n", id.short_id());
    let first = answer(Part::Lines(1, 2)).to_text(print);
    assert_eq!(first, format!("1\n2\n{}", footer("lines 1–2; next: Lines(3, 4)")));
    // The footer stands on its own line.
    assert_eq!(answer(Part::Tail(1)).to_text(print), format!("5\n{}", footer("bytes 8–9 of 9")));
    assert_eq!(answer(Part::Tail(0)).to_text(print), footer("the output has 9 bytes"));
    let nothing = Answer { what: String::new(), next: None, ..answer(Part::Tail(1)) };
    assert_eq!(nothing.to_text(print), "5\n");
    assert_eq!(mark_line(None, "x"), "[overspill: x]\n");
}

#[test]
fn values_are_counted_and_broken_json_is_reported() {
    let start = FromValue::START;
    let what = |text: &str, path: &str| values_of(text, path, start, &Limits::NONE).what;
    assert_eq!(what("[7]", "$[0]"), "the only value");
    assert_eq!(what("[7,8,9]", "$[*]"), "values 1–3");
    assert_eq!(
        what("[12abc]", "$[0]"),
        "the only value; left out text that is not JSON: expected `,` or `]` at line 1, byte 4"
    );
    let later = FromValue { value: 3, byte: 0 };
    assert_eq!(values_of("[7,8,9]", "$[*]", later, &Limits::NONE).what, "value 3");
    let page = values_of("[7,8,9]", "$[*]", start, &Limits::NONE.lines(1));
    assert_eq!(page.what, "value 1");
    let Some(Request::Values { from, .. }) = page.next else { panic!("{page:?}") };
    assert_eq!(from, FromValue { value: 2, byte: 0 });
}

#[test]
fn path_without_values_is_named_on_one_line() {
    let answer = values_of("[7]", "$['a\nb']", FromValue::START, &Limits::NONE);
    assert_eq!(answer.what, format!("{} has no value at $['a\u{fffd}b']", answer.id.short_id()));
    let long = format!("$.{}", "x".repeat(500));
    let answer = values_of("[7]", &long, FromValue::START, &Limits::NONE);
    assert!(answer.what.ends_with("xxx…") && answer.what.chars().count() < 260, "{}", answer.what);
}

#[test]
fn search_answer_has_the_next_request_and_the_matches_left() {
    let (store, id) = saved("a\nb\na\nb\na\n");
    let query = Query { pattern: "a".into(), most: Some(3), ..Query::default() };
    let ask = |query: &Query| {
        let limits = Limits::NONE.lines(1);
        retrieve::grep(&store, &id, query, &limits).unwrap().answer(&id, query)
    };
    let first = ask(&query);
    assert_eq!((first.text.as_str(), first.what.as_str()), ("1:a\n", "more from line 3"));
    let Some(Request::Search { query: next, .. }) = first.next else { panic!("{first:?}") };
    assert_eq!((next.from_line, next.most), (3, Some(2)));
    let none = ask(&Query { pattern: "x".into(), ..query });
    assert_eq!((none.what.as_str(), none.next), ("nothing matches", None));
    assert_eq!(outputs_not_searched(1), "1 more output not searched");
}

#[test]
fn comparison_answer_has_the_next_request_and_the_number_of_lines() {
    let (store, old) = saved("a\nb\n");
    let mut draft = store.create(&Call::default()).unwrap();
    draft.append(b"a\nc\nd\n").unwrap();
    let new = draft.publish().unwrap().id;
    let ask = |old: &OutputId, lines: u64| {
        let limits = Limits::NONE.lines(lines);
        retrieve::diff(&store, old, &new, 1, &limits).unwrap().answer(old, &new)
    };
    let first = ask(&old, 2);
    assert_eq!(first.what, "2 lines added, 1 line removed");
    let next = Request::Compare { old: old.clone(), new: new.clone(), from_line: 3 };
    assert_eq!((first.id, first.next), (new.clone(), Some(next)));
    assert_eq!(ask(&new, 2).what, format!("{0} and {0} are the same", new.short_id()));
}
