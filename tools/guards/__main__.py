#!/usr/bin/env python3
"""Counts what the code base has too much of. A count may only get better.

    python3 tools/guards              compares the counts with tools/guards/counts.toml
    python3 tools/guards --show NAME  prints every place that a guard counts
    python3 tools/guards --update     writes counts that got better
    python3 tools/guards --reset      writes all counts; the commit message says why one got worse
    python3 tools/guards --self-test  makes every guard fail once, on small made-up files
"""

import pathlib
import re
import sys

import house
import prose
import rust
from tree import Tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = pathlib.Path(__file__).resolve().parent / "counts.toml"
NAMED = "tools/guards/counts.toml"

GUARDS = {
    "notices-worded-outside-core": rust.notices_worded_outside_core,
    "notices-parsed": rust.notices_parsed,
    "keep-tested": rust.keep_tested,
    "profile-name-compared": rust.profile_name_compared,
    "environment-reads": rust.environment_reads,
    "clock-and-terminal-reads": rust.clock_and_terminal_reads,
    "repeated-names": rust.repeated_names,
    "files-over-400-lines": rust.files_over_400_lines,
    "files-over-600-lines": rust.files_over_600_lines,
    "lines-of-source": rust.lines_of_source,
    "tests": rust.number_of_tests,
    "unclear-test-names": rust.unclear_test_names,
    "headless-clauses-in-docs": prose.headless_in_docs,
    "headless-clauses-in-help": prose.headless_in_help,
    "headless-clauses-in-sources": prose.headless_in_sources,
    "old-words-in-docs": prose.old_words_in_docs,
    "old-words-in-help": prose.old_words_in_help,
    "old-words-in-sources": prose.old_words_in_sources,
    "old-words-in-names": prose.old_words_in_names,
    "long-sentences-in-docs": prose.long_sentences_in_docs,
    "long-sentences-in-help": prose.long_sentences_in_help,
    "passive-in-docs": prose.passive_in_docs,
    "paths-that-lead-nowhere": prose.paths_that_lead_nowhere,
    "links-that-lead-nowhere": prose.links_that_lead_nowhere,
    "public-items-core": house.public_items("overspill-core"),
    "public-items-library": house.public_items("overspill"),
    "public-names-core": house.public_names("overspill-core"),
    "public-names-library": house.public_names("overspill"),
    "internal-names-core": house.public_names("overspill-core", "api-internal.txt"),
    "internal-names-library": house.public_names("overspill", "api-internal.txt"),
    "crates-of-program": house.crates_needed("overspill-cli", ROOT),
    "crates-of-library": house.crates_needed("overspill", ROOT),
}
# More is better.
RISING = {"tests"}
# Almost every commit changes these. A better count is not an error, so that branches do not conflict.
LOOSE = {"tests", "lines-of-source"}


def stored(text):
    return {name: int(count) for name, count in re.findall(r"^([\w-]+) = (\d+)", text, re.M)}


def verdict(name, count, limit):
    """Returns the complaint about a count, if there is one."""
    if limit is None:
        return f"{name}: no count is stored; run `python3 tools/guards --update`"
    worse = count < limit if name in RISING else count > limit
    if worse:
        change = "rise" if name in RISING else "fall"
        return f"{name}: {count}, and {NAMED} has {limit}; this count may only {change}\n" + (
            f"hint: `python3 tools/guards --show {name}` lists the places"
        )
    if count != limit and name not in LOOSE:
        change = "raise" if name in RISING else "lower"
        return f"{name}: {change} the number in {NAMED} to {count} (`python3 tools/guards --update`)"
    return None


def updated(text, counts, reset):
    """Returns the text of the file with new counts: all of them, or those that got better."""
    limits = stored(text)
    for name, count in counts.items():
        limit = limits.get(name)
        if limit is None:
            text += f"{name} = {count}\n"
        elif reset or (count > limit if name in RISING else count < limit):
            text = re.sub(rf"^{name} = \d+", f"{name} = {count}", text, flags=re.M)
    return text


def main(arguments):
    if arguments == ["--self-test"]:
        import self_test

        return self_test.run()
    if len(arguments) == 2 and arguments[0] == "--show" and arguments[1] in GUARDS:
        for path, line, what in GUARDS[arguments[1]](Tree.read(ROOT)):
            print(f"{path}:{line}: {what}")
        return 0
    if arguments not in ([], ["--update"], ["--reset"]):
        print(f"guards: invalid arguments {' '.join(arguments)}", file=sys.stderr)
        print(f"{__doc__}\nNAME is one of: {', '.join(GUARDS)}", file=sys.stderr)
        return 2
    tree = Tree.read(ROOT)
    counts = {name: len(list(guard(tree))) for name, guard in GUARDS.items()}
    if arguments:
        COUNTS.write_text(updated(COUNTS.read_text(), counts, arguments == ["--reset"]))
    limits = stored(COUNTS.read_text())
    complaints = [verdict(name, count, limits.get(name)) for name, count in counts.items()]
    complaints = [complaint for complaint in complaints if complaint]
    print("\n".join(complaints) or f"{len(counts)} guards pass", flush=True)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
