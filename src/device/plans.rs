//! A cache of plans, keyed by everything that they depend on: programs repeat the same operations.

use crosslane_core::caps::Caps;
use crosslane_core::error::Result;
use crosslane_core::op::{Op, Pass, Plan, Values};
use crosslane_core::work::Cost;
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::{Arc, Mutex};

/// Plans kept at most: then the one that was asked for longest ago is forgotten.
const KEPT: usize = 1024;
/// Launches of a plan that is worth keeping: longer ones take longer than their planning.
const PASSES: usize = 16;

/// Bytes of a key beyond which its room is not kept.
const LONG: usize = 1 << 14;

thread_local! {
    /// Room for a key: most are looked up and dropped.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(vec![]) };
}

/// The plan of all operations of one structure, and what each of its passes costs.
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
pub(super) struct Plans(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// Each with when it was last asked for.
    plans: HashMap<Vec<u8>, (Arc<Planned>, u64), BuildHasherDefault<Folded>>,
    /// Counts what is asked for.
    now: u64,
}

impl Kept {
    fn get(&mut self, key: &[u8]) -> Option<Arc<Planned>> {
        self.now += 1;
        let (plan, used) = self.plans.get_mut(key)?;
        *used = self.now;
        Some(plan.clone())
    }

    fn insert(&mut self, key: Vec<u8>, plan: &Arc<Planned>) {
        if self.plans.len() >= KEPT && !self.plans.contains_key(&key) {
            // A look at all of them costs less than the plan that has just been made.
            let oldest = self.plans.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            oldest.map(|key| self.plans.remove(&key));
        }
        self.plans.insert(key, (plan.clone(), self.now));
    }
}

/// A hasher that keeps all it is fed: no two operations share it.
struct Key(Vec<u8>);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Most numbers are small: they take a byte.
    fn write_u64(&mut self, number: u64) {
        match u8::try_from(number) {
            Ok(byte) if byte < u8::MAX => self.0.push(byte),
            _ => {
                self.0.push(u8::MAX);
                self.0.extend_from_slice(&number.to_le_bytes());
            }
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        unreachable!("nobody asks for the hash")
    }
}

/// Where a key belongs, eight bytes at a time. Keys that are made to meet in one place are [`KEPT`] at most.
#[derive(Default)]
struct Folded(u64);

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

impl Plans {
    /// The plan of an operation's structure, and the operation's values, which are taken out of it.
    pub fn of(&self, op: &mut dyn Op, caps: &Caps) -> Result<(Arc<Planned>, Values)> {
        let mut values = Values::default();
        op.vary(&mut values);
        let mut key = Key(ROOM.take());
        key.0.clear();
        op.name().hash(&mut key);
        op.identify(&mut key);
        let kept = || self.0.lock().expect("no panic while held");
        let found = kept().get(&key.0);
        let plan = match found {
            Some(plan) => plan,
            None => {
                let plan = Planned::new(op, caps)?;
                if plan.plan.passes.len() <= PASSES {
                    kept().insert(key.0.clone(), &plan);
                }
                plan
            }
        };
        if key.0.capacity() <= LONG {
            ROOM.set(key.0);
        }
        Ok((plan, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{DType, Scalar};
    use crosslane_core::op::{Expression, ExpressionStep, StepKind};
    use crosslane_ops::Map;

    fn fill(value: u64, extent: usize) -> Map {
        let dtype = DType::U32;
        let step = ExpressionStep { what: StepKind::Scalar(0), dtype };
        let scalars = vec![Scalar { dtype, bits: value as u128 }];
        Map {
            expression: Expression { scalars, steps: vec![step], ..Expression::default() },
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
    fn operations_of_one_structure_are_planned_once() {
        let (plans, caps) = (Plans::default(), Caps::nvidia_like());
        let of = |value, extent| plans.of(&mut fill(value, extent), &caps).unwrap();
        let (first, values) = of(7, 1000);
        let (other, others) = of(8, 1000);
        assert!(Arc::ptr_eq(&first, &other));
        let words = |values| first.plan.passes[0].words(values);
        assert_eq!(words(&values).last(), Some(&7));
        assert_eq!(words(&others).last(), Some(&8));
        assert!(!Arc::ptr_eq(&first, &of(7, 1001).0));
    }

    #[test]
    fn what_was_asked_for_longest_ago_is_forgotten_first() {
        let (plans, caps) = (Plans::default(), Caps::nvidia_like());
        let of = |extent| plans.of(&mut fill(7, extent), &caps).unwrap().0;
        let (used, unused) = (of(1), of(2));
        for extent in 3..2 * KEPT {
            of(extent);
            assert!(Arc::ptr_eq(&used, &of(1)), "after {extent}");
            assert!(plans.0.lock().unwrap().plans.len() <= KEPT);
        }
        assert!(!Arc::ptr_eq(&unused, &of(2)));
    }
}
