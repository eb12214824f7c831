//! Launches of several submissions in one: between two submissions a device does nothing for longer than a small kernel
//! takes (13 us on an H200).
//!
//! While the device has submissions to go on with, further launches are kept and submitted together: when it is about to run
//! out of work, before anything else that is submitted or waits, when they are many, or after [`BOUND`]. They are accepted
//! when they are kept: if wgpu refuses them later, the device counts as lost, so that nobody reads what they did not write.

use super::Wgpu;
use super::line::{Commands, Order, Ticket};
use super::submit::{Prepared, TOGETHER, dispatch};
use crate::backend::Launch;
use crate::error::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Submissions that the device has ahead when further ones are joined: one that runs and one to go on with.
const AHEAD: u64 = 2;
/// How long launches are kept at most.
const BOUND: Duration = Duration::from_micros(200);

/// Launches that are accepted and not submitted yet. The line of submissions guards them.
#[derive(Default)]
pub(super) struct Joined {
    launches: Vec<Prepared>,
    since: Option<Instant>,
}

/// What sees to it that launches are submitted in time.
#[derive(Default)]
pub(super) struct Joining {
    /// Whether the program submits to the queue by itself: then each launch is submitted at once.
    shared: AtomicBool,
    /// Tells the thread that submits what nobody else has, that there is some; `None` if there can be no such thread.
    bound: OnceLock<Option<Sender<()>>>,
}

impl Wgpu {
    /// Keeps launches to submit them with others; false if they are to be submitted now.
    pub(super) fn join(&self, prepared: &[Prepared], launches: &[Launch]) -> Result<bool> {
        if prepared.len() >= TOGETHER || !self.may_join(prepared, launches) {
            return Ok(false);
        }
        let Some(bound) = self.joining.bound.get_or_init(|| start(self.me.clone())) else { return Ok(false) };
        let busy = self.is_busy();
        let mut order = self.line.lock();
        // Asked again while no other thread can submit: what the program submits comes after all that was accepted.
        if (!busy && order.joined.launches.is_empty()) || self.joining.shared.load(Ordering::Acquire) {
            return Ok(false);
        }
        order.joined.launches.extend_from_slice(prepared);
        if !busy || order.joined.launches.len() >= TOGETHER {
            self.submit_joined(&mut order)?;
        } else if order.joined.since.is_none() {
            order.joined.since = Some(Instant::now());
            let _ = bound.send(()); // the thread lives as long as this sender
        }
        Ok(true)
    }

    /// Whether nothing but their order matters to these launches: no clock times their submission, the host maps none of
    /// their memory, and their parameters travel with them.
    fn may_join(&self, prepared: &[Prepared], launches: &[Launch]) -> bool {
        !self.joining.shared.load(Ordering::Acquire)
            && !prepared.iter().any(|launch| launch.pipeline.uniform)
            && !Commands::uses_mappable(launches)
            && !self.clock().as_ref().is_some_and(|clock| clock.runs())
    }

    /// Whether the device has enough to go on with, as far as it can be told without a wait.
    fn is_busy(&self) -> bool {
        self.line.ahead() >= AHEAD && {
            let _ = self.device.poll(wgpu::PollType::Poll); // what it says comes out again in waits
            self.line.ahead() >= AHEAD
        }
    }

    /// Submits what is kept.
    pub(super) fn flush(&self) -> Result<()> {
        self.submit_joined(&mut self.line.lock())
    }

    /// The same in the order that the caller holds.
    pub(super) fn submit_joined(&self, order: &mut Order) -> Result<()> {
        if order.joined.launches.is_empty() {
            return Ok(());
        }
        let Joined { launches, .. } = std::mem::take(&mut order.joined);
        let submitted = self.guarded("submit", || {
            let mut commands = self.commands();
            let label = Some(launches[0].pipeline.kernel.name());
            let descriptor = wgpu::ComputePassDescriptor { label, timestamp_writes: None };
            dispatch(&mut commands.encoder.begin_compute_pass(&descriptor), &launches, None, &[]);
            self.submit_next(order, commands.encoder.finish());
        });
        submitted.inspect_err(|error| {
            let mut lost = self.lost.lock().expect("no panic while held");
            lost.get_or_insert_with(|| format!("launches that it had accepted could not be submitted: {error}"));
        })
    }

    /// From now on the program submits to the queue as well: after all that was accepted.
    pub(crate) fn share(&self) {
        let mut order = self.line.lock();
        self.joining.shared.store(true, Ordering::Release);
        let _ = self.submit_joined(&mut order); // if it fails the device is lost, which the next call says
    }

    /// When what is kept has to be submitted, if there is any.
    fn due(&self) -> Option<Instant> {
        self.line.lock().joined.since.map(|since| since + BOUND)
    }

    /// Puts one submission into the queue, and its number into the order.
    pub(super) fn submit_next(&self, order: &mut Order, commands: wgpu::CommandBuffer) -> Ticket {
        let number = self.line.begin();
        let ticket = Ticket { number, index: self.queue.submit([commands]) };
        let line = self.line.finished.clone();
        self.queue.on_submitted_work_done(move || {
            line.fetch_max(number, Ordering::AcqRel);
        });
        order.last = Some(ticket.clone());
        ticket
    }
}

/// Starts the thread that submits what nobody else has in time. It ends when the engine is dropped.
fn start(engine: Weak<Wgpu>) -> Option<Sender<()>> {
    let (told, tells) = channel();
    let thread = thread::Builder::new().name("crosslane submissions".into());
    thread.spawn(move || submit_in_time(&engine, &tells)).ok().map(|_| told)
}

fn submit_in_time(engine: &Weak<Wgpu>, told: &Receiver<()>) {
    while told.recv().is_ok() {
        // The engine is not held while the thread sleeps, or dropping it would be left to this thread.
        while let Some(due) = engine.upgrade().and_then(|engine| engine.due()) {
            match due.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => thread::sleep(left),
                _ => drop(engine.upgrade().map(|engine| engine.flush())),
            }
        }
    }
}
