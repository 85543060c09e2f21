//! The routes as data: the router and the OpenAPI document are both made of them.

use std::collections::BTreeMap;

use axum::{
    Router,
    handler::Handler,
    http::Method,
    routing::{MethodFilter, MethodRouter, on},
};

/// The shape of a request's or an answer's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyType {
    /// None.
    Nothing,
    /// JSON of a schema of the document.
    Json(&'static str),
    /// Bytes.
    Bytes,
    /// Text.
    Text,
}

/// What a route does, for its readers.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) needs_token: bool,
    /// Names and descriptions of the parameters in the query and in the headers.
    pub(super) query: &'static [(&'static str, &'static str)],
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) takes: BodyType,
    /// Statuses and bodies of the answers.
    pub(super) gives: &'static [(u16, BodyType)],
    /// Statuses of its refusals, beside those of every route.
    pub(super) refuses: &'static [u16],
}

impl Operation {
    pub(super) const fn new(method: Method, path: &'static str, summary: &'static str) -> Self {
        Self {
            method,
            path,
            summary,
            needs_token: true,
            query: &[],
            headers: &[],
            takes: BodyType::Nothing,
            gives: &[(200, BodyType::Nothing)],
            refuses: &[],
        }
    }
}

/// All routes, with what they do.
#[derive(Debug)]
pub(super) struct Routes<S> {
    handlers: BTreeMap<&'static str, MethodRouter<S>>,
    operations: Vec<Operation>,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    pub(super) fn new() -> Self {
        Self { handlers: BTreeMap::new(), operations: Vec::new() }
    }

    /// Adds a route.
    pub(super) fn with<H: Handler<T, S>, T: 'static>(mut self, operation: Operation, handler: H) -> Self {
        let filter = MethodFilter::try_from(operation.method.clone()).expect("a usual method");
        let known = self.handlers.remove(operation.path).unwrap_or_default();
        self.handlers.insert(operation.path, known.merge(on(filter, handler)));
        self.operations.push(operation);
        self
    }

    /// What they do.
    pub(super) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The router.
    pub(super) fn router(self) -> Router<S> {
        self.handlers.into_iter().fold(Router::new(), |router, (path, handlers)| router.route(path, handlers))
    }
}
