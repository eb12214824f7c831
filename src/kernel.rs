//! Kernels of a program: its WGSL, launched, measured and translated.

pub use crosslane_core::kernel::{
    Access, BindPoint, Boundary, Feature, Field, HostType, Member, Override, Parameters, Reflection, Resource,
    Unportable, UnportableKind,
};

use crate::error::Result;
use crosslane_core::kernel::Kernel as Inner;
use std::fmt;
use std::ops::Deref;
use std::path::Path;

/// A cheap handle to a kernel's text and to its interface: bindings and parameters.
///
/// It dereferences to the kernel of a plan ([`op::Kernel`](crate::op::Kernel)), which has the text, the bindings and the
/// reflection.
#[derive(Clone)]
pub struct Kernel(Inner);

impl Kernel {
    /// The only compute entry point of a WGSL text, to be launched by [`Kernel::grid`] or [`Kernel::for_elements`].
    ///
    /// It is compiled with run-time checks: an index out of bounds stays inside its buffer, workgroup memory begins as
    /// zeros, and loops that may not end count their iterations ([`crate::DeviceOptions::time_limit`]). Making a kernel
    /// needs no device; each device compiles it at its first launch. The same text gives the same kernel each time.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let double = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
    ///     }
    /// ")?;
    /// let mut x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    /// double.for_elements(3).args(&mut x).launch(device)?;
    /// assert_eq!(x.to_vec()?, [2.0, 4.0, 6.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// A text may call these functions without declaring them; they are appended:
    ///
    /// | function | gives |
    /// |---|---|
    /// | `linear_index(id, groups)` | the invocation's place in the grid, from the global invocation id and `num_workgroups` |
    /// | `grid_size(groups)` | invocations in all: the stride of a loop over more elements than invocations |
    /// | `workgroup_size()` | as the entry point says |
    /// | `coordinates_2d(i, width)`, `coordinates_3d(i, width, height)`, `index_2d(at, width)`, `index_3d(at, width, height)` | index to coordinates, and back |
    /// | `workgroup_sum_T(x, local_index)`, `_min_`, `_max_` | the values of all invocations of a workgroup combined; `T` is `f32`, `i32` or `u32`. By subgroups where the device has them. Called by all, as a barrier is |
    /// | `workgroup_scan_sum_T(x, local_index)`, .. | each invocation's value combined with those before it |
    /// | `atomic_add_f32_NAME(i, x)` | adds to the float whose bits are in `NAME: array<atomic<u32>>`, by compare and swap; where the device has [`crate::kernel::Feature::AtomicF32`], `array<atomic<f32>>` and `atomicAdd` are faster |
    /// | `philox(counter, key)` | four random words for a `vec4<u32>` and a `vec2<u32>` (Philox4x32-10) |
    /// | `uniform_f32(bits)`, `normal_f32(bits)` | random bits as a number in [0, 1), or a `vec2<u32>` of them as two normal numbers |
    /// | `get_u8(word, i)`, `get_i8`, `get_u16`, `get_i16`, `set_u8(word, i, x)`, `set_u16` | element `i` of packed integers, in word `i / 4` or `i / 2` |
    /// | `subgroupElect()` | whether it is the lowest active invocation of its subgroup: WGSL's own, which naga lacks |
    /// | `print_f32(id, x)`, `print_i32`, `print_u32` | a message: [`crate::Device::messages`] |
    /// | `assert_that(id, condition)` | the next wait gives [`crate::ErrorKind::Assertion`] where it is false |
    ///
    /// Names that begin with `crosslane_` are the library's own. Directives of the standard are taken as
    /// [`crate::guide::kernels`] lists them.
    ///
    /// Errors: a text that does not compile, or declares a name of the library, with line and column; one that nests deeper
    /// than compilers follow (1000 operators and brackets applied to one another, 250 statements inside one another or functions that
    /// call one another, 2^18 expressions and statements with all calls written out); no compute entry point, or several.
    #[doc(alias = "RawKernel")]
    #[doc(alias = "RawModule")]
    #[track_caller]
    pub fn wgsl(source: &str) -> Result<Kernel> {
        Inner::wgsl(source).map(Kernel)
    }

    /// As [`Kernel::wgsl`], with a chosen entry point (`None` is the only one), and values for overrides, each by its
    /// name or `@id`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let source = "
    ///     override value: u32 = 1;
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @compute @workgroup_size(1) fn fill() { x[0] = value; }
    ///     @compute @workgroup_size(1) fn add() { x[0] += value; }
    /// ";
    /// let add = Kernel::wgsl_with(source, Some("add"), &[("value", 5.0)])?;
    /// let mut x = Array::from_slice(device, &[10u32]);
    /// add.grid([1]).args(&mut x).launch(device)?;
    /// assert_eq!(x.item()?, 15);
    /// # Ok(()) });
    /// ```
    ///
    /// An override without a default that gets no value here must get one at each launch ([`crate::Launcher::set`]).
    ///
    /// Errors: as [`Kernel::wgsl`]; no such entry point or override; a value that the override's type does not have.
    #[track_caller]
    pub fn wgsl_with(source: &str, entry: Option<&str>, overrides: &[(&str, f64)]) -> Result<Kernel> {
        Inner::wgsl_with(source, entry, overrides).map(Kernel)
    }

    /// The only compute entry point of a WGSL file; the kernel is named after the file.
    ///
    /// ```no_run
    /// let kernel = crosslane::Kernel::wgsl_file("shaders/blur.wgsl")?;
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    ///
    /// Errors: a file that cannot be read; otherwise as [`Kernel::wgsl`].
    #[track_caller]
    pub fn wgsl_file(path: impl AsRef<Path>) -> Result<Kernel> {
        Inner::wgsl_file(path).map(Kernel)
    }

    /// The same kernel with another name in messages than its entry point's: its file's name, for instance.
    ///
    /// ```
    /// let kernel = crosslane::Kernel::wgsl("@compute @workgroup_size(1) fn main() {}")?.named("nothing.wgsl");
    /// assert_eq!(kernel.name(), "nothing.wgsl");
    /// # Ok::<(), crosslane::Error>(())
    /// ```
    pub fn named(&self, name: &str) -> Kernel {
        Kernel(self.0.named(name))
    }

    /// The same kernel compiled without run-time checks, like the library's own. An index out of bounds is then
    /// undefined behaviour.
    ///
    /// Cooperative matrices need this, since nothing checks what they load and store.
    ///
    /// # Safety
    ///
    /// In every launch, each index must lie in its buffer or array, each loop must end, no integer may be divided by
    /// zero, and workgroup memory must be written before it is read.
    pub unsafe fn trusted(&self) -> Kernel {
        // SAFETY: the caller's promise.
        Kernel(unsafe { self.0.trusted() })
    }
}

impl Deref for Kernel {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl From<Inner> for Kernel {
    fn from(inner: Inner) -> Kernel {
        Kernel(inner)
    }
}

impl From<Kernel> for Inner {
    fn from(kernel: Kernel) -> Inner {
        kernel.0
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
