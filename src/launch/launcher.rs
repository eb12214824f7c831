//! Builder of a launch: grid, overrides, arguments.

use super::argument::{Argument, Arguments};
use super::call::Call;
use crate::device::{Device, advice};
use crate::kernel::Kernel;
use crosslane_core::error::{CallSite, Result};
use crosslane_core::kernel::{self, Reflection};
use crosslane_core::op::Grid;
use crosslane_core::work::Launch;
use std::panic::Location;

/// A launch of a program's kernel: the workgroups ([`Kernel::grid`], [`Kernel::for_elements`], [`Kernel::for_shape`]),
/// values for overrides, and the arguments. It can be launched again and again.
#[derive(Clone)]
#[must_use = "nothing runs before launch()"]
pub struct Launcher<'a> {
    kernel: Kernel,
    size: Size,
    overrides: Vec<(String, f64)>,
    arguments: Vec<Argument<'a>>,
    at: CallSite,
}

/// How much is to run.
#[derive(Clone, Copy)]
enum Size {
    Workgroups([u32; 3]),
    Elements(u64),
    Shape([u32; 3]),
}

impl Kernel {
    /// A launch with this many workgroups in each of one to three dimensions: CUDA's grid of blocks.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let kernel = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read> x: array<f32>;
    ///     @group(0) @binding(1) var<uniform> factor: f32;
    ///     @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&y) { y[id.x] += x[id.x] * factor; }
    ///     }
    /// ")?;
    /// let x = Array::arange(device, 0.0f32, 1000.0, 1.0);
    /// let mut y = Array::<f32>::ones(device, &[1000]);
    /// kernel.grid([1000u32.div_ceil(64)]).args((&x, 2.0f32, &mut y)).launch(device)?;
    /// assert_eq!(y.to_vec()?[999], 1999.0);
    /// # Ok(()) });
    /// ```
    #[doc(alias = "blocks")]
    #[track_caller]
    pub fn grid<'a, const N: usize>(&self, workgroups: [u32; N]) -> Launcher<'a> {
        const { assert!(N >= 1 && N <= 3, "a grid has one to three dimensions") };
        self.launcher(Size::Workgroups(filled(workgroups)))
    }

    /// A launch of one invocation for each of `count` elements: as many workgroups as that takes. Past the device's
    /// limit for one dimension (65,535 workgroups on most) they are folded into two: the kernel's linear index is then
    /// `id.x + id.y * num_workgroups.x * WORKGROUP_SIZE`, and a kernel that uses only `id.x` is refused, since it would
    /// process only a part.
    ///
    /// The workgroup must have one dimension. With no elements nothing is launched.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let increment = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&x) { x[id.x] += 1.0; }
    ///     }
    /// ")?;
    /// let mut x = Array::<f32>::zeros(device, &[1000]);
    /// increment.for_elements(x.len()).args(&mut x).launch(device)?;
    /// assert_eq!(x.sum().item()?, 1000.0);
    /// # Ok(()) });
    /// ```
    #[doc(alias = "forall")]
    #[track_caller]
    pub fn for_elements<'a>(&self, count: usize) -> Launcher<'a> {
        self.launcher(Size::Elements(count as u64))
    }

    /// A launch of one invocation for each point of a shape of one to three dimensions, `x` first: in each dimension as
    /// many workgroups as that takes. With a dimension of 0 nothing is launched.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let source = "
    ///     @group(0) @binding(0) var<storage, read_write> table: array<u32>;
    ///     @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < 10u && id.y < 12u { table[id.y * 10u + id.x] = id.x * id.y; }
    ///     }
    /// ";
    /// let mut table = Array::<u32>::zeros(device, &[12, 10]);
    /// Kernel::wgsl(source)?.for_shape([10, 12]).args(&mut table).launch(device)?;
    /// assert_eq!(table.to_vec()?[119], 99);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn for_shape<'a, const N: usize>(&self, shape: [u32; N]) -> Launcher<'a> {
        const { assert!(N >= 1 && N <= 3, "a grid has one to three dimensions") };
        self.launcher(Size::Shape(filled(shape)))
    }

    #[track_caller]
    fn launcher<'a>(&self, size: Size) -> Launcher<'a> {
        Launcher { kernel: self.clone(), size, overrides: vec![], arguments: vec![], at: Location::caller() }
    }
}

fn filled<const N: usize>(counts: [u32; N]) -> [u32; 3] {
    std::array::from_fn(|dimension| counts.get(dimension).copied().unwrap_or(1))
}

impl<'a> Launcher<'a> {
    /// Sets an override, by its name or `@id`. A kernel is compiled and kept for each combination of values.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel};
    /// let fill = Kernel::wgsl("
    ///     override value = 1;
    ///     @group(0) @binding(0) var<storage, read_write> x: array<i32>;
    ///     @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { x[id.x] = value; }
    /// ")?;
    /// let mut x = Array::<i32>::zeros(device, &[3]);
    /// fill.grid([3]).set("value", 7).args(&mut x).launch(device)?;
    /// assert_eq!(x.to_vec()?, [7, 7, 7]);
    /// # Ok(()) });
    /// ```
    pub fn set(mut self, name: &str, value: impl Into<f64>) -> Launcher<'a> {
        self.overrides.push((name.into(), value.into()));
        self
    }

    /// Sets the arguments, replacing earlier ones: for each binding that the kernel uses, by group, then binding, an
    /// array or, for a `var<uniform>` or what is only read, a value; then the immediates, member by member.
    ///
    /// `arrayLength` is the number of elements; for types smaller than four bytes the length in bytes is rounded up to
    /// a multiple of four. Arrays of `u8`, `u16` and `bool` are bound as `u32`, four or two elements a word. A view
    /// that a kernel only reads is copied first if it has gaps. Immediates are part of the launch; a value for a
    /// uniform is uploaded each time.
    #[track_caller]
    pub fn args(mut self, arguments: impl Arguments<'a>) -> Launcher<'a> {
        self.arguments = arguments.arguments();
        self
    }

    /// Queues the launch, without waiting for it.
    ///
    /// Errors: another number of arguments; an array that is too short, of another element type or on another device;
    /// lengths that differ despite a `// @len(x, y)`; `&` where the kernel writes; one array bound for writing and
    /// bound again; no such override, or one without a value; an empty grid or one past the device's limit; a feature or limit that the device
    /// does not have; the error that an array holds; a kernel that the driver refuses; device lost.
    #[track_caller]
    pub fn launch(&self, device: &Device) -> Result<()> {
        match self.resolve(device)? {
            Some(launch) => {
                let launch = [launch];
                device.timed(&launch[0].kernel, || device.submit(&launch))?;
                // A reader that looked before the kernel ran saw none of its writes.
                if launch[0].buffers.iter().any(|window| window.memory.is_shared()) {
                    device.watch_again();
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Compiles the kernel for a device without launching it: the first launch then takes no longer than others, and a
    /// device that only compiles ([`DeviceKind::Null`](crate::device::DeviceKind::Null)) tells whether its compiler
    /// accepts the kernel, and what it says of the result: registers, spills and the like, by the driver's own names. Other
    /// devices give an empty list. Arguments are not looked at. Costs the time of the driver's compiler, on this thread; nothing
    /// if the kernel is compiled already.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let kernel = crosslane::Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] += 1.0; }
    /// ")?;
    /// for (name, value) in kernel.grid([1]).compile(device)? {
    ///     println!("{name}: {value}");
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no such override, or one without a value; a feature or limit that the device does not have; a kernel that
    /// the driver refuses; device lost.
    #[track_caller]
    pub fn compile(&self, device: &Device) -> Result<Vec<(String, u64)>> {
        let call = Call { device, at: Location::caller() };
        let kernel = self.kernel(&call)?;
        let counting = call.counting(&kernel)?;
        device.driver().compile(counting.as_ref().unwrap_or(&kernel))
    }

    /// The launch with all that it needs, checked; `None` if it is for no element.
    #[track_caller]
    pub(crate) fn resolve(&self, device: &Device) -> Result<Option<Launch>> {
        let call = Call { device, at: Location::caller() };
        let kernel = self.kernel(&call)?;
        let reflection = kernel.reflection().expect("a program's kernel");
        let grid = self.workgroups(&call, reflection)?;
        let none = matches!(grid, Grid::Fixed(counts) if counts.contains(&0));
        let (buffers, params) = call.bind(reflection, &self.arguments, none)?;
        if none {
            return Ok(None);
        }
        let mut launch = Launch { kernel, buffers, params, grid, cost: None };
        // Without the memory for messages, and that loops are counted in.
        launch.cost = Some(launch.cost());
        let launch = call.watched(launch)?;
        advice::look_at(device, &launch);
        Ok(Some(launch))
    }

    /// The kernel with its overrides, if it is a program's and the device has what it needs.
    fn kernel(&self, call: &Call) -> Result<kernel::Kernel> {
        if self.kernel.reflection().is_none() {
            let got = format!("the library's {:?}", self.kernel.name());
            return call.mistake("kernel", "one made by Kernel::wgsl", got);
        }
        let kernel = self.kernel.with(&self.overrides, call.device.caps().subgroups.is_some(), self.at)?;
        let reflection = kernel.reflection().expect("it was there before overrides were set");
        call.supports(&kernel, reflection)?;
        Ok(kernel)
    }

    fn workgroups(&self, call: &Call, reflection: &Reflection) -> Result<Grid> {
        let limit = call.device.caps().grid;
        let size = reflection.workgroup_size;
        let grid = match self.size {
            Size::Workgroups(counts) if counts.contains(&0) => {
                return call.mistake("grid", "a workgroup at least in each dimension", format!("{counts:?}"));
            }
            Size::Workgroups(counts) => counts,
            Size::Shape(shape) => std::array::from_fn(|dimension| shape[dimension].div_ceil(size[dimension])),
            Size::Elements(0) => [0; 3],
            Size::Elements(count) => {
                if size[1] * size[2] > 1 {
                    let got = format!("a workgroup of {size:?}: for_shape takes a shape");
                    return call.mistake("for_elements", "a workgroup of one dimension", got);
                }
                let workgroups = count.div_ceil(size[0] as u64);
                if workgroups > limit as u64 && !reflection.sees_rows {
                    let wanted = format!(
                        "at most {} elements, or a kernel that looks beyond id.x: at num_workgroups or id.y",
                        limit as u64 * size[0] as u64
                    );
                    return call.mistake(
                        "for_elements",
                        wanted,
                        format!("{count}: it would process only a part of them"),
                    );
                }
                Grid::Count(workgroups).fold(limit)
            }
        };
        if grid.iter().any(|&count| count > limit) {
            let wanted = format!("at most {limit} workgroups in each dimension");
            return call.mistake("grid", wanted, format!("{grid:?}"));
        }
        Ok(Grid::Fixed(grid))
    }
}

impl std::fmt::Debug for Launcher<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Launcher({})", self.kernel.name())
    }
}
