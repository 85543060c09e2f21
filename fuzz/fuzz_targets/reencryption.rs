#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    asanoha_fuzz::accepts(asanoha_fuzz::reencryption, bytes);
});
