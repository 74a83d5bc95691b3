//! The program `overspill`, without its `main`.
//!
//! Release packages compile this library for size and `main.rs` for speed: link-time optimization
//! vectorizes loops only if the last crate is compiled for speed.

mod args;
#[cfg_attr(not(feature = "bucket"), path = "no_bucket.rs")]
mod bucket;
mod command;
mod env;
mod find;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod hosts;
mod installed;
#[cfg(test)]
#[path = "../../../tests/json/table.rs"]
mod json_texts;
mod jsonc;
mod mcp;
mod open;
mod pipelines;
mod process;
mod recent;
#[cfg(feature = "http")]
mod serve;
mod settings;
mod setup;
mod stores;
mod tokenizer;
mod ui;
mod undelivered;

use std::ffi::OsString;

use args::Command;
use env::Env;
use process::Descriptors;

/// Runs the program with the arguments of the process, and returns the exit code.
pub fn begin(words: Vec<OsString>) -> u8 {
    let descriptors = Descriptors::fill();
    if process::is_to_linger(&words) {
        process::linger(&words);
        return 0;
    }
    if process::is_to_lead(&words) {
        return process::lead_session(&words);
    }
    // A stage of a pipeline must start quickly, so this comes before the parser.
    if let Some(code) = pipelines::tee::called(&words) {
        return code;
    }
    let env = Env::of_process();
    run(args::without_color(words, &env), descriptors, &env)
}

/// Lets SIGPIPE end the process again, after the start-up code of the standard library has run.
pub fn default_sigpipe() {
    process::default_sigpipe();
}

/// Runs the subcommand that the arguments name, and returns the exit code.
fn run(typed: Vec<OsString>, descriptors: Descriptors, env: &Env) -> u8 {
    let words = &args::expanded(typed.clone());
    if let Some(code) = command::sh::called(words, descriptors, env) {
        return code;
    }
    if args::asks_for_version(words) {
        let version = installed::version(env.executable().ok().as_deref());
        return ui::ended(ui::answer(&format!("overspill {version}\n")));
    }
    if let Some(code) = command::completions::called(words, env) {
        return code;
    }
    if words.len() == 1 {
        return command::overview::run(env);
    }
    ui::set_place(args::place(words, &typed, env));
    let command = match args::read(words, env) {
        Ok(command) => command,
        Err(error) => {
            // Help goes to stdout and is not an error.
            if !error.use_stderr() {
                return ui::ended(ui::written(error.print()));
            }
            let code = args::misuse(words);
            args::explained(&error, words, args::as_program(&typed, env)).print(code);
            return code;
        }
    };
    // `run` and `sh` block the signal later, so that their command starts with the original
    // signals.
    if !matches!(command, Command::Run(_) | Command::Sh(_)) {
        process::block_file_size_signal();
    }
    match command {
        Command::Run(args) => command::run::run(args, descriptors, env),
        Command::Sh(args) => command::sh::run(args, descriptors, env),
        Command::Cut(args) => command::cut::run(&args, env),
        Command::Read(args) => command::read::run(&args, env),
        Command::Grep(args) => command::grep::run(&args, env),
        Command::List(args) => command::list::run(&args, env),
        Command::Info(args) => command::info::run(&args, env),
        Command::Diff(args) => command::diff::run(&args, env),
        Command::Explain(args) => command::explain::run(&args, env),
        Command::Rm(args) => command::rm::run(&args, env),
        Command::Pin(args) => command::pin::run(&args, env),
        Command::Gc(args) => command::gc::run(&args, env),
        Command::Push(args) => command::push::run(&args, env),
        Command::Config(args) => command::config::run(&args, env),
        Command::Stats(args) => command::stats::run(&args, env),
        Command::Audit(args) => command::audit::run(&args, env),
        Command::View(args) => command::view::run(&args, env),
        Command::Mcp(args) => command::mcp::run(&args, env),
        Command::Init(args) => command::init::run(&args, env),
        Command::Uninstall(args) => command::uninstall::run(&args, env),
        Command::Doctor(args) => command::doctor::run(&args, env),
        Command::Hook(args) => command::hook::run(&args, env),
        Command::Completions(args) => command::completions::run(&args, env),
        Command::Man(args) => command::man::run(&args, env),
        Command::Help(args) => command::help::run(&args, env),
    }
}
