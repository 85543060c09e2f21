//! Polynomials over residue number systems: bases, conversion, rescaling, automorphisms, sampling
