//! Links the release build statically, if the static libraries are installed.
//!
//! Loading a shared C library takes longer than all the work of `overspill run` for a short command.
//! `-C target-feature=+crt-static` would be the usual option, but without `--target` it also applies to
//! procedural macros, which cannot be linked statically.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let released = is("PROFILE", "release");
    let usual_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let here = env::var("HOST") == env::var("TARGET");
    // `./package` builds with --target and this option.
    let already = env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|features| features.split(',').any(|feature| feature == "crt-static"));
    let (Some(out), true) = (env::var_os("OUT_DIR"), released && usual_linux && here && !already)
    else {
        return;
    };
    if !["libc.a", "libm.a", "libgcc_eh.a"].into_iter().all(is_installed) {
        println!("cargo::warning=linked with shared libraries: the static ones are not installed");
        return;
    }
    // The compiler asks the linker for shared libraries by name. These scripts lead it to the static ones.
    let out = PathBuf::from(out);
    let led = [("libc.so", "libc.a"), ("libm.so", "libm.a"), ("libgcc_s.so", "libgcc_eh.a")];
    for (asked, given) in led {
        if let Err(error) = fs::write(out.join(asked), format!("INPUT(-l:{given})\n")) {
            println!("cargo::warning=linked with shared libraries: {asked}: {error}");
            return;
        }
    }
    // At a fixed address, the program needs no relocation when it starts.
    for argument in [format!("-L{}", out.display()), "-static".into(), "-no-pie".into()] {
        println!("cargo::rustc-link-arg-bin=overspill={argument}");
    }
}

/// Tells whether the C compiler finds a library.
fn is_installed(library: &str) -> bool {
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let found = Command::new(compiler).arg(format!("-print-file-name={library}")).output();
    found.is_ok_and(|found| {
        let path = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        Path::new(&path).is_absolute()
    })
}
