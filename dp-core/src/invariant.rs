//! Parts of a measurement whose types may not turn into others by subtyping.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

/// A value of type `T`, in a wrapper that does not turn into one of a supertype of `T`.
///
/// A measurement that was calibrated for the constants of one type must not draw by the methods of
/// another. By itself `Ask<for<'a> fn(&'a u8)>` turns into `Ask<fn(&'static u8)>`, and each of the
/// two may implement the same trait, with a truth of its own.
///
/// ```compile_fail,E0308
/// use dp_core::Invariant;
///
/// struct Ask<F>(F);
///
/// fn of_another(ask: Invariant<Ask<for<'a> fn(&'a u8)>>) -> Invariant<Ask<fn(&'static u8)>> {
///     ask
/// }
/// ```
///
/// ```
/// use dp_core::Invariant;
///
/// let ask = Invariant::new("who?");
/// assert_eq!((ask.len(), ask.get()), (4, &"who?"));
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Invariant<T> {
    value: T,
    mark: PhantomData<fn(T) -> T>,
}

impl<T> Invariant<T> {
    /// Fixes the type of a value.
    pub const fn new(value: T) -> Self {
        Self { value, mark: PhantomData }
    }

    /// The value.
    pub const fn get(&self) -> &T {
        &self.value
    }
}

impl<T> Deref for Invariant<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// That of the value.
impl<T: fmt::Debug> fmt::Debug for Invariant<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
