"""A drop-in replacement for klaude's smart truncation: shows both ends, saves the whole output in a file.

    result = truncate_tool_output(output, "Bash", "call_123")
    result.output, result.saved_file_path
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Optional, Protocol, Union

from overspill import Overspill
from overspill._patience import within

TOOL_OUTPUT_MAX_LENGTH = 40_000
TOOL_OUTPUT_DISPLAY_HEAD = 10_000
TOOL_OUTPUT_DISPLAY_TAIL = 10_000
TOOL_OUTPUT_TRUNCATION_DIR = "/tmp/klaude"


@dataclass
class TruncationResult:
    """The result of truncating an output. Lengths are in characters."""

    output: str
    was_truncated: bool
    saved_file_path: Optional[str] = None
    original_length: int = 0
    truncated_length: int = 0


class TruncationStrategy(ABC):
    """Cuts an output. Subclass it for a strategy of your own."""

    @abstractmethod
    def truncate(
        self, output: str, tool_name: Optional[str] = None, call_id: Optional[str] = None
    ) -> TruncationResult:
        """Truncates an output if it is too long, and returns the result."""


class _Strategy(TruncationStrategy):
    """A strategy that creates its engine for the first output, and again if a parameter was changed."""

    def __init__(self, **parameters: Any) -> None:
        self.__dict__.update(parameters)
        self._made: Optional[tuple[dict[str, Any], Overspill]] = None

    def _options(self) -> dict[str, Any]:
        raise NotImplementedError

    def _engine(self) -> Overspill:
        options = self._options()
        if self._made is None or self._made[0] != options:
            self._made = (options, Overspill(**options))
        return self._made[1]

    def truncate(
        self, output: str, tool_name: Optional[str] = None, call_id: Optional[str] = None
    ) -> TruncationResult:
        """Truncates an output if it is too long, and returns the result."""
        outcome = self._engine().process(output, tool=tool_name, call_id=call_id)
        if not outcome.spilled:
            return TruncationResult(output, False, None, len(output), 0)
        total, shown = outcome.total.chars, outcome.shown.chars
        return TruncationResult(outcome.text, True, outcome.path, total, total - shown)


class SmartTruncationStrategy(_Strategy):
    """Shows the first and the last characters, and saves the whole output in a file."""

    max_length: int
    head_chars: int
    tail_chars: int
    truncation_dir: Path

    def __init__(
        self,
        max_length: int = TOOL_OUTPUT_MAX_LENGTH,
        head_chars: int = TOOL_OUTPUT_DISPLAY_HEAD,
        tail_chars: int = TOOL_OUTPUT_DISPLAY_TAIL,
        truncation_dir: Union[str, Path] = TOOL_OUTPUT_TRUNCATION_DIR,
    ) -> None:
        super().__init__(
            max_length=max_length, head_chars=head_chars, tail_chars=tail_chars, truncation_dir=Path(truncation_dir)
        )
        # Invalid values raise here, and not with the first output.
        self._engine()

    def _options(self) -> dict[str, Any]:
        return {
            "profile": "klaude",
            "max_length": self.max_length,
            "head_chars": self.head_chars,
            "tail_chars": self.tail_chars,
            "store": str(self.truncation_dir),
            "durability": "none",
        }


class SimpleTruncationStrategy(_Strategy):
    """Shows the first characters, and does not save the output."""

    max_length: int

    def __init__(self, max_length: int = TOOL_OUTPUT_MAX_LENGTH) -> None:
        super().__init__(max_length=max_length)
        self._engine()

    def _options(self) -> dict[str, Any]:
        return {"profile": "klaude", "max_length": self.max_length, "simple": True}


_current: Optional[TruncationStrategy] = None
_answer_timeout: Optional[float] = None


def get_truncation_strategy() -> TruncationStrategy:
    """Returns the strategy that `truncate_tool_output` uses."""
    global _current
    if _current is None:
        _current = SmartTruncationStrategy()
    return _current


def set_truncation_strategy(strategy: TruncationStrategy, answer_timeout: Optional[float] = None) -> None:
    """Sets the strategy that `truncate_tool_output` uses. `answer_timeout` is in seconds for each output."""
    global _current, _answer_timeout
    _current, _answer_timeout = strategy, answer_timeout


def truncate_tool_output(
    output: str, tool_name: Optional[str] = None, call_id: Optional[str] = None
) -> TruncationResult:
    """Truncates an output. If a strategy of your own fails, the smart strategy is used, with a warning."""
    strategy = get_truncation_strategy()
    if type(strategy) in (SmartTruncationStrategy, SimpleTruncationStrategy):
        return strategy.truncate(output, tool_name, call_id)
    try:
        asked = (output, tool_name, call_id)
        if _answer_timeout is None:
            result = strategy.truncate(*asked)
        else:
            result = within(_answer_timeout, strategy.truncate, *asked)
        wrong = _nonsense(result, output)
        if wrong is None:
            return result
        reason = f"returned {wrong}"
    except Exception as error:
        reason = f"raised {type(error).__name__}: {error}"
    warnings.warn(f"the strategy {type(strategy).__name__} {reason}", RuntimeWarning, stacklevel=2)
    return SmartTruncationStrategy().truncate(output, tool_name, call_id)


def _nonsense(result: object, output: str) -> Optional[str]:
    """Describes the answer of a strategy if it is not a valid result."""
    text, path = getattr(result, "output", None), getattr(result, "saved_file_path", None)
    if not isinstance(text, str):
        return f"{type(result).__name__}, not a TruncationResult"
    if not isinstance(path, (str, Path, type(None))):
        return f"a saved_file_path of type {type(path).__name__}"
    if len(text) > max(len(output), TOOL_OUTPUT_MAX_LENGTH):
        return f"{len(text)} characters for an output of {len(output)}"
    return None


class TruncationInfo(Protocol):
    """An object with the three values, such as klaude's own model."""

    @property
    def saved_file_path(self) -> str: ...

    @property
    def original_length(self) -> int: ...

    @property
    def truncated_length(self) -> int: ...


@dataclass
class TruncationUIExtra:
    """What a terminal shows of a cut output; lengths in characters."""

    saved_file_path: str
    original_length: int
    truncated_length: int

    @classmethod
    def of(cls, result: TruncationResult) -> Optional[TruncationUIExtra]:
        """Returns the values of a result; None if no file was saved."""
        if result.saved_file_path is None:
            return None
        return cls(result.saved_file_path, result.original_length, result.truncated_length)


class ToolResultUIExtraType(str, Enum):
    """The kinds of extra information; klaude has more of them."""

    TRUNCATION = "truncation"


@dataclass
class ToolResultUIExtra:
    """What a terminal shows besides the result of a tool."""

    type: ToolResultUIExtraType
    truncation: Optional[TruncationUIExtra] = None

    @classmethod
    def of(cls, result: TruncationResult) -> Optional[ToolResultUIExtra]:
        """Returns the extra of a result; None if no file was saved."""
        truncation = TruncationUIExtra.of(result)
        return None if truncation is None else cls(ToolResultUIExtraType.TRUNCATION, truncation)


class _Plain(str):
    """A text that rich shows unchanged. In other text, rich takes brackets for markup."""

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(str(self))


def render_truncation_info(ui_extra: TruncationInfo) -> str:
    """Returns two lines for a terminal: the sizes, and the path. Both `print` and rich show them."""
    return _Plain(
        f"Output truncated: {ui_extra.original_length} chars total, {ui_extra.truncated_length} chars hidden\n"
        f"Full output saved to {ui_extra.saved_file_path}"
    )


def render_truncation(result: TruncationResult) -> str:
    """Returns the two lines of a result; nothing where no file was saved."""
    ui_extra = TruncationUIExtra.of(result)
    return "" if ui_extra is None else render_truncation_info(ui_extra)
