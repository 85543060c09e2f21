//! Words: moduli, primes, and the loops over slices
