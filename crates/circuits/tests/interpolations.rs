//! Interpolation polynomials of two variables, and their files.

use asanoha_circuits::{
    TableError,
    division::{CacheError, Interpolations, quotient},
};
use asanoha_ring::Modulus;

#[test]
fn the_paper_s_examples_have_the_paper_s_coefficients() {
    let p = Modulus::new(7).unwrap();
    let divisions = Interpolations::new(&p, 7, quotient).unwrap();
    let centred = |row: &[u64]| row.iter().map(|&c| p.centre(c)).collect::<Vec<_>>();
    assert_eq!(centred(divisions.row(2)), [0, -2, 0, 3, 0, 1, -2]);
    let equalities = Interpolations::new(&p, 7, |x, y| i64::from(x == y)).unwrap();
    assert_eq!(centred(equalities.row(3)), [0, 2, 3, 1, -2, -3, -1]);
}

#[test]
fn polynomials_modulo_a_large_prime_have_the_values_on_few_points() {
    let p = Modulus::new(65537).unwrap();
    for points in [1usize, 2, 7, 32] {
        let divisions = Interpolations::new(&p, points, quotient).unwrap();
        assert_eq!(divisions.points(), points);
        for (x, y) in (0..points).flat_map(|x| (0..points).map(move |y| (x, y))) {
            let row = divisions.row(y);
            assert_eq!(row.len(), points);
            let value = row.iter().rev().fold(0, |value, &c| p.add(p.mul(value, x as u64), c));
            assert_eq!(value as i64, quotient(x as i64, y as i64), "{x} / {y} of {points}");
        }
    }
    for points in [0, 18] {
        let refused = Interpolations::new(&Modulus::new(17).unwrap(), points, quotient);
        assert!(matches!(refused, Err(TableError::Domain(_))), "{points}");
    }
}

#[test]
fn coefficients_are_read_back_from_their_file_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let p = Modulus::new(17).unwrap();
    let computed = Interpolations::new(&p, 17, quotient).unwrap();
    assert_eq!(Interpolations::cached(&p, 17, quotient, folder.path()).unwrap(), computed);
    let file = |count: usize| {
        let files: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), count);
        files[0].clone()
    };
    let path = file(1);
    assert_eq!(Interpolations::cached(&p, 17, quotient, folder.path()).unwrap(), computed);
    // Another function has another file.
    let other = Interpolations::cached(&p, 17, |x, y| x + y, folder.path()).unwrap();
    assert_ne!(other, computed);
    file(2);

    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let refused = Interpolations::cached(&p, 17, quotient, folder.path()).unwrap_err();
    assert!(matches!(refused, CacheError::File(_)), "{refused}");
    assert!(refused.to_string().contains("delete the file"), "{refused}");
    let nowhere = Interpolations::cached(&p, 17, quotient, &folder.path().join("missing")).unwrap_err();
    assert!(matches!(nowhere, CacheError::File(_)), "{nowhere}");
    let large = Modulus::new(65537).unwrap();
    let refused = Interpolations::new(&large, (1 << 11) + 1, quotient).unwrap_err();
    assert!(matches!(refused, TableError::TooLarge { .. }));
    // Fewer points have another file.
    Interpolations::cached(&p, 16, quotient, folder.path()).unwrap();
    file(3);
}
