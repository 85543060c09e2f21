//! The BGV scheme: exact arithmetic on vectors of integers modulo t
