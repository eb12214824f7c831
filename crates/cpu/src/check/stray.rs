//! Reads that give no value: past an end, or before anything was written. What they gave is told where it matters.

use super::{Checker, MOST_FINDINGS, Piece, Who};
use crate::program::Space;
use crate::run::Context;
use crosslane_core::report::{Defect, Finding, Report};

/// A read of one lane that gave no value, or an address that leads nowhere.
#[derive(Clone, Copy)]
pub(crate) struct Stray {
    /// What it is where it matters.
    defect: Defect,
    /// The step that found it.
    pub step: u32,
    lane: usize,
    what: What,
    /// Whether it has been told.
    told: bool,
}

#[derive(Clone, Copy)]
enum What {
    /// An index, how many elements there are, and the name of what has them.
    Index { index: i64, limit: u32, of: u32 },
    /// An address, the bytes there, and how many there are.
    Outside { space: Space, address: u32, width: u32, bytes: u32 },
    /// The same where nothing has been written.
    Unwritten { space: Space, address: u32, width: u32 },
}

impl Stray {
    pub fn index(who: &Who, index: i64, limit: u32, of: u32) -> Stray {
        Stray::new(Defect::OutOfBounds, who, What::Index { index, limit, of })
    }

    pub(super) fn outside(who: &Who, piece: &Piece) -> Stray {
        let &Piece { space, address, width, view } = piece;
        Stray::new(Defect::OutOfBounds, who, What::Outside { space, address, width, bytes: view.bytes })
    }

    pub(super) fn unwritten(who: &Who, piece: &Piece) -> Stray {
        let &Piece { space, address, width, .. } = piece;
        Stray::new(Defect::Uninitialised, who, What::Unwritten { space, address, width })
    }

    fn new(defect: Defect, who: &Who, what: What) -> Stray {
        Stray { defect, step: who.step, lane: who.lane, what, told: false }
    }
}

impl Checker {
    /// Whether a read that gives no value is followed to where it matters. The library's kernels run without checks on GPUs,
    /// as trusted ones do: there each such read is a defect by itself.
    pub fn follows(&self) -> bool {
        !self.strict
    }

    /// Notes a read that gave no value. It is told in the end if no such read at its place mattered.
    pub fn note(&mut self, context: &Context, group: [u32; 3], stray: &Stray) {
        let key = (stray.defect, site(context, stray.step));
        if let Some(at) = self.unused.iter().position(|(known, _)| *known == key) {
            self.unused[at].1.count += 1;
        } else if self.unused.len() < MOST_FINDINGS {
            let finding = self.finding(context, group, stray);
            self.unused.push((key, finding));
        }
    }

    /// What a read gave matters at this step of its lane; `None`: it is no read, but a write to where nothing is.
    pub fn matters(&mut self, context: &Context, group: [u32; 3], stray: &mut Stray, step: Option<u32>) {
        if std::mem::replace(&mut stray.told, true) {
            return;
        }
        let key = (stray.defect, 0, site(context, stray.step));
        if let Some(&at) = self.seen.get(&key) {
            self.report.findings[at].count += 1;
            return;
        }
        if self.report.findings.len() >= MOST_FINDINGS {
            return;
        }
        let mut finding = self.finding(context, group, stray);
        if let Some(used) = step.map(|step| self.spot(context, step, group, stray.lane as u32)) {
            // One statement may load and use it.
            if used.line != finding.spot.line {
                finding.message += "; the value is used where is shown second";
                finding.other = Some(used);
            }
        }
        self.seen.insert(key, self.report.findings.len());
        self.report.findings.push(finding);
    }

    fn finding(&self, context: &Context, group: [u32; 3], stray: &Stray) -> Finding {
        let program = context.program;
        let (name, index, message) = match stray.what {
            What::Index { index, limit, of } => {
                let name = program.names[of as usize].clone();
                let message = format!("index {index} of `{name}`, which has {limit} elements");
                (name, index, message)
            }
            What::Outside { space, address, width, bytes } => {
                let (name, index) = self.named(program, space, address, width);
                let message = format!("`{name}` has {bytes} bytes; this touches {width} from byte {address} on");
                (name, index, message)
            }
            What::Unwritten { space, address, width } => {
                let (name, index) = self.named(program, space, address, width);
                let message = format!("`{name}` is read at index {index} before anything was written there");
                (name, index, message)
            }
        };
        let spot = self.spot(context, stray.step, group, stray.lane as u32);
        let (kernel, defect) = (program.name.clone(), stray.defect);
        let mut finding = Finding::new(defect, kernel, spot, message);
        (finding.binding, finding.index) = (Some(name), Some(index));
        finding
    }

    /// The reads that gave no value and did not matter, by their places.
    pub fn unused(&mut self) -> Report {
        let seen = &self.seen;
        let unused = std::mem::take(&mut self.unused).into_iter();
        let unused = unused.filter(|((defect, site), _)| !seen.contains_key(&(*defect, 0, *site)));
        let renamed = |((defect, _), mut finding): ((Defect, u32), Finding)| {
            finding.defect = match defect {
                Defect::Uninitialised => Defect::UninitialisedUnused,
                _ => Defect::OutOfBoundsUnused,
            };
            finding
        };
        let mut report = Report::default();
        report.findings.extend(unused.map(renamed));
        report
    }
}

fn site(context: &Context, step: u32) -> u32 {
    context.program.code[step as usize].site
}
