"""Tests bad input: it causes a typed error, or a shortened outcome with the reason, and never a crash."""

import contextvars
import multiprocessing
import os
import sys
import threading

import pytest
from conftest import numbered

from overspill import Misuse, NotFound, Overspill, OverspillError, StoreError


@pytest.mark.parametrize("output", [None, 5, 1.5, object(), ["text"], {"a": 1}])
def test_value_that_is_not_an_output_is_a_type_error(make, output):
    with pytest.raises(TypeError, match="text or bytes"):
        make().process(output)
    with pytest.raises(TypeError):
        make().spill().write(output)
    with pytest.raises(TypeError):
        make().batch([output])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"max_lines": -1}, "max_lines: -1 is not a whole number"),
        ({"max_lines": 1.5}, "max_lines"),
        ({"max_bytes": "many"}, "max_bytes"),
        ({"max_bytes": 2**70}, "max_bytes"),
        ({"max_line": 5}, "max_line: unknown option\nhint: did you mean `max_lines`?"),
        ({"keep": "middle"}, "keep: \"middle\" is not one of head, tail, ends"),
        ({"profile": "none"}, "profile"),
        ({"tools": {"bash": {"max_lines": "x"}}}, "tools.bash.max_lines"),
        ({"tools": 5}, "tools"),
        ({"head_chars": 5}, "head_chars: unknown option"),
    ],
)
def test_bad_options_are_misuse_and_named(make, options, message):
    with pytest.raises(Misuse) as raised:
        make(**options)
    assert message in str(raised.value)
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, OverspillError)


def test_bad_options_of_a_call_are_misuse_too(make):
    for options in [{"max_lines": -1}, {"max_line": 1}, {"exit_code": "x"}, {"preset": "y"}]:
        with pytest.raises(Misuse):
            make().process("x", **options)
    with pytest.raises(TypeError):
        make().process("x", tool=5)
    with pytest.raises(TypeError):
        make().process("x", keep=object())
    for callback in ["on_event", "should_spill", "strategy"]:
        with pytest.raises(TypeError):
            make(**{callback: 5})


def test_invalid_questions_are_misuse_or_not_found(make):
    overspill = make(max_lines=2)
    id = overspill.process(numbered(9)).id
    for question in [{"lines": 5}, {"lines": (1,)}, {"lines": (1, 2), "tail": 1}, {"json": "$..["}, {"x": 1}]:
        with pytest.raises(Misuse):
            overspill.read(id, **question)
    for bad in ["", ".hidden"]:
        with pytest.raises(Misuse):
            overspill.read(bad)
    # A path must lead to an output of the store.
    for path in ["../etc/passwd", "/etc/passwd", "a/b"]:
        with pytest.raises((NotFound, Misuse)):
            overspill.read(path)
    with pytest.raises(NotFound) as raised:
        overspill.read("01KA")
    assert isinstance(raised.value, LookupError)
    with pytest.raises(Misuse, match="unclosed group"):
        overspill.grep("a(b", id)


def test_lone_surrogates_are_saved_as_their_bytes(make):
    overspill = make(max_lines=3)
    assert overspill.process("\ud800").text == "\ud800"
    escaped = (b"na\xefve\n" * 9).decode("utf-8", "surrogateescape")
    outcome = overspill.process(escaped)
    assert open(outcome.path, "rb").read() == b"na\xefve\n" * 9 and outcome.lossy
    outcome = overspill.process("\ud800\n" * 9)
    assert outcome.spilled and outcome.lossy and "\ufffd" in outcome.text
    outcome.text.encode()
    assert "\n" in overspill.apply({"output": "\ud800\n" * 9})["output"]


def test_bytes_that_are_not_text_are_accepted(make):
    noise = os.urandom(200_000)
    outcome = make().process(noise)
    assert open(outcome.path, "rb").read() == noise
    assert len(outcome.text.encode()) <= 51_200 and "\0" not in outcome.text


def test_very_long_string_is_in_memory_only_once(make):
    import resource

    line = "x" * 99 + "\n"
    output = line * 5_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = make(keep="ends").process(output)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert outcome.spilled and len(outcome.text) <= 51_200
    assert outcome.total.bytes == 500_000_000 and not outcome.complete
    assert after - before < 100_000, "in KiB; the string itself has 500 MB"


def unraisable(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: seen.append(it.exc_value))
    return seen


def test_strategy_that_raises_or_answers_nonsense_is_replaced_by_the_settings(make, monkeypatch):
    seen, heard = unraisable(monkeypatch), []

    def broken(output, limits):
        raise RuntimeError("no idea")

    for strategy, reason in [
        (broken, "no idea"),
        (lambda output, limits: 5, "not a valid choice"),
        (lambda output, limits: [(5, 2**63)], "invalid pieces"),
        (lambda output, limits: [(5, 1)], "invalid pieces"),
        (lambda output, limits: object(), "object"),
    ]:
        overspill = make(max_lines=5, strategy=strategy, on_event=heard.append)
        outcome = overspill.process(numbered(100))
        assert outcome.spilled and len(outcome.text.splitlines()) <= 5
        assert heard[-1]["type"] == "failed" and reason in heard[-1]["error"]
        assert overspill.process("short").text == "short"
    assert any("no idea" in str(error) for error in seen)
    long = make(max_lines=5, strategy=lambda output, limits: "x\n" * 10**6).process(numbered(100))
    assert len(long.text.splitlines()) <= 5


def test_store_that_raises_or_answers_nonsense_is_a_failed_save():
    class Broken:
        def save(self, data, call):
            raise OSError("the shelf is full")

    class Nonsense:
        def save(self, data, call):
            return answer

    outcome = Overspill(store=Broken(), max_lines=5).process(numbered(100))
    assert outcome.spilled and "the shelf is full" in outcome.error and outcome.path is None
    assert "could not be saved" in outcome.text
    for answer in [None, 5, "", {}, {"id": "../x"}, [], object(), True]:
        outcome = Overspill(store=Nonsense(), max_lines=5).process(numbered(100))
        assert outcome.spilled and outcome.error and outcome.path is None, answer
    with pytest.raises(StoreError, match="does not support list"):
        Overspill(store=Broken()).list()


def test_callback_that_raises_has_no_effect(make, monkeypatch):
    seen = unraisable(monkeypatch)

    def broken(*_):
        raise RuntimeError("ouch")

    overspill = make(max_lines=5, on_event=broken, should_spill=broken)
    assert overspill.process("short").text == "short"
    assert overspill.process(numbered(100)).spilled
    assert len(overspill.apply({"output": numbered(100)}, tool="t")["output"].splitlines()) <= 5
    assert len(seen) == 4


def test_callback_that_never_answers_counts_as_failed(make, monkeypatch):
    seen, heard, done = unraisable(monkeypatch), [], threading.Event()

    def hangs(*_):
        done.wait()

    class Hangs:
        save = hangs

    try:
        patient = {"max_lines": 5, "answer_timeout": 0.05}
        overspill = make(**patient, strategy=hangs, on_event=heard.append)
        outcome = overspill.process(numbered(100))
        assert outcome.spilled and len(outcome.text.splitlines()) <= 5 and open(outcome.path).read() == numbered(100)
        assert heard[-1]["type"] == "failed" and "no answer within 0.05 s (answer_timeout)" in heard[-1]["error"]
        outcome = make(**patient, store=Hangs()).process(numbered(100))
        assert outcome.spilled and outcome.path is None and "TimeoutError: no answer within 0.05 s" in outcome.error
        overspill = make(**patient, on_event=hangs, should_spill=hangs)
        assert overspill.process(numbered(100)).spilled
        assert len(overspill.apply({"output": numbered(100)}, tool="t")["output"].splitlines()) <= 5
        assert [type(error) for error in seen] == [TimeoutError] * 4
    finally:
        done.set()


def test_answer_timeout_changes_nothing_for_callbacks_that_answer(make, tmp_path):
    colour, asked = contextvars.ContextVar("colour"), []
    colour.set("blue")

    class Shelf:
        def save(self, data, call):
            asked.append((colour.get(), call["tool"]))
            (tmp_path / "one").write_bytes(data)
            return tmp_path / "one"

    def strategy(output, limits):
        return output[:7].decode()

    overspill = make(max_lines=5, answer_timeout=60, strategy=strategy, store=Shelf())
    outcome = overspill.process(numbered(100), tool="t")
    assert "line 1" in outcome.text and outcome.path == str(tmp_path / "one") and asked == [("blue", "t")]
    for wrong in [0, -1, float("nan"), float("inf")]:
        with pytest.raises(Misuse, match="answer_timeout"):
            make(answer_timeout=wrong)
    with pytest.raises(TypeError):
        make(answer_timeout="soon")


def test_use_after_close_is_an_error(make):
    spill = make().spill()
    with pytest.raises(ValueError, match="still open"):
        spill.outcome
    spill.close()
    for late in ["x", b"x", "x" * 3_000_000]:
        with pytest.raises(ValueError, match="closed"):
            spill.write(late)
    assert spill.closed and spill.close() is spill.outcome


def test_engine_works_in_many_threads(make):
    overspill = make(max_lines=5, on_event=lambda event: None)
    spill = overspill.spill()
    found, errors = [], []

    def work(number):
        try:
            for _ in range(20):
                found.append(overspill.process(numbered(50 + number)).id)
                spill.write(f"{number}\n" * 10)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors and len(set(found)) == 160
    assert spill.close().total.lines == 1600


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process")
def test_engine_works_after_a_fork(make):
    overspill = make(max_lines=5)
    mine = overspill.process(numbered(100)).id

    def child(queue):
        queue.put((overspill.process(numbered(100)).id, overspill.read(mine, tail=1)["text"]))

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    theirs, tail = queue.get(timeout=30)
    process.join(30)
    assert process.exitcode == 0 and theirs != mine and tail == "line 100\n"


def test_store_that_cannot_be_written_is_a_field_of_the_outcome(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    outcome = Overspill(store=taken, max_lines=5).process(numbered(100))
    assert outcome.spilled and outcome.path is None and str(taken) in outcome.error


def test_other_threads_run_while_an_output_is_saved(make):
    """Another thread runs while an output is cut and saved, because the lock is free."""
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.wait(0.0005):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    output = b"some line of text\n" * 3_000_000
    switch, before = sys.getswitchinterval(), counted
    sys.setswitchinterval(100)
    try:
        make().process(output)
        # If the call kept the lock, the other thread would not have run.
        assert counted > before
    finally:
        sys.setswitchinterval(switch)
        done.set()
        thread.join()


def test_result_that_contains_itself_is_shortened(make):
    result = {"output": numbered(3000)}
    result["a"] = result["b"] = result
    answer = make().apply(result)
    assert len(answer["output"].splitlines()) <= 2000 and answer["a"] is result
    envelope = {"status": "success", "data": numbered(3000)}
    envelope["context"] = envelope
    assert make(profile="unified").apply(envelope)["data"]["truncated"]


def test_numbers_and_deep_values_are_shown_and_saved_unchanged(make):
    rows = [{"n": n, "x": 0.5, "in": {"a": {"b": {"c": {"d": [n]}}}}} for n in range(2000)]
    overspill = make()
    text = overspill.apply({"content": [], "structuredContent": {"rows": rows}})["content"][0]["text"]
    assert "{\"n\":0,\"x\":0.5,\"in\":{\"a\":{\"b\":{\"c\":{\"d\":[0]}}}}}" in text and "\\u0000" not in text
    (entry,) = overspill.list()
    assert "\\u0000" not in overspill.read(entry["id"])["text"]
