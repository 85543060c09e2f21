//! The tests of this crate. They are one executable, as each links the whole library.

mod golden;
mod oracle;
mod planning;
mod random_programs;

mod big_integers;
mod bootstrapping;
mod centred;
mod choice;
mod choosing;
#[cfg(feature = "arrow")]
mod data_arrow;
mod data_categories;
mod data_decimals;
#[cfg(feature = "arrow")]
mod data_frames;
mod data_missing;
mod data_tables;
mod decimals;
mod finished;
mod function_graphs;
mod in_memory;
mod integers;
mod known;
mod language_sugar;
mod low_memory;
mod merging;
mod mixed_columns;
mod normal_forms;
mod packed_numbers;
mod padded_columns;
mod planning_effort;
mod plans;
mod precision;
mod program_errors;
mod program_examples;
mod program_language;
mod program_places;
mod program_properties;
mod publications;
mod publish;
mod real_comparisons;
mod reencryption;
mod rows;
mod run_examples;
mod sealed_keys;
mod seeded_inputs;
mod switches;
mod weights;
mod whole_functions;
mod without_key_switches;
