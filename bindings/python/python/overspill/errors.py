"""The exceptions of this package. An output that cannot be saved raises no exception."""


class OverspillError(Exception):
    """The base class of all exceptions of this package, except `TypeError` for values of a wrong type."""


class Misuse(OverspillError, ValueError):
    """An invalid option or argument. The message names the option and the allowed values."""


class NotFound(OverspillError, LookupError):
    """The store has no output with this id."""


class StoreError(OverspillError, OSError):
    """The store could not answer a question about saved outputs."""
