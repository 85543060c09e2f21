// Tests that run with `cargo xtask test --slow` only.

export const slow = { skip: process.env.ASANOHA_SLOW === undefined && 'slow' };
