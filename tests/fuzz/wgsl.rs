//! WGSL: whatever a text says, it is refused or it runs, within its time and its memory, and the device works afterwards.
//!
//! Texts are parsed, reflected, translated to CUDA and launched on the cpu engine: checked, interpreted and compiled. Not on
//! drivers, which are programs of others: Mesa's compiler ends the process at some texts (the guide's chapter on faults).

use crate::harness::{Target, Verdict, fuzz};
use crate::mutate::Form;
use crate::texts::{kernel, launch, letters, on_small_stack, sizes, works};
use crosslane::{Device, DeviceOptions, Kernel};
use std::time::Duration;

/// How long a launch may take: hostile loops end by it.
const LIMIT: Duration = Duration::from_millis(20);

/// Bytes of a binding without a length.
const LEAST: u64 = 256;

/// The CUDA text, with checks and without; it is not compiled.
#[cfg(feature = "cuda")]
fn translated(kernel: &Kernel) -> String {
    let options = crosslane::cuda::CudaOptions::new(90);
    // SAFETY: it is not launched.
    let trusted = unsafe { kernel.trusted() };
    let says = |kernel: &Kernel| kernel.cuda(&options).err().map(|error| error.to_string()).unwrap_or_default();
    says(kernel) + &says(&trusted)
}

#[cfg(not(feature = "cuda"))]
fn translated(_: &Kernel) -> String {
    String::new()
}

fn case(devices: &[Device], input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let kernel = match kernel(&text) {
        Ok(kernel) => kernel,
        // Its first line says what is wrong, the others where.
        Err(error) => return Ok(error.to_string().lines().take(2).collect()),
    };
    let mut outcome = translated(&kernel);
    let Some(sizes) = sizes(&kernel, LEAST) else { return Ok(outcome + "too large to launch") };
    for device in devices {
        match launch(device, &kernel, &sizes, 2) {
            Ok(buffers) => outcome += &letters(&buffers),
            Err(error) => outcome += &error.to_string().chars().take(60).collect::<String>(),
        }
        works(device)?;
    }
    Ok(outcome)
}

#[test]
fn hostile_texts() {
    let open = |request: &str| DeviceOptions::default().time_limit(LIMIT).memory_limit(64 << 20).open(request).unwrap();
    let devices = ["cpu:checked", "cpu:interpreted", "cpu:compiled"].map(open);
    let also = &["wgsl/clean", "wgsl/faulty", "cuda/corpus"];
    fuzz(&Target { name: "wgsl", form: Form::Text, also }, |input| on_small_stack(|| case(&devices, input)));
}
