//! In the place of HTTP, in a program that was built without it.

use std::sync::Arc;

use super::Asked;
use super::proxy::Proxy;
use super::stdio::Line;

const WITHOUT: &str = "this program was built without HTTP";

pub(super) fn relay(_: Arc<Proxy>, _: &str, _: Vec<(String, String)>, _: Line) -> u8 {
    crate::ui::say(WITHOUT);
    2
}

pub(super) fn listen(_: &str, _: Asked) -> anyhow::Result<()> {
    anyhow::bail!(WITHOUT)
}
