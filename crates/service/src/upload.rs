//! Uploads: files that arrive in pieces, over several connections if need be.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    ClientName, ContentKind, ContentView, Digest, FaultPoint, RequestError, StoreError, UploadId,
    contents::{check, content_view, use_content},
    metrics::add,
    names::random,
    private_files::private_options,
    state::{
        PartialUpload, State, StoreCore,
        batch::{Batch, Table},
        folder::remove,
        records::{ContentName, ContentRecord, UploadRecord},
    },
};

/// The bytes that are read at a time to compute a digest.
const PIECE: usize = 1 << 18;

/// What a client is about to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// What it is.
    pub kind: ContentKind,
    /// The digest of the plan that it's for: of a plan for several numbers of rows, that one's.
    pub plan: Digest,
    /// The BLAKE3 digest of the file's bytes.
    pub digest: Digest,
    /// The file's length.
    pub bytes: u64,
}

/// An upload that isn't complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadView {
    /// Names it.
    pub id: UploadId,
    /// The bytes that are stored: the next ones begin here.
    pub stored_bytes: u64,
    /// The bytes that were announced.
    pub bytes: u64,
}

/// How an announcement is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Begun {
    /// The file is there already.
    Complete(ContentView),
    /// The file is to be sent, from the stored bytes on.
    Upload(UploadView),
}

/// Begins an upload, or finds the one that was begun before with the same announcement. Its bytes are reserved.
pub(crate) fn begin_upload(
    core: &StoreCore,
    client: &ClientName,
    announced: &Announcement,
) -> Result<Begun, RequestError> {
    let &Announcement { kind, plan, digest, bytes } = announced;
    core.plan(&plan)?;
    let limit = match kind {
        ContentKind::Keys => core.limits.key_bytes,
        ContentKind::Inputs => core.limits.input_bytes,
    };
    if bytes > limit {
        return Err(RequestError::TooLarge { kind, bytes, limit });
    }
    if bytes == 0 {
        return Err(RequestError::Empty(kind));
    }
    let begun = core.clock.now_s();
    let record = UploadRecord { client: client.clone(), kind, plan, digest, bytes, begun };
    let name = record.name();
    let mut state = core.lock();
    if let Some(record) = state.journal.get(Table::Contents, &name)? {
        return find_complete(core, &mut state, &name, record).map(Begun::Complete);
    }
    let found = state.uploads.iter().find(|(_, upload)| upload.record.name() == name);
    if let Some((&id, upload)) = found {
        if upload.record.bytes == bytes {
            return Ok(Begun::Upload(upload_view(core, id, upload)));
        }
        // One of the two lengths is wrong.
        if upload.is_busy {
            return Err(RequestError::UploadBusy(id));
        }
        discard(core, &mut state, &id)?;
    }
    let own = state.usages.of(client);
    let limit = core.limits.client_uploads;
    if own.uploads >= limit {
        return Err(RequestError::TooManyUploads { limit });
    }
    let limit = core.limits.client_files;
    if own.uploads + own.contents >= limit {
        return Err(RequestError::TooManyFiles { limit });
    }
    core.check_space(&state, client, bytes)?;
    let id = UploadId::from(random());
    core.commit(&mut state, &Batch::default().put(Table::Uploads, &id, &record))?;
    state.usages.change(client, |usage| usage.add_upload(&record));
    let upload = PartialUpload { record, stored: None, is_busy: false };
    let view = upload_view(core, id, &upload);
    state.uploads.insert(id, upload);
    Ok(Begun::Upload(view))
}

/// A file that is complete, and used now.
fn find_complete(
    core: &StoreCore,
    state: &mut State,
    name: &ContentName,
    mut record: ContentRecord,
) -> Result<ContentView, RequestError> {
    let batch = use_content(core, Batch::default(), name, &mut record);
    core.commit(state, &batch)?;
    Ok(content_view(core, name, &record))
}

fn upload_view(core: &StoreCore, id: UploadId, upload: &PartialUpload) -> UploadView {
    let on_disk = || fs::metadata(core.folder.upload(&id.to_string())).map_or(0, |metadata| metadata.len());
    let stored_bytes = upload.stored.as_ref().map_or_else(on_disk, |(stored, _)| *stored);
    UploadView { id, stored_bytes, bytes: upload.record.bytes }
}

/// How far an upload is.
pub(crate) fn upload(
    core: &StoreCore,
    client: &ClientName,
    id: UploadId,
) -> Result<UploadView, RequestError> {
    let state = core.lock();
    state.idle_upload(client, id).map(|upload| upload_view(core, id, upload))
}

/// Removes an upload that isn't complete.
pub(crate) fn abandon_upload(
    core: &StoreCore,
    client: &ClientName,
    id: UploadId,
) -> Result<(), RequestError> {
    let mut state = core.lock();
    state.idle_upload(client, id)?;
    discard(core, &mut state, &id)
}

fn discard(core: &StoreCore, state: &mut State, id: &UploadId) -> Result<(), RequestError> {
    core.commit(state, &Batch::default().remove(Table::Uploads, id))?;
    state.forget_upload(id);
    let _ = remove(&core.folder.upload(&id.to_string()));
    Ok(())
}

/// Goes on with an upload from the bytes that are stored. One request at a time sends to it.
pub(crate) fn resume_upload(
    core: &Arc<StoreCore>,
    client: &ClientName,
    id: UploadId,
    offset: u64,
) -> Result<Upload, RequestError> {
    let mut state = core.lock();
    let upload = state.idle_upload(client, id)?;
    let path = core.folder.upload(&id.to_string());
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = private_options(&mut options).open(&path).map_err(|error| StoreError::io(&path, error))?;
    let record = upload.record.clone();
    let mut upload = Upload {
        core: Arc::clone(core),
        id,
        record,
        file,
        stored: 0,
        hasher: Box::default(),
        is_over: false,
    };
    let partial = state.uploads.get_mut(&id).expect("found before");
    partial.is_busy = true;
    let known = partial.stored.take();
    drop(state);
    match known {
        Some((stored, hasher)) => (upload.stored, upload.hasher) = (stored, hasher),
        None => upload.read_stored().map_err(|error| StoreError::io(&path, error))?,
    }
    upload.rewind().map_err(|error| StoreError::io(&path, error))?;
    if offset == upload.stored {
        Ok(upload)
    } else {
        Err(RequestError::Offset { upload: id, stored: upload.stored, offset })
    }
}

/// An upload to which one request sends. What was written stays when it's dropped, so that another request can go on; it goes
/// when it expires, or is found to be something else than was announced.
#[derive(Debug)]
pub struct Upload {
    core: Arc<StoreCore>,
    id: UploadId,
    record: UploadRecord,
    file: File,
    stored: u64,
    hasher: Box<blake3::Hasher>,
    /// Whether it's complete or removed.
    is_over: bool,
}

impl Upload {
    /// The bytes that are stored.
    pub fn stored_bytes(&self) -> u64 {
        self.stored
    }

    /// The bytes that are still to come.
    pub fn missing_bytes(&self) -> u64 {
        self.record.bytes - self.stored
    }

    fn io(&self, error: io::Error) -> StoreError {
        add(&self.core.metrics.store_errors, 1);
        StoreError::io(&self.core.folder.upload(&self.id.to_string()), error)
    }

    /// Computes the digest of what an earlier process stored.
    fn read_stored(&mut self) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        loop {
            let count = self.file.read(&mut piece)?;
            if count == 0 {
                break;
            }
            self.hasher.update(&piece[..count]);
            self.stored += count as u64;
        }
        if self.stored > self.record.bytes {
            (self.stored, self.hasher) = (0, Box::default());
        }
        Ok(())
    }

    /// Drops what was written beyond the stored bytes.
    fn rewind(&mut self) -> io::Result<()> {
        self.file.set_len(self.stored)?;
        self.file.seek(SeekFrom::Start(self.stored)).map(drop)
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// [`RequestError::TooLong`] for bytes beyond those that were announced, of which none is stored; what the disk says. The upload
    /// can go on after both.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), RequestError> {
        if bytes.len() as u64 > self.missing_bytes() {
            return Err(RequestError::TooLong { upload: self.id, bytes: self.record.bytes });
        }
        let written = self.core.faults.at(FaultPoint::Write).and_then(|()| self.file.write_all(bytes));
        if let Err(error) = written {
            // If it can't be rewound, the next request does that.
            let _ = self.rewind();
            return Err(self.io(error).into());
        }
        self.hasher.update(bytes);
        self.stored += bytes.len() as u64;
        add(&self.core.metrics.uploaded_bytes, bytes.len() as u64);
        Ok(())
    }

    /// Checks the whole file and keeps it: it's on the disk when this returns.
    ///
    /// # Errors
    /// [`RequestError::Incomplete`], after which the upload can go on; [`RequestError::OtherDigest`] and
    /// [`RequestError::Unusable`], after which it's removed; what the disk says, after which it can be completed again.
    pub fn complete(mut self) -> Result<ContentView, RequestError> {
        let UploadRecord { kind, plan, digest, bytes, .. } = self.record;
        if self.stored < bytes {
            return Err(RequestError::Incomplete { upload: self.id, stored: self.stored, bytes });
        }
        let found = Digest::from(self.hasher.finalize());
        if found != digest {
            self.remove();
            return Err(RequestError::OtherDigest { announced: digest, found });
        }
        let core = Arc::clone(&self.core);
        let path = core.folder.upload(&self.id.to_string());
        let plan = core.plan(&plan)?;
        let checked = match check(kind, (plan, core.plans.security()), &path) {
            Ok(checked) => checked,
            Err(problem) => {
                self.remove();
                return Err(RequestError::Unusable { kind, problem });
            }
        };
        let synced = core.faults.at(FaultPoint::Sync).and_then(|()| self.file.sync_all());
        synced.map_err(|error| self.io(error))?;

        let blob = self.id.to_string();
        let record = ContentRecord {
            blob: blob.clone(),
            bytes,
            key: checked.key,
            memory_bytes: checked.memory_bytes,
            used: core.clock.now_s(),
        };
        let name = self.record.name();
        let view = content_view(&core, &name, &record);
        let mut state = core.lock();
        let moved = core.faults.at(FaultPoint::Move).and_then(|()| core.folder.complete(&path, &blob));
        moved.map_err(|error| self.io(error))?;
        let batch = Batch::default().remove(Table::Uploads, &self.id).put_new_content(&name, &record);
        if let Err(error) = core.commit(&mut state, &batch) {
            let _ = core.folder.reopen(&blob);
            drop(state);
            return Err(error.into());
        }
        state.forget_upload(&self.id);
        state.usages.change(&name.client, |usage| usage.add_content(&record));
        self.is_over = true;
        drop(state);
        Ok(view)
    }

    /// Removes the upload, which isn't what was announced.
    fn remove(&mut self) {
        let core = Arc::clone(&self.core);
        self.is_over = discard(&core, &mut core.lock(), &self.id).is_ok();
    }
}

/// As [`Upload::write`], for what copies bytes.
impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match Self::write(self, bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(RequestError::Store(error @ StoreError::Full { .. })) => {
                Err(io::Error::new(io::ErrorKind::StorageFull, error.for_clients()))
            }
            Err(error) => Err(io::Error::other(error.for_client())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if let Some(upload) = self.core.lock().uploads.get_mut(&self.id) {
            upload.is_busy = false;
            upload.stored = Some((self.stored, std::mem::take(&mut self.hasher)));
        }
    }
}
