//! Twenty programs of the library, written from its documentation alone.
// References are what people type, also where a value would do.
#![allow(clippy::needless_borrows_for_generic_args)]

use asanoha::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn inner_product_of_two_integer_vectors() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4096).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().sum_all().build()?);

    let x: Vec<i64> = (0..4096).map(|i| i % 5 - 2).collect();
    let y: Vec<i64> = (0..4096).map(|i| i % 3).collect();
    let product = e.multiply(&public.encrypt(&x)?, &public.encrypt(&y)?)?;
    let dot = e.sum_all(&product)?;

    let expected: i64 = x.iter().zip(&y).map(|(a, b)| a * b).sum();
    assert_eq!(secret.decrypt(&dot)?[0], expected);
    Ok(())
}

#[test]
fn weighted_score_with_public_weights() -> Outcome {
    let params = Ckks::parameters().depth(1).precision_bits(25).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().sum(8).build()?);

    let features: [f64; 8] = [0.5, 0.25, -0.75, 1.0, 0.0, 0.125, -0.5, 0.9];
    let weights: [f64; 8] = [0.1, 0.7, -0.3, 0.2, 0.9, -0.6, 0.4, 0.05];
    let encrypted = public.encrypt(&features)?;
    let score = e.add_constant(&e.sum(&e.multiply_by(&encrypted, &weights)?, 8)?, -0.25)?;

    let expected: f64 = features.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() - 0.25;
    assert!((secret.decrypt(&score)?[0] - expected).abs() <= score.error_bound());
    Ok(())
}

#[test]
fn mean_and_variance_of_a_column() -> Outcome {
    let params = Ckks::parameters().depth(2).precision_bits(20).slots(1024).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().sum_all().build()?);

    // Heights in metres, nobody is taller than 2.5 m.
    let heights: Vec<f64> = (0..1000).map(|i| 1.5 + 0.0005 * i as f64).collect();
    let column = public.with_bound(2.5).encrypt(&heights)?;
    let mean = e.mul_constant(&e.sum_all(&column)?, 1.0 / 1000.0)?;
    let mean_of_squares = e.mul_constant(&e.sum_all(&e.square(&column)?)?, 1.0 / 1000.0)?;
    let variance = e.sub(&mean_of_squares, &e.square(&mean)?)?;

    let m = heights.iter().sum::<f64>() / 1000.0;
    let v = heights.iter().map(|h| (h - m) * (h - m)).sum::<f64>() / 1000.0;
    assert!((secret.decrypt(&mean)?[0] - m).abs() <= mean.error_bound());
    assert!((secret.decrypt(&variance)?[0] - v).abs() <= variance.error_bound());
    assert!(variance.error_bound() < 0.01, "{}", variance.error_bound());
    Ok(())
}

#[test]
fn polynomial_of_encrypted_integers() -> Outcome {
    let params = Bfv::parameters().depth(2).plaintext_modulus(65537).slots(64).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().build()?);

    let x: Vec<i32> = (-30..=30).collect();
    let encrypted = public.encrypt(&x)?;
    let cube = e.power(&encrypted, 3)?;
    let result = e.add_constant(&e.sub(&cube, &e.mul_constant(&encrypted, 2)?)?, 1)?;

    let decrypted = secret.decrypt(&result)?;
    for (x, y) in x.iter().map(|&x| i64::from(x)).zip(decrypted) {
        assert_eq!(y, x * x * x - 2 * x + 1);
    }
    Ok(())
}

#[test]
fn uploads_of_many_clients_are_summed() -> Outcome {
    let params = Bfv::parameters().depth(1).plaintext_modulus(65537).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let published = public.to_bytes()?;

    let mut uploads = Vec::new();
    for client in 0..25u32 {
        let public = PublicKey::from_bytes(&params, &published)?;
        uploads.push(public.encrypt(&[client, 1, 2 * client])?.to_bytes()?);
    }

    let e = params.evaluator(EvaluationKeys::default());
    let mut received = Vec::new();
    for upload in &uploads {
        received.push(BfvCiphertext::from_bytes(&params, upload)?);
    }
    let total = e.add_many(&received)?;
    assert_eq!(secret.decrypt(&total)?[..4], [300, 25, 600, 0]);
    Ok(())
}

#[test]
fn selection_by_an_encrypted_mask() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(16).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().build()?);

    let mask = public.encrypt(&[1u8, 0, 0, 1, 1, 0])?;
    let if_one = public.encrypt(&[10, 20, 30, 40, 50, 60])?;
    let if_zero = public.encrypt(&[-1, -2, -3, -4, -5, -6])?;
    let difference = (&if_one - &if_zero)?;
    let selected = (&if_zero + &e.multiply(&mask, &difference)?)?;

    assert_eq!(secret.decrypt(&selected)?[..6], [10, -2, -3, 40, 50, -6]);
    Ok(())
}

#[test]
fn moving_average_by_rotations() -> Outcome {
    let params = Ckks::parameters().depth(1).precision_bits(25).slots(64).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().rotate([1, 2]).build()?);

    let series: Vec<f64> = (0..64).map(|i| (i as f64 * 0.3).sin()).collect();
    let x = public.encrypt(&series)?;
    let windows = [e.rotate(&x, 1)?, e.rotate(&x, 2)?, x];
    let average = e.mul_constant(&e.add_many(&windows)?, 1.0 / 3.0)?;

    let decrypted = secret.decrypt(&average)?;
    for (window, y) in series.windows(3).zip(&decrypted) {
        let expected = window.iter().sum::<f64>() / 3.0;
        assert!((y - expected).abs() <= average.error_bound());
    }
    Ok(())
}

#[test]
fn voting_tally_accumulated_in_place() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(EvaluationKeys::default());

    let votes = [2usize, 0, 1, 2, 2, 1, 2, 0, 2, 3];
    let mut tally = public.encrypt(0)?;
    for vote in votes {
        let mut ballot = [0u8; 4];
        ballot[vote] = 1;
        e.add_assign(&mut tally, &public.encrypt(&ballot)?)?;
    }
    e.sub_assign(&mut tally, &public.encrypt(&[0, 0, 1])?)?; // A vote was withdrawn.

    assert_eq!(secret.decrypt(&tally)?[..4], [2, 2, 4, 1]);
    Ok(())
}

#[test]
fn product_of_many_numbers() -> Outcome {
    let params = Bfv::parameters().depth(3).plaintext_modulus(65537).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().build()?);

    let factors = [[1, 2], [2, -1], [3, 3], [4, 1], [5, 2], [-2, 1], [3, -1], [2, 5]];
    let mut encrypted = Vec::new();
    for factor in &factors {
        encrypted.push(public.encrypt(factor)?);
    }
    let product = e.multiply_many(&encrypted)?;

    assert_eq!(secret.decrypt(&product)?[..2], [-1440, 60]);
    assert!(product.noise_budget_bits() > 0.0);
    Ok(())
}

#[test]
fn squared_distance_of_two_vectors() -> Outcome {
    let params = Ckks::parameters().depth(1).precision_bits(30).slots(16).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().sum(16).build()?);

    let p: Vec<f64> = (0..16).map(|i| 0.05 * i as f64).collect();
    let q: Vec<f64> = (0..16).map(|i| 1.0 - 0.1 * i as f64).collect();
    let difference = e.sub(&public.encrypt(&p)?, &public.encrypt(&q)?)?;
    let distance = e.sum(&e.square(&difference)?, 16)?;

    let expected: f64 = p.iter().zip(&q).map(|(a, b)| (a - b) * (a - b)).sum();
    assert!((secret.decrypt(&distance)?[0] - expected).abs() <= distance.error_bound());
    Ok(())
}

#[test]
fn one_encrypted_number_scales_a_vector() -> Outcome {
    let params = Bgv::parameters().depth(3).plaintext_modulus(65537).slots(128).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().sum_all().build()?);

    let prices = public.encrypt(&[12, 5, 9, 20])?;
    let scaled = e.multiply(&prices, &public.encrypt(7)?)?;
    assert_eq!(secret.decrypt(&scaled)?[..5], [84, 35, 63, 140, 0]);

    // The third number, brought to all slots, scales the vector too.
    let third = e.sum_all(&e.multiply_by(&prices, &[0, 0, 1])?)?;
    assert!(secret.decrypt(&third)?.iter().all(|&x| x == 9));
    let scaled = e.multiply(&scaled, &third)?;
    assert_eq!(secret.decrypt(&scaled)?[..5], [756, 315, 567, 1260, 0]);
    Ok(())
}

fn serve(parameters: &[u8], keys: &[u8], input: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let params = Ckks::from_bytes(parameters)?;
    let e = params.evaluator(EvaluationKeys::from_bytes(&params, keys)?);
    let x = CkksCiphertext::from_bytes(&params, input)?;
    let logistic = e.sub(&x, &e.square(&x)?)?; // x (1 − x)
    Ok(e.mul_constant(&logistic, 3.5)?.to_bytes()?)
}

#[test]
fn client_and_server_through_bytes() -> Outcome {
    let params = Ckks::parameters().depth(2).precision_bits(25).slots(32).build()?;
    let (secret, public) = params.generate_keys();
    let keys = secret.evaluation_keys().relinearise().build()?.to_bytes(&params)?;
    let x: Vec<f64> = (0..32).map(|i| i as f64 / 32.0).collect();
    let input = public.encrypt(&x)?.to_bytes()?;

    let output = serve(&params.to_bytes(), &keys, &input)?;

    let result = CkksCiphertext::from_bytes(&params, &output)?;
    let decrypted = secret.decrypt(&result)?;
    for (x, y) in x.iter().zip(&decrypted) {
        assert!((y - 3.5 * x * (1.0 - x)).abs() <= result.error_bound());
    }
    Ok(())
}

#[test]
fn client_and_server_through_files() -> Outcome {
    let dir = std::env::temp_dir().join(format!("asanoha-programs-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let client = Bfv::parameters().depth(1).plaintext_modulus(65537).slots(32).build()?;
    let (secret, public) = client.generate_keys();
    client.write(dir.join("parameters"))?;
    secret.write(dir.join("secret"))?;
    secret.evaluation_keys().relinearise().build()?.write(&client, dir.join("keys"))?;
    BfvCiphertext::write_all(
        &[public.encrypt(&[3, 4, 5])?, public.encrypt(&[6, 7, -8])?],
        dir.join("inputs"),
    )?;

    let server = Bfv::read(dir.join("parameters"))?;
    let e = server.evaluator(EvaluationKeys::read(&server, dir.join("keys"))?);
    let inputs = BfvCiphertext::read_all(&server, dir.join("inputs"))?;
    e.multiply(&inputs[0], &inputs[1])?.write(dir.join("result"))?;

    let secret = SecretKey::read(&client, dir.join("secret"))?;
    let result = BfvCiphertext::read(&client, dir.join("result"))?;
    assert_eq!(secret.decrypt(&result)?[..3], [18, 28, -40]);
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

#[test]
fn temperatures_of_sensors_in_f32() -> Outcome {
    let params = Ckks::parameters().depth(1).precision_bits(20).slots(1024).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(EvaluationKeys::default());

    // The sensors measure from −50 to 50 degrees Celsius.
    let readings: Vec<f32> = (0..1000).map(|i| -20.0 + 0.06 * i as f32).collect();
    let celsius = public.with_bound(50.0).encrypt(&readings)?;
    let fahrenheit = e.add_constant(&e.mul_constant(&celsius, 1.8)?, 32.0)?;

    assert!(fahrenheit.error_bound() < 0.01, "{}", fahrenheit.error_bound());
    for (&c, f) in readings.iter().zip(secret.decrypt(&fahrenheit)?) {
        assert!((f - (1.8 * f64::from(c) + 32.0)).abs() <= fahrenheit.error_bound());
    }
    Ok(())
}

#[test]
fn integers_of_a_hundred_bits() -> Outcome {
    // A prime of 111 bits that is 1 modulo 2^17.
    let prime = 1_298_074_214_633_706_907_132_624_082_698_241u128;
    let params = Bfv::parameters().depth(1).plaintext_modulus(BigUint::from(prime)).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().build()?);

    let (a, b) = ((1i128 << 100) - 12345, -(1i128 << 99) + 678);
    let x = public.encrypt(&[BigInt::from(a), BigInt::from(b)])?;
    let y = public.encrypt(&[3, -5])?;
    let result = e.add(&e.multiply(&x, &y)?, &x)?;

    let decrypted = secret.decrypt_as::<BigInt>(&result)?;
    assert_eq!(decrypted[0], BigInt::from(4 * a));
    assert_eq!(decrypted[1], BigInt::from(-4 * b));
    Ok(())
}

#[test]
fn complex_numbers_and_their_squared_moduli() -> Outcome {
    let params = Ckks::parameters().depth(1).precision_bits(25).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().swap_rows().build()?);

    let z = [Complex64::new(0.5, 0.25), Complex64::new(-0.3, 0.8), Complex64::new(0.0, -1.0)];
    let encrypted = public.encrypt(&z)?;
    let squares = e.square(&encrypted)?;
    let moduli = e.multiply(&encrypted, &e.conjugate(&encrypted)?)?;

    let (s, m) = (secret.decrypt_as::<Complex64>(&squares)?, secret.decrypt(&moduli)?);
    for (i, z) in z.iter().enumerate() {
        assert!((s[i].re - (z.re * z.re - z.im * z.im)).abs() <= squares.error_bound());
        assert!((s[i].im - 2.0 * z.re * z.im).abs() <= squares.error_bound());
        assert!((m[i] - (z.re * z.re + z.im * z.im)).abs() <= moduli.error_bound());
    }
    Ok(())
}

#[test]
fn rotation_of_all_slots_as_one_vector() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(4096).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().rotate_all([5]).build()?);

    let values: Vec<i64> = (0..4096).collect();
    let x = public.encrypt(&values)?;
    let turned = e.rotate_all(&x, 5)?;

    let mut expected = secret.decrypt(&x)?;
    expected.rotate_left(5);
    assert_eq!(secret.decrypt(&turned)?, expected);
    Ok(())
}

#[test]
fn sums_of_different_depths_by_operators() -> Outcome {
    let params = Ckks::parameters().depth(3).precision_bits(25).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().build()?);

    let x: [f64; 5] = [0.5, -0.25, 1.0, -1.0, 0.1];
    let a = public.encrypt(&x)?;
    let a2 = e.square(&a)?;
    let a4 = e.square(&a2)?;
    let sum = (&(&a + &a2)? - &a4)?;
    let result = -&e.multiply(&sum, &a)?;

    for (x, y) in x.iter().zip(secret.decrypt(&result)?) {
        let expected = -(x + x * x - x.powi(4)) * x;
        assert!((y - expected).abs() <= result.error_bound());
    }
    Ok(())
}

#[test]
fn threads_share_an_evaluator_and_an_encoded_plaintext() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(32).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().sum(4).build()?);
    let (weights, offset) = (params.encode(&[5, 3, -2, 1])?, params.encode(&[100])?);

    let rows: [[i64; 4]; 4] = [[1, 2, 3, 4], [0, 1, 0, 1], [9, 8, 7, 6], [-1, -1, -1, -1]];
    let inputs = rows.iter().map(|row| public.encrypt(row)).collect::<Result<Vec<_>, _>>()?;
    let (e, weights, offset) = (&e, &weights, &offset);
    let scores = std::thread::scope(|scope| {
        let score =
            move |row| e.sum(&e.mul_plain(row, weights)?, 4).and_then(|sum| e.add_plain(&sum, offset));
        let threads: Vec<_> = inputs.iter().map(|row| scope.spawn(move || score(row))).collect();
        threads.into_iter().map(|t| t.join().expect("the thread ends")).collect::<Result<Vec<_>, _>>()
    })?;

    for (row, score) in rows.iter().zip(&scores) {
        let expected = 5 * row[0] + 3 * row[1] - 2 * row[2] + row[3] + 100;
        assert_eq!(secret.decrypt(score)?[0], expected);
    }
    Ok(())
}

#[test]
fn errors_name_the_remedy() -> Outcome {
    let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(8).build()?;
    let (_, public) = params.generate_keys();
    let e = params.evaluator(EvaluationKeys::default());
    let a = public.encrypt(&[1, 2, 3])?;

    let message = e.multiply(&a, &a).unwrap_err().to_string();
    assert!(message.contains("relinearise()"), "{message}");
    let message = e.rotate(&a, 3).unwrap_err().to_string();
    assert!(message.contains("rotate("), "{message}");
    let message = public.encrypt(&[1_000_000]).unwrap_err().to_string();
    assert!(message.contains("plaintext_modulus"), "{message}");

    let params = Ckks::parameters().depth(1).precision_bits(20).slots(8).build()?;
    let (_, public) = params.generate_keys();
    let message = public.encrypt(&[0.5, 1.7]).unwrap_err().to_string();
    assert!(message.contains("with_bound"), "{message}");
    Ok(())
}
