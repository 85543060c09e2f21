//! The corpus, and what is done to it.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
};

use asanoha_testkit::OpenFile;
use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};

/// The folder of a target's corpus.
fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// The files of a target's corpus, by name.
pub(crate) fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// One change. Places are drawn before the length is known.
#[derive(Clone, Debug)]
pub(crate) enum Mutation {
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, u16),
    Copy(Index, Index, u16),
    /// The rest is cut off.
    Truncate(Index),
    /// The rest is that of another file of the target.
    Splice(Index, Index, Index),
    /// A length, a count or another binary number of two, four or eight bytes is replaced. It is at a multiple of its size.
    Number(Index, usize, u64),
    /// A decimal number of a text is replaced.
    Decimal(Index, &'static str),
    /// A value of the JSON of a plan or of a header is replaced.
    Replace(Index, Value),
    /// A value of the JSON is left out.
    Leave(Index),
    /// A value of the JSON is given a second time, under another name.
    Double(Index),
}

fn hostile_value() -> impl Strategy<Value = Value> {
    let fixed = vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(3),
        json!(0.5),
        json!(-0.0),
        json!(1e308),
        json!(5e-324),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1u64 << 60),
        json!([]),
        json!({}),
        json!(""),
        json!("0"),
        json!("-1"),
        json!("1/0"),
        json!("1e400"),
        json!("0x0"),
        json!("\u{0}"),
        json!("x"),
        json!([1.0, -900]),
        json!([[1, [0]], [1, [1]]]),
        json!("y = x"),
        json!("y = x ** 1024"),
        json!("y = sum(x) * sum(x) * sum(x) * sum(x) * sum(x) * sum(x)"),
    ];
    prop_oneof![
        4 => prop::sample::select(fixed),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(|x| json!(x)),
        1 => "[a-z0-9_.:/*+=()-]{0,12}".prop_map(Value::from),
    ]
}

fn extreme_number() -> impl Strategy<Value = u64> {
    let fixed = vec![
        0,
        1,
        2,
        7,
        1 << 15,
        u64::from(u16::MAX),
        1 << 31,
        u64::from(u32::MAX),
        1 << 32,
        1 << 40,
        1 << 59,
        1 << 62,
        1 << 63,
        u64::MAX / 8,
        u64::MAX - 7,
        u64::MAX,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
        1f64.to_bits(),
    ];
    prop_oneof![4 => prop::sample::select(fixed), 1 => any::<u64>()]
}

fn extreme_decimal() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "-1",
        "0",
        "00",
        "1.5",
        "1e308",
        "1e-308",
        "1e999999999",
        "4294967296",
        "9223372036854775808",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "nan",
    ])
}

/// A few changes, one after another.
pub(crate) fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let at = any::<Index>;
    let mutation = prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, mask)| Mutation::Flip(at, mask.max(1))),
        1 => at().prop_map(Mutation::Truncate),
        1 => (at(), at(), at()).prop_map(|(other, from, to)| Mutation::Splice(other, from, to)),
        3 => (at(), 1..4u32, extreme_number()).prop_map(|(at, log2, number)| Mutation::Number(at, 1 << log2, number)),
        2 => (at(), extreme_decimal()).prop_map(|(at, number)| Mutation::Decimal(at, number)),
        1 => (at(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, new)| Mutation::Insert(at, new)),
        1 => (at(), 1..64u16).prop_map(|(at, length)| Mutation::Remove(at, length)),
        1 => (at(), at(), 1..512u16).prop_map(|(from, to, length)| Mutation::Copy(from, to, length)),
        6 => (at(), hostile_value()).prop_map(|(at, value)| Mutation::Replace(at, value)),
        2 => at().prop_map(Mutation::Leave),
        1 => at().prop_map(Mutation::Double),
    ];
    prop::collection::vec(mutation, 1..4)
}

/// The files of a target, and their mutations, which follow from a seed.
pub(crate) struct Mutator {
    files: Vec<(PathBuf, Vec<u8>)>,
    runner: TestRunner,
    mutations: BoxedStrategy<Vec<Mutation>>,
}

/// The changes of a case, for messages.
pub(crate) struct Changes<'m> {
    case: usize,
    path: &'m Path,
    applied: Vec<Mutation>,
}

impl fmt::Display for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "case {}, {}: {:?}", self.case, self.path.display(), self.applied)
    }
}

impl Mutator {
    pub(crate) fn new(target: &str, seed: u8) -> Self {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        let runner = TestRunner::new_with_rng(Config::default(), rng);
        Self { files: corpus(target), runner, mutations: mutations().boxed() }
    }

    /// The bytes of the next file after some changes, and these.
    pub(crate) fn next(&mut self, case: usize) -> (Vec<u8>, Changes<'_>) {
        let changes = self.mutations.new_tree(&mut self.runner).expect("a mutation").current();
        let (path, original) = &self.files[case % self.files.len()];
        let bytes = changes.iter().fold(original.clone(), |bytes, change| apply(bytes, change, &self.files));
        (bytes, Changes { case, path, applied: changes })
    }
}

/// The place of the decimal number that a place is at or before; `None` if there's none after it.
fn decimal(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let from = at + bytes[at..].iter().position(is_digit)?;
    let length = bytes[from..].iter().take_while(|byte| is_digit(byte)).count();
    Some(from..from + length)
}

fn apply(mut bytes: Vec<u8>, mutation: &Mutation, files: &[(PathBuf, Vec<u8>)]) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let length = bytes.len();
    let end = |from: usize, by: u16| (from + usize::from(by)).min(length);
    match mutation {
        Mutation::Flip(at, mask) => *at.get_mut(&mut bytes) ^= mask,
        Mutation::Insert(at, new) => {
            let at = at.index(length);
            bytes.splice(at..at, new.iter().copied());
        }
        Mutation::Remove(at, by) => {
            let from = at.index(length);
            bytes.drain(from..end(from, *by));
        }
        Mutation::Copy(from, to, by) => {
            let (from, to) = (from.index(length), to.index(length));
            let piece = bytes[from..end(from, *by)].to_vec();
            bytes.splice(to..to, piece);
        }
        Mutation::Truncate(at) => bytes.truncate(at.index(length)),
        Mutation::Splice(other, from, to) => {
            let (_, other) = &files[other.index(files.len())];
            bytes.truncate(to.index(length));
            bytes.extend(other.iter().skip(from.index(other.len().max(1))));
        }
        Mutation::Number(at, size, number) => {
            let from = at.index(length) / size * size;
            let to = (from + size).min(length);
            bytes[from..to].copy_from_slice(&number.to_le_bytes()[..to - from]);
        }
        Mutation::Decimal(at, number) => {
            if let Some(place) = decimal(&bytes, at.index(length)) {
                bytes.splice(place, number.bytes());
            }
        }
        Mutation::Replace(at, value) => return edited(bytes, *at, &|place| *place = Some(value.clone())),
        Mutation::Leave(at) => return edited(bytes, *at, &|place| *place = None),
        Mutation::Double(at) => {
            return edited(bytes, *at, &|place| *place = Some(json!([place.clone(), place.clone()])));
        }
    }
    bytes
}

/// What is done to a value of JSON: none stands for leaving it out.
type Edit<'a> = &'a dyn Fn(&mut Option<Value>);

/// A change to one value of a plan, or of a file's header; other bytes stay as they are.
fn edited(bytes: Vec<u8>, at: Index, edit: Edit) -> Vec<u8> {
    if let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) {
        edit_one(&mut value, at, edit);
        return value.to_string().into_bytes();
    }
    let Some(mut file) = OpenFile::parse(&bytes) else { return bytes };
    let mut header = json!({ "metadata": file.metadata, "tensors": file.tensors, "fields": file.fields() });
    edit_one(&mut header, at, edit);
    let object = |value: &Value| value.as_object().cloned().unwrap_or_else(Map::new);
    file.metadata = object(&header["metadata"]);
    file.tensors = object(&header["tensors"]);
    file.set_fields(&header["fields"]);
    file.sealed()
}

fn edit_one(value: &mut Value, at: Index, edit: Edit) {
    let count = count(value);
    if count > 1 {
        edit_at(value, &mut (1 + at.index(count - 1)), edit);
    }
}

/// How many values there are in one, itself among them.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(items) => items.values().map(count).sum(),
        _ => 0,
    }
}

/// Edits the value that comes after `left` others.
fn edit_at(value: &mut Value, left: &mut usize, edit: Edit) {
    match value {
        Value::Array(items) => {
            for at in 0..items.len() {
                *left -= 1;
                if *left == 0 {
                    let mut item = Some(items[at].take());
                    edit(&mut item);
                    items.splice(at..=at, item);
                    return;
                }
                let inside = count(&items[at]) - 1;
                if *left <= inside {
                    return edit_at(&mut items[at], left, edit);
                }
                *left -= inside;
            }
        }
        Value::Object(items) => {
            let names: Vec<String> = items.keys().cloned().collect();
            for name in names {
                *left -= 1;
                if *left == 0 {
                    let mut item = items.remove(&name);
                    edit(&mut item);
                    items.extend(item.map(|item| (name, item)));
                    return;
                }
                let inside = count(&items[&name]) - 1;
                if *left <= inside {
                    return edit_at(&mut items[&name], left, edit);
                }
                *left -= inside;
            }
        }
        _ => {}
    }
}
