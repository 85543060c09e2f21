//! A server of a few routes, and its clients: asked, misused, attacked, stopped.

mod attacks;
mod bodies;
mod common;
mod endpoints;
mod servers;
