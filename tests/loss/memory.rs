//! Memory that runs out: of a device, in tests that inject it, and of a whole process.

use super::{GIVES, program, ways};
use crosslane::share::Direction;
use crosslane::{Array, Device, Error, ErrorKind, HostBuffer, s};
use std::process::Command;

/// Memory runs out at every allocation: an error with figures, or none if the second attempt finds some; and the same
/// program runs right after, and nothing is held.
#[test]
fn short_of_memory_at_every_allocation() {
    for way in &ways() {
        let device = way.0.open(&way.1).unwrap();
        assert_eq!(program(&device).unwrap(), GIVES);
        device.trim();
        let witness = Array::from_vec(&device, vec![5u32; 1000]) + 1;
        witness.eval().unwrap();
        let before = device.memory();
        assert_eq!(program(&device).unwrap(), GIVES);
        let (allocations, held) = (device.memory().misses - before.misses, device.memory().live);
        assert!(allocations >= 8 && held == before.live, "{allocations} on {}", way.1);
        for failing in [1, 2, 4] {
            let mut went_well = 0;
            for good in 0..allocations {
                device.trim();
                device.run_short_after(good, failing);
                match program(&device) {
                    Ok(results) => {
                        went_well += 1;
                        assert_eq!(results, GIVES, "allocation {good}, {failing} attempts, on {}", way.1);
                    }
                    Err(error) => {
                        let ErrorKind::OutOfMemory { requested, live, .. } = error.kind() else { panic!("{error}") };
                        assert!(*requested >= 4 && *live >= before.live, "{error}");
                    }
                }
                device.run_short_after(0, 0);
                assert_eq!(device.memory().live, before.live, "allocation {good} of {failing}, on {}", way.1);
            }
            let expected = match failing {
                1 => went_well == allocations,              // the pool is trimmed and asks again
                2 => (1..allocations).contains(&went_well), // evaluations are planned again, uploads are not
                _ => went_well < allocations,
            };
            assert!(expected, "{went_well} of {allocations} with {failing} failing attempts, on {}", way.1);
        }
        assert_eq!(program(&device).unwrap(), GIVES);
        assert!(witness.to_vec().unwrap().iter().all(|&x| x == 6), "on {}", way.1);
    }
}

/// What an evaluation that found no memory would have computed is computed by the next.
#[test]
fn an_evaluation_is_tried_once_more() {
    let device = Device::cpu().unwrap();
    let x = Array::from_vec(&device, vec![1u32; 100]);
    let y = (&x + 1).cumsum(0);
    device.run_short_after(0, 4);
    let error = y.eval().unwrap_err();
    let ErrorKind::OutOfMemory { requested: 400.., live, at: Some(at), .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*live, at.line()), (device.memory().live, line!() - 2), "{error}");
    for failing in [3, 2] {
        let y = y.copy();
        device.trim();
        device.run_short_after(0, failing);
        y.eval().unwrap();
        device.run_short_after(0, 0);
        assert_eq!(y.to_vec().unwrap()[99], 200);
    }
}

/// Memory that runs out at a submission: an evaluation is tried again, work in place is not, since it may have run.
#[test]
fn short_of_memory_at_submission() {
    for way in &ways() {
        let device = way.0.open(&way.1).unwrap();
        let mut x = Array::from_vec(&device, vec![1u32; 100]);
        let out = |error: Error, line: u32| {
            let ErrorKind::OutOfMemory { live, at: Some(at), .. } = error.kind() else { panic!("{error}") };
            assert!(*live >= 400 && at.line() == line, "{error}");
        };
        let y = &x + 1;
        device.submit_short_after(0, 2);
        out(y.eval().unwrap_err(), line!());
        device.submit_short_after(0, 1);
        assert_eq!(y.sum().item().unwrap(), 200, "on {}", way.1);
        y.eval().unwrap();
        device.submit_short_after(0, 1);
        out(x.slice_mut(s![..]).assign(&y).unwrap_err(), line!());
        x.slice_mut(s![..50]).assign(&(&y.slice(s![..50]) + 1)).unwrap();
        assert_eq!(x.sum().item().unwrap(), 200, "on {}", way.1);
    }
}

/// The variable that a process under a limit has.
const INSIDE: &str = "CROSSLANE_TEST_UNDER_A_LIMIT";

/// All of a process' address space in use: errors of arrays and of results on the host, and it goes on.
#[test]
#[cfg(target_os = "linux")]
fn a_process_without_memory_goes_on() {
    if std::env::var_os(INSIDE).is_some() {
        return without_memory();
    }
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -v 6000000; exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
    child.args(["--exact", "memory::a_process_without_memory_goes_on", "--nocapture"]).env(INSIDE, "1");
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[cfg(target_os = "linux")]
fn without_memory() {
    let device = Device::cpu().unwrap();
    assert_eq!(program(&device).unwrap(), GIVES); // what is loaded and started once is there
    let out = |error: Error| assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
    const ELEMENTS: usize = 64 << 20;
    let mut arrays = vec![];
    let error = loop {
        let array = device.acquire::<u32>(ELEMENTS);
        match array.check() {
            Ok(_) => arrays.push(array),
            Err(error) => break error,
        }
        assert!(arrays.len() < 40, "no limit holds");
    };
    let ErrorKind::OutOfMemory { requested, live, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*requested, *live), (4 * ELEMENTS as u64, device.memory().live), "{error}");
    let ones = Array::<u32>::ones(&device, &[ELEMENTS]);
    out(ones.eval().unwrap_err());
    out(ones.to_vec().unwrap_err());
    out(HostBuffer::<u32>::new(&device, ELEMENTS, Direction::Upload).map(drop).unwrap_err());
    assert_eq!(program(&device).unwrap(), GIVES);
    arrays.truncate(arrays.len() - 2);
    assert_eq!(ones.slice(s![..10]).to_vec().unwrap(), [1; 10]);
    ones.eval().unwrap();
    drop(arrays);
    assert_eq!(program(&device).unwrap(), GIVES);
}
