//! Calls from the workers of a pool whose threads steal: a worker that waits inside the library for a moment's help
//! must not be handed another of the program's jobs, which would want the lock that it holds.

use super::support::*;
use crosslane::{Array, Device};
use rayon::prelude::*;
use std::sync::mpsc;
use std::time::Duration;

/// How long it may take on the slowest device, many times over.
const PATIENCE: Duration = Duration::from_secs(60);

/// Elements: enough that uploads and reads of wgpu's engine go through the ring, and kernels to several threads.
fn elements(device: &Device) -> usize {
    if is_checked(device) { 1 << 10 } else { 1 << 20 }
}

fn evaluate_upload_and_read(device: &Device, n: usize) {
    let host: Vec<u32> = (0..n as u32).collect();
    (0..48u32).into_par_iter().for_each(|job| {
        let x = Array::from_slice(device, &host);
        let y = &x * 3 + job;
        assert_eq!(y.slice(crosslane::s![1..3]).to_vec().unwrap(), [3 + job, 6 + job]);
        let all = y.to_vec().unwrap();
        assert_eq!((all[n - 1], all.len()), ((n as u32 - 1) * 3 + job, n));
    });
}

#[test]
fn calls_from_inside_a_pool_that_steals_end() {
    let (done, end) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        for device in devices() {
            pool.install(|| evaluate_upload_and_read(device, elements(device)));
            done.send(name(device)).unwrap();
        }
    });
    for device in devices() {
        match end.recv_timeout(PATIENCE) {
            Ok(_) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => {
                panic!("{} hangs: it waits for a job that waits for it", name(device))
            }
            Err(_) => panic!("{} gave an error or a wrong number; it is told above", name(device)),
        }
    }
}
