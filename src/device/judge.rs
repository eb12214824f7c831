//! Tests of operations: run on a device, and compared with their reference.

use super::Device;
use crate::element::{Class, DType};
use crosslane_core::error::{CallSite, Error, ErrorKind, Result};
use crosslane_core::kernel::Access;
use crosslane_core::op::{Case, Fill, Host, Plan, Slot, Value};
use std::panic::Location;

/// What outputs of the reference hold before: elements that stay unchanged in both are not written.
const GARBAGE: [u8; 2] = [0xcd, 0];

impl Device {
    /// Runs a case of an operation and compares each element of its outputs with
    /// [`Op::reference`](crosslane_core::op::Op::reference): equal, or within [`Case::precision`] relative to its size and to
    /// [`Case::scale`]. Outputs and scratch memory hold garbage before. Elements that the reference does not write are
    /// not compared. Waits for the device.
    ///
    /// For a program's own operations, as in the example of [`Device::apply`]. [`Device::cpu_checked`] also finds
    /// races, reads of memory never written, and indices out of bounds.
    ///
    /// Errors: [`ErrorKind::WrongResult`] with the first element that differs; as for [`Device::apply`]; a defect that a
    /// checked device found.
    #[track_caller]
    pub fn judge(&self, case: &Case) -> Result<()> {
        let (slots, at) = (case.op.slots(), Location::caller());
        let plan = self.kept_plan(case, &slots, at)?;
        let before = |garbage: u8| -> Vec<Vec<u8>> {
            let fill = |(nth, slot): (usize, &Slot)| match slot.access {
                Access::Read => contents(slot, case.filled(nth), nth as u64),
                Access::Write => vec![garbage; slot.bytes() as usize],
            };
            slots.iter().enumerate().map(fill).collect()
        };
        let host = |contents: Vec<Vec<u8>>| Host::new(slots.iter().map(|slot| slot.dtype).zip(contents).collect());
        let mut got = before(GARBAGE[0]);
        self.run_plan(case.op.name(), &slots, &plan, &mut got)?;
        let (got, mut wanted) = (host(got), GARBAGE.map(|garbage| host(before(garbage))));
        wanted.iter_mut().for_each(|host| case.op.reference(host));
        for (nth, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.access == Access::Write) {
            let element = |host: &Host, at| host.get(nth, at);
            let wrong = (0..slot.len).find(|&at| {
                let [wanted, again] = [&wanted[0], &wanted[1]].map(|host| element(host, at));
                same(wanted, again) && !close(element(&got, at), wanted, slot.dtype, case.scale)
            });
            if let Some(index) = wrong {
                let shown = |host| format!("{:?}", element(host, index));
                return Err(ErrorKind::WrongResult {
                    operation: case.op.name(),
                    case: case.what.clone(),
                    slot: slot.name.clone(),
                    index,
                    wanted: shown(&wanted[0]),
                    got: shown(&got),
                    device: self.properties().label(),
                }
                .into());
            }
        }
        Ok(())
    }

    /// The case's plan, if it keeps its promises and the device has its types.
    fn kept_plan(&self, case: &Case, slots: &[Slot], at: CallSite) -> Result<Plan> {
        let (caps, operation) = (self.caps(), case.op.name());
        if let Some(feature) = slots.iter().find_map(|slot| caps.lacks(slot.dtype)) {
            let (wanted, device, help) =
                (feature.into(), self.properties().label(), "judge it on another device".into());
            return Err(ErrorKind::Unsupported { operation, wanted, device, help, at: Some(at) }.into());
        }
        // The project's own tests judge the library's operations, whose kernels run unchecked.
        let (plan, own) = (case.op.plan(caps)?, !cfg!(feature = "cases"));
        let wrong = |(wanted, got)| Error::argument(operation, "plan", wanted, got, at);
        plan.check(slots, caps, own).map_err(wrong)?;
        Ok(plan)
    }
}

fn same(a: Value, b: Value) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

fn close(got: Value, wanted: Value, dtype: DType, scale: f64) -> bool {
    let bound = Case::precision(dtype) * (wanted.size() + scale);
    same(got, wanted) || got.distance(wanted) <= bound && bound > 0.0
}

/// What a slot holds, the same each time.
fn contents(slot: &Slot, fill: &Fill, seed: u64) -> Vec<u8> {
    let (len, mut random) = (slot.len as u64, Random(seed));
    let quarters = |number: u64| match slot.dtype.class() {
        Class::Bool => Value::Bool(number > 6),
        Class::Float => Value::Float(number as f64 / 4.0),
        Class::Complex => Value::Complex(number as f64 / 4.0, (number as f64 * 5.0 % 13.0 - 6.0) / 4.0),
        _ => Value::Int(number as i128),
    };
    let mut value = |at: u64| match fill {
        Fill::Numbers => quarters(1 + random.below(12)),
        Fill::Sorted => quarters(1 + at * 12 / len),
        Fill::Any => match slot.dtype.class() {
            Class::Bool => Value::Bool(random.below(2) == 1),
            Class::Float => Value::Float((random.below(8001) as f64 - 4000.0) / 8.0),
            Class::Complex => {
                let [re, im] = [(); 2].map(|()| (random.below(8001) as f64 - 4000.0) / 8.0);
                Value::Complex(re, im)
            }
            _ => Value::Int(random.next() as i128).cast(slot.dtype),
        },
        Fill::Distinct(below) => Value::Int((at as u128 * 7919 % (*below).max(1) as u128) as i128),
        Fill::Indices(below) if slot.dtype.class() == Class::Signed => {
            Value::Int(random.below(2 * *below as u64) as i128 - *below as i128)
        }
        Fill::Indices(below) => Value::Int(random.below(*below as u64) as i128),
        Fill::Number(number) => Value::Int(*number as i128).cast(slot.dtype),
        Fill::Values(values) => values.get(at as usize % values.len().max(1)).copied().unwrap_or(Value::Int(0)),
    };
    let size = slot.dtype.size();
    (0..len).flat_map(|at| value(at).scalar(slot.dtype).bits.to_le_bytes().into_iter().take(size)).collect()
}

/// Numbers that look random: splitmix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below this.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}
