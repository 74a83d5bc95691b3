"""Tests the adapters of klaude and unified in place of the code that they replace, also with bad input."""

import datetime
import json
import threading
from pathlib import Path

import pytest
from conftest import numbered

from overspill import Misuse, Overspill
from overspill.adapters import klaude, unified


@pytest.fixture(autouse=True)
def standard_strategy():
    klaude.set_truncation_strategy(klaude.SmartTruncationStrategy())
    unified._current = None


def test_klaude_parameters_are_attributes_that_apply(tmp_path):
    strategy = klaude.SmartTruncationStrategy(100, 10, 20, tmp_path)
    strategy.max_length, strategy.tail_chars = 50, 5
    result = strategy.truncate("x" * 60)
    assert (result.original_length, result.truncated_length) == (60, 45)
    simple = klaude.SimpleTruncationStrategy()
    simple.max_length = 10
    assert simple.truncate("x" * 15).output == "x" * 10 + "... (truncated 5 characters)"
    with pytest.raises(Misuse, match="max_length"):
        klaude.SmartTruncationStrategy(max_length=-1)
    with pytest.raises(TypeError):
        klaude.TruncationStrategy()


def test_klaude_result_has_the_part_for_the_user(tmp_path):
    result = klaude.SmartTruncationStrategy(truncation_dir=tmp_path).truncate("x" * 50_000, "Bash", "c")
    extra = klaude.ToolResultUIExtra.of(result)
    assert extra.type == "truncation" and extra.type is klaude.ToolResultUIExtraType.TRUNCATION
    assert extra.truncation == klaude.TruncationUIExtra(result.saved_file_path, 50_000, 30_000)
    assert klaude.render_truncation_info(extra.truncation) == (
        f"Output truncated: 50000 chars total, 30000 chars hidden\nFull output saved to {result.saved_file_path}"
    )
    assert klaude.ToolResultUIExtra.of(klaude.SmartTruncationStrategy().truncate("short")) is None


class Broken(klaude.TruncationStrategy):
    def __init__(self, answer):
        self.answer = answer

    def truncate(self, output, tool_name=None, call_id=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


NONSENSE = [klaude.TruncationResult("x", True, saved_file_path=5), klaude.TruncationResult("x" * 50_001, True)]


@pytest.mark.parametrize("answer", [RuntimeError("ouch"), None, 5, "text", {"output": "x"}, *NONSENSE])
def test_klaude_strategy_that_fails_is_replaced(answer, monkeypatch, tmp_path):
    klaude.set_truncation_strategy(Broken(answer))
    with pytest.warns(RuntimeWarning, match="^the strategy Broken (raised RuntimeError: ouch|returned )"):
        result = klaude.truncate_tool_output("x" * 50_000, "Bash", "c")
    assert result.was_truncated and len(result.output) < 21_000


def test_klaude_strategy_derived_from_ours_that_fails_is_replaced(tmp_path):
    class Derived(klaude.SmartTruncationStrategy):
        def truncate(self, output, tool_name=None, call_id=None):
            raise RuntimeError("ouch")

    klaude.set_truncation_strategy(Derived(truncation_dir=tmp_path))
    with pytest.warns(RuntimeWarning, match="^the strategy Derived raised RuntimeError: ouch"):
        assert klaude.truncate_tool_output("x" * 50_000, "Bash", "c").was_truncated


def test_klaude_strategy_that_never_answers_is_replaced():
    done = threading.Event()

    class Hangs(klaude.TruncationStrategy):
        def truncate(self, output, tool_name=None, call_id=None):
            done.wait()

    klaude.set_truncation_strategy(Hangs(), answer_timeout=0.05)
    try:
        with pytest.warns(RuntimeWarning, match="^the strategy Hangs raised TimeoutError: no answer within 0.05 s"):
            result = klaude.truncate_tool_output("x" * 50_000, "Bash", "c")
        assert result.was_truncated and len(result.output) < 21_000 and result.saved_file_path
    finally:
        done.set()


def test_klaude_directory_that_cannot_be_created_causes_the_simple_cut(tmp_path):
    (tmp_path / "taken").write_text("a file")
    result = klaude.SmartTruncationStrategy(truncation_dir=tmp_path / "taken").truncate("x" * 50_000)
    assert result.was_truncated and result.saved_file_path is None and len(result.output) < 41_000


def test_unified_hint_names_the_task_tool_if_there_is_one(tmp_path):
    response = {"status": "error", "data": numbered(3000), "error": {"code": "E"}}
    alone = unified.truncate_observation("Read", response, tmp_path)
    assert alone["status"] == "error" and alone["error"] == {"code": "E"}
    assert "Use Task" in unified.truncate_observation("Read", response, tmp_path, has_task_tool=True)["text"]
    assert "Use Task" not in alone["text"]
    assert unified.get_truncator() is unified.get_truncator()


@pytest.mark.parametrize("response", ["{", "", "[1]", "null", "plain text", {}, {"data": None}, {"status": 5}])
def test_unified_short_response_is_unchanged(response, tmp_path):
    assert unified.truncate_observation("t", response, tmp_path) == response


@pytest.mark.parametrize("response", ["{" * 60_000, "x" * 60_000, {"status": 5, "data": "x" * 60_000}, {"data": ["x"] * 60_000}])
def test_unified_long_response_of_any_form_is_shortened(response, tmp_path):
    answer = unified.truncate_observation("../t", response, tmp_path)
    assert len(str(answer)) < 60_000 and len(list((tmp_path / "tool-output").glob("tool_*.json"))) == 1


def test_unified_options_override_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("TOOL_OUTPUT_MAX_LINES", "10")
    truncator = unified.ObservationTruncator(tmp_path, max_lines=20)
    assert truncator.truncate("t", {"data": numbered(100)})["data"]["truncation"]["max_lines"] == 20
    with pytest.raises(Misuse, match="max_line: unknown option"):
        unified.ObservationTruncator(tmp_path, max_line=20)


def test_directory_is_where_outputs_are_saved(tmp_path):
    assert Overspill(store=tmp_path).directory == str(tmp_path)
    assert Overspill(store="memory").directory is None
    assert Overspill(profile="klaude").directory == klaude.TOOL_OUTPUT_TRUNCATION_DIR


@pytest.mark.parametrize("profile", ["overspill", "klaude", "unified", "takumi", "agent-v2", "opencode"])
def test_saved_output_is_read_by_the_path_of_its_record(profile, tmp_path):
    overspill = Overspill(profile=profile, store=tmp_path)
    outcome = overspill.process(numbered(60_000), tool="t", call_id="c", session="s")
    for name in [outcome.path, outcome.id]:
        assert overspill.read(name, lines=(7, 7))["text"] == "line 7\n"
        assert overspill.grep("line 59999$", name)["matches"] == 1


def test_unified_root_is_a_path_or_text_everywhere(tmp_path):
    response = {"status": "success", "data": numbered(3000)}
    for answer in [
        unified.truncate_observation("Read", response, tmp_path),
        Overspill(profile="unified", project_root=tmp_path).apply(response, tool="Read"),
        Overspill(profile="unified", project_root=str(tmp_path)).apply(response, tool="Read"),
    ]:
        assert (tmp_path / answer["data"]["truncation"]["full_output_path"]).is_file()
    with pytest.raises(TypeError):
        unified.truncate_observation("Read", response, 5)


@pytest.mark.parametrize("odd", [float("nan"), float("-inf"), Path("/x"), datetime.date(2026, 1, 2), {1, 2}, b"x"])
def test_unified_value_that_json_does_not_have_is_saved_as_text(odd, tmp_path):
    response = {"status": "error", "data": numbered(3000), "stats": {"odd": odd}, "error": {"code": "E"}}
    answer = unified.truncate_observation("Read", response, tmp_path)
    truncation = answer["data"]["truncation"]
    assert answer["status"] == "error" and answer["error"] == {"code": "E"}
    assert truncation["original_lines"] == 3001 and truncation["kept_lines"] == 2000

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    saved = (tmp_path / truncation["full_output_path"]).read_text()
    assert json.loads(saved, parse_constant=refuse)["data"] == numbered(3000)
    skipped = {**response, "context": {"truncation_skip": True}}
    assert unified.truncate_observation("Read", skipped, tmp_path) is skipped
    assert "NaN" in unified.truncate_observation("Read", {"data": "NaN\n" * 3000}, tmp_path)["data"]["preview"]


def test_unified_list_is_shortened_as_its_json_text(tmp_path):
    for response in [[{"rows": numbered(3000)}], [numbered(3000)]]:
        answer = unified.truncate_observation("Read", response, tmp_path)
        assert answer["status"] == "partial" and answer["stats"] == {}
        assert json.loads((tmp_path / answer["data"]["truncation"]["full_output_path"]).read_text()) == response
    short = ["x"]
    assert unified.truncate_observation("Read", short, tmp_path) is short
