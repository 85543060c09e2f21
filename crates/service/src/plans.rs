//! The plans that a service evaluates.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use asanoha_kernels::Backend;
use asanoha_runtime::plan::{Plan, PlanError, SecurityCheck};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Digest;

/// Why a folder of plans can't be served.
#[derive(Debug, Error)]
pub enum PlansError {
    /// The folder can't be read.
    #[error("{}: cannot be read: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The folder has no plans.
    #[error("{}: has no plans: put at least one there, under a name that ends in .json", .0.display())]
    Empty(PathBuf),
    /// More plans than are served.
    #[error("{}: has more than {} plans: serve fewer", .0.display(), Plans::MOST)]
    TooMany(PathBuf),
    /// A file that isn't a plan which can be served.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Two files with the same plan.
    #[error("{}: is the same plan as {}: remove one of them", second.display(), first.display())]
    Twice {
        /// A file.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
}

/// A plan that is served, as clients choose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanView {
    /// Its digest.
    pub digest: Digest,
    /// The name of its file without `.json`; none if it was read from no file.
    pub name: Option<String>,
    /// The scheme that evaluates it.
    pub scheme: String,
    /// The length of its file as clients get it.
    pub bytes: u64,
}

#[derive(Clone, Debug)]
struct Served {
    plan: Arc<Plan>,
    view: PlanView,
}

impl Served {
    fn new(plan: Plan, name: Option<String>) -> Self {
        let digest = digest_of(&plan);
        let (scheme, bytes) = (plan.params.scheme().to_string(), plan.to_json().len() as u64);
        Self { plan: Arc::new(plan), view: PlanView { digest, name, scheme, bytes } }
    }
}

/// The plans that a service evaluates, by digest. Its clients may list them.
#[derive(Clone, Debug)]
pub struct Plans {
    plans: BTreeMap<Digest, Served>,
    security: SecurityCheck,
}

impl Plans {
    /// The most plans that are served.
    pub const MOST: usize = 1024;

    /// Reads every plan of a folder: the files whose names end in `.json`. With [`SecurityCheck::Waived`], plans, keys and inputs
    /// that aren't secure are taken too: for tests only.
    ///
    /// # Errors
    /// A file that can't be read or isn't a plan, two files of one plan, and no plan at all. Messages name the file.
    pub fn read(folder: &Path, security: SecurityCheck, backend: Backend) -> Result<Self, PlansError> {
        let unreadable = |error| PlansError::Folder { folder: folder.to_owned(), error };
        let entries = fs::read_dir(folder).map_err(unreadable)?;
        let files: io::Result<Vec<PathBuf>> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
        let mut files = files.map_err(unreadable)?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        if files.is_empty() {
            return Err(PlansError::Empty(folder.to_owned()));
        }
        if files.len() > Self::MOST {
            return Err(PlansError::TooMany(folder.to_owned()));
        }
        let mut found: BTreeMap<Digest, &PathBuf> = BTreeMap::new();
        let mut plans = BTreeMap::new();
        for path in &files {
            let plan = Plan::read(path, security, backend)?;
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            let served = Served::new(plan, name);
            let digest = served.view.digest;
            if let Some(first) = found.insert(digest, path) {
                return Err(PlansError::Twice { first: first.clone(), second: path.clone() });
            }
            plans.insert(digest, served);
        }
        Ok(Self { plans, security })
    }

    /// Serves plans that are in memory. Of the same plan the last one is taken.
    pub fn of(plans: impl IntoIterator<Item = Plan>, security: SecurityCheck) -> Self {
        let served = plans.into_iter().map(|plan| Served::new(plan, None));
        Self { plans: served.map(|served| (served.view.digest, served)).collect(), security }
    }

    /// The plan of a digest.
    pub fn get(&self, digest: &Digest) -> Option<&Arc<Plan>> {
        self.plans.get(digest).map(|served| &served.plan)
    }

    /// Returns what clients choose a plan by, in the order of names and digests.
    pub fn list(&self) -> Vec<PlanView> {
        let mut list: Vec<PlanView> = self.plans.values().map(|served| served.view.clone()).collect();
        list.sort_by(|one, other| (&one.name, one.digest).cmp(&(&other.name, other.digest)));
        list
    }

    /// The digests of all plans, for the operator.
    pub fn digests(&self) -> impl ExactSizeIterator<Item = Digest> + '_ {
        self.plans.keys().copied()
    }

    /// Whether keys and inputs that aren't secure are refused.
    pub fn security(&self) -> SecurityCheck {
        self.security
    }
}

fn digest_of(plan: &Plan) -> Digest {
    plan.digest().parse().expect("plans have BLAKE3 digests")
}
