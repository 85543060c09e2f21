//! The CKKS scheme: approximate arithmetic on vectors of real and complex numbers
