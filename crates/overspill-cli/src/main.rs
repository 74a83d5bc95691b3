//! The program `overspill`.
//!
//! With the C libraries of GNU and Apple, it starts without the start-up code of the standard
//! library. That code ignores SIGPIPE and opens files for closed descriptors, and a command must
//! not inherit these changes. Other C libraries need the start-up code for `std::env::args`.

#![cfg_attr(
    all(
        any(all(target_os = "linux", target_env = "gnu"), target_vendor = "apple"),
        not(any(test, feature = "portable-std"))
    ),
    no_main
)]

/// The C library calls this function first.
#[cfg(all(
    any(all(target_os = "linux", target_env = "gnu"), target_vendor = "apple"),
    not(any(test, feature = "portable-std"))
))]
#[allow(unsafe_code, reason = "the name is the C library's; nothing else has it")]
#[unsafe(no_mangle)]
extern "C" fn main(_: std::ffi::c_int, _: *const *const std::ffi::c_char) -> std::ffi::c_int {
    // `exit` flushes buffered output. Returning from here would not.
    std::process::exit(overspill_cli::begin(std::env::args_os().collect()).into())
}

#[cfg(not(all(
    any(all(target_os = "linux", target_env = "gnu"), target_vendor = "apple"),
    not(any(test, feature = "portable-std"))
)))]
fn main() -> std::process::ExitCode {
    overspill_cli::default_sigpipe();
    overspill_cli::begin(std::env::args_os().collect()).into()
}
