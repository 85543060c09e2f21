//! Weights from files in programs, and what is refused.

use asanoha_lang::{MAX_WEIGHTS, Program, Weights, parse_with};
use asanoha_table::advice::Advice;
use num_rational::BigRational;

fn read(bytes: &[u8]) -> Result<Weights, String> {
    Weights::from_bytes(bytes, "w").map_err(|error| error.to_string())
}

fn rational(p: i64, q: i64) -> BigRational {
    BigRational::new(p.into(), q.into())
}

/// A file of NumPy, of version 1 to 3.
fn numpy(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = header.len() as u32;
    if version == 1 {
        bytes.extend((length as u16).to_le_bytes());
    } else {
        bytes.extend(length.to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}      \n")
}

#[test]
fn rows_and_columns_of_text_are_decimals_as_written() {
    let expected = [rational(1, 2), rational(-2, 1), rational(1, 1000)];
    for text in ["0.5,-2,1e-3\n", "0.5\r\n-2\r\n1e-3", "\u{feff}weight\n0.5\n-2\n1e-3\n", " 0.5 , -2,1e-3"] {
        let weights = read(text.as_bytes()).unwrap();
        assert_eq!((weights.values.as_slice(), weights.names), (&expected[..], None), "{text:?}");
    }
    let weights = read("bmi,\"body, mass\",intercept\n0.5,-2,1e-3\n".as_bytes()).unwrap();
    assert_eq!(weights.values, expected);
    assert_eq!(weights.names.unwrap(), ["bmi", "body, mass", "intercept"]);
    assert_eq!(read(b"bmi\n7\n").unwrap().names.unwrap(), ["bmi"]);
}

#[test]
fn arrays_of_numpy_are_exact_of_every_kind() {
    let shape = "(2,)";
    let of = |descr: &str, data: &[u8]| read(&numpy(1, &header(descr, "False", shape), data)).unwrap().values;
    let doubles: Vec<u8> = [0.1f64, -2.5].iter().flat_map(|value| value.to_le_bytes()).collect();
    let tenth = BigRational::from_float(0.1).unwrap();
    assert_eq!(of("<f8", &doubles), [tenth.clone(), rational(-5, 2)]);
    let floats: Vec<u8> = [0.1f32, -2.5].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(of("<f4", &floats), [BigRational::from_float(0.1f32).unwrap(), rational(-5, 2)]);
    assert_eq!(of("|i1", &[255, 7]), [rational(-1, 1), rational(7, 1)]);
    assert_eq!(of("|u1", &[255, 7]), [rational(255, 1), rational(7, 1)]);
    assert_eq!(of("|b1", &[1, 0]), [rational(1, 1), rational(0, 1)]);
    assert_eq!(of("<i2", &[255, 255, 0, 1]), [rational(-1, 1), rational(256, 1)]);
    assert_eq!(of("<u2", &[255, 255, 0, 1]), [rational(65535, 1), rational(256, 1)]);
    assert_eq!(of("<i4", &[254, 255, 255, 255, 1, 0, 0, 0]), [rational(-2, 1), rational(1, 1)]);
    assert_eq!(of("<u4", &[255, 255, 255, 255, 1, 0, 0, 0]), [rational(0xffff_ffff, 1), rational(1, 1)]);
    let words: Vec<u8> = [u64::MAX, 1].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(of("<i8", &words), [rational(-1, 1), rational(1, 1)]);
    assert_eq!(of("<u8", &words)[0], BigRational::from_integer(u64::MAX.into()));
    for (version, shape, order) in [(2, "(2, 1)", "False"), (3, "(1, 2)", "False"), (1, "(2,1)", "True")] {
        let file = numpy(version, &header("<f8", order, shape), &doubles);
        assert_eq!(read(&file).unwrap().values[0], tenth, "{shape}");
    }
    assert_eq!(read(&numpy(1, &header("|u1", "False", "()"), &[9])).unwrap().values, [rational(9, 1)]);
}

#[test]
fn other_files_are_refused_with_what_to_save_instead() {
    let row = "save one row or one column of numbers";
    for (bytes, says) in [
        (&b""[..], "it holds no numbers"),
        (b"a,b\n", "it"),
        (b"1,2\n3,4\n", row),
        (b"a,b\n1\n", row),
        (b"1,2\n3\n", row),
        (b"1\nmany\n", "number 2 is `many`, which is no number"),
        (b"a,b\n1,nan\n", "number 2 is `nan`, which is no number"),
        (b"a,a\n1,2\n", "`a` stands in its first row twice"),
        (b"intercept,bias\n1,2\n", "both `intercept` and `bias`"),
        (b"a\x01,b\n1,2\n", "isn't the name of a column"),
        (b"\xff\xfe1\n", "it's neither CSV nor an array of NumPy"),
        (b"\x93NUMPY", "it ends before"),
        (b"\x93NUMPY\x01\x00\xff\xff{}", "it ends before"),
        (b"\x93NUMPY\x09\x00\x02\x00{}", "version 9"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "it ends before"),
    ] {
        let error = read(bytes).unwrap_err();
        assert!(error.starts_with("w: ") && error.contains(says), "{bytes:?}: {error}");
    }
    let eight = [0u8; 8];
    for (descr, shape, data, says) in [
        (">f8", "(1,)", &eight[..], "dtype >f8: save it as doubles, a.astype('<f8')"),
        ("<f2", "(1,)", &eight[..2], "dtype <f2"),
        ("|O", "(1,)", &eight, "dtype |O"),
        ("<c16", "(1,)", &eight, "dtype <c16"),
        ("<f8", "(2,)", &eight, "tells of 2 numbers of 8 bytes, and 8 bytes follow"),
        ("<f8", "(2, 2)", &eight, "shape (2, 2): save one axis of it, such as a.ravel()"),
        ("<f8", "(1, 1, 1)", &eight, "shape (1, 1, 1)"),
        ("<f8", "(-1,)", &eight, "shape (-1,)"),
        ("<f8", "(18446744073709551615,)", &eight, "tells of 18446744073709551615"),
        ("<f8", "(0,)", &[], "it holds no numbers"),
        ("<f8", "(1,)", &f64::NAN.to_le_bytes(), "number 1 isn't finite"),
    ] {
        let error = read(&numpy(1, &header(descr, "False", shape), data)).unwrap_err();
        assert!(error.contains(says), "{descr} {shape}: {error}");
    }
    let many = |count: usize| "1\n".repeat(count);
    assert_eq!(read(many(MAX_WEIGHTS).as_bytes()).unwrap().values.len(), MAX_WEIGHTS);
    assert!(read(many(MAX_WEIGHTS + 1).as_bytes()).unwrap_err().contains("65536"));
    let bytes = vec![1; MAX_WEIGHTS + 1];
    assert!(read(&numpy(1, &header("|u1", "False", "(65537,)"), &bytes)).unwrap_err().contains("65536"));
}

#[test]
fn programs_hold_the_numbers_of_their_weights() {
    let weights = |text: &str| ("w".to_owned(), read(text.as_bytes()).unwrap());
    for (text, file, equal) in [
        ("z = dot([a, b, c], @w)", "0.5,-2,1/3", "z = dot([a, b, c], [0.5, -2, 1/3])"),
        ("z = dot(@w, [a, b])", "0.5\n-2", "z = dot([a, b], [0.5, -2])"),
        ("z = table(x, @w)", "3\n1\n4\n", "z = table(x, [3, 1, 4])"),
        ("z = linear(@w) * 2", "a,body mass,bias\n1,2,3\n", "z = (dot([a, `body mass`], [1, 2]) + 3) * 2"),
        ("z = linear(@w)", "a,b\n1,2\n", "z = dot([a, b], [1, 2])"),
        ("z = sum(linear(\n @w # the model\n))", "intercept,b\n1,2\n", "z = sum(2 * b + 1)"),
    ] {
        let program = parse_with(text, &[weights(file)].into()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(program, Program::parse(equal).unwrap(), "{text}");
        assert_eq!(Program::parse(&program.to_string()).unwrap(), program, "{text}");
    }
    // The digits of binary fractions are all kept.
    let floats =
        read(&numpy(1, &header("<f4", "False", "(2,)"), &[0xcd, 0xcc, 0xcc, 0x3d, 1, 0, 0, 0])).unwrap();
    let program = parse_with("z = dot([a, b], @w)", &[("w".to_owned(), floats)].into()).unwrap();
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
}

#[test]
fn weights_that_do_not_fit_a_program_are_named() {
    let weights = [("w".to_owned(), read(b"0.5,-2").unwrap())].into();
    for (text, expected) in [
        ("z = dot([a, b], @v)", "line 1, column 17: there are no weights `v`"),
        ("z = linear(@v)", "line 1, column 12: there are no weights `v`"),
        (
            "z = dot([a, b, c], @w)",
            "line 1, column 5: `dot` takes lists of one length, and here are 3 and 2 items",
        ),
        ("z = linear(@w)", "line 1, column 5: `linear` takes weights with names"),
        ("z = linear(x)", "line 1, column 5: `linear` takes the weights of a file, such as linear(@weights)"),
        ("z = @w + 1", "line 1, column 8: this is done with a list, which is not a value"),
        ("z = x @ w", "line 1, column 7: unexpected character `@`"),
        ("z = x @w", "line 1, column 7: an operator or the end of the line was expected here, not `@w`"),
        ("@w = x", "line 1, column 1: a name was expected here, not `@w`"),
    ] {
        let error = parse_with(text, &weights).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    let error = Program::parse("z = dot([a], @v)").unwrap_err();
    assert_eq!(error.advice, [Advice::Weights { name: "v".to_owned() }]);
    assert!(error.render("z.asa").ends_with("= help: give the weights `v` with the program"));
}

#[test]
fn damaged_files_are_read_or_refused_and_nothing_else() {
    let seed = std::process::id();
    println!("seed {seed}");
    let mut state = u64::from(seed) | 1;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let array = numpy(2, &header("<f8", "False", "(1, 2)"), &[7; 16]);
    let mut accepted = 0;
    for round in 0..20_000 {
        let mut bytes = if round % 2 == 0 { array.clone() } else { b"a,b,intercept\n0.5,-2,1/3\n".to_vec() };
        for _ in 0..=below(3) {
            let at = below(bytes.len());
            match below(3) {
                0 => bytes[at] = below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"0,\n(')\"/-eE"[below(11)]),
            }
        }
        if let Ok(weights) = read(&bytes) {
            accepted += 1;
            assert!((1..=MAX_WEIGHTS).contains(&weights.values.len()));
            assert!(weights.names.is_none_or(|names| names.len() == weights.values.len()));
        }
    }
    assert!(accepted > 100, "{accepted}");
}
