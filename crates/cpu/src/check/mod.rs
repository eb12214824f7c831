//! The sanitizer: watches every access of a launch.

mod shadow;
mod stray;
mod watch;

use super::memory::View;
use super::program::{AtomicOp, Program, Space};
use super::run::Context;
use shadow::{Shadow, Stamp};
use std::collections::HashMap;
use watch::{Noted, Watch};

pub(super) use stray::Stray;

use crosslane_core::report::{Checks, Defect, Finding, Report, Spot};

/// A buffer of the launch: which memory it is of, and where its window begins.
pub(super) struct Bound {
    /// Index into [`Checker::blocks`].
    pub block: usize,
    pub offset: u64,
}

/// What is known of a block of memory.
#[derive(Default)]
pub(super) struct Known {
    /// One bit for each byte that something wrote.
    pub written: Vec<u64>,
    /// Whether a binding of the launch may change it. If none does, reads race with nothing.
    pub changes: bool,
    shadow: Shadow,
}

impl Known {
    pub fn new(written: Vec<u64>) -> Known {
        Known { written, ..Known::default() }
    }
}

/// What is known of a workgroup that is under way.
#[derive(Default)]
struct Group {
    number: u32,
    /// Barriers passed: of workgroup memory, of storage, of the subgroup.
    epochs: [u32; 3],
    shadow: Shadow,
    written: Vec<u64>,
}

/// The state of the checks during one launch.
pub(super) struct Checker {
    pub checks: Checks,
    /// A trusted kernel: workgroup memory is not set to zero.
    unset: bool,
    /// Each read that gives no value is a defect, whether it matters or not.
    strict: bool,
    /// In the order of [`Program::buffers`]; none for parameters.
    bound: Vec<Option<Bound>>,
    pub blocks: Vec<Known>,
    groups: HashMap<[u32; 3], Group>,
    current: [u32; 3],
    group: Group,
    pub report: Report,
    seen: HashMap<(Defect, u32, u32), usize>,
    /// Reads that gave no value, by defect and site, whether they matter or not.
    unused: Vec<((Defect, u32), Finding)>,
    /// The logarithm of the bytes that one place of the shadow stands for: 2 bytes if the kernel has elements so small.
    grain: u32,
    /// Accesses far apart, if anybody wants to know.
    pub strides: Option<Vec<Stride>>,
}

/// An access of neighbouring invocations this many bytes apart.
pub(super) struct Stride {
    pub step: u32,
    pub line: u32,
    /// The buffer's name.
    pub of: String,
    pub bytes: i64,
}

/// An invocation at a step.
#[derive(Clone, Copy)]
pub(super) struct Who<'a> {
    pub context: &'a Context<'a>,
    pub step: u32,
    pub group: [u32; 3],
    pub lane: usize,
}

/// A piece of memory.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub space: Space,
    pub address: u32,
    pub width: u32,
    pub view: View<'a>,
}

/// What an access does.
#[derive(Clone, Copy)]
struct How {
    /// The value that was there matters.
    reads: bool,
    /// A bit for each byte that it sets.
    writes: u64,
    changes: bool,
    atomic: bool,
    /// It only reads: what it reads may not matter.
    loads: bool,
}

/// Findings of one launch after which no more are added.
const MOST_FINDINGS: usize = 64;

impl Checker {
    pub fn new(
        checks: Checks,
        (unset, strict): (bool, bool),
        program: &Program,
        bound: Vec<Option<Bound>>,
        blocks: Vec<Known>,
    ) -> Checker {
        Checker {
            checks,
            unset,
            strict,
            bound,
            blocks,
            groups: HashMap::new(),
            current: [u32::MAX; 3],
            group: Group::default(),
            report: Report::default(),
            seen: HashMap::new(),
            unused: vec![],
            grain: if program.small { 1 } else { 2 },
            strides: None,
        }
    }

    /// A workgroup is done: nothing more of it is needed.
    pub fn forget(&mut self, group: [u32; 3]) {
        self.enter(group, &[0; 3]);
        self.current = [u32::MAX; 3];
        self.group = Group::default();
    }

    fn enter(&mut self, group: [u32; 3], groups: &[u32; 3]) {
        if self.current == group {
            return;
        }
        let [x, y, z] = group.map(u64::from);
        let number = x + groups[0] as u64 * (y + groups[1] as u64 * z);
        // No workgroup is 0; past 2^32, which no run reaches, the numbers wrap.
        let number = (number % u32::MAX as u64) as u32 + 1;
        let next = self.groups.remove(&group).unwrap_or(Group { number, ..Group::default() });
        let last = std::mem::replace(&mut self.group, next);
        if self.current != [u32::MAX; 3] {
            self.groups.insert(self.current, last);
        }
        self.current = group;
    }

    fn spot(&self, context: &Context, step: u32, group: [u32; 3], lane: u32) -> Spot {
        let program = context.program;
        let place = program.sites[program.code[step as usize].site as usize].location(&program.source);
        let line = program.source.lines().nth(place.line_number.saturating_sub(1) as usize).unwrap_or_default();
        let [x, y, _] = program.size;
        Spot {
            line: place.line_number,
            column: place.line_position,
            text: line.to_string(),
            width: place.length,
            workgroup: group,
            invocation: [lane % x, lane / x % y, lane / (x * y)],
        }
    }

    fn find(&mut self, who: &Who, defect: Defect, other: Option<Stamp>, place: Option<(String, i64)>, message: String) {
        let &Who { context, step, group, lane } = who;
        let (binding, index) = place.unzip();
        let site = |step: u32| context.program.code[step as usize].site;
        // Either side of a race may be seen first.
        let (a, b) = (site(step), other.map_or(0, |o| site(o.step)));
        let key = (defect, a.min(b), a.max(b));
        if let Some(&at) = self.seen.get(&key) {
            self.report.findings[at].count += 1;
            return;
        }
        if self.report.findings.len() >= MOST_FINDINGS {
            return;
        }
        let groups = context.groups;
        let other = other.map(|stamp| {
            let n = stamp.group - 1;
            let group = [n % groups[0], n / groups[0] % groups[1], n / groups[0] / groups[1]];
            self.spot(context, stamp.step, group, stamp.lane as u32)
        });
        let spot = self.spot(context, step, group, lane as u32);
        self.seen.insert(key, self.report.findings.len());
        let kernel = context.program.name.clone();
        let mut finding = Finding::new(defect, kernel, spot, message);
        (finding.other, finding.binding, finding.index) = (other, binding, index);
        self.report.findings.push(finding);
    }

    /// The name of what lies at an address, and the index there in units of `width`.
    fn named(&self, program: &Program, space: Space, address: u32, width: u32) -> (String, i64) {
        match space {
            Space::Buffer(buffer) => (program.buffers[buffer as usize].name.clone(), (address / width) as i64),
            Space::Immediate => ("the immediates".into(), (address / width) as i64),
            Space::Workgroup => {
                let inside = |(_, start, bytes): &&(String, u32, u32)| (*start..start + bytes).contains(&address);
                match program.workgroup_names.iter().find(inside) {
                    Some((name, start, _)) => (name.clone(), ((address - start) / width) as i64),
                    None => ("workgroup memory".into(), (address / width) as i64),
                }
            }
        }
    }

    /// Reads of several invocations at a step: `count` neighbours each, from its address on. `who` and `piece` say the rest.
    /// Gives those that gave no value and are followed, with their lanes and which of the neighbours they are.
    pub fn read(
        &mut self,
        who: &Who,
        piece: &Piece,
        count: u32,
        lanes: impl Iterator<Item = (usize, u32)>,
    ) -> Vec<(usize, u32, Stray)> {
        let how = How { reads: true, writes: 0, changes: false, atomic: false, loads: true };
        self.access(who, piece, count, how, lanes)
    }

    pub fn write(&mut self, who: &Who, piece: &Piece, count: u32, lanes: impl Iterator<Item = (usize, u32)>) {
        let how = How { reads: false, writes: u64::MAX, changes: true, atomic: false, loads: false };
        self.access(who, piece, count, how, lanes);
    }

    /// Gives the read that gave no value, if it is followed.
    pub fn atomic(&mut self, who: &Who, piece: &Piece, (op, value, used): (AtomicOp, u64, bool)) -> Option<Stray> {
        // Bits of a byte that `and` and `or` keep stay unset, which is not reported.
        let bytes = |all: u64| (0..8).filter(|b| (value >> (b * 8)) & 0xff == all).fold(0, |set, b| set | 1 << b);
        let writes = match op {
            AtomicOp::Load => 0,
            AtomicOp::And if !used => bytes(0),
            AtomicOp::Or if !used => bytes(0xff),
            _ => u64::MAX,
        };
        let merges = !used && matches!(op, AtomicOp::And | AtomicOp::Or);
        let reads = op != AtomicOp::Store && !merges && (used || op != AtomicOp::Exchange);
        let loads = op == AtomicOp::Load;
        let how = How { reads, writes, changes: !loads, atomic: true, loads };
        self.access(who, piece, 1, how, std::iter::once((who.lane, piece.address))).pop().map(|(.., stray)| stray)
    }

    fn access(
        &mut self,
        who: &Who,
        piece: &Piece,
        count: u32,
        how: How,
        lanes: impl Iterator<Item = (usize, u32)>,
    ) -> Vec<(usize, u32, Stray)> {
        self.enter(who.group, &who.context.groups);
        let (mut watch, mut wrong, width) = (self.watch(who, piece.space, how), vec![], piece.width);
        for (lane, first) in lanes {
            for nth in 0..count {
                let address = first.wrapping_add(nth * width);
                let noted = match piece.view.holds(address, width) {
                    true => watch.as_mut().map_or(Noted::default(), |watch| watch.note(lane, address, width)),
                    false => Noted { outside: true, ..Noted::default() },
                };
                if noted.is_wrong() {
                    wrong.push((lane, nth, address, noted));
                }
            }
        }
        let (mut strays, follows) = (vec![], how.loads && self.follows());
        for (lane, nth, address, mut noted) in wrong {
            let (who, piece) = (Who { lane, ..*who }, Piece { address, ..*piece });
            if follows && noted.outside && self.checks.bounds {
                strays.push((lane, nth, Stray::outside(&who, &piece)));
            } else if follows && noted.fresh && self.checks.uninitialised {
                strays.push((lane, nth, Stray::unwritten(&who, &piece)));
            }
            if follows {
                (noted.outside, noted.fresh) = (false, false);
            }
            self.tell(&who, &piece, &noted);
        }
        strays
    }

    /// `None` where accesses are never wrong, as long as they are within bounds.
    fn watch(&mut self, who: &Who, space: Space, how: How) -> Option<Watch<'_>> {
        let epoch = self.group.epochs[if space == Space::Workgroup { 0 } else { 1 }];
        let now = Stamp {
            group: self.group.number,
            lane: 0,
            atomic: how.atomic,
            epoch,
            subgroup_epoch: self.group.epochs[2],
            step: who.step,
        };
        let (shadow, written, base) = match space {
            Space::Immediate => return None,
            Space::Buffer(buffer) => {
                let bound = self.bound[buffer as usize].as_ref()?;
                let known = &mut self.blocks[bound.block];
                (known.changes.then_some(&mut known.shadow), Some(&mut known.written), bound.offset as u32)
            }
            Space::Workgroup => {
                let tells = self.unset || self.checks.workgroup_unset;
                (Some(&mut self.group.shadow), tells.then_some(&mut self.group.written), 0)
            }
        };
        let (shadow, subgroup) = (shadow.filter(|_| self.checks.races), who.context.program.subgroup);
        Some(Watch { shadow, written, base, now, subgroup, grain: self.grain, how })
    }

    #[cold]
    fn tell(&mut self, who: &Who, piece: &Piece, noted: &Noted) {
        if noted.outside && self.checks.bounds {
            self.outside(who, piece);
        }
        if noted.fresh && self.checks.uninitialised {
            let (name, index) = self.named(who.context.program, piece.space, piece.address, piece.width);
            let message = format!("`{name}` is read at index {index} before anything was written there");
            self.find(who, Defect::Uninitialised, None, Some((name, index)), message);
        }
        if let Some(other) = noted.conflict {
            let (name, index) = self.named(who.context.program, piece.space, piece.address, piece.width);
            let hint = match (other.group == self.group.number, piece.space) {
                (true, Space::Workgroup) => "no workgroupBarrier() is between them",
                (true, _) => "no storageBarrier() is between them",
                (false, _) => "workgroups of one launch are not ordered",
            };
            let message = format!(
                "two invocations touch `{name}` at index {index}, one of them writes, and {hint}; \
                 the earlier access is shown second"
            );
            self.find(who, Defect::Race, Some(other), Some((name, index)), message);
        }
    }

    fn outside(&mut self, who: &Who, piece: &Piece) {
        let (name, index) = self.named(who.context.program, piece.space, piece.address, piece.width);
        // An index that is too large has been found where it was computed.
        let program = who.context.program;
        let line = program.sites[program.code[who.step as usize].site as usize].location(&program.source).line_number;
        let known = |f: &Finding| {
            f.defect == Defect::OutOfBounds && (f.binding.as_deref() == Some(&name) || f.spot.line == line)
        };
        if self.report.findings.iter().any(known) {
            return;
        }
        let Piece { address, width, .. } = piece;
        let bytes = piece.view.bytes;
        let message = format!("`{name}` has {bytes} bytes; this touches {width} from byte {address} on");
        self.find(who, Defect::OutOfBounds, None, Some((name, index)), message);
    }

    /// A matrix reaches out of the variable of the workgroup with these bytes.
    pub fn leaves(&mut self, who: &Who, [start, end]: [u32; 2], address: u32) {
        if self.checks.bounds {
            let program = who.context.program;
            let known = program.workgroup_names.iter().find(|(_, first, _)| *first == start);
            let name = known.map_or("a buffer", |(name, ..)| name).to_string();
            let byte = address as i64 - start as i64;
            let message = format!("`{name}` has {} bytes; a matrix there touches byte {byte}", end - start);
            self.find(who, Defect::OutOfBounds, None, Some((name, byte / 4)), message);
        }
    }

    pub fn index(&mut self, who: &Who, (index, limit, exact): (u32, u32, Option<i64>), of: u32) {
        let name = || who.context.program.names[of as usize].clone();
        if index >= limit {
            if self.checks.bounds {
                let (name, at) = (name(), exact.unwrap_or(index as i64));
                let message = format!("index {at} of `{name}`, which has {limit} elements");
                self.find(who, Defect::OutOfBounds, None, Some((name, at)), message);
            }
        } else if let Some(exact) = exact.filter(|&exact| exact != index as i64 && self.checks.overflow) {
            let name = name();
            let message = format!("index {index} of `{name}` overflowed 32 bits: the exact value is {exact}");
            self.find(who, Defect::IndexOverflow, None, Some((name, exact)), message);
        }
    }

    pub fn nan(&mut self, who: &Who) {
        let message = "the result is NaN although no operand is NaN".to_string();
        self.find(who, Defect::Nan, None, None, message);
    }

    /// `some`: the invocations that are there, if not all are.
    pub fn barrier(&mut self, who: &Who, some: Option<Vec<usize>>, [workgroup, storage, subgroup]: [bool; 3]) {
        self.enter(who.group, &who.context.groups);
        for (epoch, passed) in self.group.epochs.iter_mut().zip([workgroup, storage, subgroup]) {
            *epoch += passed as u32;
        }
        if let Some(lanes) = some.filter(|_| self.checks.barriers) {
            let all = who.context.program.lanes();
            let message = format!("a barrier that {} of {all} invocations reach", lanes.len());
            let first = lanes.first().copied().unwrap_or_default();
            self.find(&Who { lane: first, ..*who }, Defect::DivergentBarrier, None, None, message);
        }
    }

    /// A workgroup waits for another.
    pub fn spin(&mut self, who: &Who) {
        if self.checks.progress {
            let message = "the loop waits for memory that only another workgroup can change; nothing promises that \
                           one runs before this one ends"
                .to_string();
            self.find(who, Defect::NoProgress, None, None, message);
        }
    }
}
