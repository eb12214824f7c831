//! Computing a node again from its lineage, on any device.

use super::expr::Expr;
use super::lineage::{How, Lineage, Origin};
use super::node::{Node, Storage};
use super::task::Task;
use crate::device::Device;
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::layout::Layout;
use crosslane_core::memory::Place;
use crosslane_core::work::Write;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The node's value as a node of this device, deferred. Nothing is asked of the node's own device.
pub(crate) fn rebuild(node: &Node, device: &Device, at: CallSite) -> Result<Arc<Node>> {
    let Some(lineage) = node.lineage() else {
        let wanted = "an array of a device that was opened with DeviceOptions::keep_lineage(true)";
        return Err(mistake(wanted, format!("one of {:?}, which keeps no lineage", node.device), at));
    };
    let steps = in_order(&lineage, at)?;
    let mut rebuilding = Rebuilding::new(device, at, &lineage, &steps);
    steps.iter().try_for_each(|step| rebuilding.compute(step))?;
    Ok(rebuilding.nodes.remove(&Arc::as_ptr(&lineage)).expect("it is the last step").0)
}

fn mistake(wanted: &str, got: String, at: CallSite) -> Error {
    Error::argument("Array::rebuild", "array", wanted, got, at)
}

/// A value to compute, and how it was when the rebuilding began: a checkpoint may replace it meanwhile.
type Step = (Arc<Lineage>, How);

/// A lineage with all that it is computed from, inputs first.
fn in_order(last: &Arc<Lineage>, at: CallSite) -> Result<Vec<Step>> {
    let (mut steps, mut seen): (Vec<Step>, FxHashSet<*const Lineage>) = Default::default();
    // A lineage is on the stack first without and then with its inputs below it, as a long chain would be too much recursion.
    let mut stack: Vec<(Arc<Lineage>, Option<How>)> = vec![(last.clone(), None)];
    while let Some((lineage, ready)) = stack.pop() {
        if let Some(how) = ready {
            steps.push((lineage, how));
        } else if seen.insert(Arc::as_ptr(&lineage)) {
            let how = known(&lineage, at)?;
            let first: Vec<Arc<Lineage>> = needed(&lineage, &how).collect();
            stack.push((lineage, Some(how)));
            stack.extend(first.into_iter().map(|input| (input, None)));
        }
    }
    Ok(steps)
}

/// What a step needs: its inputs, and the number of its elements if only a device knows it.
fn needed(lineage: &Lineage, how: &How) -> impl Iterator<Item = Arc<Lineage>> + use<> {
    how.inputs().into_iter().chain(lineage.count().cloned())
}

/// How a value was computed, if that is known.
fn known(lineage: &Lineage, at: CallSite) -> Result<How> {
    let wanted =
        "values that the graph computed from data of the host, or a checkpoint (Array::checkpoint) of other ones";
    let of = || format!("of shape {:?}", lineage.shape);
    match lineage.how() {
        how @ How::Faults(_) => Ok(how),
        How::Unknown(what) => Err(mistake(wanted, format!("{what}, {}", of()), at)),
        _ if lineage.is_overwritten() => {
            Err(mistake(wanted, format!("memory that was written in place since it was computed, {}", of()), at))
        }
        how => Ok(how),
    }
}

/// Nodes that were computed again, as long as a later step needs them.
struct Rebuilding<'a> {
    device: &'a Device,
    at: CallSite,
    /// With how many later steps need them.
    nodes: FxHashMap<*const Lineage, (Arc<Node>, usize)>,
    tasks: FxHashMap<*const Origin, (Option<Arc<Task>>, usize)>,
    uses: FxHashMap<*const Lineage, usize>,
}

impl<'a> Rebuilding<'a> {
    fn new(device: &'a Device, at: CallSite, last: &Arc<Lineage>, steps: &[Step]) -> Rebuilding<'a> {
        let mut uses: FxHashMap<*const Lineage, usize> = FxHashMap::default();
        let mut tasks: FxHashMap<*const Origin, (Option<Arc<Task>>, usize)> = FxHashMap::default();
        uses.insert(Arc::as_ptr(last), 1);
        for (lineage, how) in steps {
            needed(lineage, how).for_each(|input| *uses.entry(Arc::as_ptr(&input)).or_default() += 1);
            if let How::Computed(Expr::Output(origin, _)) = how {
                tasks.entry(Arc::as_ptr(origin)).or_default().1 += 1;
            }
        }
        Rebuilding { device, at, nodes: FxHashMap::default(), tasks, uses }
    }

    fn compute(&mut self, (lineage, how): &Step) -> Result<()> {
        if let Some(feature) = self.device.caps().lacks(lineage.dtype) {
            let (wanted, device) = (feature.to_string(), self.device.properties().label());
            let help = format!("the array is computed from {} values, which need it", lineage.dtype);
            let operation = "Array::rebuild";
            return Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(self.at) }.into());
        }
        let node = self.node(lineage, how)?;
        if let Some(error) = node.error() {
            return Err(error);
        }
        if let Some(count) = lineage.count() {
            node.set_count(&self.input(count));
        }
        needed(lineage, how).for_each(|input| self.let_go(&input));
        let uses = self.uses.remove(&Arc::as_ptr(lineage)).expect("counted before");
        self.nodes.insert(Arc::as_ptr(lineage), (node, uses));
        Ok(())
    }

    fn node(&mut self, lineage: &Lineage, how: &How) -> Result<Arc<Node>> {
        let (shape, dtype) = (lineage.shape.clone(), lineage.dtype);
        Ok(match how {
            How::Computed(Expr::Output(origin, index)) => {
                let expr = Expr::Output(self.task(origin), *index);
                Node::lazy(self.device, shape, dtype, expr)
            }
            How::Computed(expr) => {
                let outputs = &mut |_: &Arc<Origin>| unreachable!("the case before");
                let expr = expr.map(&mut |input| self.input(input), outputs);
                Node::lazy(self.device, shape, dtype, expr)
            }
            How::Host(bytes) => self.uploaded(lineage, bytes)?,
            How::Faults(site) => Node::fault_cell(self.device, *site).map_err(|error| error.located(self.at))?,
            How::Failed(error) => return Err(error.clone()),
            How::Unknown(_) => unreachable!("refused before the first step"),
        })
    }

    /// The operation of several outputs, the same for each of them.
    fn task(&mut self, origin: &Arc<Origin>) -> Arc<Task> {
        let (made, uses) = self.tasks.remove(&Arc::as_ptr(origin)).expect("counted before");
        let inputs = || origin.inputs.iter().map(|input| self.input(input)).collect();
        let task = made.unwrap_or_else(|| Task::over(inputs(), origin.outline.clone()));
        if uses > 1 {
            self.tasks.insert(Arc::as_ptr(origin), (Some(task.clone()), uses - 1));
        }
        task
    }

    fn input(&self, lineage: &Arc<Lineage>) -> Arc<Node> {
        self.nodes[&Arc::as_ptr(lineage)].0.clone()
    }

    /// A step that needs it is done.
    fn let_go(&mut self, lineage: &Arc<Lineage>) {
        let place = Arc::as_ptr(lineage);
        let (_, uses) = self.nodes.get_mut(&place).expect("needed until now");
        *uses -= 1;
        if *uses == 0 {
            self.nodes.remove(&place);
        }
    }

    fn uploaded(&self, lineage: &Lineage, bytes: &Arc<Vec<u8>>) -> Result<Arc<Node>> {
        let layout = Layout::contiguous(&lineage.shape);
        let memory = self.device.pool().take_for("Array::rebuild", bytes.len() as u64, Place::Device, self.at);
        let memory = memory.map_err(|error| error.located(self.at))?;
        if !bytes.is_empty() {
            self.device.write(&[Write { to: &memory, offset: 0, from: bytes }])?;
            memory.history.note_upload();
        }
        let len = layout.len();
        let node = Node::ready(self.device, lineage.dtype, Storage::new(memory, layout, len));
        node.set_lineage(How::Host(bytes.clone()));
        Ok(node)
    }
}
