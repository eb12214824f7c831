//! The workgroups of a launch: side by side on several threads, or one after another under the checks.

use super::check::{Bound, Checker, Known, Stride, Who};
use super::program::Program;
use super::run::{Context, Machine, Status};
use super::{Compiled, Cpu, WorkgroupOrder, block, memory};
use crosslane_core::advice::Reason;
use crosslane_core::kernel::Access;
use crosslane_core::report::{Checks, Report};
use crosslane_core::threads;
use crosslane_core::work::Launch;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Words to compute below which starting a second thread costs more than it saves.
const SMALL: u64 = 1 << 18;

/// Workgroups of a checked launch that take turns, at their atomics on buffers.
const OVERTAKEN: u64 = 16;

/// How many turns.
const TURNS: u32 = 64;

/// Workgroups that are kept waiting for others: each has registers of its own. More are given up.
const MOST_WAITING: usize = 256;

impl Cpu {
    /// Gives the step and the workgroup whose time was used up.
    pub(super) fn run_side_by_side(&self, context: &Context, compiled: &Compiled) -> Option<Stuck> {
        let count: u64 = context.groups.iter().map(|&n| n as u64).product();
        let order = self.profile.order;
        let next = AtomicU64::new(0);
        let endless = Mutex::new(None);
        let work = || {
            let kept = compiled.machines.lock().expect("no panic while held").pop();
            let mut machine = kept.unwrap_or_else(|| Machine::new(compiled.program()));
            let mut ran = false;
            loop {
                let n = next.fetch_add(1, Relaxed);
                if n >= count || context.stop.load(Relaxed) {
                    break;
                }
                machine.begin(context, unfold(order.nth(n, count), context.groups), 0);
                // The first runs however late it is: its loops have lines, which an error should name.
                let late = ran && context.until.is_some_and(|until| Instant::now() > until);
                ran = true;
                let step = if late {
                    None
                } else if let Status::Exhausted(step) = machine.run(context, &mut None) {
                    Some(step)
                } else {
                    continue;
                };
                let first = !context.stop.swap(true, Relaxed);
                if first {
                    *endless.lock().expect("no panic while held") = Some((step, machine.group));
                }
                break;
            }
            compiled.machines.lock().expect("no panic while held").push(machine);
        };
        let workers = match order {
            WorkgroupOrder::OneAtATime => 1,
            _ if count.saturating_mul(compiled.effort) < SMALL => 1,
            _ => count.min(threads::count() as u64),
        };
        threads::together(workers.saturating_sub(1) as usize, &work);
        endless.into_inner().expect("no panic while held")
    }

    /// Runs workgroups one after another, the first few in turns, so that a workgroup that waits for another is
    /// detected.
    pub(super) fn run_checked(
        &self,
        context: &Context,
        compiled: &Compiled,
        launch: &Launch,
        checks: Checks,
        report: &mut Report,
    ) -> Option<Stuck> {
        let (bound, blocks, memories) = bind(context.program, launch);
        let mut checker = Checker::new(
            checks,
            (launch.kernel.is_trusted(), !launch.kernel.is_watched()),
            compiled.program(),
            bound,
            blocks,
        );
        let advises = self.observer.advice.on() && launch.kernel.reflection().is_some();
        checker.strides = advises.then(Vec::new);
        let mut checker = Some(checker);
        let endless = self.schedule(context, &mut checker);
        let mut checker = checker.expect("only lent");
        self.note_unused(launch, checker.unused());
        for (memory, known) in memories.into_iter().zip(checker.blocks) {
            if let Some(written) = &memory.written {
                *written.lock().expect("no panic while held") = known.written;
            }
        }
        report.findings.extend(checker.report.findings);
        checker.strides.iter().flatten().for_each(|stride| self.advise(launch, stride));
        endless
    }

    /// Reads that gave no value, which nothing needed, are no defects.
    fn note_unused(&self, launch: &Launch, unused: Report) {
        let observer = &self.observer;
        for finding in &unused.findings {
            let (line, defect) = (finding.spot.line, finding.defect);
            observer.advice.say(&launch.kernel, Reason::Unused(line, defect), || {
                format!("line {line}: {}: {}", defect.name(), finding.message)
            });
        }
        observer.remarks.add(unused);
    }

    fn advise(&self, launch: &Launch, stride: &Stride) {
        let &Stride { line, bytes, ref of, .. } = stride;
        self.observer.advice.say(&launch.kernel, Reason::Strided(line), || {
            format!(
                "line {line}: neighbouring invocations touch `{of}` {bytes} bytes apart, and a GPU fetches 32 to 128 bytes \
                 for each; let neighbours touch neighbouring elements: change which index runs fastest, or the order in \
                 memory, or go through workgroup memory"
            )
        });
    }

    fn schedule(&self, context: &Context, checker: &mut Option<Checker>) -> Option<Stuck> {
        let count: u64 = context.groups.iter().map(|&n| n as u64).product();
        let mut turns = Turns { context, checker, waiting: vec![], spare: None, stuck: None, given_up: false };
        for n in 0..count {
            self.observer.checked.store(n, Relaxed);
            let mut machine = turns.spare.take().unwrap_or_else(|| Machine::new(context.program));
            let group = unfold(self.profile.order.nth(n, count), context.groups);
            machine.begin(context, group, if n < OVERTAKEN { TURNS } else { 0 });
            if let Err(endless) = turns.go_on(machine) {
                return Some(endless);
            }
        }
        turns.finish().err()
    }
}

/// The step or site, if it has come to one, and the workgroup that does not come past it.
pub(super) type Stuck = (Option<u32>, [u32; 3]);

/// Workgroups of a checked launch that have begun and not ended.
struct Turns<'a> {
    context: &'a Context<'a>,
    checker: &'a mut Option<Checker>,
    waiting: Vec<Machine>,
    /// A machine for the next workgroup.
    spare: Option<Machine>,
    /// The last that was seen waiting for another.
    stuck: Option<Stuck>,
    /// Whether some that waited will not run again.
    given_up: bool,
}

impl Turns<'_> {
    /// Runs a workgroup until it ends or waits; gives whether anything has changed, or that its time is used up.
    fn go_on(&mut self, mut machine: Machine) -> Result<bool, Stuck> {
        let (before, group) = (machine.changes(), machine.group);
        match machine.run(self.context, self.checker) {
            Status::Exhausted(step) => Err((Some(step), group)),
            Status::Done => {
                self.checker.as_mut().expect("checking").forget(group);
                self.spare = Some(machine);
                Ok(true)
            }
            Status::Preempted => {
                self.waiting.push(machine);
                Ok(true)
            }
            Status::Spinning(step) => {
                let checker = self.checker.as_mut().expect("checking");
                checker.spin(&Who { context: self.context, step, group, lane: 0 });
                self.stuck = Some((Some(step), group));
                let changed = machine.changes() != before;
                if self.waiting.len() < MOST_WAITING {
                    self.waiting.push(machine);
                } else {
                    checker.forget(group);
                    (self.spare, self.given_up) = (Some(machine), true);
                }
                Ok(changed)
            }
        }
    }

    /// In turns, forwards and backwards, until all have ended. Those that wait for one another have been reported as
    /// such; with that check off they are endless, and so are those that were given up.
    fn finish(mut self) -> Result<(), Stuck> {
        let mut changed = true;
        while changed && !self.waiting.is_empty() {
            changed = false;
            for machine in std::mem::take(&mut self.waiting).into_iter().rev() {
                changed |= self.go_on(machine)?;
            }
        }
        let reported = self.checker.as_ref().expect("checking").checks.progress;
        match self.stuck.filter(|_| !reported && (self.given_up || !self.waiting.is_empty())) {
            Some(stuck) => Err(stuck),
            None => Ok(()),
        }
    }
}

/// Which memory each buffer is of, and what is known of it: several windows may be of one memory.
fn bind<'a>(program: &Program, launch: &'a Launch) -> (Vec<Option<Bound>>, Vec<Known>, Vec<&'a memory::Block>) {
    let mut ids: Vec<u64> = vec![];
    let (mut blocks, mut memories) = (vec![], vec![]);
    let bound = program.buffers.iter().map(|buffer| {
        let nth = buffer.window?;
        let window = &launch.buffers[nth];
        let at = ids.iter().position(|&id| id == window.memory.id()).unwrap_or_else(|| {
            let memory = block(&window.memory);
            let written = memory.written.as_ref().map(|w| std::mem::take(&mut *w.lock().expect("no panic while held")));
            ids.push(window.memory.id());
            blocks.push(Known::new(written.unwrap_or_default()));
            memories.push(memory);
            ids.len() - 1
        });
        blocks[at].changes |= launch.kernel.bindings()[nth].access != Access::Read;
        Some(Bound { block: at, offset: window.offset })
    });
    (bound.collect(), blocks, memories)
}

pub(super) fn unfold(n: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (x as u64, y as u64);
    [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
}
