//! Prints the public items of a library, one per line and sorted, from the JSON that rustdoc writes.
//!
//! `tools/api` runs it. Implementations that every type has, or that were derived, are left out.

use std::process::ExitCode;

use public_api::{Builder, Error};

fn main() -> ExitCode {
    let Some(json) = std::env::args_os().nth(1) else {
        eprintln!("usage: overspill-api-listing FILE.json");
        return ExitCode::from(2);
    };
    let listing = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    match listing {
        Ok(listing) => {
            print!("{listing}");
            ExitCode::SUCCESS
        }
        // 3: `tools/api` says that it skips the comparison.
        Err(error @ Error::SerdeJsonError(_)) => failed(&error, 3),
        Err(error) => failed(&error, 1),
    }
}

fn failed(error: &Error, code: u8) -> ExitCode {
    eprintln!("api-listing: {error}");
    ExitCode::from(code)
}
