//! Runs the examples, whose assertions must pass.

#[path = "../../examples/how_do_i_choose_what_is_shown.rs"]
pub(crate) mod choose;
#[path = "../../examples/how_do_i_keep_outputs_in_my_own_store.rs"]
mod own_store;
#[path = "../../examples/how_do_i_search_saved_outputs.rs"]
mod search;
#[path = "../../examples/how_do_i_shorten_an_output.rs"]
mod shorten;
#[path = "../../examples/how_do_i_stream_a_command.rs"]
mod stream;
#[path = "../../examples/how_do_i_shorten_tool_results_of_my_agent.rs"]
mod tool_results;

#[test]
fn example_shortens_an_output_and_reads_it() {
    shorten::main().unwrap();
}

#[test]
fn example_streams_a_command() {
    stream::main().unwrap();
}

#[test]
fn example_store_passes_conformance() {
    own_store::main();
}

#[test]
fn example_shortens_tool_results() {
    tool_results::main();
}

#[test]
fn example_searches_saved_outputs() {
    search::main().unwrap();
}

#[test]
fn example_strategy_chooses_what_is_shown() {
    choose::main();
}
