"""Runs our adapters in the sources that they replace, with the tests of those projects.

No package registry has these projects. `OVERSPILL_REAL_PARTS` names a directory with checkouts of them: `MyCodeAgent` (the revision
with `core/context_engine/observation_truncator.py`) and `klaude-code` (the revision with `src/klaude_code/core/tool/truncation.py`).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNIFIED = '''
import os

from overspill.adapters.unified import ObservationTruncator, get_truncator, truncate_observation

compress_tool_result = truncate_observation


def _get_max_lines():
    return int(os.getenv("TOOL_OUTPUT_MAX_LINES", "2000"))


def _get_max_bytes():
    return int(os.getenv("TOOL_OUTPUT_MAX_BYTES", "51200"))
'''

KLAUDE = '''
from overspill.adapters.klaude import (
    SimpleTruncationStrategy,
    SmartTruncationStrategy,
    TruncationResult,
    TruncationStrategy,
    get_truncation_strategy,
    set_truncation_strategy,
    truncate_tool_output,
)
'''

# The tool runner of klaude with a tool that prints too much, and our renderer in place of its own.
KLAUDE_TEST = '''
import asyncio

from klaude_code.core.tool import tool_runner
from klaude_code.core.tool.truncation import SmartTruncationStrategy, set_truncation_strategy
from klaude_code.protocol.model import ToolCallItem, ToolResultItem, ToolResultUIExtraType
from overspill.adapters.klaude import render_truncation_info


class Long:
    @classmethod
    async def call(cls, arguments):
        return ToolResultItem(status="success", output="x" * 50_000)


def test_tool_runner(tmp_path):
    set_truncation_strategy(SmartTruncationStrategy(truncation_dir=str(tmp_path)))
    call = ToolCallItem(name="Long", call_id="call_1", arguments="{}")
    result = asyncio.run(tool_runner.run_tool(call, {"Long": Long}))
    assert result.status == "success", result.output
    assert result.ui_extra.type is ToolResultUIExtraType.TRUNCATION
    truncation = result.ui_extra.truncation
    assert open(truncation.saved_file_path).read() == "x" * 50_000
    assert (truncation.original_length, truncation.truncated_length) == (50_000, 30_000)
    assert truncation.saved_file_path in render_truncation_info(truncation)
'''


@pytest.fixture
def checkout(tmp_path, request):
    parts = os.environ.get("OVERSPILL_REAL_PARTS")
    if parts is None:
        pytest.skip("no package registry has the project, and OVERSPILL_REAL_PARTS names no directory of checkouts")
    source = Path(parts) / request.param
    if not source.is_dir():
        pytest.skip(f"there is no {source}")
    return Path(shutil.copytree(source, tmp_path / request.param))


def run_tests(checkout, *tests, path="."):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(checkout / path), *sys.path])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.parametrize("checkout", ["MyCodeAgent"], indirect=True)
def test_my_code_agent_passes_its_own_tests_with_our_truncator(checkout):
    module = checkout / "core/context_engine/observation_truncator.py"
    assert "class ObservationTruncator" in module.read_text()
    module.write_text(UNIFIED)
    run_tests(checkout, "tests/test_observation_truncator.py", "tests/test_history_manager.py")


@pytest.mark.skipif(sys.version_info < (3, 13), reason="klaude needs Python 3.13")
@pytest.mark.parametrize("checkout", ["klaude-code"], indirect=True)
def test_klaude_passes_its_own_tests_and_runs_its_tools_with_our_truncation(checkout):
    module = checkout / "src/klaude_code/core/tool/truncation.py"
    assert "class SmartTruncationStrategy" in module.read_text()
    module.write_text(KLAUDE)
    (checkout / "tests/test_overspill.py").write_text(KLAUDE_TEST)
    run_tests(checkout, "tests", path="src")
