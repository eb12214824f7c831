//! Joins launches of several submissions into one. A submission costs more than a small kernel: an H200 idles 13 us
//! between two.
//!
//! While the device has submissions to go on with, or another thread submits, further launches are kept. They are
//! submitted together: when the device is about to run out of work, before anything else that is submitted or waits,
//! when they are many, or after [`BOUND`]. They are accepted when they are kept: if wgpu refuses them later, the device
//! counts as lost, so that their missing results are not read.

use super::Wgpu;
use super::line::{Order, is_mapped, mappable, used_by};
use super::pipeline::Pipeline;
use super::submit::{Prepared, TOGETHER, dispatch};
use crosslane_core::error::Result;
use crosslane_core::memory::Memory;
use crosslane_core::platform::Instant;
use crosslane_core::threads::{in_driver, watch_a_device};
use crosslane_core::work::Launch;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::thread;
use std::time::Duration;

/// Submissions that the device has ahead when further ones are joined: one that runs and one to go on with.
const AHEAD: u64 = 2;
/// So soon after a submission that is not done further launches are joined too: a host that takes as long for a submission
/// as the device does would never have two ahead, and spend its time on submissions.
const SOON: Duration = Duration::from_micros(40);
/// How long launches are kept at most.
const BOUND: Duration = Duration::from_micros(200);

/// How long the thread that submits in time goes on looking when there is nothing, so that the next launch need not
/// wake it by a system call.
const LINGER: Duration = Duration::from_millis(10);

/// Launches that wait for each other.
#[derive(Default)]
pub(super) struct Joined {
    kept: Mutex<Kept>,
    /// Whether a thread is about to submit, and others keep what they have.
    turn: AtomicBool,
    /// Wakes the thread that submits in time; `None` if there can be no such thread.
    bound: OnceLock<Option<SyncSender<()>>>,
}

/// Launches that are accepted and not submitted yet. Only the thread that holds the order of submissions takes them
/// out.
#[derive(Default)]
struct Kept {
    launches: Vec<Prepared>,
    /// Memory that they share with all kernels and the host maps.
    mappable: Vec<Arc<Memory>>,
    since: Option<Instant>,
    /// Whether the program submits to the queue by itself: then nothing is kept.
    shared: bool,
}

/// How launches are submitted.
pub(super) enum Way<'a> {
    /// They are accepted, and submitted with others.
    Kept,
    /// They are to be submitted now; others keep theirs meanwhile.
    Now(Turn<'a>),
    /// They are to be submitted now, as any other work.
    Alone,
}

/// The turn to submit of one thread.
pub(super) struct Turn<'a>(&'a Wgpu);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.0.is_busy() {
            let _ = self.0.flush(); // if it fails the device is lost, which the next call says
        }
        self.0.joined.turn.store(false, Ordering::Release);
    }
}

impl Joined {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The turn, if no other thread has it.
    fn take_turn<'a>(&self, engine: &'a Wgpu) -> Option<Turn<'a>> {
        (!self.turn.swap(true, Ordering::AcqRel)).then(|| Turn(engine))
    }
}

impl Wgpu {
    /// Keeps launches to submit them with others, or returns how to submit them.
    ///
    /// A launch that is kept while another thread has the turn may miss that thread's last look: the next turn, or the
    /// thread that submits in time, takes it.
    pub(super) fn join(&self, prepared: &[Prepared], launches: &[Launch]) -> Result<Way<'_>> {
        if prepared.len() >= TOGETHER || !self.may_join(prepared, launches) {
            return Ok(Way::Alone);
        }
        let joined = &self.joined;
        let Some(bound) = joined.bound.get_or_init(|| start(self.me.clone())) else { return Ok(Way::Alone) };
        let mut turn = if self.is_busy() { None } else { joined.take_turn(self) };
        let mut kept = joined.kept();
        if kept.shared {
            return Ok(Way::Alone);
        }
        if kept.launches.is_empty()
            && let Some(turn) = turn.take()
        {
            return Ok(Way::Now(turn));
        }
        kept.launches.extend_from_slice(prepared);
        for memory in mappable(launches) {
            if !kept.mappable.iter().any(|other| Arc::ptr_eq(other, memory)) {
                kept.mappable.push(memory.clone());
            }
        }
        let many = kept.launches.len() >= TOGETHER;
        let first = kept.since.is_none();
        kept.since.get_or_insert_with(Instant::now);
        drop(kept);
        if many || turn.is_some() {
            self.flush()?;
        } else if first {
            let _ = bound.try_send(()); // it has been told already if there is no room
        }
        Ok(Way::Kept)
    }

    /// Whether nothing but their order matters to these launches: no clock times their submission, the host maps none of
    /// their arrays, their parameters travel with them, none is a slice, which is to end before others begin, and none needs a
    /// large stack.
    fn may_join(&self, prepared: &[Prepared], launches: &[Launch]) -> bool {
        let is_alone =
            |pipeline: &Pipeline| pipeline.uniform || pipeline.needs_large_stack || pipeline.kernel.is_slice();
        !prepared.iter().any(|launch| is_alone(&launch.pipeline))
            && mappable(launches).all(|memory| memory.is_shared())
            && !self.clock().as_ref().is_some_and(|clock| clock.runs())
    }

    /// Whether the device has enough queued work, as far as is known without a wait.
    fn is_busy(&self) -> bool {
        let busy = || match self.line.ahead() {
            0 => false,
            ahead => ahead >= AHEAD || self.line.since_last() < SOON,
        };
        busy() && {
            let _ = self.device.poll(wgpu::PollType::Poll); // what it says comes out again in waits
            busy()
        }
    }

    /// Submits what is kept.
    pub(super) fn flush(&self) -> Result<()> {
        self.submit_kept(self.line.lock()).map(drop)
    }

    /// The same in the order that the caller holds. It is let go while the host copies out of memory that they use.
    pub(super) fn submit_kept<'a>(&'a self, mut order: MutexGuard<'a, Order>) -> Result<MutexGuard<'a, Order>> {
        let (launches, mappable) = loop {
            let mut kept = self.joined.kept();
            if !kept.mappable.iter().any(|memory| is_mapped(memory)) {
                kept.since = None;
                break (std::mem::take(&mut kept.launches), std::mem::take(&mut kept.mappable));
            }
            drop(kept);
            order = self.line.unmapped(order);
        };
        if launches.is_empty() {
            return Ok(order);
        }
        let submitted = self.guarded("submit", || {
            let mut commands = self.commands();
            let label = Some(launches[0].pipeline.kernel.name());
            let descriptor = wgpu::ComputePassDescriptor { label, timestamp_writes: None };
            dispatch(&mut commands.encoder.begin_compute_pass(&descriptor), &launches, None, &[]);
            let ticket = self.submit_next(&mut order, commands.encoder.finish());
            mappable.iter().for_each(|memory| used_by(memory, &ticket));
        });
        submitted.map(|()| order).inspect_err(|error| {
            let mut lost = self.lost.lock().expect("no panic while held");
            lost.get_or_insert_with(|| format!("launches that it had accepted could not be submitted: {error}"));
        })
    }

    /// From now on the program submits to the queue as well: after all that was accepted.
    pub fn share(&self) {
        let order = self.line.lock();
        self.joined.kept().shared = true;
        drop(self.submit_kept(order)); // if it fails the device is lost, which the next call says
    }

    /// When what is kept has to be submitted, if there is any.
    fn due(&self) -> Option<Instant> {
        self.joined.kept().since.map(|since| since + BOUND)
    }
}

/// Starts the thread that submits in time the launches that no other thread has submitted. It ends when the engine is
/// dropped.
fn start(engine: Weak<Wgpu>) -> Option<SyncSender<()>> {
    let (told, tells) = sync_channel(1);
    let thread = thread::Builder::new().name("crosslane submissions".into());
    watch_a_device();
    thread.spawn(move || submit_in_time(&engine, &tells)).ok().map(|_| told)
}

fn submit_in_time(engine: &Weak<Wgpu>, told: &Receiver<()>) {
    while told.recv().is_ok() {
        // The engine is not held while the thread sleeps, or dropping it would be left to this thread.
        let mut used = Instant::now();
        while used.elapsed() < LINGER {
            let Some(due) = engine.upgrade().map(|engine| engine.due()) else { return };
            let now = Instant::now();
            let nap = match due {
                None => BOUND,
                Some(due) if due > now => due - now,
                Some(_) => {
                    in_driver(|| drop(engine.upgrade().map(|engine| engine.flush())));
                    BOUND
                }
            };
            used = if due.is_some() { now } else { used };
            thread::sleep(nap);
        }
    }
}
