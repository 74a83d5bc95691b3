//! Stands in for the HTTP modules in a program that was built without HTTP. Its functions report an
//! error.

use std::sync::Arc;

use super::RelaySpec;
use super::proxy::Proxy;
use super::stdio::ClientLine;

const WITHOUT: &str = "this program was built without HTTP";

pub(super) fn relay(_: Arc<Proxy>, _: &str, _: Vec<(String, String)>, _: ClientLine) -> u8 {
    crate::ui::Failure::new(WITHOUT.into(), None).print(2);
    2
}

pub(super) fn listen(_: &str, _: RelaySpec) -> anyhow::Result<()> {
    anyhow::bail!(WITHOUT)
}
