//! Formulas of a program's own: elementwise, reductions, scans, stencils, einsum. A line for each part; what does not compile
//! is an error.

use crate::harness::{Target, Verdict, fuzz};
use crate::mutate::Form;
use crate::texts::{on_small_stack, works};
use crosslane::array::PadMode;
use crosslane::{Array, Device, DeviceOptions, Elementwise, Reduction, Result, Scan, Stencil, einsum};
use std::time::Duration;

/// How long a loop of a formula may run.
const LIMIT: Duration = Duration::from_millis(20);

/// What an input is: the first line names the kind, the others are its parts.
fn computed(device: &Device, kind: &str, parts: [&str; 5]) -> Result<Vec<f32>> {
    let x = Array::arange(device, -3.0f32, 9.0, 1.0).reshape(&[3, 4]);
    let [first, second, third, fourth, fifth] = parts;
    let result: Array<f32> = match kind {
        "elementwise" => {
            let formula = Elementwise::new(first, second)?;
            // As many arguments as it wants: one of these fits.
            let one = formula.call(&x);
            one.or_else(|_| formula.call((&x, &x))).or_else(|_| formula.call((&x, 2.0f32, 3u32)))?
        }
        "reduction" => Reduction::new(first, second, third, fourth, fifth)?.call_axes(&x, 0)?,
        "reduce" => x.reduce(first, 0.0),
        "scan" => Scan::new(first, second).axis(-1).call(&x),
        "stencil" => Stencil::new(first)?.run(&x, 2, PadMode::Edge)?,
        "stencils" => {
            Stencil::of_fields(&["u", "v"], &[first, second])?.run_fields(&[&x, &x], 2, PadMode::Wrap)?.remove(0)
        }
        _ => einsum(first, &[&x, &x.transpose()]).or_else(|_| einsum(first, &[&x]))?,
    };
    result.to_vec()
}

fn case(device: &Device, input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.split('\n');
    let kind = lines.next().unwrap_or_default();
    let parts = std::array::from_fn(|_| lines.next().unwrap_or_default());
    let outcome = match computed(device, kind, parts) {
        Ok(_) => format!("{kind}: {}", text.split(|c: char| !c.is_alphanumeric()).collect::<String>()),
        Err(error) => error.to_string().lines().take(2).collect(),
    };
    works(device)?;
    Ok(outcome)
}

#[test]
fn texts_of_formulas() {
    let device = DeviceOptions::default().time_limit(LIMIT).memory_limit(64 << 20).open("cpu").unwrap();
    fuzz(&Target { name: "formulas", form: Form::Text, also: &[] }, |input| on_small_stack(|| case(&device, input)));
}
