//! The interface between operations and engines: an operation defines its meaning ([`Op::reference`]), its cost, and
//! the kernels that compute it ([`Op::plan`]). Engines run plans, and know no operations.

use super::host::Host;
use super::slot::Slot;
use super::values::{Param, Reach, Vary};
use crate::caps::Caps;
use crate::error::Result;
use crate::kernel::Kernel;
use std::hash::{Hash, Hasher};

/// The identity of an operation among others of its type: everything that its plan depends on besides capabilities.
/// Devices cache plans by it.
pub trait Identify {
    /// Feeds the operation's identity to a hasher.
    fn identify(&self, to: &mut dyn Hasher);
}

impl<T: Hash> Identify for T {
    fn identify(&self, mut to: &mut dyn Hasher) {
        self.hash(&mut to);
    }
}

/// An operation on one problem size.
pub trait Op: Identify {
    /// The operation's name, the same word as its file and shader.
    fn name(&self) -> &'static str;
    /// The buffers, in argument order.
    fn slots(&self) -> Vec<Slot>;
    /// Visits the values that the plan is filled with: scalars, and where arrays begin. [`crate::op::Values`] takes
    /// them out. What stays decides the plan, and is what [`Identify`] feeds.
    fn vary(&mut self, _by: &mut dyn Vary) {}
    /// The kernels that compute the operation on a device with these capabilities. Pure: the same capabilities give the
    /// same plan.
    fn plan(&self, caps: &Caps) -> Result<Plan>;
    /// Arithmetic operations. Each elementwise function counts as one.
    fn flops(&self) -> u64;
    /// The least memory traffic possible: every input element read once, every output written once.
    fn bytes(&self) -> u64;
    /// The result by definition, in double precision: slow, obvious, and the judge of every engine.
    fn reference(&self, host: &mut Host);
}

/// The work of a device for one operation: plain data. If the operation's values were taken out ([`Op::vary`]), the
/// plan is a plan template, which [`Plan::filled`] fills.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Sizes in bytes of the temporary buffers, which come after the slots in [`Binding::buffer`].
    pub scratch: Vec<u64>,
    /// The kernel launches, in order.
    pub passes: Vec<Pass>,
}

/// One kernel launch.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The kernel.
    pub kernel: Kernel,
    /// Its buffers, in binding order.
    pub buffers: Vec<Binding>,
    /// Its parameters: the words of its `Params` structure.
    pub params: Vec<Param>,
    /// How many workgroups run.
    pub grid: Grid,
}

/// A window of a buffer that a kernel sees as one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Index into the operation's slots, then its scratch buffers.
    pub buffer: usize,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// How the window moves with the beginning of an array, in a plan template.
    pub reach: Option<Reach>,
}

impl Binding {
    /// A window at a fixed offset.
    pub fn new(buffer: usize, offset: u64, bytes: u64) -> Binding {
        Binding { buffer, offset, bytes, reach: None }
    }

    /// All of a slot: whole words, of which the last may end after the last element.
    pub fn whole(buffer: usize, slot: &Slot) -> Binding {
        Binding::new(buffer, 0, slot.bytes().next_multiple_of(4).max(4))
    }
}

/// The number of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// At least this many, folded into two dimensions where the limit of one is too low. Kernels unfold by
    /// `group.x + group.y * groups.x` and check against their own count.
    Count(u64),
    /// Exactly this grid.
    Fixed([u32; 3]),
}

impl Grid {
    /// The workgroups in each dimension, none above `limit`.
    ///
    /// ```
    /// use crosslane::op::Grid;
    /// assert_eq!(Grid::Count(10).fold(65535), [10, 1, 1]);
    /// let [x, y, _] = Grid::Count(100_000).fold(65535);
    /// assert!(x <= 65535 && (x as u64 * y as u64) >= 100_000);
    /// ```
    pub fn fold(self, limit: u32) -> [u32; 3] {
        match self {
            Grid::Count(count) => {
                let rows = count.div_ceil(limit as u64).max(1);
                [count.div_ceil(rows) as u32, rows as u32, 1]
            }
            Grid::Fixed(grid) => grid,
        }
    }
}
