"""Runs the examples of the guides in `docs/replace` unchanged, and checks them with mypy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDES = Path(__file__).parents[3] / "docs/replace"

SURROUNDINGS = {
    "klaude": (
        'from dataclasses import dataclass\nfrom typing import Any\n'
        '@dataclass\nclass Item:\n    name: str = "Bash"\n    call_id: str = "call_123"\n    output: str = "x" * 50_000\n    ui_extra: Any = None\n'
        'tool_call = tool_result = Item()\n',
        'assert "truncated: 50000 chars total, 30000 chars hidden" in render_truncation_info(tool_result.ui_extra.truncation)\n'
        'assert truncate_tool_output("abc").truncated_length == 3\n',
    ),
    "unified": (
        'from typing import Any\nproject_root = "project"\n'
        'response: dict[str, Any] = {"status": "success", "data": "line\\n" * 3000, "stats": {"n": 1}}\n',
        'from pathlib import Path\n'
        'assert Path(project_root, answer["data"]["truncation"]["full_output_path"]).is_file()\n'
        'assert answer["stats"] == {"n": 1}\n',
    ),
}


@pytest.mark.parametrize("guide", SURROUNDINGS)
def test_guide_runs(guide, tmp_path):
    text = (GUIDES / f"{guide}.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text[text.index("\n## After") :], re.S)
    assert len(examples) >= 3
    start, end = SURROUNDINGS[guide]
    program = tmp_path / "program.py"
    program.write_text("\n".join([start, *examples, end]))
    for command in [[program], ["-m", "mypy", "--strict", program]]:
        done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.glob("tool-output"))
