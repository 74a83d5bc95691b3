//! The command in a notice works in the shell of its reader.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{bare, copy_program, links, read, well, write};

/// A home with the program in its own directory, which may be in the PATH.
struct Reader {
    home: tempfile::TempDir,
    path: String,
}

impl Reader {
    fn new() -> Reader {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("programs")).unwrap();
        std::fs::create_dir_all(home.path().join("work")).unwrap();
        copy_program(&home.path().join("programs/overspill"));
        Reader { home, path: "/usr/bin:/bin".into() }
    }

    fn with_first(mut self, directory: &str) -> Reader {
        self.path = format!("{}:{}", self.at(directory).display(), self.path);
        self
    }

    fn at(&self, below: &str) -> PathBuf {
        self.home.path().join(below)
    }

    fn program(&self) -> PathBuf {
        self.at("programs/overspill")
    }

    fn home(&self) -> &Path {
        self.home.path()
    }

    /// Any program, in this home.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, value) in bare(self.home()).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("PATH", &self.path).current_dir(self.at("work")).stdin(Stdio::null());
        command
    }

    /// Runs a line and follows the pointer in what it shows, from elsewhere; returns how that begins.
    #[track_caller]
    fn followed(&self, run: impl Fn(&str) -> Command, line: &str) -> String {
        let shown = said(run(line));
        let gap = shown.lines().find(|line| line.ends_with(" cut]")).unwrap_or(&shown);
        let lines = gap.split(' ').nth(2).unwrap_or(gap);
        let read = shown.split("; ").find_map(|part| part.strip_suffix("A-B")).unwrap_or(&shown);
        let pointer = format!("{read}{lines}");
        let first = lines.split('-').next();
        let page = said(run(&format!("cd /; {pointer}")));
        assert_eq!(page.lines().next(), first, "{pointer:?} shows {page:?}");
        pointer.split(" read ").next().unwrap().to_owned()
    }
}

fn said(mut command: Command) -> String {
    let output = command.output().unwrap();
    [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat()
}

/// A shell, as a model has it.
fn shell<'a>(reader: &'a Reader, words: &'a [&str]) -> impl Fn(&str) -> Command + 'a {
    move |line| {
        let mut command = reader.command("/bin/bash");
        command.args(words).arg(line);
        command
    }
}

#[test]
fn notice_names_overspill_only_if_the_path_leads_to_it() {
    let (reader, own) = (Reader::new(), |reader: &Reader| reader.program().display().to_string());
    let in_shell = |reader: &Reader, line: &str| reader.followed(shell(reader, &["-c"]), line);
    let line = |reader: &Reader| format!("{} run -- seq 1 9000", own(reader));
    // Not on the PATH.
    assert_eq!(in_shell(&reader, &line(&reader)), own(&reader));
    // The PATH has a relative directory.
    let relative = "../programs/overspill run -- seq 1 9000";
    assert_eq!(in_shell(&reader, relative), own(&reader));
    // In the PATH the notice has the short name, also if the program was run by its path.
    let reader = reader.with_first("programs");
    assert_eq!(in_shell(&reader, &line(&reader)), "overspill");
    assert_eq!(in_shell(&reader, "overspill run -- seq 1 9000"), "overspill");
    // Another program of the same name comes first.
    write(&reader.at("others/overspill"), "#!/bin/sh\necho other\n");
    let chmod = Command::new("chmod").arg("+x").arg(reader.at("others/overspill")).status();
    assert!(chmod.unwrap().success());
    let reader = reader.with_first("others");
    assert_eq!(in_shell(&reader, &line(&reader)), own(&reader));
    // The program is replaced while it runs, as by a new version.
    let reader = Reader::new();
    let replace = "cp $0 $0.new && mv $0.new $0 && seq 1 9000";
    let line = format!("{0} run -- sh -c '{replace}' {0}", own(&reader));
    assert_eq!(in_shell(&reader, &line), own(&reader));
    // The PATH finds the program by a relative directory.
    let mut reader = Reader::new();
    reader.path = "../programs:/usr/bin:/bin".into();
    assert_eq!(in_shell(&reader, "overspill run -- seq 1 9000"), own(&reader));
}

#[test]
fn notice_of_a_program_in_a_cache_has_its_path() {
    for cache in ["uv/archive-v0/FDUl/bin", "_npx/5f0c/node_modules/overspill-linux-x64-gnu/bin"] {
        let reader = Reader::new();
        let cached = reader.at(cache).join("overspill");
        std::fs::create_dir_all(reader.at(cache)).unwrap();
        copy_program(&cached);
        // `uvx` and `npx` put the directory into the PATH of the program. The reader does not have it.
        let line = format!("PATH={}:$PATH overspill run -- seq 1 9000", reader.at(cache).display());
        let own = cached.display().to_string();
        assert_eq!(reader.followed(shell(&reader, &["-c"]), &line), own);
    }
}

#[test]
fn path_in_a_notice_is_quoted_for_a_shell() {
    let reader = Reader::new();
    let odd = reader.at("pro grams'");
    std::fs::rename(reader.at("programs"), &odd).unwrap();
    let quoted =
        format!("'{}'", odd.join("overspill").display().to_string().replace('\'', r"'\''"));
    let line = format!("{quoted} run -- seq 1 9000");
    assert_eq!(reader.followed(shell(&reader, &["-c"]), &line), quoted);
}

#[test]
fn notice_names_the_link_of_init_if_the_name_is_not_enough() {
    let reader = Reader::new();
    let link = links(reader.home()).join("overspill");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(reader.program(), &link).unwrap();
    let line = format!("{} run -- seq 1 9000", reader.program().display());
    let in_shell = |line: &str| reader.followed(shell(&reader, &["-c"]), line);
    assert_eq!(in_shell(&line), link.display().to_string());
    // The link leads to another version, or to no file.
    let other = reader.at("other");
    for target in [Path::new(env!("CARGO_BIN_EXE_overspill")), &other] {
        std::fs::remove_file(&link).unwrap();
        symlink(target, &link).unwrap();
        assert_eq!(in_shell(&line), reader.program().display().to_string());
    }
}

/// A host with the program in its PATH, whose login shells set another PATH.
#[test]
fn login_shell_finds_the_program_of_a_notice() {
    let reader = Reader::new().with_first("programs");
    write(&reader.at(".profile"), "PATH=/usr/bin:/bin\n");
    well(reader.home(), &["init", "codex", "--force"]);
    let link = links(reader.home()).join("overspill");
    std::fs::remove_file(&link).unwrap();
    symlink(reader.program(), &link).unwrap();
    let codex = |words: &'static [&str]| {
        let run = shell(&reader, words);
        let script = links(reader.home()).join("codex.sh");
        move |line: &str| {
            let mut command = run(line);
            command.env("BASH_ENV", &script).env("CODEX_THREAD_ID", "1");
            command
        }
    };
    let link = link.display().to_string();
    assert_eq!(reader.followed(codex(&["-lc"]), "seq 1 9000"), link);
    // The next command may run in a login shell, even if this one does not.
    assert_eq!(reader.followed(codex(&["-c"]), "seq 1 9000"), link);
    // The same for every shell that overspill replaces as a login shell.
    let slot = |line: &str| {
        let mut command = reader.command(reader.program());
        command.args(["sh", "-lc", line]);
        command
    };
    assert_eq!(reader.followed(slot, "seq 1 9000"), link);
}

#[test]
fn rules_name_a_program_that_a_login_shell_finds() {
    let reader = Reader::new();
    let rule = |program: &str| format!("as `{program} run -- COMMAND`");
    well(reader.home(), &["init", "codex", "--force", "--rules"]);
    let link = links(reader.home()).join("overspill").display().to_string();
    let rules = read(&reader.at(".codex/AGENTS.md"));
    assert!(rules.contains(&rule(&link)) && !rules.contains("`overspill "), "{rules}");
    // Other users read the rules of a project, too.
    well(reader.home(), &["init", "codex", "--force", "--rules", "--project"]);
    let rules = read(&reader.at("work/AGENTS.md"));
    assert!(rules.contains(&rule("overspill")), "{rules}");
}

#[test]
fn host_that_keeps_its_path_gets_the_plain_name() {
    let reader = Reader::new().with_first("programs");
    let slot = |line: &str| {
        let mut command = reader.command(reader.program());
        command.args(["sh", "-c", line]);
        command
    };
    assert_eq!(reader.followed(slot, "seq 1 9000"), "overspill");
}
