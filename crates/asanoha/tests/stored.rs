//! Parameters, keys and ciphertexts as bytes and files, read back and damaged.

use asanoha::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Everything of a scheme goes through bytes and through files, and works afterwards.
macro_rules! all_of_it_comes_back {
    ($params:expr, $scheme:ty, $ciphertext:ty, $values:expr) => {{
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let params = $params;
        let (secret, public) = params.generate_keys();
        let keys = secret.evaluation_keys().relinearise().sum(4).build()?;
        let expected = params.evaluator(keys.clone());

        let read = <$scheme>::from_bytes(&params.to_bytes())?;
        assert_eq!(read, params);
        assert_eq!(params.write(at("parameters"))?, std::fs::metadata(at("parameters"))?.len());
        assert_eq!(<$scheme>::read(at("parameters"))?, params);

        let public = PublicKey::from_bytes(&read, &public.to_bytes()?)?;
        public.write(at("public"))?;
        let public = PublicKey::read(&read, at("public"))?;
        let secret = SecretKey::from_bytes(&read, &secret.to_bytes()?)?;
        secret.write(at("secret"))?;
        let secret = SecretKey::read(&read, at("secret"))?;
        let keys = EvaluationKeys::from_bytes(&read, &keys.to_bytes(&read)?)?;
        keys.write(&read, at("keys"))?;
        let e = read.evaluator(EvaluationKeys::read(&read, at("keys"))?);

        let a = public.encrypt($values)?;
        let b = <$ciphertext>::from_bytes(&read, &a.to_bytes()?)?;
        assert_eq!(a.rlwe().parts[1].words(), b.rlwe().parts[1].words());
        let product = e.sum(&e.square(&b)?, 4)?;
        product.check_state(expected.sum(&expected.square(&a)?, 4)?.state())?;
        assert!(product.check_state(a.state()).is_err());
        <$ciphertext>::write_all(&[a.clone(), product.clone()], at("both"))?;
        let both = <$ciphertext>::read_all(&read, at("both"))?;
        assert_eq!(secret.decrypt(&both[1])?[..4], secret.decrypt(&product)?[..4]);
        assert_eq!((both[0].state(), both[1].state()), (a.state(), product.state()));
        let two = <$ciphertext>::read(&read, at("both")).unwrap_err().to_string();
        assert!(two.contains("2 ciphertexts"), "{two}");

        let three = e.multiply_without_relinearise(&a, &a)?.to_bytes().unwrap_err().to_string();
        assert!(three.contains("relinearised"), "{three}");
        assert!(<$ciphertext>::all_to_bytes(&[]).is_err());
        (params, secret, public, keys, product)
    }};
}

#[test]
fn bgv_goes_through_bytes_and_files() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4).build()?;
    let (params, secret, public, keys, product) =
        all_of_it_comes_back!(params, Bgv, BgvCiphertext, [3, -2, 5, 7]);
    assert_eq!(secret.decrypt(&product)?[0], 9 + 4 + 25 + 49);

    // Another modulus, another kind of file, another scheme, another folder.
    let other = Bgv::parameters().depth(1).plaintext_modulus(786_433).slots(4).build()?;
    let told = |error: Option<asanoha::lattice::FileError>| error.expect("it's refused").to_string();
    let bytes = product.to_bytes()?;
    assert!(told(BgvCiphertext::from_bytes(&other, &bytes).err()).contains("other parameters"));
    assert!(told(PublicKey::from_bytes(&other, &public.to_bytes()?).err()).contains("other parameters"));
    assert!(told(SecretKey::from_bytes(&other, &secret.to_bytes()?).err()).contains("other parameters"));
    assert!(told(EvaluationKeys::from_bytes(&other, &keys.to_bytes(&params)?).err()).contains("other"));
    assert!(told(PublicKey::from_bytes(&params, &bytes).err()).contains("ciphertexts"));
    assert!(told(Bfv::from_bytes(&params.to_bytes()).err()).contains("BFV"));
    assert!(told(Bgv::read("/nowhere/at/all").err()).contains("/nowhere/at/all"));
    Ok(())
}

#[test]
fn bfv_and_ckks_go_through_bytes_and_files() -> Outcome {
    let params = Bfv::parameters().depth(1).plaintext_modulus(65537).slots(4).build()?;
    let (_, secret, _, _, product) = all_of_it_comes_back!(params, Bfv, BfvCiphertext, [1u8, 2, 3, 250]);
    assert_eq!(secret.decrypt(&product)?[0], 1 + 4 + 9 + 62_500 - 65_537);
    let params = Ckks::parameters().depth(1).precision_bits(20).slots(4).build()?;
    let (_, secret, _, _, product) =
        all_of_it_comes_back!(params, Ckks, CkksCiphertext, [0.5f32, -1.0, 0.0, 0.25]);
    assert!((secret.decrypt(&product)?[0] - 1.3125).abs() <= product.error_bound());
    Ok(())
}

/// Every byte of what was written is needed: a changed, missing or added one is an error, and never a panic.
#[test]
fn altered_bytes_are_refused() -> Outcome {
    let params = Bgv::parameters().depth(0).plaintext_modulus(65537).slots(4).build()?;
    let (secret, public) = params.generate_keys();
    let ciphertext = public.encrypt([1])?.to_bytes()?;
    let header = 8 + u64::from_le_bytes(ciphertext[..8].try_into()?) as usize;
    let places = (0..header).chain((header..ciphertext.len()).step_by(4099));
    let mut refused = 0;
    for place in places {
        for change in [1, 0x80] {
            let mut altered = ciphertext.clone();
            altered[place] ^= change;
            assert!(BgvCiphertext::from_bytes(&params, &altered).is_err(), "byte {place}");
            refused += 1;
        }
    }
    assert!(refused > 500);
    for length in (0..header).chain([ciphertext.len() - 8, ciphertext.len() - 1]) {
        assert!(BgvCiphertext::from_bytes(&params, &ciphertext[..length]).is_err(), "{length} bytes");
    }
    assert!(BgvCiphertext::from_bytes(&params, &[&ciphertext[..], &[0; 8]].concat()).is_err());
    let key = secret.to_bytes()?;
    assert!(SecretKey::from_bytes(&params, &key[..key.len() - 8]).is_err());
    Ok(())
}

#[test]
fn parameters_that_are_none_are_refused_in_words() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4).build()?;
    let good: serde_json::Value = serde_json::from_slice(&params.to_bytes())?;
    let refused = |change: &dyn Fn(&mut serde_json::Value), word: &str| {
        let mut altered = good.clone();
        change(&mut altered);
        let error = Bgv::from_bytes(altered.to_string().as_bytes()).expect_err(word).to_string();
        assert!(error.contains(word), "{error}");
    };
    refused(&|file| file["format"] = "text".into(), "asanoha parameters");
    refused(&|file| file["version"] = 2.into(), "version 2");
    refused(&|file| file["scheme"] = "CKKS".into(), "CKKS");
    refused(&|file| file["more"] = 1.into(), "more");
    refused(&|file| file["parameters"]["rlwe"]["ring_degree"] = 1024.into(), "1024");
    refused(&|file| file["parameters"]["rlwe"]["insecure"] = true.into(), "insecure");
    refused(&|file| file["parameters"]["plaintext_modulus"] = 1.into(), "plaintext modulus 1");
    refused(&|file| file["parameters"]["rlwe"]["q_primes"] = serde_json::json!([]), "");
    refused(&|file| file["parameters"] = serde_json::json!({}), "missing field");
    let long = vec![b' '; 2 << 20];
    assert!(Bgv::from_bytes(&long).unwrap_err().to_string().contains("longer"));
    assert!(Bgv::from_bytes(b"").is_err() && Bgv::from_bytes(b"{}").is_err());
    Ok(())
}
