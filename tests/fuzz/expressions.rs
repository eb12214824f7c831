//! Graphs of expressions: random programs of [`crate::programs`], on the processor against an evaluator on the host.
//! `tests/properties.rs` runs a number of them on every device.

use crate::harness::{Target, Verdict, fuzz};
use crate::mutate::Form;
use crate::programs::{Program, agree};
use crosslane::Device;

fn case(devices: &[Device], input: &[u8]) -> Verdict {
    let program = Program::read(input);
    for device in devices {
        agree::<i32>(device, &program)?;
        agree::<f32>(device, &program)?;
    }
    // What a plan consists of tells programs apart, not their values.
    Ok(format!("{program:?}").chars().filter(|c| c.is_ascii_uppercase() || *c == '[').collect())
}

#[test]
fn random_programs() {
    let devices = ["cpu", "cpu:checked"].map(|request| Device::open(request).unwrap());
    fuzz(&Target { name: "expressions", form: Form::Bytes, also: &[] }, |input| case(&devices, input));
}
