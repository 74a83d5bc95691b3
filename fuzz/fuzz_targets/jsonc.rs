#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| overspill_cli::fuzz::jsonc(data));
