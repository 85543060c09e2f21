//! One CKKS bootstrapping of Poulpy with all 2^15 slots of the ring 2^16, as a line of JSON.
//!
//! The number of threads is rayon's: set `RAYON_NUM_THREADS`, or leave it out for one per core. Messages are complex,
//! both parts uniform in [-1, 1]. Bits are -log2 of the absolute error of a real or imaginary part: of the worst of
//! them, and of their mean. The processor's seconds are those of all threads.

use std::{collections::HashMap, env, mem, time::Instant};

use anyhow::{Context, Result, ensure};
use cpu_time::ProcessTime;
use poulpy_ckks::{
    CKKSInfos, CKKSLayout, GLWEPlaintextMeta, Scale, SetCKKSInfos, SlotsKind,
    api::{
        CKKSAllOpsTmpBytes, CKKSBootstrappingCIOps, CKKSBootstrappingOps, CKKSDecryptOps,
        CKKSEncodingHostOps, CKKSEncryptOps,
    },
    layouts::{
        BootstrappingContextPrepared, BootstrappingKeysPrepared, CKKSCiphertextAlloc, CKKSCiphertextOwned,
        CKKSPlaintextAlloc, EvalModRing,
    },
    presets::bootstrapping::{BootstrappingPreset, all},
};
use poulpy_core::{
    api::{GLWEAutomorphismKeyPreparedFactory, GLWESecretPreparedFactory, GLWESecretSampling},
    layouts::{BackendGLWESecret, GLWEAutomorphismKey, GLWELayout, GLWESecretAlloc, LWEInfos, Rank, SetK},
};
use poulpy_cpu_avx512::NTT3x42IfmaRayon as Ifma;
use poulpy_hal::{
    api::{ScratchOwnedAlloc, ScratchOwnedBorrow},
    layouts::{Backend, Module, ScratchOwned},
    source::Source,
};
use serde_json::{Value, json};

/// The back-end of the conjugate-invariant ring, on which some presets reduce.
type Real = <Module<Ifma> as CKKSBootstrappingCIOps<Ifma>>::CI;
type Ciphertext = CKKSCiphertextOwned<Ifma>;
type Buffer = <Ifma as Backend>::OwnedBuf;
/// Rotation keys as generated, by Galois element.
type RotationKeys = HashMap<i64, GLWEAutomorphismKey<Buffer, i64>>;

/// A bootstrapping fails with a probability of at most 2 to the minus this, which bounds the radix of the limbs.
const FAILURE_BITS: usize = 128;

/// What a bootstrapping needs: its keys and plaintexts ready, and how long each took.
struct Prepared {
    setup_seconds: f64,
    key_seconds: f64,
    bootstrap: Box<dyn FnMut(&mut Ciphertext, &Ciphertext) -> Result<()>>,
}

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let presets = all()?.into_iter().filter(|preset| preset.log_n() == 16).collect::<Vec<_>>();
    let names = presets.iter().map(BootstrappingPreset::name).collect::<Vec<_>>().join(" | ");
    let usage = || format!("usage: asanoha-peers-poulpy {names} [number of runs]");
    let name = arguments.next().with_context(usage)?;
    let preset = presets.iter().find(|preset| preset.name() == name).with_context(usage)?;
    let runs = arguments.next().map_or(Ok(3), |runs| runs.parse()).with_context(usage)?;
    ensure!(runs > 0 && arguments.next().is_none(), usage());
    println!("{}", run(&preset.with_backend_base2k::<Ifma, Real>(FAILURE_BITS)?, runs)?);
    Ok(())
}

fn run(preset: &BootstrappingPreset, runs: usize) -> Result<Value> {
    let real = preset.plan().eval_mod_ring() != EvalModRing::Standard;
    let slots = preset.n() / 2;
    // A module of degree 2N serves the conversions between the rings too.
    let module = Module::<Ifma>::new((preset.n() << usize::from(real)) as u64);
    let mut scratch = ScratchOwned::<Ifma>::alloc(client_bytes(&module, preset));
    let bootstrap_layout = preset.bootstrap_layout();

    let mut raw_secret = module.glwe_secret_alloc_from_infos(&bootstrap_layout.glwe_layout);
    module.glwe_secret_fill_ternary_hw(&mut raw_secret, preset.dense_secret_hamming_weight(), &mut fresh());
    let mut secret = module.glwe_secret_prepared_alloc_from_infos(&bootstrap_layout.glwe_layout);
    module.glwe_secret_prepare(&mut secret, &raw_secret);
    let mut prepared = if real {
        prepare_real(preset, &raw_secret)?
    } else {
        prepare_standard(preset, &raw_secret, &mut scratch)?
    };

    let uniform = || (0..slots).map(|_| rand::random_range(-1.0..=1.0)).collect::<Vec<f64>>();
    let (re, im) = (uniform(), uniform());
    let layout = preset.input_layout();
    let mut plaintext = module.ckks_plaintext_alloc_from_slots(slots, preset.base2k().into(), layout.k());
    plaintext.set_meta(layout.meta());
    module.ckks_encode_slots_host_into(&mut plaintext, &re, &im, &mut scratch.borrow())?;
    let mut exhausted = module.ckks_ciphertext_alloc_from_glwe_infos(&layout);
    let (mut errors, mut masks) = (fresh(), fresh());
    module.ckks_encrypt_sk(
        &mut exhausted,
        &plaintext,
        &secret,
        &mut errors,
        &mut masks,
        &mut scratch.borrow(),
    )?;

    let mut refreshed = module.ckks_ciphertext_alloc_from_glwe_infos(&bootstrap_layout);
    let (mut seconds, mut cpu_seconds) = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    for _ in 0..runs {
        // A bootstrapping lowers it to the width of its result.
        refreshed.set_k(preset.bootstrap_k().into());
        let (start, cpu_start) = (Instant::now(), ProcessTime::now());
        (prepared.bootstrap)(&mut refreshed, &exhausted)?;
        seconds.push(start.elapsed().as_secs_f64());
        cpu_seconds.push(cpu_start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    cpu_seconds.sort_by(f64::total_cmp);

    // Eight bits above the scale hold the message with its error.
    let width = (refreshed.log_delta() + 8).into();
    let mut decrypted = module.ckks_plaintext_alloc_from_slots(slots, refreshed.base2k(), width);
    decrypted.set_meta(plaintext_meta(refreshed.log_delta()));
    module.ckks_decrypt(&mut decrypted, &refreshed, &secret, &mut scratch.borrow())?;
    let (mut got_re, mut got_im) = (vec![0.0; slots], vec![0.0; slots]);
    module.ckks_decode_slots_host_into(&decrypted, &mut got_re, &mut got_im, &mut scratch.borrow())?;
    let differences =
        re.iter().zip(&got_re).chain(im.iter().zip(&got_im)).map(|(want, got)| (want - got).abs());
    let (worst, sum) =
        differences.fold((0.0, 0.0), |(worst, sum), error: f64| (error.max(worst), sum + error));

    let width = refreshed.k().as_usize();
    Ok(json!({
        "library": "poulpy",
        "set": preset.name(),
        "ring_degree": preset.n(),
        "slots": slots,
        "threads": rayon::current_num_threads(),
        "seconds_min": seconds[0],
        "seconds_median": f64::midpoint(seconds[(runs - 1) / 2], seconds[runs / 2]),
        "cpu_seconds_min": cpu_seconds[0],
        "bits_worst": -worst.log2(),
        "bits_mean": -(sum / (2 * slots) as f64).log2(),
        // Products at the scale until the width is the one that a bootstrapping starts from.
        "levels_left": (width - preset.input_k()) / preset.log_delta(),
        "modulus_bits_left": width,
        "input_modulus_bits": preset.input_k(),
        "scale_bits": preset.log_delta(),
        "key_seconds": prepared.key_seconds,
        "setup_seconds": prepared.setup_seconds,
        "peak_gib": peak_gib(),
    }))
}

/// A bootstrapping whose reduction runs on the same ring as all else.
fn prepare_standard(
    preset: &BootstrappingPreset,
    secret: &BackendGLWESecret<Ifma>,
    scratch: &mut ScratchOwned<Ifma>,
) -> Result<Prepared> {
    let module = Module::<Ifma>::new(preset.n() as u64);
    let (plan, layout) = (preset.plan(), preset.keys_layout());

    let start = Instant::now();
    let mut keys = plan.generate_keys(
        &module,
        secret,
        layout,
        &mut fresh(),
        &mut fresh(),
        &mut fresh(),
        &mut scratch.borrow(),
    )?;
    let mut buffer = ScratchOwned::<Ifma>::alloc(layout.prepare_tmp_bytes(&module));
    let rotation_keys = mem::take(&mut keys.rotation_keys);
    let mut keys = keys.prepare(&module, &mut buffer.borrow());
    prepare_rotation_keys(&module, rotation_keys, &mut keys, &mut buffer);
    let key_seconds = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let bytes = BootstrappingContextPrepared::<Ifma, f64>::compile_unprepared_tmp_bytes(&module, plan)?;
    let mut buffer = ScratchOwned::<Ifma>::alloc(bytes);
    let context = BootstrappingContextPrepared::<Ifma, f64>::compile_unprepared(
        &module,
        preset.base2k().into(),
        plan,
        &mut buffer.borrow(),
    )?;
    let mut buffer = ScratchOwned::<Ifma>::alloc(context.prepare_tmp_bytes(&module));
    let context = context.prepare(&module, &mut buffer.borrow())?;
    let setup_seconds = start.elapsed().as_secs_f64();

    let bytes =
        module.ckks_bootstrap_tmp_bytes(&preset.bootstrap_layout(), &preset.input_layout(), &context, layout);
    let mut scratch = ScratchOwned::<Ifma>::alloc(bytes);
    let bootstrap = Box::new(move |refreshed: &mut Ciphertext, exhausted: &Ciphertext| {
        Ok(module.ckks_bootstrap(refreshed, exhausted, &context, &keys, &mut scratch.borrow())?)
    });
    Ok(Prepared { setup_seconds, key_seconds, bootstrap })
}

/// A bootstrapping whose reduction runs on the conjugate-invariant ring, with one ciphertext for both parts.
fn prepare_real(preset: &BootstrappingPreset, secret: &BackendGLWESecret<Ifma>) -> Result<Prepared> {
    let module = Module::<Ifma>::new(2 * preset.n() as u64);
    let real = Module::<Real>::new(preset.n() as u64);
    let (plan, layout) = (preset.plan(), preset.keys_layout());

    let start = Instant::now();
    let (bytes, bytes_real) = layout.generate_ci_tmp_bytes(&module, &real);
    let mut keys = plan.generate_keys_ci(
        &module,
        &real,
        secret,
        layout,
        &mut fresh(),
        &mut fresh(),
        &mut fresh(),
        &mut ScratchOwned::<Ifma>::alloc(bytes).borrow(),
        &mut ScratchOwned::<Real>::alloc(bytes_real).borrow(),
    )?;
    let (bytes, bytes_real) = layout.prepare_ci_tmp_bytes(&module, &real);
    let (mut buffer, mut buffer_real) =
        (ScratchOwned::<Ifma>::alloc(bytes), ScratchOwned::<Real>::alloc(bytes_real));
    let rotation_keys = mem::take(&mut keys.rotation_keys);
    let mut keys = keys.prepare_ci(&module, &real, &mut buffer.borrow(), &mut buffer_real.borrow())?;
    prepare_rotation_keys(&module, rotation_keys, &mut keys, &mut buffer);
    let key_seconds = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let (bytes, bytes_real) =
        BootstrappingContextPrepared::<Ifma, f64>::compile_ci_unprepared_tmp_bytes(&module, &real, plan)?;
    let context = BootstrappingContextPrepared::<Ifma, f64>::compile_ci_unprepared(
        &module,
        &real,
        preset.base2k().into(),
        plan,
        &mut ScratchOwned::<Ifma>::alloc(bytes).borrow(),
        &mut ScratchOwned::<Real>::alloc(bytes_real).borrow(),
    )?;
    let mut buffer = ScratchOwned::<Ifma>::alloc(context.prepare_tmp_bytes(&module));
    let context = context.prepare(&module, &mut buffer.borrow())?;
    let setup_seconds = start.elapsed().as_secs_f64();

    let (bytes, bytes_real) = module.ckks_bootstrap_ci_tmp_bytes(
        &real,
        &preset.bootstrap_layout(),
        &preset.input_layout(),
        &context,
        layout,
    );
    let mut scratch = ScratchOwned::<Ifma>::alloc(bytes);
    let mut scratch_real = ScratchOwned::<Real>::alloc(bytes_real);
    let bootstrap = Box::new(move |refreshed: &mut Ciphertext, exhausted: &Ciphertext| {
        let (scratch, scratch_real) = (&mut scratch.borrow(), &mut scratch_real.borrow());
        Ok(module.ckks_bootstrap_ci_into(
            &real,
            refreshed,
            exhausted,
            &context,
            &keys,
            scratch,
            scratch_real,
        )?)
    });
    Ok(Prepared { setup_seconds, key_seconds, bootstrap })
}

/// Prepares the rotation keys, which are most of them, one by one: all of them in both forms are over 16 GiB.
fn prepare_rotation_keys<Reduction: Backend>(
    module: &Module<Ifma>,
    rotation_keys: RotationKeys,
    prepared: &mut BootstrappingKeysPrepared<Buffer, Ifma, Reduction>,
    scratch: &mut ScratchOwned<Ifma>,
) {
    for (element, key) in rotation_keys {
        let mut ready = module.glwe_automorphism_key_prepared_alloc_from_infos(&key);
        module.glwe_automorphism_key_prepare(&mut ready, &key, &mut scratch.borrow());
        prepared.rotation_keys.insert(element, ready);
    }
}

/// Bytes of scratch for keys, encryption and decryption.
fn client_bytes(module: &Module<Ifma>, preset: &BootstrappingPreset) -> usize {
    let coefficients = preset.plan().eval_mod().coeffs_meta;
    let coefficients = CKKSLayout {
        glwe_layout: GLWELayout {
            n: preset.bootstrap_layout().n(),
            base2k: preset.base2k().into(),
            k: (coefficients.log_delta() + coefficients.log_budget()).into(),
            rank: Rank(1),
        },
        meta: plaintext_meta(coefficients.log_delta()),
    };
    let (layout, keys) = (preset.bootstrap_layout(), preset.keys_layout());
    let bytes = |key| module.ckks_all_ops_with_atk_tmp_bytes(&layout, &coefficients, &keys.tensor_key, key);
    keys.rotation_key_layouts().iter().map(bytes).max().unwrap_or(0)
}

/// Complex slots, all of them, at a scale of 2 to the given number of bits.
fn plaintext_meta(scale_bits: usize) -> GLWEPlaintextMeta {
    GLWEPlaintextMeta { scale: Scale::Log(scale_bits), slots: SlotsKind::Complex, log_sparsity: 0 }
}

/// Randomness of a seed of the system's.
fn fresh() -> Source {
    Source::new(rand::random())
}

/// The most memory the process has had, in GiB, from Linux.
fn peak_gib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / f64::from(1 << 20))
}
