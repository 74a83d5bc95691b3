"""Fixtures: every test saves in a directory of its own."""

from pathlib import Path
from typing import Any, Callable

import pytest

from overspill import Overspill


@pytest.fixture(autouse=True)
def away_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OVERSPILL_DIR", str(tmp_path / "outputs"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Overspill]:
    def make(**options: Any) -> Overspill:
        return Overspill(**{"store": tmp_path / "outputs", "durability": "none", **options})

    return make


def numbered(lines: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, lines + 1))
