//! Calls from the workers of a pool whose threads steal: a worker that waits inside the library for a moment's help
//! must not be handed another of the program's jobs, which would want the lock that it holds.

mod support;

use crosslane::{Array, Device};
use std::sync::mpsc;
use std::time::Duration;
use support::*;

/// How long it may take on the slowest device, many times over.
const PATIENCE: Duration = Duration::from_secs(60);

/// Elements: enough that uploads and reads of wgpu's engine go through the ring, and kernels to several threads.
fn elements(device: &Device) -> usize {
    if is_checked(device) { 1 << 10 } else { 1 << 18 }
}

/// All jobs wait in the queue of one worker: the others, each time they are free, take either one of these or a part of
/// what the library shares out.
fn evaluate_upload_and_read(device: &Device, n: usize) {
    let host: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
    rayon::scope(|scope| {
        for job in 0..48u8 {
            let host = &host;
            scope.spawn(move |_| {
                let x = Array::from_slice(device, host);
                let y = (0..10).fold(&x + job as f32, |y, _| y.sin().abs() + 1.0);
                assert!(y.to_vec().unwrap().iter().all(|y| (1.0..=2.0).contains(y)));
                assert_eq!(x.to_vec().unwrap(), *host);
            });
        }
    });
}

#[test]
fn calls_from_inside_a_pool_that_steals_end() {
    let (done, end) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
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
