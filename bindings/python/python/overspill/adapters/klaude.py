"""A drop-in for klaude's smart truncation: both ends, the whole output in a file.

    result = truncate_tool_output(output, "Bash", "call_123")
    result.output, result.saved_file_path
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Protocol

from overspill import Overspill

TOOL_OUTPUT_MAX_LENGTH = 40_000
TOOL_OUTPUT_DISPLAY_HEAD = 10_000
TOOL_OUTPUT_DISPLAY_TAIL = 10_000
TOOL_OUTPUT_TRUNCATION_DIR = "/tmp/klaude"


@dataclass
class TruncationResult:
    """What became of an output; lengths in characters."""

    output: str
    was_truncated: bool
    saved_file_path: Optional[str]
    original_length: int
    truncated_length: int


class TruncationStrategy(Protocol):
    """Anything that cuts an output."""

    def truncate(
        self, output: str, tool_name: Optional[str] = None, call_id: Optional[str] = None
    ) -> TruncationResult:
        """Says what becomes of an output."""
        ...


class _Strategy:
    def __init__(self, overspill: Overspill) -> None:
        self._overspill = overspill

    def truncate(
        self, output: str, tool_name: Optional[str] = None, call_id: Optional[str] = None
    ) -> TruncationResult:
        """Says what becomes of an output."""
        outcome = self._overspill.process(output, tool=tool_name, call_id=call_id)
        if not outcome.spilled:
            return TruncationResult(output, False, None, len(output), 0)
        total, shown = outcome.total.chars, outcome.shown.chars
        return TruncationResult(outcome.text, True, outcome.path, total, total - shown)


class SmartTruncationStrategy(_Strategy):
    """The first and the last characters, and the whole output in a file."""

    def __init__(
        self,
        max_length: int = TOOL_OUTPUT_MAX_LENGTH,
        head_chars: int = TOOL_OUTPUT_DISPLAY_HEAD,
        tail_chars: int = TOOL_OUTPUT_DISPLAY_TAIL,
        truncation_dir: str = TOOL_OUTPUT_TRUNCATION_DIR,
    ) -> None:
        super().__init__(
            Overspill(
                profile="klaude",
                max_length=max_length,
                head_chars=head_chars,
                tail_chars=tail_chars,
                store=str(truncation_dir),
                durability="none",
            )
        )


class SimpleTruncationStrategy(_Strategy):
    """The first characters, and nothing is saved."""

    def __init__(self, max_length: int = TOOL_OUTPUT_MAX_LENGTH) -> None:
        super().__init__(Overspill(profile="klaude", max_length=max_length, simple=True))


_current: Optional[TruncationStrategy] = None


def get_truncation_strategy() -> TruncationStrategy:
    """Returns the strategy that `truncate_tool_output` uses."""
    global _current
    if _current is None:
        _current = SmartTruncationStrategy()
    return _current


def set_truncation_strategy(strategy: TruncationStrategy) -> None:
    """Replaces it."""
    global _current
    _current = strategy


def truncate_tool_output(
    output: str, tool_name: Optional[str] = None, call_id: Optional[str] = None
) -> TruncationResult:
    """Says what becomes of an output."""
    return get_truncation_strategy().truncate(output, tool_name, call_id)


def render_truncation(result: TruncationResult) -> str:
    """Returns the two lines for a terminal; nothing where no file was saved."""
    if result.saved_file_path is None:
        return ""
    return (
        f"Output truncated: {result.original_length} chars total, "
        f"{result.truncated_length} chars hidden\n"
        f"Full output saved to {result.saved_file_path}"
    )
