"""What is raised, and only for misuse: an output that cannot be saved is no error of a call."""


class OverspillError(Exception):
    """Everything that this package raises, but for values of a wrong type (`TypeError`)."""


class Misuse(OverspillError, ValueError):
    """An option or a question that makes no sense; the message names it and says what does."""


class NotFound(OverspillError, LookupError):
    """There is no output of this id."""


class StoreError(OverspillError, OSError):
    """The store could not answer a question about what was saved."""
