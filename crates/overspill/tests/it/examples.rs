//! The examples do what they say.

#[path = "../../examples/agent_loop.rs"]
mod agent_loop;
#[path = "../../examples/json_arrays.rs"]
pub(crate) mod json_arrays;
#[path = "../../examples/metrics.rs"]
mod metrics;
#[path = "../../examples/own_store.rs"]
mod own_store;
#[path = "../../examples/predicate.rs"]
mod predicate;

#[test]
fn a_strategy_of_your_own() {
    json_arrays::main();
}

#[test]
fn a_store_of_your_own() {
    own_store::main();
}

#[test]
fn a_predicate() {
    predicate::main();
}

#[test]
fn an_event_listener_with_metrics() {
    metrics::main();
}

#[test]
fn an_agent_loop_with_tools_that_declare_settings_or_cut_themselves() {
    agent_loop::main();
}
