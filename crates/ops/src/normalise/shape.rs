//! How rows are laid over workgroups.

use crosslane_core::caps::Caps;
use crosslane_core::tuning::Tunable;

/// Values that an invocation holds at most. More make fewer invocations wait for each other, fewer leave registers for more
/// workgroups at once. Rows for which half of them do with [`FEW`] invocations have half, on cards.
///
/// H200, 2026-11-23, softmax of 16384 and 4096 columns, Vulkan and CUDA, GB/s, by the values that were held: 32 4,115, 4,118, 2,937,
/// 3,455; 16 3,163, 3,295, 3,073, 3,432; 64 3,654, 4,114, 2,620, 3,290.
pub(crate) const NORMALISE: Tunable =
    Tunable { name: "normalise", numbers: &["values"], candidates: &[&[32], &[16], &[64]] };

/// Invocations of a row that are worth holding half as much.
const FEW: u64 = 256;
/// Registers of an invocation beside its values, which take two and a half each.
const OTHER_REGISTERS: u32 = 88;
/// Values that an invocation has on the way at a time, of rows that are not held.
const ON_THE_WAY: u64 = 16;
/// Invocations of a workgroup at least, where a row takes fewer.
const LEAST: u64 = 128;
/// Contiguous bytes in which columns are read, where there are this many; with fewer, columns are not held.
const SEGMENT: u64 = 128;
const NARROW: u64 = 32;
/// Rows that are not held: where a workgroup for each fills the device, it takes a row alone. Otherwise several do, up to this
/// many in all, each with at least this many units for an invocation.
const GROUPS: u64 = 1056;
const PER_LANE: u64 = 4;
/// Pieces that an invocation merges one after the other, each of which rounds once: more workgroups share longer rows. On a
/// processor a piece is a value.
const CHAIN: u64 = 64;
const VALUES: u64 = 1024;
/// Values of an invocation that a processor combines with what came before at once: an exponential each, and two in all.
const AT_ONCE: u64 = 8;

/// Rows, and how their values are loaded.
#[derive(Clone, Copy)]
pub(super) struct Problem {
    /// Whether neighbours in memory belong to neighbouring rows.
    pub columns: bool,
    /// Elements that are loaded at once, and bytes of one: powers of two.
    pub width: u64,
    pub size: u64,
    /// Rows, and elements of a row.
    pub outputs: u64,
    pub extent: u64,
    /// Numbers of a state, and bytes of one.
    pub fields: u64,
    pub number: u64,
}

/// What a kernel depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub columns: bool,
    /// Invocations of a row and of a workgroup.
    pub lanes: u32,
    pub workgroup: u32,
    /// Units that an invocation loads before it uses them.
    pub items: u32,
    /// Lanes of a subgroup, where states are merged within subgroups: all have this size.
    pub subgroup: Option<u32>,
}

/// A shape, and how rows are cut.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub shape: Shape,
    pub chunks: u64,
    pub span: u64,
    pub groups: u64,
}

impl Problem {
    /// Elements of a row, and rows, that a unit has.
    fn unit(&self) -> (u64, u64) {
        if self.columns { (1, self.width) } else { (self.width, 1) }
    }

    /// Units of a row.
    fn units(&self) -> u64 {
        self.extent.div_ceil(self.unit().0)
    }

    /// The most invocations of a workgroup: a power of two, and workgroup memory holds a state of each.
    fn most(&self, caps: &Caps) -> u64 {
        let states = caps.workgroup_bytes as u64 / (self.fields * self.number * self.unit().1);
        let most = caps.processor.map_or(caps.workgroup_invocations.min(1024), |processor| processor.lanes);
        1 << states.min(most as u64).ilog2()
    }

    /// The most invocations of a workgroup that holds rows in registers. AMD's GCN, whose subgroups are all of 64, has 2^16 of 32 bits for
    /// a workgroup. ACO spilled up to 46 for each of 1024 invocations that hold numbers of f64 and 21 for each of 512; none of 256,
    /// and none of f32. Intel's Skylake has 448 invocations of 128 registers each, in subgroups of 8, and halves both for larger workgroups.
    fn most_holding(&self, caps: &Caps) -> u64 {
        let is_short = match caps.subgroups {
            Some((64, 64)) => self.number == 8,
            Some((8, most)) => most > 8,
            _ => false,
        };
        self.most(caps).min(if is_short { 256 } else { u64::MAX })
    }

    /// The most values that an invocation's registers hold: Intel's compiler in Mesa 26.1 took 184 for a softmax of 32 values of f32.
    fn most_values(&self, caps: &Caps) -> u64 {
        let held = caps.registers.saturating_sub(OTHER_REGISTERS) as u64 * 2 / 5;
        (held * 4 / self.number.max(4)).max(4)
    }

    /// With this many invocations for a row in workgroups of `most`; columns side by side in a segment of this many
    /// bytes.
    fn shape(&self, lanes: u64, items: u64, most: u64, segment: u64, caps: &Caps) -> Shape {
        let least = LEAST.min(most);
        let side = match self.columns {
            true => (segment / (self.size * self.width)).max(least.div_ceil(lanes)).min(self.across()),
            false => least.div_ceil(lanes),
        };
        let workgroup = lanes * side.clamp(1, most / lanes);
        let subgroup = caps.subgroups.filter(|&(least, most)| {
            let fits = least == most && most >= 16 && workgroup.is_multiple_of(most as u64);
            fits && self.number == 4 && !self.columns && lanes > 1
        });
        Shape {
            columns: self.columns,
            lanes: lanes as u32,
            workgroup: workgroup as u32,
            items: items as u32,
            subgroup: subgroup.map(|(_, most)| most),
        }
    }

    /// Units of all columns, side by side: a power of two.
    fn across(&self) -> u64 {
        self.outputs.div_ceil(self.width).next_power_of_two()
    }

    /// Elements of a row that its invocations take at once.
    fn piece(&self, shape: &Shape) -> u64 {
        shape.lanes as u64 * self.unit().0 * shape.items as u64
    }

    /// Workgroups for all rows.
    fn groups(&self, shape: &Shape) -> u64 {
        self.outputs.div_ceil((shape.workgroup / shape.lanes) as u64 * self.unit().1)
    }

    /// Where a workgroup can hold rows.
    pub fn held(&self, caps: &Caps) -> Option<Cut> {
        let values = (caps.tuning.get(&NORMALISE)[0] as u64).min(self.most_values(caps));
        let (units, most) = (self.units(), self.most_holding(caps));
        let with = |values: u64| units.div_ceil((values / self.width).max(1)).next_power_of_two();
        let lanes = match caps.short_vectors() || caps.processor.is_some() {
            true => with(8),
            false if with(values / 2) <= FEW => with(values / 2),
            false => with(values),
        };
        // As many as a subgroup has read neighbours together.
        let lanes = lanes.max(if self.columns { 1 } else { units.next_power_of_two().min(32) });
        let narrow = self.columns && most < lanes * NARROW / (self.size * self.width) && self.outputs > self.width;
        if lanes > most || narrow {
            return None;
        }
        let shape = self.shape(lanes, units.div_ceil(lanes), most, SEGMENT, caps);
        Some(Cut { shape, chunks: 1, span: self.extent, groups: self.groups(&shape) })
    }

    /// Where a workgroup reads a row piece by piece, if there are enough of them. Large workgroups have fewer rows at work
    /// at once, which near memory then holds until they are read again.
    pub fn alone(&self, caps: &Caps) -> Option<Cut> {
        let shape = self.pieces(self.most(caps), caps);
        let groups = self.groups(&shape);
        let chain = if caps.processor.is_some() { VALUES } else { CHAIN };
        let one_by_one = self.extent > chain * self.piece(&shape);
        let enough = caps.processor.map_or(caps.multiprocessors, |processor| processor.threads) as u64;
        (groups >= enough && !one_by_one).then_some(Cut { shape, chunks: 1, span: self.extent, groups })
    }

    /// Where several workgroups share a row, unless it is short.
    pub fn shared(&self, caps: &Caps) -> Cut {
        let shape = self.pieces(self.most(caps).min(256), caps);
        let blocks = self.groups(&shape);
        let step = shape.lanes as u64 * self.unit().0;
        let tile = step * (shape.items as u64).max(PER_LANE);
        let chain = if caps.processor.is_some() { VALUES } else { CHAIN };
        let wanted = caps.processor.map_or(GROUPS, |processor| 8 * processor.threads as u64);
        let most = wanted.div_ceil(blocks).max(self.extent.div_ceil(chain * self.piece(&shape)));
        let chunks = self.extent.div_ceil(tile).min(most);
        let span = self.extent.div_ceil(chunks).next_multiple_of(tile);
        let chunks = self.extent.div_ceil(span);
        Cut { shape, chunks, span, groups: blocks * chunks }
    }

    /// Where a workgroup merges states.
    pub fn merged(&self, caps: &Caps) -> Cut {
        let shape = self.pieces(self.most(caps).min(256), caps);
        Cut { shape, chunks: 1, span: self.extent, groups: self.groups(&shape) }
    }

    fn pieces(&self, most: u64, caps: &Caps) -> Shape {
        let items = match caps.processor {
            Some(_) => AT_ONCE,
            None if caps.short_vectors() => 1,
            None => (ON_THE_WAY.min(self.most_values(caps)) / self.width).max(1),
        };
        let wanted = self.units().div_ceil(items).next_power_of_two();
        let segment = 2 * SEGMENT;
        // Few columns leave more invocations for each.
        let side = match self.columns {
            true => (segment / (self.size * self.width)).clamp(1, most).min(self.across()),
            false => 1,
        };
        self.shape(wanted.min(most / side), items, most, segment, caps)
    }
}
