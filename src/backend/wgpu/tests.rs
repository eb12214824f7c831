//! The engine alone under threads that submit, run what they prepared, read and write side by side: no lock of the device
//! stands between them.

use crate::backend::{Driver, Launch, Read, Window, Write};
use crate::caps::Caps;
use crate::device::{Device, DeviceOptions};
use crate::kernel::{Draft, Kernel};
use crate::memory::{Memory, Place};
use crate::op::{Access, Grid};
use std::sync::Arc;
use std::thread::scope;

/// A kernel of `params` words of parameters, that stores the sum of all in the places from the first to the second, a word
/// in each.
fn sums(params: u32, caps: &Caps) -> Kernel {
    let key = [b"test: sums".as_slice(), &params.to_le_bytes()].concat();
    Kernel::cached(key, caps, || {
        let all: Vec<String> = (0..params).map(|nth| format!("params.p{nth}")).collect();
        Draft {
            name: "sums".into(),
            file: "nothing",
            entry: "sums",
            constants: vec![],
            params: (0..params).map(|nth| format!("p{nth}")).collect(),
            access: vec![Access::Write],
            text: format!(
                "@group(0) @binding(0) var<storage, read_write> to: array<u32>;
                @compute @workgroup_size(1) fn sums() {{
                    for (var at = params.p0; at < params.p1; at++) {{ to[at] = {}; }}
                }}
                ",
                all.join(" + ")
            ),
            width: 1,
            f16: false,
            trusted: false,
            replacements: Default::default(),
            counted: vec![],
        }
    })
}

fn launch(kernel: &Kernel, memory: &Arc<Memory>, params: Vec<u32>) -> Launch {
    let buffers = vec![Window { memory: memory.clone(), offset: 0, bytes: memory.bytes() }];
    Launch { kernel: kernel.clone(), buffers, params, grid: Grid::Fixed([1, 1, 1]), cost: None }
}

fn words(driver: &dyn Driver, launches: &[Launch], memory: &Memory, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; count * 4];
    driver.read(launches, &mut [Read { from: memory, offset: 0, to: &mut bytes }]).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// What one thread does: launches with parameters of its own, submitted at once, prepared before, or with the read.
fn rounds(device: &Device, kernel: &Kernel, thread: u32) {
    let driver = &**device.driver();
    for round in 0..60 {
        let count = 1 + (thread * 7 + round * 13) % 60;
        let memory = device.pool().take("test", 256, Place::Device).unwrap();
        driver.write(&[Write { to: &memory, offset: 0, from: &[0xff; 256] }]).unwrap();
        // Each launch another word, and the last all of those past the middle.
        let mut launches = Vec::new();
        let (mut wanted, middle) = (vec![u32::MAX; 64], count / 2);
        let ranges = (0..count).map(|at| (at, at + 1)).chain([(middle, count)]);
        for (nth, (from, to)) in ranges.enumerate() {
            let value = |word: u32| thread * 1_000_000 + round * 1_000 + nth as u32 * 10 + word;
            let params: Vec<u32> = [from, to].into_iter().chain((2..kernel.param_words() as u32).map(value)).collect();
            let sum = params.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
            wanted[from as usize..to as usize].fill(sum);
            launches.push(launch(kernel, &memory, params));
        }
        let mut with_read = vec![];
        match (thread + round) % 3 {
            0 => driver.submit(&launches).unwrap(),
            1 => driver.submit_prepared(&driver.prepare(&launches).unwrap(), &launches).unwrap(),
            _ => with_read = launches,
        }
        assert_eq!(words(driver, &with_read, &memory, 64), wanted, "thread {thread}, round {round}");
    }
}

fn side_by_side(options: DeviceOptions, params: u32) {
    for name in ["lavapipe", "swiftshader"] {
        let device = match options.open(name) {
            Ok(device) => device,
            Err(error) => {
                eprintln!("skipped: {error}");
                continue;
            }
        };
        let kernel = sums(params, device.caps());
        scope(|threads| {
            for thread in 0..8 {
                let (device, kernel) = (&device, &kernel);
                threads.spawn(move || rounds(device, kernel, thread));
            }
        });
        device.synchronize().unwrap();
    }
}

#[test]
fn parameters_belong_to_their_submission_without_immediates() {
    side_by_side(DeviceOptions::default().immediates(false), 6);
}

#[test]
fn parameters_belong_to_their_submission_where_transfers_are_staged() {
    side_by_side(DeviceOptions::default().immediates(false).staged_transfers(true), 6);
}

/// Too many for the command buffer of any device.
#[test]
fn parameters_of_wide_kernels_belong_to_their_submission() {
    side_by_side(DeviceOptions::default(), 70);
}
