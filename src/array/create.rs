//! Making arrays.

use super::Array;
use super::index::position;
use crate::device::Device;
use crate::element::{DType, Element, Float, Number};
use crate::graph::{Expr, Node, Storage};
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::layout::Layout;
use crosslane_core::memory::{Memory, Place};
use crosslane_core::op::{Function, Value};
use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

/// Checks that a device can hold such an array.
pub(crate) fn check<T: Element>(operation: &'static str, device: &Device, shape: &[usize], at: CallSite) -> Result<()> {
    if let Some(feature) = device.caps().lacks(T::DTYPE) {
        let (wanted, device) = (feature.to_string(), device.properties().label());
        let help = format!("{} arrays need it; cast to another type on the host", T::DTYPE);
        return Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(at) }.into());
    }
    fits(operation, T::DTYPE, shape, at)
}

/// Checks that the elements of a shape can be counted, and their bytes too. As in NumPy an extent of 0 hides no others: shapes
/// of parts of an empty array can be counted as well.
pub(crate) fn fits(operation: &'static str, dtype: DType, shape: &[usize], at: CallSite) -> Result<()> {
    let bytes = shape.iter().try_fold(dtype.size(), |bytes, &extent| bytes.checked_mul(extent.max(1)));
    match bytes.is_some_and(|bytes| bytes <= isize::MAX as usize) {
        true => Ok(()),
        false => Err(Error::argument(operation, "shape", "fewer than 2^63 bytes", format!("{shape:?}"), at)),
    }
}

/// Checks that a device has buffers for so many elements, before they take memory of the host.
pub(crate) fn holds(operation: &'static str, device: &Device, dtype: DType, len: usize, at: CallSite) -> Result<()> {
    let (bytes, limit) = (crosslane_ops::buffer_bytes(dtype, len), device.caps().buffer_bytes);
    if bytes <= limit {
        return Ok(());
    }
    let device = device.properties().label();
    Err(ErrorKind::TooLarge { operation, bytes, limit, device, at: Some(at) }.into())
}

impl Device {
    /// An uninitialised array of `len` elements, for kernels that write all of it. The memory comes from the device's
    /// pool where possible. It returns to the pool when the array and all clones and views are dropped.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let first = device.acquire::<f32>(10_000);
    /// drop(first);
    /// let before = device.memory();
    /// let second = device.acquire::<f32>(10_000);
    /// assert_eq!(device.memory().misses, before.misses); // nothing was allocated
    /// # drop(second);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::empty`](crate::Array::empty).
    #[doc(alias = "pool")]
    #[doc(alias = "release")]
    #[doc(alias = "cudaMallocAsync")]
    #[track_caller]
    pub fn acquire<T: Element>(&self, len: usize) -> Array<T> {
        Array::empty(self, &[len])
    }
}

impl<T: Element> Array<T> {
    #[track_caller]
    fn lazy(operation: &'static str, device: &Device, shape: &[usize], expr: Expr) -> Array<T> {
        match check::<T>(operation, device, shape, Location::caller()) {
            Ok(()) => Array::of(Node::lazy(device, shape.to_vec(), T::DTYPE, expr)),
            Err(error) => Array::failed(device, error),
        }
    }

    /// An array whose elements are all `value`. Takes no memory until it is needed.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::full(device, &[2, 2], 7u32);
    /// assert_eq!(x.to_vec()?, [7; 4]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn full(device: &Device, shape: &[usize], value: T) -> Array<T> {
        Array::lazy("full", device, shape, Expr::Constant(value.scalar()))
    }

    /// An array whose elements are all `value`, in the shape and on the device of this array.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::zeros(device, &[3]);
    /// assert_eq!(x.full_like(2.5).to_vec()?, [2.5; 3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn full_like(&self, value: T) -> Array<T> {
        match self.node.error() {
            Some(error) => Array::failed(self.device(), error),
            None => Array::full(self.device(), self.shape(), value),
        }
    }

    /// Zeros (`false` for masks).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::<i32>::zeros(device, &[2]).to_vec()?, [0, 0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn zeros(device: &Device, shape: &[usize]) -> Array<T> {
        Array::full(device, shape, T::from_scalar(Value::Int(0).scalar(T::DTYPE)))
    }

    /// Zeros in this array's shape.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::ones(device, &[3]);
    /// assert_eq!(x.zeros_like().to_vec()?, [0.0; 3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn zeros_like(&self) -> Array<T> {
        self.full_like(T::from_scalar(Value::Int(0).scalar(T::DTYPE)))
    }

    /// Ones (`true` for masks).
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::<f32>::ones(device, &[2]).to_vec()?, [1.0, 1.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn ones(device: &Device, shape: &[usize]) -> Array<T> {
        Array::full(device, shape, T::from_scalar(Value::Int(1).scalar(T::DTYPE)))
    }

    /// Ones in this array's shape.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<u32>::zeros(device, &[3]);
    /// assert_eq!(x.ones_like().to_vec()?, [1; 3]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn ones_like(&self) -> Array<T> {
        self.full_like(T::from_scalar(Value::Int(1).scalar(T::DTYPE)))
    }

    /// An uninitialised array, for kernels that write all of it.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let mut x = Array::<u32>::empty(device, &[64]);
    /// let fill = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { x[i] = i; }
    /// ")?;
    /// fill.grid([1]).args(&mut x).launch(device)?;
    /// assert_eq!(x.to_vec()?[63], 63);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn empty(device: &Device, shape: &[usize]) -> Array<T> {
        let at = Location::caller();
        let zeros = Array::zeros(device, shape); // finds an error of the shape
        match zeros.node.error() {
            Some(_) => zeros,
            None => match Array::uninitialised(device, shape) {
                Ok((array, _)) => array,
                Err(error) => Array::failed(device, error.located(at)),
            },
        }
    }

    /// Memory for an array that the caller fills at once.
    #[track_caller]
    pub(crate) fn uninitialised(device: &Device, shape: &[usize]) -> Result<(Array<T>, Arc<Memory>)> {
        Array::uninitialised_for(device, shape, Location::caller())
    }

    /// As [`Array::uninitialised`], for this line of the program.
    pub(crate) fn uninitialised_for(device: &Device, shape: &[usize], at: CallSite) -> Result<(Array<T>, Arc<Memory>)> {
        let len: usize = shape.iter().product();
        let bytes = len as u64 * T::DTYPE.size() as u64;
        let memory = device.pool().take_for("array", bytes, Place::Device, at)?;
        let array = Array::over(device, memory.clone(), Layout::contiguous(shape), len);
        Ok((array, memory))
    }

    /// An array over memory with room for `len` elements.
    pub(crate) fn over(device: &Device, memory: Arc<Memory>, layout: Layout, len: usize) -> Array<T> {
        Array::of(Node::ready(device, T::DTYPE, Storage::new(memory, layout, len)))
    }
}

/// Whether indices of this many elements fit 32 bits.
fn countable(operation: &'static str, len: usize, at: CallSite) -> Result<()> {
    match len as u64 <= 1 << 32 {
        true => Ok(()),
        false => Err(Error::argument(operation, "length", "at most 2^32 elements to number", len.to_string(), at)),
    }
}

impl Array<u32> {
    /// 0, 1, 2, .. in one dimension; an error past 2^32, where numbers would come again.
    #[track_caller]
    pub(crate) fn counting(device: &Device, len: usize) -> Array<u32> {
        Array::counting_in(device, &[len])
    }

    /// The same, in row-major order.
    #[track_caller]
    pub(crate) fn counting_in(device: &Device, shape: &[usize]) -> Array<u32> {
        if let Err(error) = countable("counting", crosslane_core::layout::count(shape), Location::caller()) {
            return Array::failed(device, error);
        }
        Array::of(Node::lazy(device, shape.to_vec(), DType::U32, Expr::Index(Layout::contiguous(shape))))
    }
}

impl<T: Element> Array<T> {
    /// Ones on a diagonal, true of masks, zeros elsewhere: `rows` by `columns`, the diagonal `offset` to the right.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::<f32>::eye(device, 2, 3, 1).to_vec()?, [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    /// assert_eq!(crosslane::Array::<bool>::eye(device, 2, 2, 0).to_vec()?, [true, false, false, true]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): more than 2^32 rows or columns.
    #[track_caller]
    pub fn eye(device: &Device, rows: usize, columns: usize, offset: isize) -> Array<T> {
        let at = Location::caller();
        let countable = || countable("eye", rows.max(columns), at);
        if let Err(error) = check::<T>("eye", device, &[rows, columns], at).and_then(|()| countable()) {
            return Array::failed(device, error);
        }
        let along = |axis: usize| {
            let mut strides = vec![0, 0];
            strides[axis] = 1;
            let layout = Layout { shape: vec![rows, columns], strides, offset: 0 };
            Array::<u32>::of(Node::lazy(device, vec![rows, columns], crate::DType::U32, Expr::Index(layout)))
        };
        // Past all columns or rows there is no diagonal.
        let past = if offset < 0 { rows } else { columns };
        if offset.unsigned_abs() >= past {
            return Array::zeros(device, &[rows, columns]);
        }
        // Wrapping on both sides keeps the comparison exact for either sign.
        let shifted = along(0) + (offset as u32);
        let diagonal = shifted.equal(along(1));
        Array::of(super::elementwise::call(
            Function::Select,
            &[
                diagonal.node.clone(),
                Array::<T>::ones(device, &[rows, columns]).into_node(),
                Array::<T>::zeros(device, &[rows, columns]).into_node(),
            ],
            at,
        ))
    }
}

impl<T: Number> Array<T> {
    /// The values `start`, `start + step`, .. before `stop`: NumPy's `arange`. Takes no memory until needed.
    ///
    /// Float elements are `start + i * step` in the type's own precision.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::arange(device, 1.0f32, 3.0, 0.5).to_vec()?, [1.0, 1.5, 2.0, 2.5]);
    /// assert_eq!(crosslane::Array::arange(device, 5, 0, -2).to_vec()?, [5, 3, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// An array of 2^32 elements or more is computed into memory where it is used, and not inside the kernel that uses it.
    ///
    /// Errors (kept in the array): a step of zero; more elements than 2^42.
    #[track_caller]
    pub fn arange(device: &Device, start: T, stop: T, step: T) -> Array<T> {
        let at = Location::caller();
        if Value::of(step.scalar()).float() == 0.0 {
            return Array::failed(
                device,
                Error::argument("arange", "step", "a step other than 0", format!("{step:?}"), at),
            );
        }
        let Some(count) = steps(start, stop, step) else {
            let [from, to, by] = [start, stop, step].map(|x| format!("{:?}", x));
            let got = format!("{from} to {to} by {by}");
            return Array::failed(device, Error::argument("arange", "range", "fewer than 2^63 elements", got, at));
        };
        if let Err(error) = check::<T>("arange", device, &[count], at) {
            return Array::failed(device, error);
        }
        Array::in_windows("arange", device, count, MOST_IN_ONE, at, |window| match T::DTYPE {
            // f16 cannot hold indices above 65504.
            DType::F16 => along::<f32>(device, window, in_type(step), in_type(start)).cast(),
            _ => along(device, window, step, start),
        })
    }
}

impl<T: Float> Array<T> {
    /// `count` values from `start` to `stop`, both included, at equal distances.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::Array::linspace(device, 0.0f32, 1.0, 5).to_vec()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// As [`Array::arange`] past 2^32 elements. Errors (kept in the array): more elements than 2^42.
    #[track_caller]
    pub fn linspace(device: &Device, start: T, stop: T, count: usize) -> Array<T> {
        let at = Location::caller();
        if let Err(error) = check::<T>("linspace", device, &[count], at) {
            return Array::failed(device, error);
        }
        Array::in_windows("linspace", device, count, MOST_IN_ONE, at, |window| {
            let (len, last) = (window.len(), count.wrapping_sub(1).wrapping_sub(window.start));
            let line = match T::DTYPE {
                // f16 cannot hold indices above 65504.
                DType::F16 => line::<f32>(device, window, count, in_type(start), in_type(stop)).cast(),
                _ => line(device, window, count, start, stop),
            };
            // The end is exact, as in NumPy.
            match count > 1 && last < len {
                true => Array::counting(device, len).equal(last as u32).select(stop, &line),
                false => line,
            }
        })
    }
}

/// A number in another type.
fn in_type<T: Element>(x: impl Element) -> T {
    T::from_scalar(Value::of(x.scalar()).scalar(T::DTYPE))
}

/// How many of `start`, `start + step` and so on lie before `stop`: integers are counted as such. `None` for a step of
/// zero or 2^63 and more.
fn steps<T: Number>(start: T, stop: T, step: T) -> Option<usize> {
    let count = match [start, stop, step].map(|x| Value::of(x.scalar())) {
        [Value::Int(from), Value::Int(to), Value::Int(by)] => {
            let (way, pace) = (to - from, by);
            (pace != 0).then(|| (way / pace + (way % pace != 0 && (way < 0) == (pace < 0)) as i128).max(0))?
        }
        [from, to, by] => {
            let count = ((to.float() - from.float()) / by.float()).ceil();
            (by.float() != 0.0 && count.is_finite()).then(|| count.max(0.0) as i128)?
        }
    };
    (count < isize::MAX as i128).then_some(count as usize)
}

/// Elements of a window at most: fewer than indices of 32 bits could number.
const MOST_IN_ONE: usize = u32::MAX as usize - 1;

/// The indices of a window as numbers.
pub(crate) fn indices<T: Number>(device: &Device, window: &Range<usize>) -> Array<T> {
    let index = Array::counting(device, window.len()).cast::<T>();
    match window.start {
        0 => index,
        first => index + position::<T>(first),
    }
}

/// `start + i * step` for the indices of a window.
fn along<T: Number>(device: &Device, window: Range<usize>, step: T, start: T) -> Array<T> {
    let index = indices(device, &window);
    let is = |x: T, number: i128| Value::of(x.scalar()).float() == number as f64;
    let scaled = if is(step, 1) { index } else { index * step };
    if is(start, 0) { scaled } else { scaled + start }
}

/// A window of this many values from `start` to `stop`, at equal steps.
fn line<T: Float>(device: &Device, window: Range<usize>, count: usize, start: T, stop: T) -> Array<T> {
    let [from, to] = [start, stop].map(|x| x.scalar().to_f64());
    let most = if T::DTYPE == DType::F64 { f64::MAX } else { f32::MAX as f64 };
    let steps = count.saturating_sub(1).max(1) as f64;
    // Scaled by a quarter where `stop - start` overflows.
    match (to - from).abs() <= most || !from.is_finite() || !to.is_finite() {
        true => along(device, window, in_type((to - from) / steps), start),
        false => {
            let quarter = |x: f64| in_type::<T>(x * 0.25);
            along(device, window, in_type((to * 0.25 - from * 0.25) / steps), quarter(from)) * in_type::<T>(4.0)
        }
    }
}
