//! Panels in each of their forms, and a search's requests.

use std::{path::Path, sync::OnceLock};

use asanoha::{
    genome::{
        Panel,
        http::{Ask, SentKeys},
        panel::{Policy, RandomPanel, Variants, letters_at},
        protocol::{Client, Search, SearchShape, Server, Window},
    },
    ring::{Sampler, Seed},
};
use tempfile::NamedTempFile;

use crate::{Use, file};

const HAPLOTYPES: usize = 7;

/// Both sides of a search of two letters in a small ring.
struct Parties {
    panel: Panel,
    shape: SearchShape,
    client: Client,
    server: Server,
}

fn parties() -> &'static Parties {
    static PARTIES: OnceLock<Parties> = OnceLock::new();
    PARTIES.get_or_init(|| {
        let shape = SearchShape { letters: 2, haplotypes: HAPLOTYPES, candidates: 1, counts: true };
        let search = Search::insecure(shape, 64).expect("a search");
        // From a seed, so that an answer of the corpus is one to this client.
        let client = Client::with_sampler(&search, &mut Sampler::new(&Seed([7; 32])));
        let (keys, public) = client.server_keys();
        let server = Server::new(&search, keys, public).expect("the search's keys");
        Parties { panel: a_panel(), shape, client, server }
    })
}

fn a_panel() -> Panel {
    let shape = RandomPanel { haplotypes: HAPLOTYPES, sites: 9, recombination: 0.1, mutation: 0.1 };
    shape.generate(&Seed([7; 32])).expect("a panel")
}

/// The files of the targets below, with the targets' names. Queries and answers don't follow from a seed.
pub(crate) fn files() -> [(&'static str, &'static str, Vec<u8>); 6] {
    let index = NamedTempFile::new().expect("a file can be made");
    a_panel().write(index.path()).expect("an index");
    let Parties { panel, shape, client, server } = parties();
    let query = client.query(&[true, false], 0).expect("two letters");
    let window = Window::new(panel, shape, &[0]).expect("a window");
    let answer = server.answer(&window, &query).expect("a query");
    let ask = Ask { keys: [7; 32], starts: vec![3, 5], query: b"a query" };
    let keys = SentKeys { letters: 2, candidates: 1, public: b"a public key", evaluation: b"others" };
    [
        ("panel", "panel.idx", std::fs::read(index.path()).expect("an index")),
        ("haplotypes", "haplotypes.txt", a_panel().to_text().into_bytes()),
        ("query", "query", query),
        ("answer", "answer", answer),
        ("ask", "ask", ask.write()),
        ("sent_keys", "sent-keys", keys.write()),
    ]
}

/// What holds for every panel that is read: its index reads back, and its last window can be searched.
fn is_sound(panel: &Panel) {
    let index = NamedTempFile::new().expect("a file can be made");
    panel.write(index.path()).expect("an index");
    assert_eq!(&read(index.path()).expect("a panel's own index"), panel, "a panel reads back as another");
    if let Some(last) = panel.sites().checked_sub(1) {
        let shape = SearchShape { letters: 1, haplotypes: panel.haplotypes(), candidates: 1, counts: true };
        Window::new(panel, &shape, &[last]).expect("the last site is one");
        assert_eq!(panel.window_sites(0, last + 1).expect("all sites").len(), last + 1);
    }
}

fn read(path: &Path) -> Option<Panel> {
    Panel::read(path).ok()
}

/// A panel's index. The digest at its end is corrected first, as an attacker would do.
pub fn panel(bytes: &[u8]) -> Option<Use> {
    let mut bytes = bytes.to_vec();
    if let Some(body) = bytes.len().checked_sub(blake3::OUT_LEN) {
        let digest = blake3::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(digest.as_bytes());
    }
    let panel = read(file(&bytes).path())?;
    Some(Box::new(move || is_sound(&panel)))
}

/// A panel as lines of 0 and 1.
pub fn haplotypes(bytes: &[u8]) -> Option<Use> {
    let panel = Panel::from_text(std::str::from_utf8(bytes).ok()?).ok()?;
    Some(Box::new(move || {
        let again = Panel::from_text(&panel.to_text()).expect("a panel's own text");
        assert_eq!(again, panel, "a panel reads back as another");
        is_sound(&panel);
    }))
}

/// A panel as VCF. Compressed files and BCF are left out: the library that reads BCF panics at damaged records, which is caught and
/// is an error, but cargo-fuzz stops there.
pub fn variants(bytes: &[u8]) -> Option<Use> {
    if !bytes.starts_with(b"##fileformat=VCF") {
        return None;
    }
    let file = file(bytes);
    let refused = Variants::read(file.path(), Policy::Refuse);
    let Ok(Variants { panel, samples, skipped, .. }) = Variants::read(file.path(), Policy::Skip) else {
        assert!(refused.is_err(), "skipping nothing is refused");
        return None;
    };
    Some(Box::new(move || {
        assert!((samples.len()..=2 * samples.len()).contains(&panel.haplotypes()));
        assert_eq!(refused.is_ok_and(|variants| variants.panel == panel), skipped == 0);
        is_sound(&panel);
        // The letters of a query, out of the same file.
        let sites = panel.window_sites(0, panel.sites()).expect("all sites");
        let _ = letters_at(file.path(), panel.chromosome(), &sites);
    }))
}

/// A query's message, which a server answers.
pub fn query(bytes: &[u8]) -> Option<Use> {
    let Parties { panel, shape, client, server } = parties();
    let window = Window::new(panel, shape, &[0]).expect("a window");
    let answer = server.answer(&window, bytes).ok()?;
    // Of letters that are no bits, or of too much noise, the numbers are random.
    Some(Box::new(move || {
        if let Ok(answer) = client.answer(&answer) {
            assert!(answer.length <= shape.letters);
        }
    }))
}

/// A server's answer.
pub fn answer(bytes: &[u8]) -> Option<Use> {
    let Parties { shape, client, .. } = parties();
    let answer = client.answer(bytes).ok()?;
    Some(Box::new(move || assert!(answer.length <= shape.letters)))
}

/// A query as it's sent.
pub fn ask(bytes: &[u8]) -> Option<Use> {
    let written = Ask::read(bytes).ok()?.write();
    let bytes = bytes.to_vec();
    Some(Box::new(move || assert_eq!(written, bytes, "a request reads back as another")))
}

/// Keys as they're sent.
pub fn sent_keys(bytes: &[u8]) -> Option<Use> {
    let written = SentKeys::read(bytes).ok()?.write();
    let bytes = bytes.to_vec();
    Some(Box::new(move || assert_eq!(written, bytes, "a request reads back as another")))
}
