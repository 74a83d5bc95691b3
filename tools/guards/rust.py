"""Guards over Rust sources. Each returns the places it counts: (path, line, what is there)."""

import re

from tree import closing, line_of


def search(tree, pattern, view="code", skip=r"^$"):
    pattern = re.compile(pattern)
    for path, source in tree.sources():
        if re.search(skip, path):
            continue
        text = getattr(source, view)
        for found in pattern.finditer(text):
            yield path, line_of(text, found.start()), " ".join(found.group().split())


def once_a_line(places):
    return sorted({(path, line): place for place in places for path, line in [place[:2]]}.values())


def notices_worded_outside_core(tree):
    """A text of ours between `[overspill` and `]` has one owner, in core."""
    worded = r'"\[overspill ?[^" ][^"]*"'
    return list(search(tree, worded, "strings", "^crates/overspill-core/"))


def notices_parsed(tree):
    """A preview is data; reading the notice back out of its text is a second definition of it."""
    outside = "^crates/overspill-core/"
    mark_alone = search(tree, r'"\[overspill ?"', "strings", outside)
    taken_apart = r"let \(?(?:mut )?(?:note|notice|header|marks?)\b[^;]*?(?:\blines\b|split|find\()[^;]*;"
    return once_a_line([*mark_alone, *search(tree, taken_apart, "code", outside)])


def keep_tested(tree):
    """`==`, `matches!`, `if let` and `_` hide a new variant of `Keep` from the compiler."""
    places = []
    for path, source in tree.sources():
        code = outside_of_methods(source.code, "Keep")
        for found in re.finditer(r"[=!]=\s*Keep::\w+|Keep::\w+\s*[=!]=|matches!\([^;]*?Keep::\w+|if let [^=;]*Keep::\w+", code):
            places.append((path, line_of(code, found.start()), " ".join(found.group().split())))
        for found in re.finditer(r"\bmatch\b[^{};]*\{", code):
            arms = outermost(code[found.end() : closing(code, found.end() - 1)])
            rest = re.search(r"(?:^|[,}\s])([a-z_]\w*)\s*(?:if\b[^,]*)?=>", arms)
            if rest and re.search(r"Keep::[^,]*?=>", arms):
                at = line_of(code, found.end() + rest.start(1))
                places.append((path, at, f"{found.group()} … {rest.group(1)} => … }}"))
    return places


def outside_of_methods(code, name):
    """Blanks the methods of a type."""
    for found in re.finditer(r"\bimpl\b[^{};]*\b" + name + r"\s*\{", code):
        end = closing(code, found.end() - 1)
        code = code[: found.end()] + re.sub(r"[^\n]", " ", code[found.end() : end]) + code[end:]
    return code


def outermost(body):
    """Blanks everything in brackets within a body."""
    depth, out = 0, []
    for character in body:
        depth -= character in ")}]"
        out.append(character if depth == 0 or character == "\n" else " ")
        depth += character in "({["
    return "".join(out)


def profile_name_compared(tree):
    """What a profile may do is a field of it; its name is for people, and for the lookup `Profile::named`."""
    name = r"[\w.()]*\bprofile\.name\b"
    compared = rf"{name}\s*[=!]=(?! name\))|[=!]=\s*{name}|\bmatch {name}"
    return list(search(tree, compared))


def environment_reads(tree):
    """`main` reads variables, directories and arguments once, and hands them down."""
    read = r"\benv::(?:var|var_os|vars|vars_os|current_dir|home_dir|current_exe|args|args_os|temp_dir)\b"
    return list(search(tree, read, skip=r"^crates/overspill-cli/src/(main\.rs|env\.rs|env/)"))


def clock_and_terminal_reads(tree):
    """`Env::now` and `Clock` read the time, and `ui` looks at the terminal. Durations (`Instant`) are free."""
    read = r"\b(?:Timestamp|SystemTime)::now\b|\bis_terminal\(&|\.is_terminal\(\)"
    owners = r"^crates/overspill-cli/src/(env\.rs|ui\.rs|process/)|^crates/overspill/src/clock\.rs|/tests/"
    return list(search(tree, read, skip=owners))


def repeated_names(tree):
    """A type name that more than one file can use stands for one thing. Stand-ins for other systems do not count."""
    stand_ins = list(stand_in_files(tree))
    pattern = r"\bpub(?:\(crate\))?\s+(?:struct|enum|union|trait|type)\s+(\w+)"
    defined = {}
    for path, line, found in search(tree, pattern, skip="^bindings/"):
        if not any(path.startswith(place) for place in stand_ins):
            defined.setdefault(found.split()[-1], []).append((path, line))
    names = []
    for name, places in defined.items():
        if len(places) > 1:
            others = ", ".join(f"{path}:{line}" for path, line in places[1:])
            names.append((*places[0], f"{name}, also {others}"))
    return sorted(names)


def stand_in_files(tree):
    """Returns the files and directories that are compiled instead of others."""
    instead = r"#\[cfg(?:_attr)?\(not\(.*\)\]\s*(?:.*\n\s*)??(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;"
    for path, text in tree.matching(r"^crates/[^/]+/src/.*\.rs$"):
        directory, _, file = path.rpartition("/")
        stem = file.removesuffix(".rs")
        below = directory if stem in ("mod", "lib", "main") else f"{directory}/{stem}"
        for found in re.finditer(instead, text):
            other = re.search(r'path = "([^"]+)"', found.group())
            if other:
                yield f"{directory}/{other[1]}"
            else:
                yield f"{below}/{found[1]}."
                yield f"{below}/{found[1]}/"


def files_over_400_lines(tree):
    return [
        (path, 400, f"{text.count(chr(10))} lines")
        for path, text in tree.matching(r"^(crates|bindings)/[^/]+/src/.*\.rs$")
        if text.count("\n") > 400
    ]


def files_over_600_lines(tree):
    return [
        (path, 600, f"{text.count(chr(10))} lines")
        for path, text in tree.matching(r"\.(rs|py|ts|mts|js|mjs|sh)$|^tools/[^/.]+$")
        if text.count("\n") > 600
    ]


def lines_of_source(tree):
    files = tree.matching(r"^(crates|bindings)/[^/]+/src/.*\.rs$")
    return [(path, line, "") for path, text in files for line in range(1, text.count("\n") + 1)]


def tests(tree):
    """Finds every `#[test]`, with the name of its function."""
    for path, text in tree.matching(r"^(crates|bindings)/.*\.rs$"):
        for found in re.finditer(r"#\[test\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn\s+(\w+)", text):
            yield path, line_of(text, found.start(1)), found[1]


def number_of_tests(tree):
    return list(tests(tree))


def unclear_test_names(tree):
    """A test is named `subject_condition_result`."""
    unclear = re.compile(r"(what|whatever|who|whoever|whose|whom|of|where|wherever|nobody|somebody|a|an|the|it|one)_")
    return [place for place in tests(tree) if unclear.match(place[2])]
