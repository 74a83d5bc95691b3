"""Runs the examples of the README."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_every_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    assert len(examples) >= 3 and len(examples[0].strip().splitlines()) <= 5
    space = {"output": "some line\n" * 100_000, "run": lambda: "some line\n" * 100_000}
    for example in examples:
        exec(compile(example, str(README), "exec"), space)
    assert space["outcome"].spilled
