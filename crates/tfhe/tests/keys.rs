//! Whose a ciphertext is, and what one seed may be used for.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_tfhe::{Bootstrapper, ClientKey, TfheError};

use crate::common::{keys, sampler, tiny};

#[test]
fn nothing_is_done_with_another_key() {
    let params = tiny(3).check(Backend::detect().unwrap()).unwrap();
    let ((client, server), (other, _)) = (keys(&params, 1), keys(&params, 2));
    let mut sampler = sampler(3);
    let mine = client.encrypt_up_to(1, 3, &mut sampler).unwrap();
    let foreign = other.encrypt_up_to(1, 1, &mut sampler).unwrap();
    let refused = TfheError::OtherKey { found: other.id(), expected: client.id() };
    let table = params.table(|x| x).unwrap();
    assert_eq!(mine.add(&foreign).unwrap_err(), refused);
    assert_eq!(client.decrypt(&foreign).unwrap_err(), refused);
    assert_eq!(client.noise(&foreign, 1).unwrap_err(), refused);
    assert_eq!(server.apply(&table, &foreign).unwrap_err(), refused);
    assert_eq!(server.apply_many(&[(&table, &mine), (&table, &foreign)]).unwrap_err(), refused);
    assert_eq!(server.apply_two(|a, b| a & b, &foreign, &foreign).unwrap_err(), refused);
    let [bit, stranger] = [&client, &other].map(|key| key.encrypt_bit(true, &mut sampler).unwrap());
    assert!(matches!(server.and(&bit, &stranger).unwrap_err(), TfheError::OtherKey { .. }));
    assert_eq!(client.decrypt_bit(&stranger).unwrap_err(), refused);
    // Constants belong to the server's key too, and so does everything that's made of them.
    let sum = server.trivial(2).unwrap().add(&mine).unwrap();
    assert_eq!(sum.key_id(), client.id());
    assert_eq!(client.decrypt(&server.apply(&table, &sum).unwrap()), Ok(3));
    assert_eq!(server.trivial(2).unwrap().add(&foreign).unwrap_err(), refused);
}

#[test]
fn keys_from_a_given_seed_say_so() {
    let params = tiny(3).check(Backend::detect().unwrap()).unwrap();
    assert!(keys(&params, 1).0.id().is_seeded());
    let (client, again) = (keys(&params, 1).0.id(), keys(&params, 1).0.id());
    assert_eq!(client, again);
    assert!(!ClientKey::generate(&params, &mut Sampler::from_os()).id().is_seeded());
}

#[test]
fn keys_of_other_parameters_differ_in_their_identifier_even_from_one_seed() {
    let backend = Backend::detect().unwrap();
    let [three, four] = [3, 4].map(|bits| keys(&tiny(bits).check(backend).unwrap(), 1).0.id());
    assert_ne!(three, four);
}

#[test]
fn one_seed_never_masks_two_messages_alike() {
    let params = tiny(3).check(Backend::detect().unwrap()).unwrap();
    let (client, _) = keys(&params, 1);
    let (other, _) = keys(&params, 2);
    let encrypt = |key: &ClientKey, number| {
        key.encrypt(number, &mut Sampler::new(&Seed([9; 32]))).unwrap().mask().to_vec()
    };
    let mut masks: Vec<_> = (0..8).map(|number| encrypt(&client, number)).collect();
    masks.push(encrypt(&other, 0));
    for (i, mask) in masks.iter().enumerate() {
        assert!(masks[..i].iter().all(|earlier| earlier.iter().zip(mask).all(|(a, b)| a != b)));
    }
    assert_eq!(encrypt(&client, 5), masks[5]);
}
