"""What stores and strategies of your own look like, and what questions are answered with."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Protocol, Sequence, Tuple, TypedDict, Union


class Event(TypedDict):
    """What `on_event` hears of each call, once."""

    type: str
    """`skipped`, `spilled` or `failed`."""
    tool: Optional[str]
    call_id: Optional[str]
    session: Optional[str]
    original_bytes: int
    shown_bytes: int
    path: Optional[str]
    error: Optional[str]


class NotSearched(TypedDict):
    """Lines of an output that were not kept, and so not searched."""

    lines: List[int]
    bytes: int


class _Page(TypedDict):
    text: str
    what: str
    """Which part of the output the text is, and what is wrong with it."""
    next: Optional[Dict[str, Any]]
    """Options of `read` for the next page."""


class Page(_Page, total=False):
    """A part of a saved output, as much as there is room for. Values at a JSON path have the last four fields."""

    bytes: List[int]
    lines: Optional[List[int]]
    total: int
    values: int
    """How many values are shown."""
    more: bool
    not_json: str
    """The place where the output is not JSON: the values after it are missing."""
    not_kept: NotSearched
    """Lines that were not kept (`store.max_output`), and so not read."""


class _FoundLine(TypedDict):
    number: int
    matches: bool
    text: str


class FoundLine(_FoundLine, total=False):
    """A line that was found, or one near it."""

    again: List[int]
    """The line matches again in these bytes of the output, which are not shown."""


class _Found(TypedDict):
    text: str
    what: str
    """Where the search goes on, and which lines were not searched; empty if all matches are shown."""
    lines: List[FoundLine]
    matches: int
    next_line: Optional[int]
    next: Optional[Dict[str, Any]]
    """Options of `grep` for the next page."""


class Found(_Found, total=False):
    """What a search has found, as ripgrep shows it and line by line."""

    not_searched: NotSearched


class Entry(TypedDict):
    """A saved output."""

    id: str
    bytes: int
    lines: Optional[int]
    used: float
    pinned: bool
    tool: Optional[str]
    call_id: Optional[str]
    session: Optional[str]
    command: Optional[str]
    exit_code: Optional[int]


class Swept(TypedDict):
    """What a sweep has done."""

    removed: int
    bytes: int
    kept: int
    failed: int


class Store(Protocol):
    """Keeps outputs. Only `save` is needed; without the others nothing can be read or swept.

    `read(id, start, end)`, `info(id)` with `{"bytes": …, "used": seconds}` or None, `list()` with
    an `id` in each as well, `delete(id)`. What is raised is told as the reason why nothing was saved.
    """

    def save(self, data: bytes, call: Dict[str, Optional[str]]) -> Union[str, Mapping[str, str]]:
        """Keeps an output; returns its path or address, or `{"id": …, "path": …}`."""
        ...


Choice = Union[None, bool, str, Sequence[Tuple[int, int]], Mapping[str, Any]]
"""What a strategy answers: None leaves it to the settings, True shows all, a text is shown instead,
a list holds what is shown as `(start, end)` in bytes, and `{"text": …, "left_out_lines": …}` says how
much is missing from a text."""


class Strategy(Protocol):
    """Chooses what is shown of an output."""

    def __call__(self, output: bytes, limits: Dict[str, Any]) -> Choice:
        """`limits` has `max_lines`, `max_bytes`, `max_chars`, `max_tokens` and `keep`."""
        ...
