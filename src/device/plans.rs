//! Plans that were made before, by all that they depend on: a program asks for the same again and again.

use crate::backend::Cost;
use crate::caps::Caps;
use crate::error::Result;
use crate::op::{Op, Pass, Plan};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

/// Plans kept at most: then all are forgotten, and begin anew.
const KEPT: usize = 1024;
/// Launches of a plan that is worth keeping: longer ones take longer than their planning.
const PASSES: usize = 16;

/// A plan, and what each of its passes costs.
pub(crate) struct Planned {
    pub plan: Plan,
    pub costs: Vec<Cost>,
}

impl Planned {
    fn new(op: &dyn Op, caps: &Caps) -> Result<Arc<Planned>> {
        let plan = op.plan(caps)?;
        let costs = costs(op, &plan);
        Ok(Arc::new(Planned { plan, costs }))
    }
}

/// What each pass of a plan moves and computes: shares of the operation's own figures, by the bytes that it binds.
fn costs(op: &dyn Op, plan: &Plan) -> Vec<Cost> {
    let (bytes, flops) = (op.bytes(), op.flops());
    let bound = |pass: &Pass| pass.buffers.iter().map(|binding| binding.bytes).sum::<u64>();
    let all: u64 = plan.passes.iter().map(bound).sum();
    let share = |amount: u64, part: u64| (amount as u128 * part as u128 / all.max(1) as u128) as u64;
    let one = |pass: &Pass| Cost { bytes: share(bytes, bound(pass)), flops: Some(share(flops, bound(pass))) };
    plan.passes.iter().map(one).collect()
}

/// The plans of one device.
#[derive(Default)]
pub(super) struct Plans(Mutex<HashMap<Vec<u8>, Arc<Planned>>>);

/// A hasher that keeps all it is fed: no two operations share it.
struct Key(Vec<u8>);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("nobody asks for the hash")
    }
}

impl Plans {
    /// The operation's plan.
    pub fn of(&self, op: &dyn Op, caps: &Caps) -> Result<Arc<Planned>> {
        let mut key = Key(Vec::with_capacity(512));
        op.name().hash(&mut key);
        op.identify(&mut key);
        if let Some(plan) = self.0.lock().expect("no panic while held").get(&key.0) {
            return Ok(plan.clone());
        }
        let plan = Planned::new(op, caps)?;
        if plan.plan.passes.len() <= PASSES {
            let mut plans = self.0.lock().expect("no panic while held");
            if plans.len() >= KEPT {
                plans.clear();
            }
            plans.insert(key.0, plan.clone());
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{DType, Scalar};
    use crate::ops::{Expression, Map, Step, What};

    fn fill(value: u64, extent: usize) -> Map {
        let dtype = DType::U32;
        let step = Step { what: What::Scalar(0), dtype };
        Map {
            expression: Expression { leaves: vec![], scalars: vec![Scalar { dtype, bits: value }], steps: vec![step] },
            shape: vec![extent],
            output: 0,
            output_len: extent,
            output_offset: 0,
            output_strides: vec![1],
            fresh: true,
            count: None,
            fill: None,
        }
    }

    #[test]
    fn the_same_operation_has_the_same_plan() {
        let (plans, caps) = (Plans::default(), Caps::nvidia_like());
        let first = plans.of(&fill(7, 1000), &caps).unwrap();
        assert!(Arc::ptr_eq(&first, &plans.of(&fill(7, 1000), &caps).unwrap()));
        for other in [fill(8, 1000), fill(7, 1001)] {
            let plan = plans.of(&other, &caps).unwrap();
            assert_ne!(plan.plan.passes[0].params, first.plan.passes[0].params);
        }
        for extent in 0..2 * KEPT {
            plans.of(&fill(7, extent), &caps).unwrap();
        }
        assert!(plans.0.lock().unwrap().len() <= KEPT);
    }
}
