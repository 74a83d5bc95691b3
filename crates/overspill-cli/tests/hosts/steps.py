"""Helpers that build the steps of scenarios."""

import re
from collections import namedtuple

from judge import same

# A step: its description, the turn of the model (a call, several calls at once, or a function of the results so far), and
# the judge of its result. A turn of several calls may have a list of judges.
Step = namedtuple("Step", "what turn judge", defaults=(same,))


def shell(what, command, judge=same):
    return Step(what, ("shell", command), judge)


def tool(name, **arguments):
    return "tool", (name, arguments)


def last(pattern):
    """Returns a function that searches the results from the last to the first, and returns the first group of the pattern."""
    def find(results):
        return next(found.group(1) for found in map(re.compile(pattern).search, reversed(results)) if found)
    return find
