//! The program `overspill`.

mod args;
mod command;
mod find;
mod home;
mod ui;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help goes to stdout and is no mistake; everything else is one of usage.
            let code = if error.use_stderr() { args::misuse() } else { ExitCode::SUCCESS };
            let _ = error.print();
            ui::hint_after(&error);
            return code;
        }
    };
    match args.command {
        args::Command::Run(args) => command::run::run(args),
        args::Command::Cut(args) => command::cut::cut(args),
        args::Command::Read(args) => ui::ended(command::read::read(&args)),
        args::Command::Grep(args) => command::grep::grep(&args),
        args::Command::List(args) => ui::ended(command::list::list(&args)),
        args::Command::Info(args) => ui::ended(command::info::info(&args)),
        args::Command::Rm(args) => ui::ended(command::rm::rm(&args)),
        args::Command::Pin(args) => ui::ended(command::pin::pin(&args)),
        args::Command::Gc(args) => ui::ended(command::gc::gc(&args)),
    }
}
