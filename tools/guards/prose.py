"""Guards over sentences: clauses without a subject, old words, long sentences, paths that lead nowhere.

docs/glossary.md owns the list of old words.
"""

import re

from tree import line_of

# A clause without a subject: "What fits passes". Questions are fine.
HEADLESS = re.compile(
    r"(?:^[\s/!#>*|-]*|[.;:!?|]\s+|\")"
    r"(?:What|Whatever|Whoever|Whom|Where|Wherever|Of)\b(?![^.;|\n]*\?)"
    r"|\b(?i:nobody|somebody|anybody|whoever|whatever)\b",
    re.M,
)
# The agent is missing: who shows, who says?
PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been)\s+(?:said|shown|kept|told|asked|meant|noted|held)\b", re.I)
MOST_WORDS = 30

GLOSSARY = "docs/glossary.md"
DOCS = r"^[A-Z]+\.md$|^docs/.*\.md$|^(crates|bindings)/[^/]+/(src/)?[^/]+\.md$"
HELP = r"/snapshots/[^/]*help[^/]*\.snap$"


def docs(tree):
    """Yields the pages that people read. The glossary is left out: it quotes the old words."""
    for path, text in tree.matching(DOCS):
        if path != GLOSSARY:
            yield path, without_code(text)


def helps(tree):
    yield from tree.matching(HELP)


def sources(tree):
    """Yields comments and strings of the sources: errors, warnings and help are strings."""
    for path, source in tree.sources():
        yield path, source.comments
        yield path, source.strings


def without_code(text):
    """Blanks code blocks and code between backticks, so that lines keep their numbers."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found.group())

    text = re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", lambda found: "`" + " " * (len(found.group()) - 2) + "`", text)


def places(pattern, pages):
    for path, text in pages:
        for found in pattern.finditer(text):
            start = found.end() - len(found.group().lstrip(" \t\n/!#>*|-.;:?\""))
            yield path, line_of(text, start), " ".join(text[start : start + 60].split())


def headless_in_docs(tree):
    return list(places(HEADLESS, docs(tree)))


def headless_in_help(tree):
    return list(places(HEADLESS, helps(tree)))


def headless_in_sources(tree):
    return list(places(HEADLESS, sources(tree)))


def old_phrases(tree):
    """Returns the last column of the tables in the glossary."""
    phrases = []
    for line in tree.files.get(GLOSSARY, "").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if cells and cells[-1] != "do not write" and not cells[-1].startswith("---"):
            phrases += [phrase.strip() for phrase in cells[-1].split(", ") if phrase.strip()]
    return phrases


def old_words(tree):
    """Returns the old words of the glossary as one pattern."""
    spelled = [re.escape(phrase).replace(r"\ ", r"\s+(?:///?\s*)?") for phrase in old_phrases(tree)]
    ends = [phrase + (r"\b" if phrase[-1].isalpha() else "") for phrase in spelled]
    return re.compile(rf"\b(?i:{'|'.join(ends)})") if ends else re.compile(r"(?!)")


def old_words_in_docs(tree):
    return list(places(old_words(tree), docs(tree)))


def old_words_in_help(tree):
    return list(places(old_words(tree), helps(tree)))


def old_words_in_sources(tree):
    return list(places(old_words(tree), sources(tree)))


def old_words_in_names(tree):
    """Names in the code, options of the program and JSON keys."""
    singles = "|".join(phrase for phrase in old_phrases(tree) if phrase.isalpha())
    single = re.compile(rf"(?:^|[^a-z])(?:{singles or '(?!)'})(?![a-z])", re.I)
    found = []
    for path, source in tree.sources():
        for name in re.finditer(r"\b[A-Za-z_]\w+", source.code):
            words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.group())
            if single.search(words):
                found.append((path, line_of(source.code, name.start()), name.group()))
    for path, text in tree.matching(r"^docs/schema/.*\.json$|" + HELP):
        for name in re.finditer(r'"[a-z_]+":|--[a-z-]+', text):
            if single.search(name.group()):
                found.append((path, line_of(text, name.start()), name.group()))
    return found


def passive_in_docs(tree):
    return list(places(PASSIVE, docs(tree)))


def long_sentences_in_docs(tree):
    return [place for path, text in docs(tree) if path != "CHANGELOG.md" for place in long_sentences(path, text)]


def long_sentences_in_help(tree):
    return [place for path, text in helps(tree) for place in long_sentences(path, text)]


def long_sentences(path, text):
    """A sentence ends at a full stop, an empty line, a table cell, a list item, and a row of a help text."""
    row = r"\n {2,8}(?=\S)" if path.endswith(".snap") else r"\n\s*(?:[-*#|>]|\d+\.)"
    for part in re.finditer(rf"(?:(?!\n\s*\n|{row}|\||[.!?:](?=\s|$)).)+", text, re.S):
        words = re.findall(r"[^\s—–·/]*\w[^\s]*|`[ ]*`", part.group())
        if len(words) > MOST_WORDS:
            start = part.start() + len(part.group()) - len(part.group().lstrip())
            yield path, line_of(text, start), f"{len(words)} words: {' '.join(words[:8])} …"


def paths_that_lead_nowhere(tree):
    """A path in the contributor's pages names a file or a directory, from the root or from inside a crate."""
    known = set()
    for path in tree.files:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            known.update("/".join(parts[start:end]) for start in range(end))
    found = []
    for path, text in tree.matching(r"^(ARCHITECTURE|CONTRIBUTING)\.md$"):
        for match in re.finditer(r"`([^`\n]+)`|\]\(([^)#\s]+)\)", text):
            named = match[1] or match[2]
            if looks_like_a_path(named) and named.removeprefix("./").rstrip("/") not in known:
                found.append((path, line_of(text, match.start()), named))
    return found


def looks_like_a_path(text):
    is_plain = re.fullmatch(r"[\w./-]+", text) and not text.startswith(("-", "/"))
    return bool(is_plain and (("/" in text) or re.search(r"\.(rs|md|py|toml|json|bin|sh|txt)$", text)))


def links_that_lead_nowhere(tree):
    """A link from one page to another names a file, and the heading after `#` is in it."""
    found = []
    for path, text in tree.matching(r"^(?!.*/(?:data|documents|transcripts)/).*\.md$"):
        shown = re.sub(r"^(```|~~~).*?^\1", lambda code: re.sub(r"[^\n]", " ", code.group()), text, flags=re.M | re.S)
        for match in re.finditer(r"\]\(([^)\s]+)\)", shown):
            target = match[1]
            if re.match(r"[a-z]+:", target) or "`" in shown[shown.rfind("\n", 0, match.start()) + 1 : match.start()].split("[")[-1]:
                continue
            file, _, heading = target.partition("#")
            named = resolved(path, file) if file else path
            is_directory = any(other.startswith(named.rstrip("/") + "/") for other in tree.files)
            if named not in tree.files and not is_directory:
                found.append((path, line_of(text, match.start()), target))
            elif heading and named in tree.files and heading not in anchors(tree.files[named]):
                found.append((path, line_of(text, match.start()), target))
    return found


def resolved(page, link):
    parts = page.split("/")[:-1]
    for part in link.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def anchors(text):
    """Returns the anchors of the headings, as Markdown viewers make them."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
