//! Shadow memory: the last invocation that accessed each element.

/// One access.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamp {
    /// Number of the workgroup, from 1; 0 if there was no access.
    pub group: u32,
    pub lane: u16,
    pub atomic: bool,
    /// Barriers of this memory, and of the subgroup, that the workgroup had passed.
    pub epoch: u32,
    pub subgroup_epoch: u32,
    pub step: u32,
}

impl Stamp {
    /// Whether nothing orders this earlier access before that one, of which at least one writes.
    #[inline(always)]
    fn races(&self, now: &Stamp, subgroup: u32) -> bool {
        if self.group == 0 || (self.atomic && now.atomic) {
            return false;
        }
        if self.group != now.group {
            return true;
        }
        self.lane != now.lane
            && self.epoch == now.epoch
            // A division: last, since most accesses are of the same lane, or of another epoch.
            && !(self.subgroup_epoch != now.subgroup_epoch
                && self.lane as u32 / subgroup == now.lane as u32 / subgroup)
    }
}

/// What is known of one place: a line of the processor's cache, which is what an access costs.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Cell {
    write: Stamp,
    /// Two readers are enough: any writer differs from one of them.
    reads: [Stamp; 2],
}

const PAGE: usize = 1024;

/// The accesses to a block of memory during one launch. Pages are made when they are first touched.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    pages: Vec<Vec<Cell>>,
}

impl Shadow {
    #[inline(always)]
    fn cell(&mut self, at: usize) -> &mut Cell {
        let page = at / PAGE;
        if self.pages.get(page).is_none_or(Vec::is_empty) {
            self.make(page);
        }
        &mut self.pages[page][at % PAGE]
    }

    /// Not a part of `cell`: a page is made once, and found for each access of a lane.
    #[cold]
    fn make(&mut self, page: usize) {
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, Vec::new);
        }
        self.pages[page] = vec![Cell::default(); PAGE];
    }

    /// Notes a read; the write it races with becomes the conflict, unless there is one.
    #[inline(always)]
    pub fn read(&mut self, at: usize, now: &Stamp, subgroup: u32, conflict: &mut Option<Stamp>) {
        let cell = self.cell(at);
        if cell.write.races(now, subgroup) {
            found(conflict, &cell.write);
        }
        let [first, second] = &mut cell.reads;
        let same = |stamp: &Stamp| stamp.group == now.group && (stamp.lane == now.lane || stamp.epoch != now.epoch);
        if first.group == 0 || same(first) {
            *first = *now;
        } else if second.group == 0 || same(second) || second.group == first.group {
            *second = *now;
        }
    }

    /// Notes a write; the access it races with becomes the conflict, unless there is one.
    #[inline(always)]
    pub fn write(&mut self, at: usize, now: &Stamp, subgroup: u32, conflict: &mut Option<Stamp>) {
        let cell = self.cell(at);
        // Compared where they lie: copies cost more than the comparisons.
        for earlier in [&cell.write, &cell.reads[0], &cell.reads[1]] {
            if earlier.races(now, subgroup) {
                found(conflict, earlier);
            }
        }
        cell.write = *now;
    }
}

#[cold]
fn found(conflict: &mut Option<Stamp>, earlier: &Stamp) {
    conflict.get_or_insert(*earlier);
}
