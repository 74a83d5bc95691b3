//! Recognizes single lines of code by their form.

use super::stamp;

/// The first words of statements in many languages.
const STATEMENT_WORDS: [&[u8]; 117] = [
    b"and",
    b"assert",
    b"async",
    b"await",
    b"begin",
    b"break",
    b"call",
    b"case",
    b"catch",
    b"char",
    b"class",
    b"const",
    b"continue",
    b"create",
    b"def",
    b"default",
    b"defun",
    b"defvar",
    b"del",
    b"delete",
    b"do",
    b"done",
    b"drop",
    b"echo",
    b"elif",
    b"else",
    b"elseif",
    b"elsif",
    b"end",
    b"endfor",
    b"endforeach",
    b"endfunction",
    b"endif",
    b"endmacro",
    b"endwhile",
    b"ensure",
    b"enum",
    b"esac",
    b"except",
    b"exit",
    b"export",
    b"extends",
    b"extern",
    b"fi",
    b"finally",
    b"fn",
    b"for",
    b"foreach",
    b"from",
    b"func",
    b"function",
    b"global",
    b"goto",
    b"hi",
    b"highlight",
    b"if",
    b"impl",
    b"import",
    b"include",
    b"insert",
    b"int",
    b"interface",
    b"lambda",
    b"let",
    b"local",
    b"long",
    b"macro",
    b"message",
    b"mod",
    b"module",
    b"my",
    b"namespace",
    b"new",
    b"nonlocal",
    b"not",
    b"or",
    b"our",
    b"package",
    b"pass",
    b"print",
    b"private",
    b"proc",
    b"protected",
    b"pub",
    b"public",
    b"raise",
    b"require",
    b"rescue",
    b"return",
    b"select",
    b"self",
    b"set",
    b"setlocal",
    b"static",
    b"struct",
    b"sub",
    b"super",
    b"switch",
    b"syn",
    b"syntax",
    b"throw",
    b"trait",
    b"try",
    b"type",
    b"typedef",
    b"union",
    b"unless",
    b"unsigned",
    b"until",
    b"use",
    b"var",
    b"void",
    b"when",
    b"where",
    b"while",
    b"with",
    b"yield",
];

/// Tells whether a line has a form that is common in code and rare in logs.
pub(super) fn is_code(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    // These are Markdown links, lines of a stack trace, and log levels.
    if memchr::memchr_iter(b']', text).any(|at| text[at..].starts_with(b"](http")) {
        return false;
    }
    if text.starts_with(b"at ") || text.starts_with(b"[") || stamp::len(text) > 0 {
        return false;
    }
    let ends: [&[u8]; 16] = [
        b";", b"{", b"}", b",", b"(", b"[", b"\\", b"->", b"=>", b"&&", b"|", b" =", b"))", b"*/",
        b" do", b" then",
    ];
    let starts: [&[u8]; 5] = [b";;", b"}", b")", b"]", b"@"];
    ends.iter().any(|end| text.ends_with(end))
        || starts.iter().any(|start| text.starts_with(start))
        || text.ends_with(b")") && (text.windows(2).any(is_call) || is_list(text))
        || text.windows(2).any(is_variable)
        || begins_statement(text)
        || is_assignment(text)
        || line[0] == b'\t' && is_instruction(text)
        || is_quoted(text)
        || has_operator(text)
        || is_equation(text)
        || is_fixed_form(line)
}

/// Tells whether a line is a text in quotes, perhaps after one word: `msgid "No such file"`.
pub(super) fn is_quoted(text: &[u8]) -> bool {
    let word = text.iter().take_while(|byte| is_name_byte(**byte)).count();
    let rest = &text[word..];
    let quoted = if word > 0 { rest.strip_prefix(b" ") } else { Some(rest) };
    let inner = quoted.and_then(|text| text.strip_prefix(b"\"")?.strip_suffix(b"\""));
    inner.is_some_and(|inner| {
        memchr::memchr_iter(b'"', inner).all(|at| at > 0 && inner[at - 1] == b'\\')
    })
}

/// Operators that stand between blanks in code and rarely in logs.
const OPERATORS: [&[u8]; 14] = [
    b"::", b"->", b"<-", b"==", b"/=", b"!=", b"&&", b"||", b"++", b"<>", b"<$>", b"<*>", b">>=",
    b"$",
];

/// Operators that begin lines of code and rarely lines of a log.
const FIRST_OPERATORS: [&[u8]; 11] =
    [b"|", b",", b"=", b"$", b".", b"&&", b"||", b"++", b"<>", b"<$>", b"<*>"];

/// Tells whether an operator stands between blanks, or begins the line as in `| otherwise = x` and
/// `, name`.
fn has_operator(text: &[u8]) -> bool {
    let word = |from: usize| {
        let rest = &text[from..];
        // Most words begin with a letter.
        let is_operator = rest.first().is_some_and(u8::is_ascii_punctuation);
        is_operator.then(|| {
            &rest[..rest.iter().take(4).position(|byte| *byte == b' ').unwrap_or(rest.len().min(4))]
        })
    };
    word(0).is_some_and(|first| FIRST_OPERATORS.contains(&first) && first.len() < text.len())
        || memchr::memchr_iter(b' ', text)
            .any(|at| word(at + 1).is_some_and(|word| OPERATORS.contains(&word)))
}

/// Tells whether a line defines a function as in mathematics: `total items tax = sum items`.
fn is_equation(text: &[u8]) -> bool {
    if !text[0].is_ascii_lowercase() {
        return false;
    }
    let is_equals = |at: &usize| text[..*at].ends_with(b" ") && text.get(at + 1) == Some(&b' ');
    let is_part = |byte: &u8| is_name_byte(*byte) || b" '()_:[],".contains(byte);
    memchr::memchr_iter(b'=', text).find(is_equals).is_some_and(|at| text[..at].iter().all(is_part))
}

/// The column at which the text of a line begins in languages of fixed form. Numbers of lines may
/// stand before it.
const FIXED_COLUMN: usize = 7;

/// Tells whether a line has the form of COBOL: capitals from the seventh column on.
fn is_fixed_form(line: &[u8]) -> bool {
    let Some((start, text)) = line.split_at_checked(FIXED_COLUMN) else { return false };
    let is_margin = |byte: &u8| byte.is_ascii_digit() || *byte == b' ';
    let text = text.trim_ascii();
    let unquoted = || text.split(|byte| b"'\"".contains(byte)).step_by(2);
    start.iter().all(is_margin)
        && text.first().is_some_and(u8::is_ascii_alphanumeric)
        && text.iter().any(u8::is_ascii_uppercase)
        && !unquoted().any(|part| part.iter().any(u8::is_ascii_lowercase))
}

/// Tells whether a line has the form of a comment. Lists and headings of Markdown have it, too.
pub(super) fn is_comment(text: &[u8]) -> bool {
    let starts: [&[u8]; 5] = [b"//", b"/*", b"*", b"-- ", b"\" "];
    starts.iter().any(|start| text.starts_with(start))
        || text.first() == Some(&b'#') && !text.get(1).is_some_and(u8::is_ascii_digit)
}

/// Tells whether two bytes are the end of a name and the bracket of its arguments.
fn is_call(pair: &[u8]) -> bool {
    is_name_byte(pair[0]) && pair[1] == b'('
}

/// Tells whether a line begins like a list of Lisp.
fn is_list(text: &[u8]) -> bool {
    matches!(text, [b'(', first, ..] if first.is_ascii_lowercase())
}

/// Tells whether two bytes are the start of a variable: `$name`, `${name}`.
fn is_variable(pair: &[u8]) -> bool {
    pair[0] == b'$' && (is_name_byte(pair[1]) || pair[1] == b'{')
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Tells whether a line begins with a word of a statement or with a call. A sentence may begin with
/// such a word, too.
fn begins_statement(text: &[u8]) -> bool {
    let word = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_followed = text.get(word).is_none_or(|after| b" ({:\"\t".contains(after));
    let is_sentence = text.ends_with(b".") || text.ends_with(b"!");
    if is_followed && !is_sentence && STATEMENT_WORDS.binary_search(&&text[..word]).is_ok() {
        return true;
    }
    let name = text.iter().take_while(|byte| is_name_byte(**byte) || b".:$@>-".contains(byte));
    let name = name.count();
    name > 0 && text.get(name) == Some(&b'(')
}

/// Tells whether a line gives a value to one name, or to several with commas between them.
fn is_assignment(text: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'=', text).filter(|at| at + 1 < text.len()) else {
        return false;
    };
    let left = text[..at].trim_ascii_end();
    let left = match left.last() {
        Some(b':' | b'+' | b'*' | b'/' | b'|' | b'&' | b'.' | b'?' | b'-') => {
            left[..left.len() - 1].trim_ascii_end()
        }
        _ => left,
    };
    let mut parts = left.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let is_part =
        |part: &[u8]| part.iter().all(|byte| is_name_byte(*byte) || b"$@.>*[]\"'-".contains(byte));
    !left.is_empty() && parts.all(is_part)
}

/// Tells whether a line is an instruction of an assembler: its name, a tab, its operands.
fn is_instruction(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'.';
    let name = text.iter().take_while(|byte| is_name(byte)).count();
    name > 0 && text.get(name) == Some(&b'\t')
}
