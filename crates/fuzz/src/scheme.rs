//! What programs read that use a scheme without a plan.

use std::{ffi::OsString, sync::OnceLock};

use asanoha::{
    bfv::Bfv,
    bgv::Bgv,
    circuits::division::Interpolations,
    ckks::Ckks,
    lattice::Level,
    ring::{Modulus, Sampler, Seed},
    scheme::{Ciphertext, Encodes, Evaluator, GenerateKeys, Holds, Scheme as AnyScheme, SecretKey, Stored},
};

use crate::{Scheme, Use, all, corrected, fixture};

/// The owner of ciphertexts, and who computes on them.
struct Party<S: AnyScheme> {
    params: S,
    secret: SecretKey<S>,
    evaluator: Evaluator<S>,
    /// An encryption of a few numbers.
    ciphertext: Ciphertext<S>,
}

struct Parties {
    bgv: Party<Bgv>,
    bfv: Party<Bfv>,
    ckks: Party<Ckks>,
}

fn parties() -> &'static Parties {
    static PARTIES: OnceLock<Parties> = OnceLock::new();
    PARTIES.get_or_init(|| {
        let params = |scheme| &fixture(scheme).plan.params;
        Parties {
            bgv: Party::new(params(Scheme::Bgv).get().expect("BGV has its own")),
            bfv: Party::new(params(Scheme::Bfv).get().expect("BFV has its own")),
            ckks: Party::new(params(Scheme::Ckks).get().expect("CKKS has its own")),
        }
    })
}

fn sampler() -> Sampler {
    Sampler::new(&Seed([7; 32]))
}

impl<S: AnyScheme + Encodes<i64>> Party<S> {
    fn new(params: &S) -> Self {
        let (secret, public) = params.generate_keys_with(&mut sampler());
        let keys = secret.evaluation_keys().relinearise().rotate([1]).build_with(&mut sampler());
        let ciphertext = public.encrypt_with([1i64, 0, -1], &mut sampler()).expect("small numbers");
        let evaluator = params.evaluator(keys.expect("keys of the highest level"));
        Self { params: params.clone(), secret, evaluator, ciphertext }
    }
}

impl<S: Stored + Encodes<i64> + Holds<<S as AnyScheme>::Value>> Party<S> {
    /// Ciphertexts, which every operation is done with.
    fn read(&'static self, bytes: &[u8], constant: S::Constant) -> Option<Use>
    where
        S::Constant: Clone + 'static,
    {
        let found = Ciphertext::all_from_bytes(&self.params, bytes).ok()?;
        Some(Box::new(move || {
            for a in &found {
                self.use_all(a, &constant);
            }
            if found.is_empty() {
                return;
            }
            let again = Ciphertext::all_to_bytes(&found).expect("ciphertexts of two components");
            let again = Ciphertext::all_from_bytes(&self.params, &again).expect("they were just written");
            for (a, again) in found.iter().zip(&again) {
                assert!(a.state() == again.state(), "a ciphertext reads back in another state");
            }
        }))
    }

    fn use_all(&self, a: &Ciphertext<S>, constant: &S::Constant)
    where
        S::Constant: Clone,
    {
        let Self { secret, evaluator, ciphertext: b, .. } = self;
        let values = &[1i64, -1][..];
        let results = [
            evaluator.add(a, b),
            evaluator.sub(b, a),
            evaluator.multiply(a, b),
            evaluator.square(a),
            evaluator.rotate(a, 1),
            evaluator.add_constant(a, constant.clone()),
            evaluator.mul_constant(a, constant.clone()),
            evaluator.add_values(a, values),
            evaluator.multiply_by(a, values),
            evaluator.switch_to(a, Level(0)),
        ];
        for result in results.into_iter().flatten() {
            let _ = secret.decrypt(&result);
            let _ = evaluator.multiply(&result, a).map(|product| secret.decrypt(&product));
        }
        let _ = secret.decrypt(a);
    }
}

/// Ciphertexts of any scheme, of which the digest is corrected first.
pub fn ciphertexts(bytes: &[u8]) -> Option<Use> {
    let (Parties { bgv, bfv, ckks }, bytes) = (parties(), corrected(bytes));
    let uses = [bgv.read(&bytes, 3.into()), bfv.read(&bytes, 3.into()), ckks.read(&bytes, 0.3)];
    all(uses.into_iter().flatten().collect())
}

/// Parameters of any scheme, with which something is encrypted.
pub fn parameters(bytes: &[u8]) -> Option<Use> {
    all([read::<Bgv>(bytes), read::<Bfv>(bytes), read::<Ckks>(bytes)].into_iter().flatten().collect())
}

fn read<S: Stored + Encodes<i64> + Holds<<S as AnyScheme>::Value>>(bytes: &[u8]) -> Option<Use> {
    let params = S::from_bytes(bytes).ok()?;
    Some(Box::new(move || {
        let again = S::from_bytes(&params.to_bytes()).expect("parameters read back");
        assert_eq!(again.digest(), params.digest());
        assert!(params.rlwe().security_bits() >= 128, "insecure parameters");
        let (secret, public) = params.generate_keys_with(&mut sampler());
        // What doesn't fit the parameters is an error.
        let _ =
            public.encrypt_with([1i64, 0, -1], &mut sampler()).map(|encrypted| secret.decrypt(&encrypted));
    }))
}

/// The prime of the target below.
const PRIME: u64 = 7;

fn coefficients(folder: &std::path::Path) -> Option<Interpolations> {
    let modulus = Modulus::new(PRIME).expect("a prime");
    Interpolations::cached(&modulus, PRIME as usize, |x, y| if y == 0 { 0 } else { x / y }, folder).ok()
}

/// The name and the bytes of a cache of coefficients.
pub(crate) fn cache() -> &'static (OsString, Vec<u8>) {
    static CACHE: OnceLock<(OsString, Vec<u8>)> = OnceLock::new();
    CACHE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        coefficients(folder.path()).expect("a small prime");
        let mut files = std::fs::read_dir(folder.path()).expect("a folder");
        let file = files.next().expect("a file was written").expect("a file");
        (file.file_name(), std::fs::read(file.path()).expect("a file"))
    })
}

/// A cache of the coefficients of a division, of which the digest is corrected first.
pub fn interpolation(bytes: &[u8]) -> Option<Use> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join(&cache().0), corrected(bytes)).expect("a file can be written");
    let read = coefficients(folder.path())?;
    Some(Box::new(move || {
        for row in (0..PRIME as usize).map(|y| read.row(y)) {
            assert!(row.len() == PRIME as usize && row.iter().all(|&coefficient| coefficient < PRIME));
        }
    }))
}

/// The files of the targets above, with the targets' names.
pub(crate) fn files() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let Parties { bgv, bfv, ckks } = parties();
    let written = "a ciphertext of two components";
    let secure = "parameters of one product";
    let bgv_parameters =
        Bgv::parameters().depth(1).plaintext_modulus(65537).slots(1024).build().expect(secure);
    let bfv_parameters =
        Bfv::parameters().depth(1).plaintext_modulus(65537).slots(1024).build().expect(secure);
    let ckks_parameters = Ckks::parameters().depth(1).precision_bits(10).slots(1024).build().expect(secure);
    vec![
        ("ciphertexts", "bgv.safetensors", bgv.ciphertext.to_bytes().expect(written)),
        ("ciphertexts", "bfv.safetensors", bfv.ciphertext.to_bytes().expect(written)),
        ("ciphertexts", "ckks.safetensors", ckks.ciphertext.to_bytes().expect(written)),
        ("parameters", "bgv.json", bgv_parameters.to_bytes()),
        ("parameters", "bfv.json", bfv_parameters.to_bytes()),
        ("parameters", "ckks.json", ckks_parameters.to_bytes()),
        ("interpolation", "coefficients.safetensors", cache().1.clone()),
    ]
}
