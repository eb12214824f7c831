//! `benches/vendors.md`, and lists for the eye.

use super::devices::{DEVICES, Device};
use super::known::Finding;
use super::process::{Compiled, Told};
use super::told::{Figures, Outcome};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// A device's kernels of a full run are kept, so that the page can be made of runs for some devices at a time.
fn kept(device: &Device) -> PathBuf {
    let name = device.name.replace([' ', ',', '.'], "-");
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/vendors")).join(name)
}

pub fn keep(device: &Device, told: &Told) {
    let path = kept(device);
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).unwrap();
    std::fs::write(path, format!("{}\n{}", row(device, told), rows(device, told))).unwrap();
}

/// A device's row: what its compiler made of all kernels.
fn row(device: &Device, told: &Told) -> String {
    let count = |is: fn(&Outcome) -> bool| told.kernels.iter().filter(|one| is(&one.outcome)).count();
    let refused = count(|it| matches!(it, Outcome::Refused(_)));
    let crashed = count(|it| matches!(it, Outcome::Crashed(_)));
    let spilling = told.kernels.iter().filter(|one| spilled(one) > 0).count();
    let tells = told.kernels.iter().filter_map(Compiled::figures).any(|one| one.spilled.is_some());
    let worst = told.kernels.iter().max_by_key(|one| spilled(one)).filter(|one| spilled(one) > 0);
    let worst = worst.map_or("-".into(), |one| format!("{} in {}: {}", spilled(one), one.operation, one.what));
    let seconds: f64 = told.kernels.iter().map(|one| one.seconds).sum();
    let slowest = told.kernels.iter().map(|one| one.seconds).fold(0.0, f64::max);
    let sizes = told.sizes().iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let date = std::process::Command::new("date").arg("+%F").output().map(|output| output.stdout).unwrap_or_default();
    let (date, whole) = (String::from_utf8_lossy(&date), if told.whole { "" } else { " of more" });
    let spilling = if tells { spilling.to_string() } else { "not told".into() };
    format!(
        "| {} | {} | {} | {sizes} | {}{whole} | {refused} | {crashed} | {spilling} | {worst} | {seconds:.0} | {slowest:.1} |",
        device.name,
        told.driver,
        date.trim(),
        told.kernels.len(),
    )
}

fn spilled(one: &Compiled) -> u64 {
    one.figures().and_then(|one| one.spilled).unwrap_or(0)
}

/// One row an operation: the most of all its kernels, and the least occupancy.
fn rows(device: &Device, told: &Told) -> String {
    let mut groups: BTreeMap<&str, Vec<&Compiled>> = BTreeMap::new();
    told.kernels.iter().for_each(|one| groups.entry(&one.operation).or_default().push(one));
    let mut text = String::new();
    for (operation, kernels) in groups {
        let all = || kernels.iter().filter_map(|one| one.figures());
        let said = |value: Option<u64>| value.map_or("-".to_string(), |value| value.to_string());
        let most = |of: fn(&Figures) -> Option<u64>| said(all().filter_map(of).max());
        let spilling = kernels.iter().filter(|one| spilled(one) > 0).count();
        writeln!(
            text,
            "| {operation} | {} | {} | {} | {} | {spilling} | {} | {} | {} | {} | {} |",
            device.name,
            kernels.len(),
            most(|one| one.registers),
            most(|one| one.shared),
            most(|one| one.spilled),
            most(|one| one.moved),
            most(|one| one.scratch),
            said(all().filter_map(|one| one.occupancy).min()),
            most(|one| one.instructions),
        )
        .expect("a text takes all");
    }
    text
}

/// Makes the page of all devices whose kernels are kept.
pub fn write() {
    let kept: Vec<String> = DEVICES.iter().filter_map(|device| std::fs::read_to_string(kept(device)).ok()).collect();
    let (mut devices, mut operations) = (vec![], vec![]);
    for (place, text) in kept.iter().enumerate() {
        let mut lines = text.lines();
        devices.extend(lines.next());
        operations.extend(lines.map(|line| (line.split(" | ").next(), place, line)));
    }
    operations.sort();
    let operations: Vec<&str> = operations.into_iter().map(|(.., line)| line).collect();
    let text = format!(
        "# Kernels as other vendors' compilers make them\n\n\
         Written by `CROSSLANE_STATISTICS=all cargo test --all-features --test compilers vendors`: the kernels of all test cases, compiled by\n\
         Mesa's drivers for cards that are not there. Nothing ran. `CROSSLANE_VENDOR` names some of the devices: those of other runs stay.\n\
         Seconds are of the processor.\n\n\
         | device | driver | day | subgroups | kernels | refused | crashed | spilling | most registers spilled | seconds | slowest |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n{}\n\n\
         ## By operation\n\n\
         Each figure is the most of an operation's kernels, but of occupancy the least. Drivers count by their own units: registers of four\n\
         numbers on Adreno, of 32 bytes on Intel's, and of 16 or 32 bits elsewhere; occupancy in subgroups on a SIMD (AMD), a core\n\
         (Adreno), an SM (NVIDIA), and in threads (Apple). `-`: the driver does not tell. Shared memory and scratch are in bytes.\n\n\
         | operation | device | kernels | registers | shared | spilling | spilled | to other registers | scratch | occupancy | instructions |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n{}\n",
        devices.join("\n"),
        operations.join("\n"),
    );
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/vendors.md"), text).unwrap();
}

/// What a device's compiler made of each kernel that is worth a look, and of all by operation.
pub fn list(device: &Device, told: &Told) -> String {
    let mut text = format!("{}, {}\n", device.name, told.driver);
    for one in &told.kernels {
        for finding in Finding::of(one) {
            writeln!(text, "{finding}: {}: {}", one.operation, one.what).expect("a text takes all");
        }
    }
    text + "| operation | device | kernels | registers | shared | spilling | spilled | to other registers | scratch | occupancy | instructions |\n"
        + &rows(device, told)
}
