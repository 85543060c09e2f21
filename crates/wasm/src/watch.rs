//! The caller's function that hears how far some work is.

use std::{
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

use js_sys::Function;
use wasm_bindgen::JsValue;

use crate::fault::Fault;

/// Calls a function with the numbers of finished parts and of all parts. What it throws ends the work.
#[derive(Debug)]
pub(crate) struct Watch {
    function: Option<Function>,
    thrown: Mutex<Option<JsValue>>,
}

impl Watch {
    pub(crate) fn new(function: Option<Function>) -> Self {
        Self { function, thrown: Mutex::default() }
    }

    pub(crate) fn tell(&self, done: usize, all: usize) -> ControlFlow<()> {
        let Some(function) = &self.function else { return ControlFlow::Continue(()) };
        match function.call2(&JsValue::NULL, &(done as f64).into(), &(all as f64).into()) {
            Ok(_) => ControlFlow::Continue(()),
            Err(thrown) => {
                *self.thrown.lock().unwrap_or_else(PoisonError::into_inner) = Some(thrown);
                ControlFlow::Break(())
            }
        }
    }

    /// What the function threw, or else the fault.
    pub(crate) fn error(&self, fault: Fault) -> JsValue {
        let thrown = self.thrown.lock().unwrap_or_else(PoisonError::into_inner).take();
        thrown.unwrap_or_else(|| fault.into())
    }
}
