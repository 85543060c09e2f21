//! Big-integer oracles and generic test suites, for tests only
