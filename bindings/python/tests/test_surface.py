"""Tests the functions that a program calls."""

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import numbered

from overspill import Misuse, NotFound, Overspill, Size, Span, Spilled, Whole


def test_short_output_is_returned_as_the_same_object(make):
    for output in ["short", "", b"short", bytearray(b"short"), numbered(2000)]:
        outcome = make().process(output)
        assert isinstance(outcome, Whole) and outcome.output is output and not outcome.spilled
        assert (outcome.path, outcome.id, outcome.limit, outcome.error) == (None,) * 4
    assert make().process("zwölf\n").total == Size_of(bytes=7, lines=1, chars=6)
    assert make().process(b"na\xefve").text == "na\ufffdve"


def Size_of(**sizes):
    class Same:
        def __eq__(self, other):
            return {name: getattr(other, name) for name in sizes} == sizes

    return Same()


def test_long_output_is_shortened_and_saved_whole(make):
    output = numbered(100_000)
    outcome = make(max_lines=10).process(output, tool="make", call_id="c1", session="s1")
    assert isinstance(outcome, Spilled) and outcome.limit == "bytes" and outcome.complete
    assert len(outcome.text.splitlines()) <= 10 and outcome.text.endswith("line 100000\n")
    assert Path(outcome.path).read_text() == output
    assert os.stat(outcome.path).st_mode & 0o777 == 0o600
    assert outcome.total == Size_of(bytes=len(output), lines=100_000, chars=len(output))
    assert make(max_lines=10).process(numbered(100)).limit == "lines"
    (gap,) = outcome.gaps
    assert isinstance(gap, Span) and isinstance(outcome.total, Size)
    assert output.encode()[: gap.bytes[0]].decode() in outcome.text
    assert outcome.to_dict()["gaps"] == [{"bytes": list(gap.bytes), "lines": list(gap.lines)}]
    assert outcome.notice and outcome.preview and str(outcome) == outcome.text
    match outcome:
        case Spilled(text, path):
            assert (text, path) == (outcome.text, outcome.path)


def test_limits_come_from_the_call_the_tool_and_the_engine(make):
    overspill = make(max_lines=100, tools={"bash": {"max_lines": 50, "keep": "tail"}, "read": False})
    lines = lambda outcome: len(outcome.text.splitlines())
    output = numbered(1000)
    assert lines(overspill.process(output)) <= 100
    assert lines(overspill.process(output, tool="bash")) <= 50
    assert overspill.process(output, tool="bash").text.endswith("line 1000\n")
    assert not overspill.process(output, tool="read").spilled
    assert lines(overspill.process(output, tool="bash", max_lines=5)) <= 5
    assert not overspill.process(output, max_lines="none").spilled
    assert lines(overspill.process(output, preset="error", max_lines=7)) <= 7


def test_saved_outputs_are_read_searched_listed_and_swept(make):
    overspill = make(max_lines=10)
    outcome = overspill.process(numbered(5000), tool="make")
    page = overspill.read(outcome.id, lines=(3, 4))
    assert page["text"] == "line 3\nline 4\n" and page["next"] == {"lines": [5, 6]}
    assert overspill.read(outcome.id, **page["next"])["text"] == "line 5\nline 6\n"
    assert overspill.read(outcome.id, tail=1)["text"] == "line 5000\n"
    assert overspill.read(outcome.id, bytes=(5, 6))["text"] == "1"
    found = overspill.grep("LINE 42$", outcome.id, ignore_case=True, context=1)
    assert found["text"] == "41-line 41\n42:line 42\n43-line 43\n" and found["matches"] == 1
    (entry,) = overspill.list()
    assert (entry["id"], entry["tool"], entry["lines"]) == (outcome.id, "make", 5000)
    assert overspill.sweep() == {"removed": 0, "bytes": 0, "kept": 1, "failed": 0}
    json = overspill.process('{"a": [' + ",".join(map(str, range(50_000))) + "]}")
    assert overspill.read(json.id, json="a[7]")["text"].strip() == "7"


def test_answers_have_a_sentence_and_the_options_of_the_next_page(make):
    overspill = make(max_lines=10)
    broken = overspill.process("[12abc,\n" + "1,\n" * 3000)
    page = overspill.read(broken.id, json="$[0]")
    assert page["text"] == "12\n" and page["not_json"].endswith("line 1, byte 4")
    assert page["what"] == f"the only value; left out text that is {page['not_json']}"
    values = overspill.process("[" + ",\n".join(map(str, range(3000))) + "]")
    page, seen = overspill.read(values.id, json="$[*]"), ""
    while page["next"]:
        seen += page["text"]
        page = overspill.read(values.id, **page["next"])
    assert (seen + page["text"]).split() == [str(number) for number in range(3000)]
    found = overspill.grep("[0-9]", values.id, max_count=2500)
    assert found["what"] == f"more from line {found['next_line']}"
    rest = overspill.grep("[0-9]", values.id, **found["next"])
    assert len(found["lines"]) + len(rest["lines"]) == 2500 and rest["what"] == ""


def test_spill_is_a_context_manager_and_a_file(make):
    with make(max_lines=10).spill(tool="make") as spill:
        print("text", file=spill)
        assert spill.write(b"bytes\n") == 6 and not spill.over
        for number in range(5000):
            spill.write(f"line {number}\n")
        assert spill.over
    outcome = spill.outcome
    assert outcome.spilled and Path(outcome.path).read_text().startswith("text\nbytes\nline 0\n")
    with make().spill() as spill:
        spill.write("fits")
    assert spill.outcome.text == "fits" and spill.close() is spill.outcome


def test_spill_that_breaks_off_is_still_saved(make):
    overspill = make(max_lines=3)
    with pytest.raises(RuntimeError, match="broken"):
        with overspill.spill() as spill:
            spill.write(numbered(100))
            raise RuntimeError("broken")
    assert Path(spill.outcome.path).read_text() == numbered(100)


def test_tools_are_wrapped(make):
    overspill = make(max_lines=5)

    @overspill.wrap
    def loud(lines: int) -> str:
        """Prints a lot."""
        return numbered(lines)

    @overspill.wrap(tool="other", max_lines=3)
    async def later(lines: int) -> str:
        return numbered(lines)

    @overspill.wrap
    def broken() -> str:
        raise KeyError("mine")

    assert loud(3) == numbered(3) and len(loud(1000).splitlines()) <= 5
    assert loud.__doc__ == "Prints a lot." and loud.__name__ == "loud"
    assert len(asyncio.run(later(1000)).splitlines()) <= 3
    assert {entry["tool"] for entry in overspill.list()} == {"loud", "other"}
    with pytest.raises(KeyError, match="mine"):
        broken()


def test_async_calls_do_not_block_other_tasks(make):
    async def main() -> None:
        overspill = make(max_lines=5)
        outputs = [numbered(n) for n in (3, 4000, 3, 50_000)]
        outcomes = await asyncio.gather(*(overspill.aprocess(one, tool="t") for one in outputs))
        assert [outcome.spilled for outcome in outcomes] == [False, True, False, True]
        assert [outcome.output for outcome in outcomes[::2]] == outputs[::2]

    asyncio.run(main())


def test_results_keep_values_that_are_not_text(make):
    overspill = make(max_lines=5)
    image, date = object(), {1, 2}
    result = {"output": numbered(1000), "metadata": {"when": date, "n": 10**30}, "image": image}
    shortened = overspill.apply(result, tool="make")
    assert len(shortened["output"].splitlines()) <= 5 and result["output"] == numbered(1000)
    assert shortened["image"] is image and shortened["metadata"]["when"] is date
    assert shortened["metadata"]["n"] == 10**30 and shortened["metadata"]["truncated"] is True
    assert overspill.apply(shortened) is shortened
    parts = [{"type": "text", "text": numbered(1000)}, {"type": "image", "data": image}, "more"]
    text, picture, *more = overspill.apply(parts)
    assert picture is parts[1] or picture == parts[1]
    assert len(text["text"].splitlines()) <= 5
    for same in [None, 5, "short", ["short"], {"output": 1}, {"other": "x"}]:
        assert overspill.apply(same) == same
    fake = {"output": "x", "\0overspill": 0}
    assert overspill.apply([fake, numbered(1000)])[0] is fake


def test_long_envelope_stays_an_envelope(make):
    overspill = make(profile="unified", max_lines=5)
    response = {"status": "success", "text": numbered(1000), "stats": {"n": 1}}
    answer = overspill.apply(response, tool="Read")
    assert answer["status"] == "partial" and answer["data"]["truncated"] and answer["stats"] == {"n": 1}


def test_batch_shares_one_budget(make):
    outputs = ["small\n", numbered(4000), (numbered(4000), {"tool": "make"})]
    small, first, second = make().batch(outputs, max_lines=100)
    assert small.output == "small\n"
    assert len(first.text.splitlines()) + len(second.text.splitlines()) <= 99
    assert not any(one.spilled for one in make().batch(["a", "b"]))


def test_event_tells_the_result_of_each_call(make):
    heard = []
    overspill = make(max_lines=5, on_event=heard.append)
    overspill.process("short", tool="a")
    path = overspill.process(numbered(100), tool="b", call_id="c", session="s").path
    assert [event["type"] for event in heard] == ["skipped", "spilled"]
    assert heard[1]["path"] == path and heard[1]["tool"] == "b" and heard[1]["call_id"] == "c"


def test_strategy_of_the_user_chooses_the_shown_parts(make):
    def errors(output, limits):
        assert limits["max_lines"] == 5 and isinstance(output, bytes)
        lines = output.decode().splitlines()
        wanted = [line for line in lines if "error" in line]
        return {"text": "\n".join(wanted), "left_out_lines": len(lines) - len(wanted)} if wanted else None

    overspill = make(max_lines=5, strategy=errors)
    outcome = overspill.process(numbered(50) + "error: disk full\n" + numbered(50))
    assert "error: disk full" in outcome.text and outcome.left_out == (100, "lines")
    assert "line 1\n" in overspill.process(numbered(100)).text

    class Ends:
        def choose(self, output, limits):
            return [(0, 6), (len(output) - 6, len(output))]

    assert "line 1" in make(strategy=Ends()).process(numbered(9)).text
    assert not make(max_lines=1, strategy=lambda output, limits: True).process("a\nb\n").spilled


class Shelf:
    """A store of the user."""

    def __init__(self):
        self.kept = {}

    def save(self, data, call):
        id = f"{call['tool']}-{len(self.kept)}"
        self.kept[id] = data
        return {"id": id, "path": f"shelf://{id}"}

    def read(self, id, start, end):
        return self.kept[id][start:end]

    def info(self, id):
        return {"bytes": len(self.kept[id]), "used": 0} if id in self.kept else None

    def list(self):
        return [{"id": id, "bytes": len(data), "used": 0} for id, data in self.kept.items()]

    def delete(self, id):
        del self.kept[id]


def test_store_of_the_user_saves_and_reads_outputs():
    shelf = Shelf()
    overspill = Overspill(store=shelf, max_lines=5)
    outcome = overspill.process(numbered(100), tool="make")
    assert (outcome.id, outcome.path) == ("make-0", "shelf://make-0")
    assert shelf.kept["make-0"] == numbered(100).encode() and "shelf://make-0" in outcome.text
    assert overspill.read("make-0", lines=(2, 2))["text"] == "line 2\n"
    assert overspill.grep("line 42", "make-0")["matches"] == 1
    assert [entry["id"] for entry in overspill.list()] == ["make-0"]
    with pytest.raises(NotFound):
        overspill.read("other")
    assert overspill.sweep()["removed"] == 1 and not shelf.kept

    class Path_only:
        def save(self, data, call):
            return Path("/srv/outputs/7.txt")

    assert Overspill(store=Path_only(), max_lines=5).process(numbered(9)).path == "/srv/outputs/7.txt"


def test_predicate_decides_for_each_result(make):
    says = {"no": False, "yes": True, "less": {"max_lines": 3}}
    overspill = make(max_lines=10, should_spill=lambda tool, result: says[tool])
    lines = lambda tool: len(overspill.apply({"output": numbered(100)}, tool=tool)["output"].splitlines())
    assert (lines("no"), lines("yes") <= 10, lines("less") <= 3) == (100, True, True)


def test_stores_can_be_a_directory_memory_or_none(tmp_path, make):
    assert Overspill(store=str(tmp_path / "a"), max_lines=3).process(numbered(9)).path.startswith(str(tmp_path))
    assert Overspill(max_lines=3).process(numbered(9)).path.startswith(str(tmp_path / "outputs"))
    memory = Overspill(store="memory", max_lines=3)
    assert memory.read(memory.process(numbered(9)).id, tail=1)["text"] == "line 9\n"
    nowhere = Overspill(store=False, max_lines=4).process(numbered(900))
    assert nowhere.spilled and nowhere.error == "no store was chosen" and nowhere.path is None
    with pytest.raises(Misuse, match="store"):
        Overspill(store=5)


SECRET = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0" * 2
STARS = "ghp_" + "*" * 40


def test_secrets_are_masked_in_every_shown_text(make):
    overspill = make(redact="all", redact_pattern="corp-[0-9]+")
    for output, shown in [(SECRET, STARS), (SECRET.encode(), STARS.encode()), ("é corp-12", "é *******")]:
        outcome = overspill.process(output)
        assert isinstance(outcome, Whole) and outcome.output == shown and outcome.masked == 1
        assert outcome.to_dict()["masked"] == 1
    assert overspill.process("plain").masked == 0
    large = overspill.process(numbered(3000) + SECRET + "\n" + numbered(3000))
    assert isinstance(large, Spilled) and large.masked == 1 and "1 secret masked" in large.text
    assert SECRET not in large.text and SECRET not in Path(large.path).read_text()
    assert overspill.apply(SECRET.encode()) == STARS
    assert overspill.apply({"output": SECRET, "metadata": {"a": [SECRET]}})["metadata"] == {"a": [STARS], "truncated": False}
    assert overspill.apply([{"type": "text", "text": SECRET}]) == [{"type": "text", "text": STARS}]
    with overspill.spill() as spill:
        spill.write("a " + SECRET[:20])
        spill.write(SECRET[20:])
    assert spill.outcome.output == ("a " + STARS).encode() and spill.outcome.masked == 1
    assert [one.masked for one in overspill.batch([SECRET, "plain"])] == [1, 0]
    long = overspill.process("ü" * 2_000_000 + " " + SECRET, max_bytes="none", max_lines="none", enabled=False)
    assert SECRET not in long.text


def test_no_option_can_claim_that_an_output_is_masked_already(make):
    overspill = make(redact="all")
    for masked in [0, 7, None]:
        for output in [SECRET, SECRET + "\n" + numbered(6000), SECRET.encode()]:
            for call in [overspill.process, overspill.apply]:
                with pytest.raises(Misuse, match="masked: unknown option"):
                    call(output, masked=masked)
            with pytest.raises(Misuse, match="masked: unknown option"):
                overspill.batch([(output, {"masked": masked})])
        with pytest.raises(Misuse, match="masked: unknown option"):
            overspill.spill(masked=masked)


def test_secrets_are_masked_where_they_are_saved_only(make):
    overspill = make(redact="store")
    assert overspill.process(SECRET).output == SECRET
    large = overspill.process(SECRET + "\n" + numbered(6000))
    assert large.masked == 1 and SECRET in large.text and SECRET not in Path(large.path).read_text()
    with pytest.raises(Misuse, match="redact: \"some\" is not one of off, store, all"):
        make(redact="some")
    with pytest.raises(Misuse, match="redact_pattern: "):
        make(redact_pattern="a(")


def test_model_of_an_embedded_resource_is_shortened_in_a_copy(make):
    resource = SimpleNamespace(uri="file:///a", text=numbered(900))
    part = SimpleNamespace(type="resource", resource=resource)
    [shortened] = make(max_lines=10).apply([part])
    assert shortened.resource.text.count("\n") <= 10 and shortened.resource.uri == "file:///a"
    assert part.resource is resource and resource.text == numbered(900)
