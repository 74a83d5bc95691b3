//! Tells the linker where Node is found.

fn main() {
    napi_build::setup();
}
