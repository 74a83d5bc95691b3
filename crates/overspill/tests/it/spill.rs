//! Tests of the way of an output through the engine: unchanged, shortened, saved.

#![allow(clippy::unwrap_used, clippy::panic, clippy::single_range_in_vec_init, reason = "a test")]

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use overspill::core::{Choice, Limits, Policy, Strategy, StrategyError};
use overspill::internal::seeds::ServiceEvent;
use overspill::store::{Disk, DiskOptions, Durability, Memory, Store};
use overspill::{Call, CallEnd, CallOptions, Layer, Outcome, Overspill, Profile, Spilled};

fn on_disk(root: &Path) -> Overspill {
    let options = DiskOptions { durability: Durability::None, ..DiskOptions::default() };
    Overspill::new(Profile::OWN, Disk::new(root, options))
}

fn long() -> Vec<u8> {
    (0..20_000).flat_map(|n| format!("line {n}\0\x1b[31m\r\n").into_bytes()).collect()
}

#[track_caller]
fn spilled(outcome: Outcome) -> Spilled {
    match outcome {
        Outcome::Spilled(spilled) => *spilled,
        _ => panic!("it is too large"),
    }
}

#[track_caller]
fn whole(outcome: Outcome) -> Vec<u8> {
    match outcome {
        Outcome::Whole(bytes) => bytes.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn short_output_is_unchanged_and_touches_no_disk() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    let output = b"small\0\x1b[31m\xff";
    assert_eq!(whole(on_disk(&root).process(output, &Call::default())), output);
    assert!(!root.exists());
}

#[test]
fn long_output_is_saved_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let spilled = spilled(on_disk(&dir.path().join("a/b")).process(&long(), &Call::default()));
    let saved = spilled.saved.unwrap();
    assert_eq!(std::fs::read(&saved.path).unwrap(), long());
    assert!(spilled.text.len() <= 51_200);
    assert!(spilled.text.contains(&saved.path), "{}", spilled.text);
}

#[test]
fn copy_and_preview_are_independent_of_chunks() {
    let overspill = Overspill::new(Profile::OWN, Memory::default());
    let mut spill = overspill.spill(Call::default(), CallOptions::default());
    for chunk in long().chunks(777) {
        spill.write_all(chunk).unwrap();
    }
    let streamed = spilled(spill.finish(CallEnd::default()));
    let at_once = spilled(overspill.process(&long(), &Call::default()));
    assert_eq!(streamed.preview, at_once.preview);
    let name = streamed.saved.unwrap().id;
    assert_eq!(overspill.store().read(&name, 0..u64::MAX).unwrap(), long());
}

#[test]
fn dropped_spill_leaves_nothing_behind() {
    let memory = Memory::default();
    let overspill = Overspill::new(Profile::OWN, memory.clone());
    let mut spill = overspill.spill(Call::default(), CallOptions::default());
    spill.push(&long());
    drop(spill);
    assert_eq!(memory.list().unwrap(), []);
}

#[test]
fn record_has_the_call_and_the_shown_ranges() {
    let overspill = Overspill::new(Profile::OWN, Memory::default());
    let call = Call { command: Some("make".into()), ..Call::new("run") };
    let (options, end) = (CallOptions::default(), CallEnd::exited(2));
    let spilled = spilled(overspill.process_ended(&long(), &call, &options, end));
    let record = overspill.store().record(&spilled.saved.unwrap().id).unwrap().unwrap();
    assert_eq!((record.call, record.exit), (call, Some(2)));
    assert_eq!(record.bytes, long().len() as u64);
    let cut = spilled.cut.unwrap();
    let shown: Vec<_> = cut.pieces.iter().map(|piece| piece.bytes.clone()).collect();
    assert_eq!(record.shown, shown);
    let preview = record.preview.unwrap();
    let lines: Vec<_> = cut.spans().iter().map(|span| (span.first_line, span.last_line)).collect();
    assert_eq!((preview.limits, preview.lines), (Profile::OWN.policy.limits, lines));
    assert_eq!((preview.keep.as_str(), preview.kind.as_str()), ("auto", "plain"));
}

#[test]
fn each_call_makes_one_event() {
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = events.clone();
    let overspill = Overspill::new(Profile::OWN, Memory::default())
        .to_builder()
        .observer(move |event| {
            heard.lock().unwrap().push(ServiceEvent::of(event).r#type);
            panic!("an observer's troubles are its own");
        })
        .build();
    overspill.process(b"small", &Call::default());
    overspill.process(&long(), &Call::default());
    overspill.spill(Call::default(), CallOptions::default()).finish(CallEnd::default());
    assert_eq!(*events.lock().unwrap(), ["skipped", "truncated", "skipped"]);
}

/// S0-10, S0-11: the simple cut is the same for a stream.
#[test]
fn failed_save_looks_the_same_for_a_stream() {
    use overspill::internal::store::Nowhere;
    let output = "x".repeat(50_000);
    for profile in Profile::ALL.into_iter().filter(|profile| profile.name != "agent-v2") {
        let overspill = Overspill::new(profile, Nowhere::because("no reason"));
        let mut spill = overspill.spill(Call::default(), CallOptions::default());
        output.as_bytes().chunks(1000).for_each(|chunk| spill.push(chunk));
        let (streamed, at_once) = (
            spill.finish(CallEnd::default()),
            overspill.process(output.as_bytes(), &Call::default()),
        );
        // The marks of overspill contain a new id for each output.
        let len = |outcome: &Outcome| outcome.bytes().len();
        assert_eq!(len(&streamed), len(&at_once));
    }
}

/// Statement S-G: with shortening off, an output passes up to the ceiling of every profile.
#[test]
fn output_with_shortening_off_is_cut_beyond_the_ceiling() {
    let off = CallOptions {
        settings: Layer { enabled: Some(false), ..Layer::default() },
        ..CallOptions::default()
    };
    let below = "x\n".repeat(19_999);
    let above = "x\n".repeat(20_001);
    for profile in Profile::ALL {
        let name = profile.name;
        let overspill = Overspill::new(profile.clone(), Memory::default());
        whole(overspill.process_with(below.as_bytes(), &Call::default(), &off));
        let spilled = spilled(overspill.process_with(above.as_bytes(), &Call::default(), &off));
        assert!(spilled.text.len() < 52_000, "{name}: {} bytes", spilled.text.len());
        // The ceiling may be off: then no limit applies.
        let open = Overspill::new(Profile { ceiling: Limits::NONE, ..profile }, Memory::default());
        whole(open.process_with(above.as_bytes(), &Call::default(), &off));
    }
}

#[test]
fn ceiling_off_lets_every_output_pass() {
    let above = "x\n".repeat(300_000);
    let off = Layer::new().enabled(false);
    let open = off.clone().ceiling(false);
    for profile in Profile::ALL {
        let is_cut = |settings: Layer, options: Layer| {
            let overspill = Overspill::builder().profile(profile.clone()).store(Memory::default());
            let overspill = overspill.settings(settings).build();
            let options = CallOptions { settings: options, ..CallOptions::default() };
            let at_once = overspill.process_with(above.as_bytes(), &Call::new("t"), &options);
            let mut spill = overspill.spill(Call::new("t"), options);
            spill.push(above.as_bytes());
            let streamed = spill.finish(CallEnd::default());
            let is_cut = |outcome: &Outcome| matches!(outcome, Outcome::Spilled(_));
            assert_eq!(is_cut(&at_once), is_cut(&streamed), "{}", profile.name);
            is_cut(&at_once)
        };
        let name = profile.name;
        assert!(is_cut(off.clone(), Layer::new()), "{name}");
        assert!(!is_cut(open.clone(), Layer::new()), "{name}: user");
        assert!(!is_cut(off.clone().tool("t", open.clone()), Layer::new()), "{name}: tool");
        assert!(!is_cut(off.clone(), Layer::new().ceiling(false)), "{name}: call");
        assert!(is_cut(open.clone(), Layer::new().ceiling(true)), "{name}: call");
        // The setting switches nothing else off.
        assert!(is_cut(Layer::new().ceiling(false), Layer::new()), "{name}");
        let unlimited = Layer::new().ceiling(false).max_lines(None).max_bytes(None).max_chars(None);
        assert!(!is_cut(unlimited.clone(), Layer::new()), "{name}: no limit");
        assert!(is_cut(unlimited.ceiling(true), Layer::new()), "{name}: no limit");
    }
}

struct Chooses(fn(&[u8]) -> Choice);

impl Strategy for Chooses {
    fn choose(&self, output: &[u8], _: &Policy) -> Result<Choice, StrategyError> {
        Ok((self.0)(output))
    }
}

#[test]
fn own_strategy_chooses_within_the_limits() {
    let own = |choose| {
        Overspill::new(Profile::OWN, Memory::default())
            .to_builder()
            .strategy(Chooses(choose))
            .build()
    };
    let call = Call::default();
    let output = "one\ntwo\nthree\n".repeat(5_000);
    let output = output.as_bytes();

    let pieces = spilled(own(|_| Choice::Pieces(vec![0..4, 14..18])).process(output, &call));
    assert!(pieces.text.contains("\none\n["), "{}", pieces.text);
    assert!(pieces.text.contains("lines 2-3 cut]"), "{}", pieces.text);

    // Beyond the limits, or if the choice is invalid, the policy chooses.
    for choose in [
        (|output: &[u8]| Choice::Pieces(vec![0..output.len()])) as fn(&[u8]) -> Choice,
        |_| Choice::Pieces(vec![10..20, 5..8]),
        |_| Choice::Pieces(vec![0..usize::MAX]),
        |_| panic!("a strategy's troubles are its own"),
    ] {
        let spilled = spilled(own(choose).process(output, &call));
        assert!(spilled.text.len() <= 51_200 && spilled.preview.len() > 5_000);
        assert!(spilled.saved.is_ok());
    }
    assert_eq!(whole(own(|_| Choice::Whole).process(output, &call)), output);
    let beyond = "one\n".repeat(20_001);
    spilled(own(|_| Choice::Whole).process(beyond.as_bytes(), &call));
}

#[test]
fn failed_command_gets_its_own_limits() {
    let overspill = Overspill::new(Profile::OWN, Memory::default());
    let if_failed = Some(Limits::NONE.chars(2_000));
    let options = CallOptions { if_failed, ..CallOptions::default() };
    let text = "src/lib.rs: one line of many\n".repeat(500);
    let shown = |code: i32, streamed: bool| {
        let (call, end) = (Call::default(), CallEnd::exited(code));
        if streamed {
            let mut spill = overspill.spill(call, options.clone());
            spill.push(text.as_bytes());
            spill.finish(end).text().len()
        } else {
            overspill.process_ended(text.as_bytes(), &call, &options, end).text().len()
        }
    };
    for streamed in [false, true] {
        assert_eq!(shown(0, streamed), text.len());
        assert!(shown(1, streamed) <= 2_000);
    }
}

#[test]
fn short_id_of_a_notice_finds_the_output() {
    let overspill = Overspill::new(Profile::OWN, Memory::default());
    let spilled = spilled(overspill.process(&long(), &Call::default()));
    let id = spilled.saved.unwrap().id;
    let short = spilled.text["[overspill ".len()..].get(..6).unwrap().to_owned();
    assert_eq!(overspill.store().find(&short).unwrap(), id);
}
