"""Guards over sentences: headless clauses, words with a plainer one, paths that lead nowhere."""

import re

from tree import line_of

# A clause without a subject: "What fits passes". Questions are fine.
HEADLESS = (
    r"(?:^[\s/!#>*|-]*|[.;:!?|]\s+|\")"
    r"(?:What|Whatever|Whoever|Whom|Where|Wherever|Of|Nobody|Somebody)\b(?![^.;|\n]*\?)"
)
# "words" for arguments is left out: counted words are words.
PLAINER = (
    r"\b(?i:bounded|spared|holds|befell|at\s+last|of\s+which|whatever|whoever"
    r"|(?:is|are)\s+said|what\s+fits|is\s+none|by\s+itself|byte\s+for\s+byte)\b"
)
RIDDLE = re.compile(rf"{HEADLESS}|{PLAINER}", re.M)

DOCS = r"^[A-Z]+\.md$|^docs/.*\.md$|^(crates|bindings)/[^/]+/(src/)?[^/]+\.md$"


def riddles(path, text):
    for found in RIDDLE.finditer(text):
        start = found.end() - len(found.group().lstrip(" \t\n/!#>*|-.;:?\""))
        yield path, line_of(text, start), " ".join(text[start : start + 60].split())


def riddles_in_docs(tree):
    return [place for path, text in tree.matching(DOCS) for place in riddles(path, text)]


def riddles_in_help(tree):
    snapshots = tree.matching(r"/snapshots/[^/]*help[^/]*\.snap$")
    return [place for path, text in snapshots for place in riddles(path, text)]


def riddles_in_comments(tree):
    return [place for path, source in tree.sources() for place in riddles(path, source.comments)]


def riddles_in_messages(tree):
    """Errors, warnings and help are strings."""
    return [place for path, source in tree.sources() for place in riddles(path, source.strings)]


def paths_that_lead_nowhere(tree):
    """A path in the contributor's pages names a file or a directory, from the root or from inside a crate."""
    known = set()
    for path in tree.files:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            known.update("/".join(parts[start:end]) for start in range(end))
    places = []
    for path, text in tree.matching(r"^(ARCHITECTURE|CONTRIBUTING)\.md$"):
        for found in re.finditer(r"`([^`\n]+)`|\]\(([^)#\s]+)\)", text):
            named = found[1] or found[2]
            if looks_like_a_path(named) and named.removeprefix("./").rstrip("/") not in known:
                places.append((path, line_of(text, found.start()), named))
    return places


def looks_like_a_path(text):
    is_plain = re.fullmatch(r"[\w./-]+", text) and not text.startswith(("-", "/"))
    return bool(is_plain and (("/" in text) or re.search(r"\.(rs|md|py|toml|json|bin|sh|txt)$", text)))
