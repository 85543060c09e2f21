//! Measurements
