//! The program `overspill`.
//!
//! Where possible it starts without the start-up code of the standard library. That code ignores
//! SIGPIPE and opens files in the place of descriptors that are not open, and a command must not
//! inherit these changes. Only with the C libraries of GNU and Apple does
//! `std::env::args` work without that code.

#![cfg_attr(
    all(
        any(all(target_os = "linux", target_env = "gnu"), target_vendor = "apple"),
        not(any(test, feature = "portable-std"))
    ),
    no_main
)]

mod args;
#[cfg_attr(not(feature = "bucket"), path = "no_bucket.rs")]
mod bucket;
mod buffer;
mod command;
mod drain;
mod find;
mod home;
mod hosts;
#[cfg(test)]
#[path = "../../../tests/json/table.rs"]
mod json_texts;
mod jsonc;
mod mcp;
mod open;
mod process;
mod program;
#[cfg(feature = "http")]
mod serve;
mod settings;
mod setup;
mod tokenizer;
mod ui;
mod undelivered;

use process::Descriptors;

/// The C library calls this function first.
#[cfg(all(
    any(all(target_os = "linux", target_env = "gnu"), target_vendor = "apple"),
    not(any(test, feature = "portable-std"))
))]
#[allow(unsafe_code, reason = "the name is the C library's; nothing else has it")]
#[unsafe(no_mangle)]
extern "C" fn main(_: std::ffi::c_int, _: *const *const std::ffi::c_char) -> std::ffi::c_int {
    // It writes buffered output. Returning from here would not.
    std::process::exit(begin().into())
}

#[cfg(not(all(
    any(all(target_os = "linux", target_env = "gnu"), target_vendor = "apple"),
    not(any(test, feature = "portable-std"))
)))]
fn main() -> std::process::ExitCode {
    process::default_sigpipe();
    begin().into()
}

fn begin() -> u8 {
    let descriptors = Descriptors::fill();
    if process::is_to_linger() {
        process::linger();
        return 0;
    }
    go(descriptors)
}

/// Does what was asked for, and returns the exit code.
fn go(descriptors: Descriptors) -> u8 {
    if let Some(code) = command::sh::called(descriptors) {
        return code;
    }
    if args::asks_for_version() {
        let version = concat!("overspill ", env!("CARGO_PKG_VERSION"), "\n");
        return ui::ended(ui::answer(version));
    }
    let command = match args::read() {
        Ok(command) => command,
        Err(error) => {
            // Help goes to stdout and is no mistake; everything else is one of usage.
            let code = if error.use_stderr() { args::misuse() } else { 0 };
            let printed = error.print();
            if let Some(hint) = args::hint(&error) {
                ui::hint(hint);
            }
            return if error.use_stderr() { code } else { ui::ended(ui::written(printed)) };
        }
    };
    // `run` and `sh` do this themselves, and start their command with the signals they found.
    if !matches!(command, args::Command::Run(_) | args::Command::Sh(_)) {
        process::block_file_size_signal();
    }
    match command {
        args::Command::Run(args) => command::run::run(args, descriptors),
        args::Command::Sh(args) => command::sh::sh(args, descriptors),
        args::Command::Hook(args) => command::hook::hook(&args),
        args::Command::Init(args) => setup::init(&args),
        args::Command::Uninstall(args) => setup::uninstall(&args),
        args::Command::Doctor(args) => setup::doctor(&args),
        args::Command::Cut(args) => command::cut::cut(args),
        args::Command::Read(args) => command::read::read(&args),
        args::Command::Grep(args) => command::grep::grep(&args),
        args::Command::List(args) => ui::ended(command::list::list(&args)),
        args::Command::Info(args) => ui::ended(command::info::info(&args)),
        args::Command::Rm(args) => ui::ended(command::rm::rm(&args)),
        args::Command::Pin(args) => ui::ended(command::pin::pin(&args)),
        args::Command::Gc(args) => ui::ended(command::gc::gc(&args)),
        args::Command::Push(args) => command::push::push(&args),
        args::Command::Config(args) => command::config::config(&args),
        args::Command::Diff(args) => command::diff::diff(&args),
        args::Command::Explain(args) => ui::ended(command::explain::explain(&args)),
        args::Command::Stats(args) => ui::ended(command::stats::stats(&args)),
        args::Command::Completions(args) => ui::ended(command::completions::completions(&args)),
        args::Command::Mcp(args) => mcp::mcp(&args),
        args::Command::Man(args) => ui::ended(command::man::man(&args)),
    }
}
