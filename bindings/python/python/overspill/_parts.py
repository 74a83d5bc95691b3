"""Converts parts of a result that are not dicts: strings, and models with `type` and `text`."""

from __future__ import annotations

import copy
from typing import Any

# The key for the part itself. The engine does not change keys that it does not know.
_SELF = "overspill part"


def pack(part: Any) -> Any:
    """Returns a part as a dict for the engine. Other parts are returned unchanged."""
    if isinstance(part, str):
        return {"type": "text", "text": part, _SELF: True}
    text = getattr(part, "text", None)
    if getattr(part, "type", None) == "text" and isinstance(text, str):
        return {"type": "text", "text": text, _SELF: _Kept(part)}
    text = getattr(getattr(part, "resource", None), "text", None)
    if getattr(part, "type", None) == "resource" and isinstance(text, str):
        return {"type": "resource", "resource": {"text": text}, _SELF: _Kept(part)}
    return part


def unpack(part: Any) -> Any:
    """Returns a shortened part in its original form."""
    if not isinstance(part, dict) or _SELF not in part:
        return part
    if part[_SELF] is True:
        return part["text"]
    model = part[_SELF].part
    if part["type"] == "resource":
        resource = _with(model.resource, "text", part["resource"]["text"])
        return model if resource is model.resource else _with(model, "resource", resource)
    return _with(model, "text", part["text"])


def _with(model: Any, name: str, value: Any) -> Any:
    """Returns a model with another value, or the same model if it has that value."""
    if getattr(model, name) == value:
        return model
    if hasattr(model, "model_copy"):
        return model.model_copy(update={name: value})
    model = copy.copy(model)
    setattr(model, name, value)
    return model


class _Kept:
    def __init__(self, part: Any) -> None:
        self.part = part
