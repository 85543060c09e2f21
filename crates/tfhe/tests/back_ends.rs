//! Every back-end gives the same bits.

use crate::common::tiny;

// Not every helper is for this file.
#[allow(dead_code)]
use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_tfhe::{ClientKey, GadgetLiteral, TfheLiteral};

#[test]
fn keys_and_results_of_one_seed_have_the_same_bits_on_every_back_end() {
    let two_digits = GadgetLiteral { digit_bits: 10, levels: 2 };
    for literal in [tiny(3), TfheLiteral { rank: 2, bootstrap: two_digits, ..tiny(3) }] {
        let masks = Backend::available().into_iter().map(|backend| {
            let params = literal.clone().check(backend).unwrap();
            let mut sampler = Sampler::new(&Seed([5; 32]));
            let client = ClientKey::generate(&params, &mut sampler);
            let server = client.server_key(&mut sampler);
            let table = params.table(|x| (3 * x + 1) % params.messages()).unwrap();
            let numbers: Vec<_> =
                (0..params.messages()).map(|x| client.encrypt(x, &mut sampler).unwrap()).collect();
            let jobs: Vec<_> = numbers.iter().map(|number| (&table, number)).collect();
            let results = server.apply_many(&jobs).unwrap();
            results.iter().flat_map(|result| result.mask().to_vec()).collect::<Vec<_>>()
        });
        let masks: Vec<_> = masks.collect();
        assert!(masks.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
