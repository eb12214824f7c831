//! Several launches as one object of the driver, a CUDA graph: those that do not need each other run side by side.

use super::context::Context;
use super::launch::Call;
use crosslane_core::error::Result;
use crosslane_core::kernel::Access;
use crosslane_core::trace::recorder::Task;
use crosslane_core::work::{Cost, Launch};
use cudarc::driver::sys;
use std::collections::HashMap;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Independent launches run in this many chains. H200, 1000 of them on buffers of their own, 2026-11-22, us with 1, 2,
/// 4, 8, 16, 64 chains and with no chain: 839, 535, 294, 178, 174, 173, 907: the driver starts chains well, a thousand
/// roots badly.
const CHAINS: usize = 16;

/// A graph that is ready to run, and to be changed.
pub(super) struct Graph {
    /// Held while the graph is launched: two threads must not do so at once.
    exec: Mutex<sys::CUgraphExec>,
    /// What it was made from: changes name its nodes.
    graph: sys::CUgraph,
    /// Those of launches that have a workgroup to run.
    nodes: Vec<Option<sys::CUgraphNode>>,
    /// What each launch comes after.
    order: Vec<Vec<usize>>,
    /// They keep the functions loaded.
    calls: Vec<Call>,
    /// Whether it ever ran in a detached stream, for which dropping it waits too.
    apart: AtomicBool,
    context: Arc<Context>,
}

// SAFETY: the driver's handle may be used by any thread, one at a time.
unsafe impl Send for Graph {}
// SAFETY: as above; the lock sees to one at a time.
unsafe impl Sync for Graph {}

/// A graph that is being built; destroyed when dropped.
struct Draft<'a>(sys::CUgraph, &'a Context);

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // SAFETY: it was created and is destroyed once.
        unsafe { sys::cuGraphDestroy(self.0) };
    }
}

impl Graph {
    /// The launches, each after those that it must come after.
    pub fn new(context: &Arc<Context>, launches: &[Launch], calls: Vec<Call>) -> Result<Graph> {
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is to a variable that lives.
        context.check("graph", unsafe { sys::cuGraphCreate(&mut raw, 0) })?;
        let draft = Draft(raw, context);
        let order = chained(order(launches));
        let mut nodes: Vec<Option<sys::CUgraphNode>> = Vec::with_capacity(calls.len());
        for (call, before) in calls.iter().zip(&order) {
            let before: Vec<sys::CUgraphNode> = before.iter().filter_map(|&index| nodes[index]).collect();
            nodes.push(if call.any() { Some(draft.add(call, &before)?) } else { None });
        }
        let mut exec = ptr::null_mut();
        // SAFETY: the graph is there, and the pointer is to a variable that lives.
        context.check("graph", unsafe { sys::cuGraphInstantiateWithFlags(&mut exec, draft.0, 0) })?;
        let graph = draft.keep();
        Ok(Graph {
            exec: Mutex::new(exec),
            graph,
            nodes,
            order,
            calls,
            apart: AtomicBool::new(false),
            context: context.clone(),
        })
    }

    /// All of it as one.
    pub fn task(&self) -> Task {
        let costs = || self.calls.iter().map(|call| call.task().cost);
        let flops = costs().map(|cost| cost.flops).sum();
        let cost = Cost { bytes: costs().map(|cost| cost.bytes).sum(), flops };
        Task { name: format!("graph of {} launches", self.calls.len()), cost, launches: self.calls.len() }
    }

    /// Sets other memory or parameters of launches; false, and nothing is changed, if another order or grid comes of
    /// it. Runs that are queued already are not changed.
    pub fn update(&mut self, launches: &[Launch], changed: Vec<(usize, Call)>) -> Result<bool> {
        let same = |(index, call): &(usize, Call)| call.any() == self.nodes[*index].is_some();
        if !changed.iter().all(same) || chained(order(launches)) != self.order {
            return Ok(false);
        }
        let exec = *self.exec.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (index, call) in changed {
            if let Some(node) = self.nodes[index] {
                let params = call.node();
                // SAFETY: the node is of the graph that this one was made from; the driver copies the arguments, which are
                // as for a launch by itself.
                let set = unsafe { sys::cuGraphExecKernelNodeSetParams_v2(exec, node, &params) };
                self.context.check("graph", set)?;
            }
            self.calls[index] = call;
        }
        Ok(true)
    }

    pub fn run(&self, stream: sys::CUstream) -> Result<()> {
        if self.context.is_detached() {
            self.apart.store(true, Ordering::Relaxed);
        }
        let exec = self.exec.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // SAFETY: the graph is there, and its launches' memory is alive, as for a launch by itself.
        self.context.check("launch", unsafe { sys::cuGraphLaunch(*exec, stream) })
    }
}

impl Draft<'_> {
    /// The graph, no longer to be destroyed here.
    fn keep(self) -> sys::CUgraph {
        let graph = self.0;
        std::mem::forget(self);
        graph
    }

    fn add(&self, call: &Call, before: &[sys::CUgraphNode]) -> Result<sys::CUgraphNode> {
        let (mut node, params) = (ptr::null_mut(), call.node());
        // SAFETY: the nodes are of this graph, the function is loaded, and the driver copies the arguments, which are
        // as for a launch by itself.
        let added = unsafe { sys::cuGraphAddKernelNode_v2(&mut node, self.0, before.as_ptr(), before.len(), &params) };
        self.1.check("graph", added)?;
        Ok(node)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let Ok(_entered) = self.context.enter() else { return };
        let waited = match self.apart.load(Ordering::Relaxed) {
            true => self.context.synchronize_all("graph"),
            false => self.context.synchronize("graph"),
        };
        if waited.is_ok() {
            let exec = self.exec.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
            // SAFETY: nobody else has the handles, and the streams are done with them.
            unsafe {
                sys::cuGraphExecDestroy(*exec);
                sys::cuGraphDestroy(self.graph);
            }
        }
    }
}

/// An access to memory that later ones may have to wait for.
struct Past {
    launch: usize,
    bytes: Range<u64>,
    writes: bool,
}

/// For each launch, those before it that it must wait for: they write what it reads or writes, or read what it writes.
fn order(launches: &[Launch]) -> Vec<Vec<usize>> {
    let mut past: HashMap<u64, Vec<Past>> = HashMap::new();
    let accesses = launches.iter().map(|launch| {
        // An empty launch is no node: nothing could wait for it, and it keeps nothing apart.
        let points = launch.kernel.bindings().iter().filter(|_| !launch.grid.fold(u32::MAX).contains(&0));
        let one = |(point, window): (&crosslane_core::kernel::BindPoint, &crosslane_core::work::Window)| {
            let bytes = window.offset..window.offset + window.bytes;
            (window.memory.id(), bytes, point.access == Access::Write)
        };
        points.zip(&launch.buffers).filter(|(_, window)| !window.memory.is_shared()).map(one).collect::<Vec<_>>()
    });
    accesses.enumerate().map(|(launch, accesses)| waits(&mut past, launch, &accesses)).collect()
}

/// The same with launches that wait for none in [`CHAINS`] chains.
fn chained(mut order: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let free: Vec<usize> = (0..order.len()).filter(|&launch| order[launch].is_empty()).collect();
    for (&before, &after) in free.iter().zip(free.iter().skip(CHAINS)) {
        order[after].push(before);
    }
    order
}

/// What a launch with these accesses waits for; they become part of the past.
fn waits(past: &mut HashMap<u64, Vec<Past>>, launch: usize, accesses: &[(u64, Range<u64>, bool)]) -> Vec<usize> {
    let mut before = Vec::new();
    for (memory, bytes, writes) in accesses {
        let touches = |other: &Past| other.bytes.start < bytes.end && bytes.start < other.bytes.end;
        let known = past.entry(*memory).or_default();
        let conflicts = known.iter().filter(|other| touches(other) && (*writes || other.writes));
        before.extend(conflicts.map(|other| other.launch).filter(|&other| other != launch));
        if *writes {
            // Waiting for this launch includes the launches that it waited for.
            known.retain(|other| {
                other.launch == launch || other.bytes.start < bytes.start || other.bytes.end > bytes.end
            });
        }
        known.push(Past { launch, bytes: bytes.clone(), writes: *writes });
    }
    before.sort_unstable();
    before.dedup();
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(launches: &[&[(u64, Range<u64>, bool)]]) -> Vec<Vec<usize>> {
        let mut past = HashMap::new();
        launches.iter().enumerate().map(|(launch, accesses)| waits(&mut past, launch, accesses)).collect()
    }

    #[test]
    fn readers_of_one_buffer_run_side_by_side_and_a_writer_waits_for_all() {
        let (read, write) = (&[(1, 0..64, false)][..], &[(1, 0..64, true)][..]);
        assert_eq!(all(&[write, read, read, write, read]), [vec![], vec![0], vec![0], vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn a_chain_waits_for_the_link_before_only() {
        let links: Vec<Vec<_>> = (0..5u64).map(|i| vec![(i, 0..64, false), (i + 1, 0..64, true)]).collect();
        let links: Vec<&[_]> = links.iter().map(Vec::as_slice).collect();
        assert_eq!(all(&links), [vec![], vec![0], vec![1], vec![2], vec![3]]);
    }

    #[test]
    fn what_nothing_keeps_apart_runs_in_chains() {
        let order = chained([vec![vec![]; CHAINS], vec![vec![0, 1], vec![], vec![]]].concat());
        assert!(order[..CHAINS].iter().all(Vec::is_empty));
        assert_eq!(order[CHAINS..], [vec![0, 1], vec![0], vec![1]]);
    }

    #[test]
    fn windows_apart_do_not_wait() {
        assert_eq!(
            all(&[&[(1, 0..64, true)], &[(1, 64..128, true)], &[(2, 0..64, true)], &[(1, 32..96, false)]]),
            [vec![], vec![], vec![], vec![0, 1]]
        );
    }

    #[test]
    fn a_write_to_a_part_hides_no_older_write_to_the_rest() {
        assert_eq!(
            all(&[&[(1, 0..128, true)], &[(1, 0..64, true)], &[(1, 64..128, false)]]),
            [vec![], vec![0], vec![0]]
        );
    }

    #[test]
    fn a_launch_does_not_wait_for_itself() {
        assert_eq!(all(&[&[(1, 0..64, false), (1, 0..64, true)], &[(1, 0..64, false)]]), [vec![], vec![0]]);
    }
}
