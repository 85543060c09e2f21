//! What searches of several back-ends share.

use std::any::Any;

/// What the searches of a group of back-ends share: a value of a type that they agree on.
#[derive(Default)]
pub struct Shared(Option<Box<dyn Any + Send>>);

impl Shared {
    /// The value, made now if there is none of this type.
    pub fn get<T: Any + Default + Send>(&mut self) -> &mut T {
        if !self.0.as_ref().is_some_and(|value| value.is::<T>()) {
            self.0 = Some(Box::new(T::default()));
        }
        self.0.as_mut().and_then(|value| value.downcast_mut()).expect("of this type")
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Shared").field(&self.0.is_some()).finish()
    }
}
