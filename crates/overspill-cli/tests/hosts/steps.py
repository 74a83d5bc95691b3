"""The parts that scenarios are made of."""

import re
from collections import namedtuple

from judge import same

# What is tried, the turn of the model (a call, several calls at once, or a function of the results so far), and the
# judge of its result. A turn of several calls may have a list of judges.
Step = namedtuple("Step", "what turn judge", defaults=(same,))


def shell(what, command, judge=same):
    return Step(what, ("shell", command), judge)


def tool(name, **arguments):
    return "tool", (name, arguments)


def last(pattern):
    """Returns a function that finds the pattern in the last result that has it."""
    def find(results):
        return next(found.group(1) for found in map(re.compile(pattern).search, reversed(results)) if found)
    return find
