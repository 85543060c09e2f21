//! `ports`: how many cycles an instruction takes when nothing waits for anything, and which instructions take turns at
//! the same ports: `cargo run --release --example ports`. The figures behind the limits in `docs/notes/kernels.md`.
#![allow(unsafe_code)]

mod timing;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::{arch::asm, hint::black_box};

    use crate::timing::best;

    /// Turns of a loop of twelve instructions.
    const TURNS: u64 = 1000;
    const IN_LOOP: u64 = 12;

    /// Cycles of a call, by a chain of dependent 64-bit multiplications of 3 cycles each.
    fn cycles(call: impl FnMut()) -> f64 {
        const STEPS: u64 = 1 << 14;
        let chain = best(|| {
            let mut word = black_box(3_u64);
            for _ in 0..STEPS / 16 {
                for _ in 0..16 {
                    word = word.wrapping_mul(word);
                }
            }
            black_box(word);
        });
        best(call) / chain * (3 * STEPS) as f64
    }

    /// Twelve instructions in turns of two kinds, each to a register of its own; `r14` and `r15` of the vectors are
    /// operands, `rdi` points to memory.
    macro_rules! throughput {
        ($first:literal, $first_operands:literal, $second:literal, $second_operands:literal, $size:literal) => {{
            #[repr(align(64))]
            struct Line([u8; 64]);
            let mut line = Line([0; 64]);
            let memory = line.0.as_mut_ptr();
            // SAFETY: the instructions change the registers that are named here and no memory but that line; their
            // sets are detected before.
            let cycles = cycles(|| unsafe {
                asm!(
                    "2:",
                    concat!($first, $size, "0", $first_operands),
                    concat!($second, $size, "1", $second_operands),
                    concat!($first, $size, "2", $first_operands),
                    concat!($second, $size, "3", $second_operands),
                    concat!($first, $size, "4", $first_operands),
                    concat!($second, $size, "5", $second_operands),
                    concat!($first, $size, "6", $first_operands),
                    concat!($second, $size, "7", $second_operands),
                    concat!($first, $size, "8", $first_operands),
                    concat!($second, $size, "9", $second_operands),
                    concat!($first, $size, "10", $first_operands),
                    concat!($second, $size, "11", $second_operands),
                    "dec {turns}",
                    "jnz 2b",
                    turns = inout(reg) TURNS => _,
                    in("rdi") memory,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    options(nostack)
                );
            });
            cycles / (TURNS * IN_LOOP) as f64
        }};
    }

    macro_rules! line {
        ($size:literal, $first:literal, $first_operands:literal) => {
            let cycles = throughput!($first, $first_operands, $first, $first_operands, $size);
            println!("{:28} {cycles:.2}", $first.trim());
        };
        ($size:literal, $first:literal, $first_operands:literal, $second:literal, $second_operands:literal) => {
            let cycles = throughput!($first, $first_operands, $second, $second_operands, $size);
            println!("{:28} {cycles:.2}", concat!($first, "+ ", $second).trim());
        };
    }

    pub(super) fn full_vectors() {
        println!("512 bits: cycles an instruction");
        line!("zmm", "vpmadd52luq ", ", zmm14, zmm15");
        line!("zmm", "vpmuludq ", ", zmm14, zmm15");
        line!("zmm", "vpmullq ", ", zmm14, zmm15");
        line!("zmm", "vpminuq ", ", zmm14, zmm15");
        line!("zmm", "vfmadd231pd ", ", zmm14, zmm15");
        line!("zmm", "vaddpd ", ", zmm14, zmm15");
        line!("zmm", "vrndscalepd ", ", zmm14, 8");
        line!("zmm", "vcvtuqq2pd ", ", zmm14");
        line!("zmm", "vpsrlq ", ", zmm14, 12");
        line!("zmm", "vpshufd ", ", zmm14, 245");
        line!("zmm", "vpunpcklqdq ", ", zmm14, zmm15");
        line!("zmm", "vshufi64x2 ", ", zmm14, zmm15, 136");
        line!("zmm", "vpaddq ", ", zmm14, zmm15");
        line!("zmm", "vpandq ", ", zmm14, zmm15");
        line!("zmm", "vmovdqu64 ", ", [rdi]");
        println!("in turns");
        line!("zmm", "vpmadd52luq ", ", zmm14, zmm15", "vpminuq ", ", zmm14, zmm15");
        line!("zmm", "vpmadd52luq ", ", zmm14, zmm15", "vfmadd231pd ", ", zmm14, zmm15");
        line!("zmm", "vpmadd52luq ", ", zmm14, zmm15", "vpsrlq ", ", zmm14, 12");
        line!("zmm", "vpmadd52luq ", ", zmm14, zmm15", "vshufi64x2 ", ", zmm14, zmm15, 136");
        line!("zmm", "vpmadd52luq ", ", zmm14, zmm15", "vpaddq ", ", zmm14, zmm15");
        line!("zmm", "vpsrlq ", ", zmm14, 12", "vshufi64x2 ", ", zmm14, zmm15, 136");
        line!("zmm", "vpsrlq ", ", zmm14, 12", "vaddpd ", ", zmm14, zmm15");
        line!("zmm", "vrndscalepd ", ", zmm14, 8", "vaddpd ", ", zmm14, zmm15");
        line!("zmm", "vfmadd231pd ", ", zmm14, zmm15", "vaddpd ", ", zmm14, zmm15");
        line!("zmm", "vpsrlq ", ", zmm14, 12", "vpaddq ", ", zmm14, zmm15");
        line!("zmm", "vpminuq ", ", zmm14, zmm15", "vpsrlq ", ", zmm14, 12");
    }

    pub(super) fn half_vectors() {
        println!("256 bits: cycles an instruction");
        line!("ymm", "vpmuludq ", ", ymm14, ymm15");
        line!("ymm", "vpmulld ", ", ymm14, ymm15");
        line!("ymm", "vfmadd231pd ", ", ymm14, ymm15");
        line!("ymm", "vaddpd ", ", ymm14, ymm15");
        line!("ymm", "vroundpd ", ", ymm14, 8");
        line!("ymm", "vblendvpd ", ", ymm14, ymm15, ymm15");
        line!("ymm", "vpsrlq ", ", ymm14, 12");
        line!("ymm", "vpunpcklqdq ", ", ymm14, ymm15");
        line!("ymm", "vperm2i128 ", ", ymm14, ymm15, 32");
        line!("ymm", "vpaddq ", ", ymm14, ymm15");
        line!("ymm", "vmovdqu ", ", [rdi]");
        println!("in turns");
        line!("ymm", "vroundpd ", ", ymm14, 8", "vaddpd ", ", ymm14, ymm15");
        line!("ymm", "vblendvpd ", ", ymm14, ymm15, ymm15", "vpmuludq ", ", ymm14, ymm15");
        line!("ymm", "vblendvpd ", ", ymm14, ymm15, ymm15", "vpaddq ", ", ymm14, ymm15");
        line!("ymm", "vblendvpd ", ", ymm14, ymm15, ymm15", "vaddpd ", ", ymm14, ymm15");
    }

    /// Stores are at fixed places: their operand is the source.
    pub(super) fn stores() {
        let mut memory = vec![0u64; 64];
        let start = memory.as_mut_ptr();
        macro_rules! stores {
            ($name:literal, $instruction:literal, $size:literal) => {
                // SAFETY: writes 4 lines of 64 bytes at most, which the vector has.
                let cycles = cycles(|| unsafe {
                    asm!(
                        "2:",
                        concat!($instruction, " [rdi], ", $size, "0"),
                        concat!($instruction, " [rdi+64], ", $size, "0"),
                        concat!($instruction, " [rdi+128], ", $size, "0"),
                        concat!($instruction, " [rdi+192], ", $size, "0"),
                        "dec {turns}",
                        "jnz 2b",
                        turns = inout(reg) TURNS => _,
                        in("rdi") start,
                        options(nostack)
                    );
                });
                println!("{:28} {:.2}", $name, cycles / (4 * TURNS) as f64);
            };
        }
        if is_x86_feature_detected!("avx512f") {
            stores!("store of 512 bits", "vmovdqu64", "zmm");
        }
        stores!("store of 256 bits", "vmovdqu", "ymm");
    }
}

fn main() {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512dq") {
            x86::full_vectors();
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            x86::half_vectors();
            x86::stores();
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    println!("the limits are of x86-64 processors");
}
