"""Runs every Python and JSON example of the documents with our adapters, and checks it with mypy."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import numbered

from overspill.adapters import klaude, unified

DOCUMENTS = Path(__file__).parents[3] / "tests/documents"


def example(name):
    return (DOCUMENTS / name).read_text()


def test_every_example_of_a_python_document_is_used():
    used = set(re.findall(r'example\("([^"]+)"\)', Path(__file__).read_text()))
    there = {f"{document}/{file.name}" for document in ["klaude", "unified"] for file in (DOCUMENTS / document).iterdir()}
    assert used == there


def test_klaude_constants():
    wanted = {}
    exec(example("klaude/constants.py"), wanted)
    for name in ["TOOL_OUTPUT_DISPLAY_HEAD", "TOOL_OUTPUT_DISPLAY_TAIL", "TOOL_OUTPUT_TRUNCATION_DIR"]:
        assert getattr(klaude, name) == wanted[name]
    assert klaude.TOOL_OUTPUT_MAX_LENGTH == 40_000


KLAUDE = """
from pydantic import BaseModel
from rich.console import Console, RenderableType

from overspill.adapters.klaude import SmartTruncationStrategy, TruncationResult, TruncationStrategy
from overspill.adapters.klaude import render_truncation_info, set_truncation_strategy, truncate_tool_output

{example}

class Loud(TruncationStrategy):
    def truncate(self, output: str, tool_name: str | None = None, call_id: str | None = None) -> TruncationResult:
        return TruncationResult(output.upper(), was_truncated=False, original_length=len(output))

set_truncation_strategy(Loud())
assert truncate_tool_output("a", "Bash", "c").output == "A"
strategy = SmartTruncationStrategy(max_length=40, head_chars=10, tail_chars=10, truncation_dir="[outputs]")
assert (strategy.max_length, strategy.head_chars, strategy.tail_chars, str(strategy.truncation_dir)) == (40, 10, 10, "[outputs]")
set_truncation_strategy(strategy)
result = truncate_tool_output("x" * 100, "Bash", "call_1")
assert result.was_truncated and result.saved_file_path is not None
model = TruncationUIExtra(
    saved_file_path=result.saved_file_path, original_length=result.original_length, truncated_length=result.truncated_length
)
shown: RenderableType = render_truncation_info(model)
console = Console(width=200, record=True)
console.print(shown)
said = console.export_text()
assert said.startswith("Output truncated: 100 chars total, 80 chars hidden") and "[outputs]/Bash-call_1-" in said, said
"""


def test_klaude_model_and_strategies(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(KLAUDE.format(example=example("klaude/model.py")))
    assert_runs(program)
    checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", program], capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def assert_runs(program):
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=program.parent)
    assert done.returncode == 0, done.stderr


def test_unified_answer(tmp_path):
    wanted = json.loads(re.sub(r"\s+//.*", "", example("unified/answer.json")))
    response = {"status": "success", "data": {"content": numbered(3000)}, "text": "", "stats": {"n": 1}, "context": {"cwd": "."}}
    for given in [response, json.dumps(response)]:
        answer = unified.truncate_observation("Read", given, tmp_path)
        assert isinstance(answer, type(given))
        answer = answer if isinstance(answer, dict) else json.loads(answer)
        assert list(answer["data"]) == list(wanted["data"])
        assert list(answer["data"]["truncation"]) == list(wanted["data"]["truncation"])
        for key in ["direction", "max_lines", "max_bytes"]:
            assert answer["data"]["truncation"][key] == wanted["data"]["truncation"][key]
        assert answer["status"] == wanted["status"] and answer["text"].startswith("⚠️ 输出过大已截断")
        path = answer["data"]["truncation"]["full_output_path"]
        assert re.fullmatch(r"tool-output/tool_\d{8}_\d{6}_Read(-\d+)?\.json", path)
        assert json.loads((tmp_path / path).read_text()) == response
        assert (answer["stats"], answer["context"]) == ({"n": 1}, {"cwd": "."})


def test_unified_skip(tmp_path):
    response = {"status": "success", "data": {"content": numbered(3000)}, **json.loads(example("unified/skip.json"))}
    assert unified.truncate_observation("Read", response, tmp_path) is response
    text = json.dumps(response)
    assert unified.truncate_observation("Read", text, tmp_path) == text


def test_unified_variables(tmp_path, monkeypatch):
    variables = dict(line.split("=") for line in example("unified/variables.env").splitlines())
    assert tuple(variables) == unified.VARIABLES
    response = {"status": "success", "data": numbered(3000)}
    plain = unified.truncate_observation("Read", response, tmp_path)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    same = unified.truncate_observation("Read", response, tmp_path)
    for answer in [plain, same]:
        del answer["data"]["truncation"]["full_output_path"], answer["text"]
    assert plain == same
    changed = {"MAX_LINES": "10", "MAX_BYTES": "500", "TRUNCATE_DIRECTION": "tail", "DIR": "kept", "RETENTION_DAYS": "1"}
    truncator = unified.ObservationTruncator(tmp_path)
    for name, value in changed.items():
        monkeypatch.setenv(f"TOOL_OUTPUT_{name}", value)
    truncation = truncator.truncate("Read", response)["data"]["truncation"]
    assert [truncation[key] for key in ["direction", "max_lines", "max_bytes"]] == ["tail", 10, 500]
    saved = tmp_path / truncation["full_output_path"]
    assert truncation["full_output_path"].startswith("kept/") and saved.is_file()
    os.utime(saved, (0, 0))
    assert truncator.cleanup() == 1


@pytest.mark.parametrize("name", unified.VARIABLES)
def test_unified_variable_with_an_invalid_value_is_a_warning(tmp_path, monkeypatch, name):
    monkeypatch.setenv(name, "../rubbish")
    with pytest.warns(UserWarning, match=f'^{name}: "../rubbish" is not '):
        answer = unified.truncate_observation("Read", {"status": "success", "data": numbered(3000)}, tmp_path)
    assert answer["data"]["truncation"]["full_output_path"].startswith("tool-output/")
