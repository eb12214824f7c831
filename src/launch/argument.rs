//! Arguments of launches: arrays, values, structures.

use crate::array::{Array, Untyped, ViewMut};
use crate::element::Element;
use crosslane_core::error::{Error, Result};
use crosslane_core::kernel::parameters::{HostType, Parameters};
use half::f16;
use std::marker::PhantomData;

/// One argument of a launch: memory for a binding, or a value for a `var<uniform>` or a member of the immediates.
///
/// | from | is |
/// |---|---|
/// | `&Array<T>` | memory that the kernel reads |
/// | `&mut Array<T>` | memory that it may write; arrays that share it keep their values, as with [`Array::assign`] |
/// | [`ViewMut`] (`x.slice_mut(..)`) | a part of an array that it may write, if the part is contiguous and begins at a multiple of 256 bytes in the array's memory: the strictest device's rule, applied everywhere |
/// | `f32`, `u32`, `i32`, `f16`, `f64`, `i64`, `u64`, `[f32; 2]` .. `[u32; 4]` | a value, or a vector |
/// | `&P` of [`Parameters`] | a structure for a `var<uniform>` or for all immediates, compared with WGSL's member by member; `&[[f32; 4]; 4]` a matrix |
#[derive(Clone)]
pub struct Argument<'a> {
    pub(super) kind: Kind,
    marker: PhantomData<&'a mut ()>,
}

#[derive(Clone)]
pub(super) enum Kind {
    Array(Bound),
    /// A value and its WGSL type.
    Value(Vec<u8>, &'static str),
    /// A structure or an array, and its layout in memory.
    Parameters(Vec<u8>, HostType),
    /// All immediates.
    Immediates(Vec<u8>),
    /// The error of its construction.
    Failed(Error),
}

/// An array, and how it may be used.
#[derive(Clone)]
pub(super) struct Bound {
    pub array: Untyped,
    /// The element type is compared with the kernel's.
    pub typed: bool,
    pub written: bool,
}

impl From<Kind> for Argument<'_> {
    fn from(kind: Kind) -> Self {
        Argument { kind, marker: PhantomData }
    }
}

impl Argument<'_> {
    fn array<T: Element>(array: &Array<T>, typed: bool, written: bool) -> Self {
        Kind::Array(Bound { array: array.into(), typed, written }).into()
    }

    /// The bytes of the kernel's whole `var<immediate>`, in WGSL's layout. Must be the last argument.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Argument, Array, Kernel};
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     var<immediate> value: u32;
    ///     @compute @workgroup_size(1) fn main() { x[0] = value; }
    /// ")?;
    /// # if device.caps().immediate_bytes == 0 { return Ok(()) }
    /// let mut x = Array::<u32>::zeros(device, &[1]);
    /// kernel.grid([1]).args((&mut x, Argument::immediates(&7u32.to_le_bytes()))).launch(device)?;
    /// assert_eq!(x.item()?, 7);
    /// # Ok(()) });
    /// ```
    pub fn immediates(bytes: &[u8]) -> Self {
        Kind::Immediates(bytes.to_vec()).into()
    }

    /// An array that the kernel writes in place: clones and views see the writes, and so may deferred expressions of
    /// it. For memory shared on purpose, such as counters.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Argument, Array, Kernel};
    /// let count = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> counter: atomic<u32>;
    ///     @compute @workgroup_size(64) fn main() { atomicAdd(&counter, 1u); }
    /// ")?;
    /// let counter = Array::<u32>::zeros(device, &[1]);
    /// let watched = counter.clone();
    /// count.grid([10]).args(Argument::in_place(&counter)).launch(device)?;
    /// assert_eq!(watched.item()?, 640);
    /// # Ok(()) });
    /// ```
    pub fn in_place<T: Element>(array: &Array<T>) -> Self {
        Argument::array(array, true, true)
    }

    /// Like [`Argument::in_place`], with the memory reinterpreted as the kernel's type: words as structures, or f32 as
    /// u32.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Argument, Array, Kernel};
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(1) fn main() { x[0] = 1.0; }
    /// ")?;
    /// let x = Array::<u32>::zeros(device, &[1]);
    /// kernel.grid([1]).args(Argument::bytes_of(&x)).launch(device)?;
    /// assert_eq!(x.item()?, 1.0f32.to_bits());
    /// # Ok(()) });
    /// ```
    pub fn bytes_of<T: Element>(array: &Array<T>) -> Self {
        Argument::array(array, false, true)
    }
}

impl<'a, T: Element> From<&'a Array<T>> for Argument<'a> {
    fn from(array: &Array<T>) -> Argument<'a> {
        Argument::array(array, true, false)
    }
}

impl<'a, T: Element> From<&'a mut Array<T>> for Argument<'a> {
    #[track_caller]
    fn from(array: &mut Array<T>) -> Argument<'a> {
        written(array.alone(), array)
    }
}

impl<'a, T: Element> From<ViewMut<'a, T>> for Argument<'a> {
    #[track_caller]
    fn from(view: ViewMut<'a, T>) -> Argument<'a> {
        match view.part() {
            Ok(part) => Argument::array(&part, true, true),
            Err(error) => Kind::Failed(error).into(),
        }
    }
}

/// A structure for a `var<uniform>` or for all immediates; an array of numbers for one of them.
impl<'a, P: Parameters> From<&'a P> for Argument<'a> {
    fn from(value: &P) -> Argument<'a> {
        Kind::Parameters(bytemuck::bytes_of(value).to_vec(), P::TYPE).into()
    }
}

fn written<'a, T: Element>(result: Result<()>, array: &Array<T>) -> Argument<'a> {
    match result {
        Ok(()) => Argument::array(array, true, true),
        Err(error) => Kind::Failed(error).into(),
    }
}

/// Values and vectors of them, by their WGSL types.
macro_rules! values {
    ($($ty:ty => $name:literal, $two:literal, $three:literal, $four:literal;)*) => {$(
        values!($ty => $name);
        values!([$ty; 2] => $two);
        values!([$ty; 3] => $three);
        values!([$ty; 4] => $four);
    )*};
    ($ty:ty => $name:literal) => {
        impl From<$ty> for Argument<'_> {
            fn from(value: $ty) -> Self {
                Kind::Value(bytemuck::bytes_of(&value).to_vec(), $name).into()
            }
        }
    };
}

values! {
    f32 => "f32", "vec2<f32>", "vec3<f32>", "vec4<f32>";
    i32 => "i32", "vec2<i32>", "vec3<i32>", "vec4<i32>";
    u32 => "u32", "vec2<u32>", "vec3<u32>", "vec4<u32>";
    f16 => "f16", "vec2<f16>", "vec3<f16>", "vec4<f16>";
    f64 => "f64", "vec2<f64>", "vec3<f64>", "vec4<f64>";
    i64 => "i64", "vec2<i64>", "vec3<i64>", "vec4<i64>";
    u64 => "u64", "vec2<u64>", "vec3<u64>", "vec4<u64>";
}

/// The arguments of a launch: one, a tuple of up to twelve, an array or a vector of [`Argument`]s.
pub trait Arguments<'a> {
    /// Each in its place.
    fn arguments(self) -> Vec<Argument<'a>>;
}

/// What is an argument list by itself.
macro_rules! single {
    ($([$($t:ident)?] $ty:ty;)*) => {$(
        impl<'a, $($t: Element)?> Arguments<'a> for $ty {
            #[track_caller]
            fn arguments(self) -> Vec<Argument<'a>> {
                vec![self.into()]
            }
        }
    )*};
}

single! {
    [] Argument<'a>;
    [T] &'a Array<T>;
    [T] &'a mut Array<T>;
    [T] ViewMut<'a, T>;
}

impl<'a> Arguments<'a> for Vec<Argument<'a>> {
    fn arguments(self) -> Vec<Argument<'a>> {
        self
    }
}

impl<'a> Arguments<'a> for &[Argument<'a>] {
    fn arguments(self) -> Vec<Argument<'a>> {
        self.to_vec()
    }
}

impl<'a, const N: usize> Arguments<'a> for [Argument<'a>; N] {
    fn arguments(self) -> Vec<Argument<'a>> {
        self.into()
    }
}

impl<'a> Arguments<'a> for () {
    fn arguments(self) -> Vec<Argument<'a>> {
        vec![]
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<'a, $($name: Into<Argument<'a>>),*> Arguments<'a> for ($($name,)*) {
            #[track_caller]
            fn arguments(self) -> Vec<Argument<'a>> {
                #[expect(non_snake_case, reason = "each value has the name of its type")]
                let ($($name,)*) = self;
                vec![$($name.into()),*]
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
