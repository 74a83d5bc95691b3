from types import TracebackType
from typing import Any, Callable, Iterable, Literal, Mapping, Optional, Sequence, Union, final
from typing_extensions import Self

from overspill.types import Choice, Entry, Event, Found, Page, Store, Strategy, Swept
from os import PathLike

_Output = Union[str, bytes, bytearray, memoryview]
_Outcome = Union["Whole", "Spilled"]
_Most = Union[int, Literal["none"], None]
_Kind = Literal[
    "auto", "failing-log", "test-run", "source", "listing", "search", "prose", "table", "columns", "diff",
    "markup", "tap", "json", "json-lines", "long-lines", "binary", "plain", None
]
_Keep = Literal["head", "tail", "ends", "signal", "structure", "auto", None]
_Layer = Union[bool, Mapping[str, Any]]

@final
class Size:
    @property
    def bytes(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def chars(self) -> int: ...

@final
class Span:
    @property
    def bytes(self) -> tuple[int, int]: ...
    @property
    def lines(self) -> tuple[int, int]: ...

@final
class Whole:
    """A short output. It is shown unchanged and not saved."""

    __match_args__: tuple[str, ...]
    spilled: Literal[False]
    id: None
    path: None
    limit: None
    left_out: None
    error: None
    notice: None
    @property
    def output(self) -> _Output: ...
    @property
    def masked(self) -> int:
        """The number of masked secrets."""
    @property
    def text(self) -> str: ...
    @property
    def preview(self) -> str: ...
    @property
    def total(self) -> Size: ...
    @property
    def shown(self) -> Size: ...
    @property
    def pieces(self) -> list[Span]: ...
    @property
    def gaps(self) -> list[Span]: ...
    @property
    def lossy(self) -> bool: ...
    @property
    def complete(self) -> bool: ...
    def to_dict(self) -> dict[str, Any]: ...

@final
class Spilled:
    """An output that was too large: its preview, and the place of the whole output."""

    __match_args__: tuple[str, ...]
    spilled: Literal[True]
    @property
    def text(self) -> str:
        """The text for the model, notice included."""
    @property
    def preview(self) -> str:
        """The shown part of the output, without the notice. The profiles of other systems mark the gap in it."""
    @property
    def notice(self) -> str:
        """The notice alone."""
    @property
    def id(self) -> Optional[str]: ...
    @property
    def path(self) -> Optional[str]: ...
    @property
    def error(self) -> Optional[str]:
        """The reason why the output could not be saved."""
    @property
    def limit(self) -> Optional[Literal["bytes", "lines", "chars", "tokens"]]:
        """The limit that the output exceeds."""
    @property
    def left_out(self) -> tuple[int, Literal["lines", "bytes", "chars"]]: ...
    @property
    def total(self) -> Size: ...
    @property
    def shown(self) -> Size: ...
    @property
    def pieces(self) -> Optional[list[Span]]: ...
    @property
    def gaps(self) -> Optional[list[Span]]: ...
    @property
    def lossy(self) -> bool:
        """The text differs from the bytes of the output: some bytes are cleaned or replaced."""
    @property
    def complete(self) -> bool:
        """The saved copy has every byte."""
    @property
    def masked(self) -> int:
        """The number of masked secrets."""
    def to_dict(self) -> dict[str, Any]: ...

@final
class Spill:
    """Takes an output piece by piece. It is a context manager and a file to print to."""

    def write(self, chunk: _Output) -> int: ...
    def close(self) -> _Outcome: ...
    def flush(self) -> None: ...
    def writable(self) -> bool: ...
    @property
    def over(self) -> bool: ...
    @property
    def closed(self) -> bool: ...
    @property
    def outcome(self) -> _Outcome: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> Literal[False]: ...

class Engine:
    def __new__(
        cls,
        *,
        profile: Literal[
            "overspill", "klaude", "unified", "takumi", "agent-v2", "opencode", None
        ] = ...,
        store: Union[str, PathLike[str], Literal[False], Store, None] = ...,
        max_lines: _Most = ...,
        max_bytes: _Most = ...,
        max_chars: _Most = ...,
        max_tokens: _Most = ...,
        keep: _Keep = ...,
        fill: Optional[bool] = ...,
        kind: _Kind = ...,
        enabled: Optional[bool] = ...,
        ceiling: Optional[bool] = ...,
        tools: Optional[Mapping[str, _Layer]] = ...,
        skip_tools: Optional[Sequence[str]] = ...,
        trusted_tools: Optional[Sequence[str]] = ...,
        project_root: Union[str, PathLike[str], None] = ...,
        retention_days: Optional[int] = ...,
        durability: Literal["full", "none", None] = ...,
        redact: Literal["off", "store", "all", None] = ...,
        redact_pattern: Optional[str] = ...,
        program: Optional[str] = ...,
        read_tool: Optional[str] = ...,
        grep_tool: Optional[str] = ...,
        delegate_tool: Optional[str] = ...,
        files: Optional[bool] = ...,
        max_length: Optional[int] = ...,
        head_chars: Optional[int] = ...,
        tail_chars: Optional[int] = ...,
        simple: Optional[bool] = ...,
        strategy: Union[Strategy, Callable[[bytes, dict[str, Any]], Choice], None] = ...,
        on_event: Optional[Callable[[Event], object]] = ...,
        should_spill: Optional[Callable[[str, Any], Union[bool, Mapping[str, Any], None]]] = ...,
        answer_timeout: Optional[float] = ...,
    ) -> Self: ...
    @property
    def directory(self) -> Optional[str]:
        """The directory in which outputs are saved. None if they are saved elsewhere or not at all."""
    def process(
        self,
        output: _Output,
        *,
        tool: Optional[str] = ...,
        call_id: Optional[str] = ...,
        session: Optional[str] = ...,
        command: Optional[str] = ...,
        directory: Optional[str] = ...,
        max_lines: _Most = ...,
        max_bytes: _Most = ...,
        max_chars: _Most = ...,
        max_tokens: _Most = ...,
        keep: _Keep = ...,
        fill: Optional[bool] = ...,
        kind: _Kind = ...,
        enabled: Optional[bool] = ...,
        ceiling: Optional[bool] = ...,
        preset: Literal["code", "log", "error", None] = ...,
        declared: Optional[Mapping[str, Any]] = ...,
        delegate: Optional[bool] = ...,
        permission: Optional[Sequence[Mapping[str, str]]] = ...,
        exit_code: Optional[int] = ...,
    ) -> _Outcome:
        """Shortens a complete output, if it is too large."""
    @property
    def _in_envelope(self) -> bool: ...
    def process_if_whole(self, output: _Output, **call: Any) -> Optional[_Outcome]: ...
    def apply(self, result: Any, **call: Any) -> Any: ...
    def batch(
        self,
        outputs: Iterable[Union[_Output, tuple[_Output, dict[str, Any]]]],
        *,
        max_lines: _Most = ...,
        max_bytes: _Most = ...,
        max_chars: _Most = ...,
        max_tokens: _Most = ...,
    ) -> list[_Outcome]:
        """Shortens several outputs under one budget: small ones stay whole, large ones share the rest."""
    def spill(
        self,
        *,
        tool: Optional[str] = ...,
        call_id: Optional[str] = ...,
        session: Optional[str] = ...,
        **options: Any,
    ) -> Spill:
        """Opens an output that arrives piece by piece."""
    def read(
        self,
        id: str,
        *,
        lines: Optional[Sequence[Optional[int]]] = ...,
        bytes: Optional[Sequence[Optional[int]]] = ...,
        tail: Optional[int] = ...,
        json: Optional[str] = ...,
        from_value: Union[int, Sequence[int], None] = ...,
        max_lines: Optional[int] = ...,
        max_bytes: Optional[int] = ...,
    ) -> Page:
        """Reads a part of a saved output: `lines` first and last, `bytes` from one offset up to another, the last
        lines (`tail`), or the values at a `json` path. `from_value` is the first value, with or without an offset."""
    def grep(
        self,
        pattern: str,
        id: str,
        *,
        ignore_case: bool = ...,
        fixed: bool = ...,
        word: bool = ...,
        invert: bool = ...,
        before: int = ...,
        after: int = ...,
        context: int = ...,
        max_count: int = ...,
        from_line: int = ...,
        max_lines: int = ...,
        max_bytes: int = ...,
    ) -> Found:
        """Searches a saved output."""
    def list(self) -> list[Entry]:
        """Lists the saved outputs, the last used first."""
    def sweep(self) -> Swept:
        """Removes expired outputs."""
