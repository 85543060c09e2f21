//! The program's tests. They are one executable, as each links the whole program's library.

mod common;

mod advice;
mod attack;
mod bad_input;
mod bench;
mod bench_record;
mod bench_tfhe;
mod canaries;
mod centred;
mod data;
mod data_limits;
mod delivery;
mod face;
mod field;
mod finished;
mod genome;
mod genome_sites;
mod interrupted;
mod json;
mod json_keys;
mod low_memory;
mod out;
mod outputs;
mod pages;
mod publishing;
mod right_answers;
mod rows;
mod run;
mod serve;
mod steps;
mod text;
mod tfhe;
mod triples;
mod trust;
