//! The queries of `asanoha genome query --server`, and the folder of its keys.

use std::path::{Path, PathBuf};

use asanoha::{
    genome::{
        http::{HttpClient, KeysDigest, Remote, agreed_search},
        panel::SiteList,
        protocol::{Client, Search},
    },
    output::Unfinished,
    scheme::Scheme,
};

use super::{
    answers::Found,
    mine::{Mine, read_mine},
    records::Records,
    sites::Asked,
};
use crate::{
    args::QueryArgs,
    delivery::Delivery,
    error::Failure,
    files::{read_small, write_text},
    session::{Purpose, Session, timed},
};

/// Asks a server for each haplotype.
pub(super) fn ask(session: &Session, args: &QueryArgs, url: &str) -> Result<(Mine, Found, Records), Failure> {
    if args.records.skip_unusable && args.sites.is_none() {
        return Err(Failure::usage(
            "--skip-unusable is about the panel's records, and the server has read them: leave it out, or give the panel's sites by --sites",
        ));
    }
    let policy = args.records.policy();
    let trusted = args.sites.as_deref().map(|path| SiteList::read(path, policy)).transpose()?;
    // Keys are delivered before the answers are there.
    let _work = Unfinished::work();
    let certificate = args.certificate.as_deref().map(read_small).transpose()?;
    let http = HttpClient::new(url, certificate.as_deref())?;
    let about = http.about()?;
    let ring_degree = args.ring.ring_degree;
    if about.insecure_ring != ring_degree {
        let name =
            |ring: Option<usize>| ring.map_or("the secure one".to_owned(), |degree| degree.to_string());
        let [theirs, ours] = [about.insecure_ring, ring_degree].map(name);
        return Err(Failure::bad_input(format!(
            "{url}: the server searches in another ring ({theirs}) than this call ({ours}): give both the same --ring-degree, or none"
        )));
    }
    let sites = http.sites(args.start, args.length)?;
    // The server may have named any sites. Before the user agrees to them, nothing is read there.
    let asked = Asked::new(url, &about.chromosome, &sites);
    let is_accepted = asked.check(args, trusted.as_ref())?;
    let mine = read_mine(args, &about.chromosome, &sites)?;
    let search = agreed_search((args.length, 1), about.haplotypes, ring_degree)?;
    let place = args.keys.as_deref().map(|folder| Place::new(folder, &search));
    let (client, keygen_s) = timed(|| match &place {
        Some(place) => place.client(session, &search),
        None => Ok(Client::with_sampler(&search, &mut session.sampler(Purpose::Keys))),
    });
    let client = client?;
    if let Some(folder) = args.keys.as_deref().filter(|_| is_accepted) {
        asked.record(folder)?;
    }
    let sent = place.as_ref().and_then(|place| place.sent(&client));
    let mut remote = Remote::new(&http, &search, &client, sent);
    let (prepared, sending_s) = timed(|| remote.prepare());
    prepared?;
    let about_keys = (search.params().rlwe().security_bits(), keygen_s + sending_s);
    let found =
        Found::ask(&client, about_keys, &mine.haplotypes, |query| Ok(remote.ask(&[args.start], query)?));
    if let (Some(place), Some(sent)) = (&place, remote.sent()) {
        place.remember(&client, sent)?;
    }
    let skipped = trusted.map_or(0, |list| list.skipped());
    Ok((mine, found?, Records::of_sites(skipped)))
}

/// Where a client's keys of one search are kept: the secret key, and what the server knows the others by.
struct Place {
    folder: PathBuf,
    /// The name of the file of the secret key.
    secret: String,
    sent: PathBuf,
}

impl Place {
    fn new(folder: &Path, search: &Search) -> Self {
        let shape = search.shape();
        let name = format!("{}-letters-{}-haplotypes", shape.letters, shape.haplotypes);
        let sent = folder.join(format!("{name}.sent"));
        Self { folder: folder.to_owned(), secret: format!("{name}.secret.safetensors"), sent }
    }

    /// The client of the secret key that is there, or of a new one that is then there.
    fn client(&self, session: &Session, search: &Search) -> Result<Client, Failure> {
        let path = self.folder.join(&self.secret);
        if path.exists() {
            session.admit(&path)?;
            return Ok(Client::read_secret(search, &path)?);
        }
        let delivery = Delivery::open(&self.folder, &[&self.secret], false)?;
        let client = Client::with_sampler(search, &mut session.sampler(Purpose::Keys));
        client.write_secret(&delivery.staging_folder().join(&self.secret))?;
        delivery.close(&[&self.secret], &[])?;
        Ok(client)
    }

    /// The digest of keys of this client that were sent before, if it's known.
    fn sent(&self, client: &Client) -> Option<KeysDigest> {
        let bytes = read_small(&self.sent).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let (id, digest) = text.trim_end().split_once(' ')?;
        (id == client.key_id().to_string()).then(|| KeysDigest::parse(digest)).flatten()
    }

    fn remember(&self, client: &Client, sent: KeysDigest) -> Result<(), Failure> {
        write_text(&self.sent, &format!("{} {sent}\n", client.key_id()))
    }
}
