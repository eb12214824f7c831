//! A race: 1,024 invocations count with a plain variable and with an atomic one. The checking engine names the line.

use crosslane::{Array, Device, ErrorKind, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let text = include_str!("kernels/counter.wgsl");
    let racing = Kernel::wgsl_with(text, Some("racing"), &[])?;
    let atomically = Kernel::wgsl_with(text, Some("atomically"), &[])?;

    let mut plain = Array::<u32>::zeros(&device, &[1]);
    racing.grid([32]).args(&mut plain).launch(&device)?;
    println!("with a race:  counter = {}, expected 1024", plain.item()?);

    let mut counter = Array::<u32>::zeros(&device, &[1]);
    atomically.grid([32]).args(&mut counter).launch(&device)?;
    println!("atomically:   counter = {}, expected 1024", counter.item()?);
    assert_eq!(counter.item()?, 1024);

    let checked = Device::cpu_checked()?;
    let mut plain = Array::<u32>::zeros(&checked, &[1]);
    let found = racing.grid([32]).args(&mut plain).launch(&checked).and_then(|()| checked.synchronize());
    let error = found.expect_err("the checking engine finds the race");
    let ErrorKind::Defects { report } = error.kind() else { return Err(error) };
    assert!(report.findings.iter().any(|finding| finding.spot.text.contains("plain[0] += 1u")), "another line");
    println!("\nthe checking engine says: {error}");
    println!("checked: the atomic counter is 1024, and the race is found at its line");
    Ok(())
}
