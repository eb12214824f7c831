//! Operations of the program's own: applied to arrays.

use super::inputs::{AnyInput, Inputs};
use super::{Array, create};
use crate::device::Device;
use crate::element::{DType, Element};
use crate::graph::{Node, Take, Task};
use crosslane_core::caps::Caps;
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::kernel::Access;
use crosslane_core::op::{Expression, Host, LeafSource, Op, Plan, Slot};
use std::any::TypeId;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

mod sealed {
    use super::*;

    pub struct Nodes(pub(super) std::vec::IntoIter<Arc<Node>>);

    impl Nodes {
        pub(super) fn next<T: Element>(&mut self) -> Array<T> {
            Array::of(self.0.next().expect("a node for each output"))
        }
    }

    pub trait Outputs: Sized {
        fn dtypes() -> Vec<DType>;
        fn of(nodes: Nodes) -> Self;
    }
}

/// The result of an operation of the program's own: one array, or a tuple of up to four ([`Device::apply`]).
pub trait Outputs: sealed::Outputs {}

impl<T: Element> Outputs for Array<T> {}
impl<T: Element> sealed::Outputs for Array<T> {
    fn dtypes() -> Vec<DType> {
        vec![T::DTYPE]
    }

    fn of(mut nodes: sealed::Nodes) -> Array<T> {
        nodes.next()
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Element),*> Outputs for ($(Array<$name>,)*) {}
        impl<$($name: Element),*> sealed::Outputs for ($(Array<$name>,)*) {
            fn dtypes() -> Vec<DType> {
                vec![$($name::DTYPE),*]
            }

            fn of(mut nodes: sealed::Nodes) -> Self {
                ($(nodes.next::<$name>(),)*)
            }
        }
    )*};
}

tuples!(A B; A B C; A B C D;);

impl Device {
    /// Applies an operation of the program's own. Returns the arrays that its slots declare as written, each of one
    /// dimension. Deferred, like all operations.
    ///
    /// The arguments are the arrays that it reads, in the order of its slots: one array, or a tuple. They are evaluated
    /// first, and are contiguous. The plan that [`Op::plan`] returns is checked before it runs.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::device::Caps;
    /// use crosslane::op::{Binding, Case, Grid, Host, KernelDraft, Op, Param, Pass, Plan, Slot, Value};
    /// use crosslane::{Array, DType, Result};
    ///
    /// /// Each element and its right neighbour added, of `self.0` elements.
    /// #[derive(Clone, Hash)]
    /// struct Neighbours(usize);
    ///
    /// const TEXT: &str = "
    ///     @group(0) @binding(0) var<storage, read> x: array<f32>;
    ///     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    ///     @compute @workgroup_size(64)
    ///     fn neighbours(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    ///         let i = linear_index(id, groups);
    ///         if i < params.count { y[i] = x[i] + x[i + 1u]; }
    ///     }
    /// ";
    ///
    /// impl Op for Neighbours {
    ///     fn name(&self) -> &'static str { "neighbours" }
    ///     fn slots(&self) -> Vec<Slot> {
    ///         vec![Slot::read("x", DType::F32, self.0), Slot::write("y", DType::F32, self.0 - 1)]
    ///     }
    ///     fn plan(&self, caps: &Caps) -> Result<Plan> {
    ///         let kernel = KernelDraft::new("neighbours", TEXT).param("count").kernel(caps)?;
    ///         let slots = self.slots();
    ///         let buffers = vec![Binding::whole(0, &slots[0]), Binding::whole(1, &slots[1])];
    ///         let count = self.0 as u32 - 1;
    ///         let grid = Grid::Count(count.div_ceil(64) as u64);
    ///         Ok(Plan { scratch: vec![], passes: vec![Pass { kernel, buffers, params: vec![Param::Is(count)], grid }] })
    ///     }
    ///     fn flops(&self) -> u64 { self.0 as u64 - 1 }
    ///     fn bytes(&self) -> u64 { 4 * (2 * self.0 as u64 - 1) }
    ///     fn reference(&self, host: &mut Host) {
    ///         for i in 0..self.0 - 1 {
    ///             let sum = host.get(0, i).float() + host.get(0, i + 1).float();
    ///             host.set(1, i, Value::Float(sum));
    ///         }
    ///     }
    /// }
    ///
    /// device.judge(&Case::new("of 1000", Neighbours(1000)))?; // against its reference
    /// let x = Array::arange(device, 0.0f32, 5.0, 1.0);
    /// let y: Array<f32> = device.apply(Neighbours(5), &x)?; // nothing has run yet
    /// assert_eq!((y * 2.0).to_vec()?, [2.0, 6.0, 10.0, 14.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: numbers, types or lengths of arrays that differ from the slots'; arrays on another device; a type that
    /// the device lacks; the error that an array holds. At evaluation: the error of [`Op::plan`]; a plan that exceeds a
    /// buffer or a limit, or writes to a slot that it reads.
    #[track_caller]
    pub fn apply<R: Outputs>(&self, op: impl Op + Clone + Send + Sync + 'static, inputs: impl Inputs) -> Result<R> {
        let (inputs, slots, at) = (inputs.inputs(), Arc::new(op.slots()), Location::caller());
        let (read, written): (Vec<&Slot>, Vec<&Slot>) = slots.iter().partition(|slot| slot.access == Access::Read);
        let nodes = self.given(op.name(), &read, &inputs, at)?;
        self.gives(op.name(), &written, &R::dtypes(), at)?;
        let inputs: Vec<_> = nodes.iter().map(|node| (*node, Take::Dense)).collect();
        let outputs: Vec<_> = written.iter().map(|slot| (vec![slot.len], slot.dtype)).collect();
        let own = outputs.len() as u32;
        let kept = slots.clone();
        let make = move |inputs: Vec<Expression>, output| {
            let buffers = buffers(&kept, &inputs, output);
            Box::new(Own { op: op.clone(), slots: kept.clone(), buffers, at }) as Box<dyn Op>
        };
        let nodes = Task::nodes_on(self, &inputs, outputs, own, make);
        Ok(R::of(sealed::Nodes(nodes.into_iter())))
    }

    /// The nodes for the slots that an operation reads.
    fn given<'a>(
        &self,
        operation: &'static str,
        read: &[&Slot],
        inputs: &'a [AnyInput],
        at: CallSite,
    ) -> Result<Vec<&'a Arc<Node>>> {
        let mistake =
            |argument: &str, wanted: String, got: String| Error::argument(operation, argument, wanted, got, at);
        if inputs.len() != read.len() {
            let wanted = format!("{}, as its slots read", read.len());
            return Err(mistake("arguments", wanted, inputs.len().to_string()));
        }
        let one = |(slot, input): (&&Slot, &'a AnyInput)| {
            let Some(node) = input.node() else {
                return Err(mistake(&slot.name, "an array".into(), "a scalar".into()));
            };
            node.error().map_or(Ok(()), Err)?;
            if node.device != *self {
                let (wanted, got) = (format!("an array on {self:?}"), format!("one on {:?}", node.device));
                return Err(mistake(&slot.name, wanted, got));
            }
            let text = |len, dtype| format!("{len} elements of {dtype}");
            match (slot.len, slot.dtype) == (node.len(), node.dtype) {
                true => Ok(node),
                false => Err(mistake(&slot.name, text(slot.len, slot.dtype), text(node.len(), node.dtype))),
            }
        };
        read.iter().zip(inputs).map(one).collect()
    }

    /// Whether the slots that an operation writes are of these types, which the device has.
    fn gives(&self, operation: &'static str, written: &[&Slot], dtypes: &[DType], at: CallSite) -> Result<()> {
        let of =
            |dtypes: &[DType]| format!("({})", dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", "));
        let own: Vec<DType> = written.iter().map(|slot| slot.dtype).collect();
        if own != dtypes {
            return Err(Error::argument(operation, "result", of(&own), of(dtypes), at));
        }
        for slot in written {
            if let Some(feature) = self.caps().lacks(slot.dtype) {
                let (wanted, device, help) =
                    (feature.into(), self.properties().label(), "choose another device".into());
                return Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(at) }.into());
            }
            create::fits(operation, slot.dtype, &[slot.len], at)?;
        }
        Ok(())
    }
}

/// Where the slots of an operation lie: its inputs where the graph has put them, of which two may be one.
fn buffers(slots: &[Slot], inputs: &[Expression], output: usize) -> Vec<usize> {
    let place = |input: &Expression| match input.leaves.first().map(|leaf| leaf.source) {
        Some(LeafSource::Slot(slot)) => slot,
        _ => unreachable!("a dense input lies in memory"),
    };
    let (mut read, mut written) = (inputs.iter().map(place), output..);
    let of = |slot: &Slot| match slot.access {
        Access::Read => read.next(),
        Access::Write => written.next(),
    };
    slots.iter().map(of).map(|place| place.expect("apply() gave an input for each")).collect()
}

/// An operation of the program's own among the library's.
struct Own<O> {
    op: O,
    /// What its slots were when it was applied.
    slots: Arc<Vec<Slot>>,
    /// Where each of its slots lies.
    buffers: Vec<usize>,
    at: CallSite,
}

impl<O: Op> Own<O> {
    /// Buffers before the scratch buffers.
    fn count(&self) -> usize {
        self.buffers.iter().max().map_or(0, |last| last + 1)
    }
}

/// Types of one name, and with the same fields, are not one operation.
impl<O: Op + 'static> Hash for Own<O> {
    fn hash<H: Hasher>(&self, mut state: &mut H) {
        TypeId::of::<O>().hash(state);
        self.buffers.hash(state);
        self.op.identify(&mut state);
    }
}

impl<O: Op + 'static> Op for Own<O> {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn slots(&self) -> Vec<Slot> {
        let at =
            |place| self.slots[self.buffers.iter().position(|buffer| *buffer == place).expect("each is one's")].clone();
        (0..self.count()).map(at).collect()
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let slots = &self.slots;
        if slots.iter().all(|slot| slot.access == Access::Read || slot.len == 0) {
            return Ok(Plan::default());
        }
        let mut plan = self.op.plan(caps)?;
        let wrong = |(wanted, got)| Error::argument(self.op.name(), "plan", wanted, got, self.at);
        plan.check(slots, caps, true).map_err(wrong)?;
        for binding in plan.passes.iter_mut().flat_map(|pass| &mut pass.buffers) {
            binding.buffer = match self.buffers.get(binding.buffer) {
                Some(place) => *place,
                None => self.count() + binding.buffer - slots.len(),
            };
        }
        Ok(plan)
    }

    fn flops(&self) -> u64 {
        self.op.flops()
    }

    fn bytes(&self) -> u64 {
        self.op.bytes()
    }

    fn reference(&self, _: &mut Host) {
        unreachable!("judges ask the operation itself")
    }
}
