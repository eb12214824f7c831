//! An operation of your own among the library's: what it means, what it costs, and the kernels that do it.

use crosslane::device::Caps;
use crosslane::op::{Binding, Case, Fill, Grid, Host, KernelDraft, Op, Param, Pass, Plan, Slot, Value};
use crosslane::{Array, DType, Device, Result};

/// Invocations of a workgroup.
const WORKGROUP: u32 = 128;

/// The mean of each `width` neighbours of `len` elements.
#[derive(Clone, Hash)]
struct MovingMean {
    len: usize,
    width: usize,
}

impl MovingMean {
    fn means(&self) -> usize {
        self.len + 1 - self.width
    }
}

impl Op for MovingMean {
    fn name(&self) -> &'static str {
        "moving_mean"
    }

    fn slots(&self) -> Vec<Slot> {
        vec![Slot::read("x", DType::F32, self.len), Slot::write("means", DType::F32, self.means())]
    }

    // Plain data: which kernels, over what, with which words, and how many workgroups.
    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let kernel = KernelDraft::new("moving_mean", include_str!("kernels/moving_mean.wgsl"))
            .constant("WIDTH", self.width as u32)
            .constant("WORKGROUP", WORKGROUP)
            .param("count")
            .kernel(caps)?;
        let buffers = self.slots().iter().enumerate().map(|(nth, slot)| Binding::whole(nth, slot)).collect();
        let count = self.means() as u32;
        let grid = Grid::Count(count.div_ceil(WORKGROUP) as u64);
        Ok(Plan { scratch: vec![], passes: vec![Pass { kernel, buffers, params: vec![Param::Is(count)], grid }] })
    }

    fn flops(&self) -> u64 {
        (self.means() * self.width) as u64
    }

    fn bytes(&self) -> u64 {
        4 * (self.len + self.means()) as u64
    }

    // The judge: slow and obvious.
    fn reference(&self, host: &mut Host) {
        for i in 0..self.means() {
            let sum: f64 = (i..i + self.width).map(|at| host.get(0, at).float()).sum();
            host.set(1, i, Value::Float(sum / self.width as f64));
        }
    }
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;

    // Cases small, odd and single, each compared with the reference.
    let cases = [(1, 1), (5, 5), (127, 3), (1000, 31)];
    for (len, width) in cases {
        let case = Case::new(format!("{width} of {len}"), MovingMean { len, width });
        device.judge(&case.fill(0, Fill::Any).scale(500.0))?; // sums of up to 500: their last bits may differ
    }

    // Deferred, as all arrays are: the sine is computed first, the reduction takes the difference in.
    let x = Array::linspace(&device, 0.0f32, 100.0, 100_000).sin();
    let means: Array<f32> = device.apply(MovingMean { len: 100_000, width: 9 }, &x)?;
    let middle = x.slice(crosslane::s![4..-4]);
    let largest = (&means - &middle).abs().max().item()?;
    assert!(largest < 1e-4, "a sine hardly bends within nine of its points: {largest:e}");
    println!("{}: the mean of nine neighbours is within {largest:.1e} of the middle one", device.properties());
    println!("checked: {} cases as the reference has them", cases.len());
    Ok(())
}
