//! Launches recorded once and run repeatedly, with other memory or parameters if need be.

use super::argument::Argument;
use super::call::STRICTEST;
use super::change::{change, change_scalar, separate};
use super::launcher::Launcher;
use super::prepared::Prepared;
use super::tail::seal;
use crate::array::{Array, Untyped, one_device};
use crate::device::Device;
use crate::element::Element;
use crate::graph::Batch;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::kernel::Access;
use crosslane_core::op::{Named, named};
use crosslane_core::work::{Launch, Window};
use crosslane_ops::EmptyKernel;
use std::collections::{BTreeSet, HashSet};
use std::panic::Location;

/// A sequence of launches, checked and prepared once: running it again is the cheapest kind of launch. On CUDA it is a
/// graph, in which independent launches may overlap; on wgpu its pipelines and bind groups are prepared.
///
/// Adding runs nothing, but evaluates deferred arrays that a launch reads. Every run reads and writes the arrays'
/// memory in place, and the recording keeps it alive. A later assignment to such an array is seen by the next run. A
/// clone made after adding, or a deferred expression, sees what runs write. Copy arrays whose values must be kept.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, Kernel, Recording};
/// let double = Kernel::wgsl("
///     @group(0) @binding(0) var<storage, read> x: array<f32>;
///     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
///         if id.x < arrayLength(&x) { y[id.x] = 2.0 * x[id.x]; }
///     }
/// ")?;
/// let [x, mut y, mut z] = [1.0f32, 0.0, 0.0].map(|value| Array::full(device, &[64], value).copy());
/// let mut recording = Recording::new(device);
/// recording.add(double.for_elements(64).args((&x, &mut y)))?;
/// recording.add(double.for_elements(64).args((&y, &mut z)))?;
/// recording.run()?;
/// assert_eq!(z.to_vec()?[63], 4.0);
/// recording.replace(&x, &Array::full(device, &[64], 5.0f32))?;
/// recording.run()?;
/// assert_eq!(z.to_vec()?[63], 20.0);
/// # Ok(()) });
/// ```
#[doc(alias = "cudaGraph")]
pub struct Recording {
    device: Device,
    launches: Vec<Launch>,
    /// The windows that each was added with: they name what is replaced, and what they lie in is not used otherwise.
    recorded: Vec<Vec<Window>>,
    /// Of launches of the library's own: what may be set.
    scalars: Vec<Vec<Named>>,
    ready: Option<Prepared>,
    /// Whether a launch says something, or counts its loops: see [`Device::messages`], [`crate::DeviceOptions::time_limit`].
    watched: bool,
    /// Launches that are other than in `ready`.
    changed: BTreeSet<usize>,
}

impl Recording {
    /// An empty recording.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert!(crosslane::Recording::new(device).is_empty());
    /// # Ok(()) });
    /// ```
    pub fn new(device: &Device) -> Recording {
        Recording::with(device, vec![], vec![])
    }

    /// One with launches of the library's own, and the scalars of each.
    fn with(device: &Device, launches: Vec<Launch>, scalars: Vec<Vec<Named>>) -> Recording {
        let (all, recorded, set, watched, changed) = Default::default();
        let mut recording =
            Recording { device: device.clone(), launches: all, recorded, scalars: set, ready: None, watched, changed };
        launches.into_iter().zip(scalars).for_each(|(launch, scalars)| recording.push(launch, scalars));
        recording
    }

    fn push(&mut self, launch: Launch, scalars: Vec<Named>) {
        self.scalars.push(scalars);
        // The memory is held here, and in the launch.
        launch.buffers.iter().chain(&launch.buffers).for_each(|window| window.memory.record());
        self.watched |= launch.buffers.iter().any(|window| window.memory.is_shared());
        self.recorded.push(launch.buffers.clone());
        self.launches.push(launch);
        self.ready = None;
    }

    /// Gives a binding of a launch another window.
    fn bind(&mut self, launch: usize, binding: usize, window: Window) {
        window.memory.record();
        let old = std::mem::replace(&mut self.launches[launch].buffers[binding], window);
        old.memory.forget();
        self.changed.insert(launch);
    }

    /// A recording of the kernels that evaluate these arrays; they run once now. Arrays that are in memory already need
    /// no kernel.
    ///
    /// An array of more than 128 deferred steps was partly evaluated while it was built: only the rest is recorded.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Recording};
    /// let x = Array::<f32>::ones(device, &[1000]).copy();
    /// x.eval()?;
    /// let y = &x + 1.0;
    /// let mut kernels = Recording::of(&[&y])?;
    /// kernels.replace(&x, &Array::full(device, &[1000], 5.0f32))?;
    /// kernels.run()?;
    /// assert_eq!(y.sum().item()?, 6000.0);
    /// # Ok(()) });
    /// ```
    ///
    /// The scalars of its expressions can be set, like those of a program's kernels: see [`Recording::set`].
    ///
    /// Errors: as [`crate::eval_all`]; no array.
    #[track_caller]
    pub fn of<T: Element>(arrays: &[&Array<T>]) -> Result<Recording> {
        let nodes = one_device("Recording::of", arrays)?;
        let Some(first) = nodes.first() else {
            return Err(Error::argument("Recording::of", "arrays", "at least one", "none", Location::caller()));
        };
        let (device, at) = (first.device.clone(), Location::caller());
        let plan = |batch: &mut Batch| {
            batch.record = Some(vec![]);
            nodes.iter().try_for_each(|node| batch.materialise(node))
        };
        Batch::run(&device, at, plan, |submission| {
            let plans = submission.batch.record.take().unwrap_or_default();
            let scalars = plans.iter().flat_map(|(_, plan)| plan.passes.iter().map(named)).collect();
            let launches = std::mem::take(&mut submission.batch.launches);
            let mut recording = Recording::with(&device, launches, scalars);
            recording.submit(at)?;
            Ok(recording)
        })
    }

    /// This many empty kernels, to measure the cost of a launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut empty = crosslane::Recording::nothing(device, 10)?;
    /// empty.run()?;
    /// device.synchronize()?;
    /// assert_eq!(empty.len(), 10);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nothing(device: &Device, count: usize) -> Result<Recording> {
        let mut batch = Batch::new(device, Location::caller());
        batch.push(Box::new(EmptyKernel(count)), vec![])?;
        let none = batch.launches.iter().map(|_| vec![]).collect();
        Ok(Recording::with(device, batch.launches, none))
    }

    /// Appends a launch. Its number, for [`Recording::set`], is the previous [`Recording::len`]. A launch of no
    /// elements adds nothing. Nothing runs, but deferred arrays among the arguments are evaluated.
    ///
    /// Errors: as [`Launcher::launch`].
    #[track_caller]
    pub fn add(&mut self, launcher: Launcher) -> Result<()> {
        let launch = launcher.resolve(&self.device)?;
        launch.into_iter().for_each(|launch| self.push(launch, vec![]));
        Ok(())
    }

    /// Runs the launches in this thread's stream, each with the results of the ones before it. Does not wait.
    ///
    /// The first run prepares them; the first run after a change prepares the changed ones.
    ///
    /// Errors: memory that a launch writes is bound to it twice after [`Recording::replace`]; a kernel that the driver
    /// refuses; device lost. On a checking device, also the defects of its launches.
    #[track_caller]
    pub fn run(&mut self) -> Result<()> {
        self.submit(Location::caller())
    }

    fn submit(&mut self, at: CallSite) -> Result<()> {
        self.changed.iter().try_for_each(|&index| separate(&self.launches[index], at))?;
        let ready = match self.ready.take() {
            None => Prepared::new(&self.device, &self.launches)?,
            Some(mut ready) => {
                if !self.changed.is_empty() {
                    ready.update(&self.device, &self.launches, &self.changed)?;
                }
                ready
            }
        };
        self.changed.clear();
        self.note_writes();
        if self.device.faults_are_used() {
            self.forget_faults();
        }
        self.ready.insert(ready).submit(&self.device, &self.launches)?;
        if self.watched {
            self.device.watch_again(); // who looked before they ran saw nothing of them
        }
        Ok(())
    }

    /// The launches write memory that arrays refer to.
    fn note_writes(&self) {
        for launch in &self.launches {
            let points = launch.kernel.bindings().iter().zip(&launch.buffers);
            let written = points.filter(|(point, _)| point.access == Access::Write);
            written.for_each(|(_, window)| window.memory.history.note_write());
        }
    }

    /// What the library's kernels write before they read it has no faults of the last run: they write all of it.
    fn forget_faults(&self) {
        let mut seen = HashSet::new();
        for launch in self.launches.iter().filter(|launch| launch.kernel.reflection().is_none()) {
            for (point, window) in launch.kernel.bindings().iter().zip(&launch.buffers) {
                if seen.insert(window.memory.id()) && point.access == Access::Write {
                    window.memory.marks().clear();
                }
            }
        }
    }

    /// Makes every later run use `new` wherever `old` was passed when the launches were added, as an argument or as
    /// part of one. `old` always means the array passed then, even if it was replaced since, so two calls can swap two
    /// arrays. Elements past the length of `old` are neither read nor written.
    ///
    /// Costs the host about a microsecond for each affected launch, at the next run. If the dependencies between
    /// launches change, CUDA's graph is rebuilt.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel, Recording};
    /// let step = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read> x: array<u32>;
    ///     @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    ///     @compute @workgroup_size(1) fn main() { y[0] = x[0] + 1; }
    /// ")?;
    /// let (a, mut b) = (Array::from_slice(device, &[0u32]), Array::from_slice(device, &[0u32]));
    /// let mut recording = Recording::new(device);
    /// recording.add(step.grid([1]).args((&a, &mut b)))?;
    /// for round in 0..4 {
    ///     let (from, to) = if round % 2 == 0 { (&a, &b) } else { (&b, &a) };
    ///     recording.replace(&a, from)?;
    ///     recording.replace(&b, to)?;
    ///     recording.run()?;
    /// }
    /// assert_eq!((a.item()?, b.item()?), (4, 3));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: another element type or device; `new` is shorter, has gaps, or begins at a byte of its memory that is no
    /// multiple of 256, whatever the device; no launch was added with the memory of `old`; the error that an array
    /// holds; out of memory.
    #[track_caller]
    pub fn replace<T: Element>(&mut self, old: &Array<T>, new: &Array<T>) -> Result<()> {
        let at = Location::caller();
        let replacing = Untyped::from(new);
        let [old, new] = [("old", &old.into()), ("new", &replacing)].map(|(name, array)| self.whole(name, array, at));
        let (old, new) = (old?, new?);
        // No device wants more. Where it lies as the old one does, it fits as that does.
        if ![new.offset, new.offset.abs_diff(old.offset)].iter().any(|bytes| bytes.is_multiple_of(STRICTEST)) {
            let (wanted, got) = (format!("memory from a multiple of {STRICTEST} bytes on"), new.offset.to_string());
            return Err(Error::argument("Recording::replace", "new", wanted, got, at));
        }
        if new.bytes < old.bytes {
            let (wanted, got) = (format!("at least {} bytes", old.bytes), new.bytes.to_string());
            return Err(Error::argument("Recording::replace", "new", wanted, got, at));
        }
        let places = self.places(&old);
        if places.is_empty() {
            let (wanted, got) = ("an array that a launch was added with", "one whose memory none of them uses");
            return Err(Error::argument("Recording::replace", "old", wanted, got, at));
        }
        let uniform = |&(launch, binding): &(usize, usize)| self.launches[launch].kernel.bindings()[binding].uniform;
        if !new.bytes.is_multiple_of(STRICTEST) && places.iter().any(uniform) {
            seal(&self.device, &replacing)?;
        }
        let moved = places
            .iter()
            .map(|&(launch, binding)| self.moved(launch, binding, &old, &new, at))
            .collect::<Result<Vec<Window>>>()?;
        places.iter().zip(moved).for_each(|(&(launch, binding), window)| self.bind(launch, binding, window));
        Ok(())
    }

    /// An array's memory.
    fn whole(&self, name: &'static str, array: &Untyped, at: CallSite) -> Result<Window> {
        if let Some(error) = array.error() {
            return Err(error);
        }
        let mistake = |wanted: String, got: String| Err(Error::argument("Recording::replace", name, wanted, got, at));
        if array.device() != &self.device {
            return mistake(format!("{:?}", self.device), format!("an array on {:?}", array.device()));
        }
        match array.in_place(4)? {
            Some(window) => Ok(window),
            None => mistake("an array without gaps".into(), format!("a view of shape {:?}", array.shape())),
        }
    }

    /// The launches and bindings that were added with this memory, or a part of it.
    fn places(&self, old: &Window) -> Vec<(usize, usize)> {
        let inside = |window: &Window| {
            window.memory.id() == old.memory.id()
                && window.offset < old.offset + old.bytes
                && old.offset < window.offset + window.bytes
        };
        let all = self.recorded.iter().enumerate().flat_map(|(launch, windows)| {
            windows.iter().enumerate().map(move |(binding, window)| ((launch, binding), window))
        });
        all.filter(|(_, window)| inside(window)).map(|(place, _)| place).collect()
    }

    /// The window of a binding in other memory.
    fn moved(&self, launch: usize, binding: usize, old: &Window, new: &Window, at: CallSite) -> Result<Window> {
        let recorded = &self.recorded[launch][binding];
        let point = &self.launches[launch].kernel.bindings()[binding];
        let alignment = if point.uniform { STRICTEST } else { self.device.caps().offset_alignment.max(4) };
        let mistake = |wanted: String, got: String| Err(Error::argument("Recording::replace", "new", wanted, got, at));
        let Some(inside) = recorded.offset.checked_sub(old.offset) else {
            let wanted = "the whole array that the launch was recorded with".to_string();
            return Err(Error::argument("Recording::replace", "old", wanted, "a part of it", at));
        };
        let offset = new.offset + inside;
        if !offset.is_multiple_of(alignment) {
            return mistake(format!("memory from a multiple of {alignment} bytes on"), format!("{offset}"));
        }
        // The library's kernels handle up to 16 bytes at a time, and arrays have room for the last; a part of one has not.
        let (end, room) = (offset + recorded.bytes, if new.offset == 0 { new.memory.bytes() } else { 0 });
        if end > room.max(new.offset + new.bytes) {
            let got = format!("{} from byte {} of it on", new.bytes, new.offset);
            return mistake(format!("{} bytes in memory of its own", recorded.bytes), got);
        }
        Ok(Window { memory: new.memory.clone(), offset, bytes: recorded.bytes })
    }

    /// Sets a scalar or vector of the launch with this number for every later run: a `var<uniform>` by its name, or a
    /// member of the immediates. A uniform's value is uploaded into memory of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Kernel, Recording};
    /// let add = Kernel::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    ///     @group(0) @binding(1) var<uniform> value: u32;
    ///     @compute @workgroup_size(1) fn main() { x[0] += value; }
    /// ")?;
    /// let mut x = Array::from_slice(device, &[0u32]);
    /// let mut recording = Recording::new(device);
    /// recording.add(add.grid([1]).args((&mut x, 0u32)))?;
    /// for value in 1..=4u32 {
    ///     recording.set(0, "value", value)?;
    ///     recording.run()?;
    /// }
    /// assert_eq!(x.item()?, 10);
    /// # Ok(()) });
    /// ```
    ///
    /// In a launch of [`Recording::of`] the scalars of expressions have the names of the kernel's text, which
    /// [`Array::explain`] shows: `scalar0` is the first that the expression uses, `scalar1` the next. Launches are
    /// numbered in the order in which [`Array::explain`] lists them. In an operation of several launches, each launch
    /// that uses a scalar has its own copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Recording};
    /// let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    /// let y = &x * 2.0 + 1.0;
    /// let mut recording = Recording::of(&[&y])?;
    /// assert_eq!(y.to_vec()?, [3.0, 5.0, 7.0]);
    /// recording.set(0, "scalar0", 10.0f32)?;
    /// recording.run()?;
    /// assert_eq!(y.to_vec()?, [11.0, 21.0, 31.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: no such launch; no such value, or one of another type; an array in place of a value; out of memory.
    #[track_caller]
    pub fn set<'a>(&mut self, launch: usize, name: &str, value: impl Into<Argument<'a>>) -> Result<()> {
        let at = Location::caller();
        let count = self.launches.len();
        let Some(changed) = self.launches.get_mut(launch) else {
            let wanted = format!("the number of one of {count} launches");
            return Err(Error::argument("Recording::set", "launch", wanted, launch.to_string(), at));
        };
        let value = value.into();
        let uploaded = match changed.kernel.reflection() {
            Some(_) => change(&self.device, changed, name, &value, at)?,
            None => change_scalar(changed, &self.scalars[launch], name, &value, at).map(|()| None)?,
        };
        self.changed.insert(launch);
        if let Some((binding, window)) = uploaded {
            self.bind(launch, binding, window);
        }
        Ok(())
    }

    #[cfg(feature = "serde")]
    pub(crate) fn launches(&self) -> &[Launch] {
        &self.launches
    }

    #[cfg(feature = "serde")]
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The number of launches.
    pub fn len(&self) -> usize {
        self.launches.len()
    }

    /// Whether there is no launch.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let current = self.launches.iter().flat_map(|launch| &launch.buffers);
        current.chain(self.recorded.iter().flatten()).for_each(|window| window.memory.forget());
    }
}
