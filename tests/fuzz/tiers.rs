//! Compiled against interpreted: where no order of invocations decides the result, both give the same bits. A checked device
//! says where one does: races, divergent barriers, waiting, and indices out of bounds, which meet where they are clamped. It says
//! nothing of atomics, whose old values depend on the order: texts with them only run.
//!
//! `tests/wgsl/programs.rs` compares programs that a generator writes; here texts are changed that people wrote.

use crate::harness::{Target, Verdict, fuzz};
use crate::mutate::Form;
use crate::texts::{kernel, launch, letters, sizes};
use crosslane::cpu::{Checks, Profile};
use crosslane::{Device, DeviceOptions, ErrorKind};
use std::time::Duration;

/// Longer than any workgroup of the corpus takes: what is stopped is not compared.
const LIMIT: Duration = Duration::from_millis(200);

/// Bytes of a binding: what most kernels of the corpus index.
const LEAST: u64 = 1 << 14;

struct Tiers {
    checked: Device,
    interpreted: Device,
    compiled: Device,
}

fn case(tiers: &Tiers, input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let Ok(kernel) = kernel(&text) else { return Ok("refused".into()) };
    let Some(sizes) = sizes(&kernel, LEAST) else { return Ok("too large to launch".into()) };
    // One workgroup: of several, nobody says which comes first.
    if let Err(error) = launch(&tiers.checked, &kernel, &sizes, 1) {
        return Ok(error.to_string().chars().take(60).collect());
    }
    let ends = [&tiers.interpreted, &tiers.compiled].map(|device| launch(device, &kernel, &sizes, 1));
    match ends {
        [Ok(_), Ok(_)] if text.contains("atomic") => Ok("atomics".into()),
        [Ok(interpreted), Ok(compiled)] if interpreted == compiled => Ok(letters(&interpreted)),
        [Ok(interpreted), Ok(compiled)] => {
            let differ = |n: &usize| interpreted[*n] != compiled[*n];
            let buffer = (0..interpreted.len()).find(differ).expect("one of them differs");
            let (left, right) = (&interpreted[buffer], &compiled[buffer]);
            let at = (0..left.len()).find(|&at| left[at] != right[at]).expect("one of its words differs");
            let (left, right) = (left[at], right[at]);
            Err(format!("buffer {buffer} at {at}: {left:#x} interpreted, {right:#x} compiled"))
        }
        [Err(error), _] | [_, Err(error)] if matches!(error.kind(), ErrorKind::Endless { .. }) => Ok("stopped".into()),
        [Err(one), Err(two)] if one.to_string() == two.to_string() => Ok(one.to_string()),
        [one, two] => Err(format!("interpreted {:?}, compiled {:?}", one.err(), two.err())),
    }
}

#[test]
fn same_bits() {
    let options = DeviceOptions::default().time_limit(LIMIT).memory_limit(64 << 20);
    let checks = Checks::default().with(|checks| (checks.uninitialised, checks.overflow) = (false, false));
    let checked = options.cpu(Profile::compiled(), Some(checks)).unwrap();
    let [interpreted, compiled] = ["cpu:interpreted", "cpu:compiled"].map(|request| options.open(request).unwrap());
    let tiers = Tiers { checked, interpreted, compiled };
    fuzz(&Target { name: "tiers", form: Form::Text, also: &["wgsl/clean", "cuda/corpus"] }, |input| {
        case(&tiers, input)
    });
}
