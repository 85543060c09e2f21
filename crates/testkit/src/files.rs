//! Files taken apart and put together again with a right digest: what somebody who means harm does to them.

use std::path::Path;

use serde_json::{Map, Value};

const METADATA: &str = "__metadata__";
const NO_DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// An asanoha file, taken apart.
#[derive(Clone, Debug)]
pub struct OpenFile {
    /// What stands in `__metadata__`, the digest left out.
    pub metadata: Map<String, Value>,
    /// The tensors' descriptions.
    pub tensors: Map<String, Value>,
    /// The bytes after the header.
    pub body: Vec<u8>,
}

impl OpenFile {
    /// Takes a file apart.
    ///
    /// # Panics
    /// If it isn't one of ours.
    pub fn read(path: &Path) -> Self {
        Self::parse(&std::fs::read(path).expect("the file is there")).expect("one of our files")
    }

    /// Takes the bytes of a file apart; none where they aren't one of ours.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let length = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?) as usize;
        let end = length.checked_add(8)?;
        let mut tensors: Map<String, Value> = serde_json::from_slice(bytes.get(8..end)?).ok()?;
        let Some(Value::Object(mut metadata)) = tensors.remove(METADATA) else { return None };
        metadata.remove("digest");
        Some(Self { metadata, tensors, body: bytes[end..].to_vec() })
    }

    /// What the kind of file adds to the header; null where there is nothing.
    pub fn fields(&self) -> Value {
        let text = self.metadata.get("fields").and_then(Value::as_str);
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Replaces what the kind of file adds to the header.
    pub fn set_fields(&mut self, fields: &Value) {
        self.metadata.insert("fields".into(), fields.to_string().into());
    }

    /// The whole file, with the digest of what it now holds.
    pub fn sealed(&self) -> Vec<u8> {
        let mut header = format!("{{\"{METADATA}\":{{\"digest\":\"{NO_DIGEST}\"");
        let start = header.len() - NO_DIGEST.len() - 1;
        let entry = |(name, value): (&String, &Value)| format!(",{}:{value}", Value::from(name.as_str()));
        header.extend(self.metadata.iter().map(entry));
        header.push('}');
        header.extend(self.tensors.iter().map(entry));
        header.push('}');
        while !header.len().is_multiple_of(8) {
            header.push(' ');
        }
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(&self.body);
        let digest = blake3::hash(&bytes).to_hex();
        bytes[8 + start..][..NO_DIGEST.len()].copy_from_slice(digest.as_bytes());
        bytes
    }

    /// Writes the file with the digest of what it now holds.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn seal(&self, path: &Path) {
        std::fs::write(path, self.sealed()).expect("the file can be written");
    }
}
