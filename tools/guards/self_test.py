"""Makes every guard fail once, on small made-up files, and checks that fine code passes."""

import unittest

import __main__ as guards
import house
from tree import Tree

CLI, LIB, CORE = "crates/overspill-cli/src/x.rs", "crates/overspill/src/x.rs", "crates/overspill-core/src/x.rs"
LONG = "let a = 1;\n"
HELP = "crates/overspill-cli/tests/it/snapshots/it__help-cut.snap"
GLOSSARY = {"docs/glossary.md": "| write | do not write |\n| --- | --- |\n| shortened | bounded, is none |\n"}

# For each guard: files it counts once, and files it does not count.
CASES = {
    "notices-worded-outside-core": (
        {CLI: 'fn f() { format!("[overspill {token}: all]"); }'},
        {CORE: 'fn f() { format!("[overspill {token}: all]"); }', LIB: '// "[overspill x: y]"\nfn f() { g("[overspill "); }'},
    ),
    "notices-parsed": (
        {LIB: 'fn f() { text.starts_with("[overspill "); }'},
        {CORE: 'fn f() { text.starts_with("[overspill "); }', LIB: 'fn f() { format!("[overspill {a}]"); let note = 1; }'},
    ),
    "keep-tested": (
        {LIB: "fn f() { match keep { Keep::Head => 1, _ => 2 } }"},
        {
            LIB: 'fn f() { match keep { Keep::Head => 1, Keep::Tail => 2 }; match word { "head" => Keep::Head, _ => x } }',
            CORE: "impl Keep { fn f(self) -> bool { matches!(self, Keep::Head) } }\n#[cfg(test)]\nmod t { fn f() { a == Keep::Head } }",
        },
    ),
    "profile-name-compared": (
        {CLI: "fn f() { self.profile.name == Profile::OWN.name }"},
        {CLI: "fn f() { println(profile.name); profile.names == a; all.find(|profile| profile.name == name) }"},
    ),
    "environment-reads": (
        {LIB: 'fn f() { std::env::var("HOME"); }'},
        {"crates/overspill-cli/src/main.rs": "fn f() { std::env::args_os(); }", LIB: "//! std::env::vars()"},
    ),
    "clock-and-terminal-reads": (
        {LIB: "fn f() { jiff::Timestamp::now(); }"},
        {"crates/overspill-cli/src/env.rs": "fn f() { Timestamp::now(); }", LIB: "fn f() { Instant::now(); env.now(); }"},
    ),
    "repeated-names": (
        {LIB: "pub struct Found;", CLI: "pub(crate) enum Found {}"},
        {
            LIB: "#[cfg_attr(not(unix), path = \"other.rs\")]\nmod system;\npub struct Found; struct Own;",
            "crates/overspill/src/other.rs": "pub struct Found;",
            CLI: "struct Found; pub(super) struct Own;",
        },
    ),
    "files-over-400-lines": ({LIB: LONG * 401}, {LIB: LONG * 400, "crates/overspill/tests/x.rs": LONG * 401}),
    "files-over-600-lines": ({"tools/signal/x.py": LONG * 601}, {"tools/signal/x.py": LONG * 600, "x.json": LONG * 601}),
    "lines-of-source": ({LIB: LONG}, {"crates/overspill/tests/x.rs": LONG}),
    "tests": ({LIB: "#[test]\n#[cfg(unix)]\nfn cut_is_short() {}"}, {LIB: "fn cut_is_short() {}"}),
    "unclear-test-names": ({LIB: "#[test]\nfn what_fits_passes() {}"}, {LIB: "#[test]\nfn short_output_is_unchanged() {}"}),
    "headless-clauses-in-docs": (
        {"README.md": "Short output is unchanged. Of a longer one the ends are shown."},
        {"README.md": "Short output is unchanged.\n## Where does my change go?\n`nobody`\n```\nWhat fits\n```\n", "x.txt": "What fits"},
    ),
    "headless-clauses-in-help": ({HELP: "  --force   Also if nobody asks"}, {HELP: "2: invalid pattern", LIB: "// What fits"}),
    "headless-clauses-in-sources": (
        {LIB: "/// What fits.\nfn f() {}"},
        {LIB: '/// Short output.\nfn f() { g("invalid pattern"); nobody(); }'},
    ),
    "old-words-in-docs": (
        {**GLOSSARY, "README.md": "The output is bounded."},
        {**GLOSSARY, "README.md": "The output is short. `bounded`\nThe rebounded ball."},
    ),
    "old-words-in-help": ({**GLOSSARY, HELP: "2 if the pattern is\n  none"}, {**GLOSSARY, HELP: "2: invalid pattern", LIB: "// is none"}),
    "old-words-in-sources": (
        {**GLOSSARY, LIB: "/// The pattern is\n/// none.\nfn f() {}"},
        {**GLOSSARY, LIB: "/// Short output.\nfn f() { bounded(); }"},
    ),
    "old-words-in-names": (
        {**GLOSSARY, LIB: "struct BoundedText;"},
        {**GLOSSARY, LIB: 'fn unbounded_text() { g("bounded"); } // bounded'},
    ),
    "long-sentences-in-docs": (
        {"README.md": "The output " + "is very long " * 10},
        {"README.md": "The output is short. " * 10 + "\n\n| a cell | " * 20},
    ),
    "long-sentences-in-help": ({HELP: "The output " + "is very long " * 10}, {HELP: "\n  --keep  Part to show" * 10}),
    "passive-in-docs": ({"README.md": "The line is shown."}, {"README.md": "overspill shows the line."}),
    "links-that-lead-nowhere": (
        {"README.md": "[a](docs/d.md#other)", "docs/d.md": "# One heading\n"},
        {"README.md": "[a](docs/d.md#one-heading), [b](#here)\n## Here\n", "docs/d.md": "# One `heading`\n[up](../README.md)"},
    ),
    "paths-that-lead-nowhere": (
        {"CONTRIBUTING.md": "Look at `profile/own.rs`."},
        {"CONTRIBUTING.md": "`text/x.rs`, `text/`, `--keep a/b`, [d](docs/d.md)", "crates/a/src/text/x.rs": "", "docs/d.md": ""},
    ),
    "public-items-core": ({"crates/overspill-core/api.txt": "pub mod overspill_core\n"}, {"crates/overspill/api.txt": "pub mod overspill\n"}),
    "public-items-library": ({"crates/overspill/api.txt": "pub mod overspill\n"}, {}),
    "public-names-core": (
        {"crates/overspill-core/api.txt": "pub struct overspill_core::B<'a>\npub fn overspill_core::B<'_>::c(&self)\npub overspill_core::B::d: u8\n"},
        {},
    ),
    "public-names-library": (
        {"crates/overspill/api.txt": "pub trait overspill::B: Send\npub fn overspill::B::d()\npub fn alloc::String::from(overspill::B)\n"},
        {},
    ),
    "internal-names-core": (
        {"crates/overspill-core/api-internal.txt": "pub struct overspill_core::internal::B\npub overspill_core::internal::B::d: u8\n"},
        {"crates/overspill-core/api.txt": "pub struct overspill_core::B\n"},
    ),
    "internal-names-library": (
        {"crates/overspill/api-internal.txt": "pub fn overspill::internal::b()\n"},
        {"crates/overspill/api.txt": "pub fn overspill::b()\n"},
    ),
}


class EachGuard(unittest.TestCase):
    def test_guard_counts_one_violation(self):
        for name, (wrong, fine) in CASES.items():
            with self.subTest(name):
                found = list(guards.GUARDS[name](Tree(wrong)))
                wanted = 2 if name == "riddles-in-help" else 1
                self.assertEqual(len(found), wanted, found)
                self.assertIn(found[0][0], {*wrong, "Cargo.lock"})
                self.assertEqual(list(guards.GUARDS[name](Tree(fine))), [])

    def test_guards_without_a_case_are_those_of_cargo(self):
        self.assertEqual(set(guards.GUARDS) - set(CASES), {"crates-of-program", "crates-of-library"})

    def test_crates_are_counted_once(self):
        told = "overspill v0.1.0 (/x)\nserde v1.0.1\n\nserde v1.0.1 (*)\nserde v2.0.0\n"
        self.assertEqual(len(house.crates_in(told)), 3)


class Ratchet(unittest.TestCase):
    def test_worse_count_fails(self):
        self.assertIn("may only fall", guards.verdict("keep-tested", 10, 9))
        self.assertIn("may only rise", guards.verdict("tests", 636, 637))

    def test_better_count_asks_for_the_new_number(self):
        self.assertIn("to 8", guards.verdict("keep-tested", 8, 9))
        self.assertIsNone(guards.verdict("tests", 638, 637))

    def test_equal_count_passes(self):
        self.assertIsNone(guards.verdict("keep-tested", 9, 9))

    def test_update_writes_better_counts_only(self):
        text = "# why\nkeep-tested = 9\ntests = 637\n"
        new = {"keep-tested": 10, "tests": 640}
        self.assertEqual(guards.updated(text, new, reset=False), "# why\nkeep-tested = 9\ntests = 640\n")
        self.assertEqual(guards.updated(text, new, reset=True), "# why\nkeep-tested = 10\ntests = 640\n")


def run():
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__(__name__))
    return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1
