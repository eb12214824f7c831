//! A kernel with a race: the checked device names the two lines; mended, it runs as every kind of hardware.

use crosslane::cpu::{Defect, Profile};
use crosslane::{Array, Device, ErrorKind, Kernel, Result};

/// Each workgroup turns 64 elements round. The barrier between writing and reading is left out or put in.
fn reverse(barrier: &str) -> Result<Kernel> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {{
    tile[i] = x[id.x];
    {barrier}
    x[id.x] = tile[63u - i];
}}
"
    );
    Ok(Kernel::wgsl(&source)?.named("reverse.wgsl"))
}

fn run(device: &Device, kernel: &Kernel) -> Result<Vec<u32>> {
    let mut x = Array::arange(device, 0u32, 256, 1);
    kernel.grid([4]).args(&mut x).launch(device)?;
    x.to_vec()
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let checked = Device::cpu_checked()?;
    let error = run(&checked, &reverse("")?).expect_err("it has a race");
    let ErrorKind::Defects { report } = error.kind() else { return Err(error) };
    println!("{report}\n");
    let race = report.findings.iter().find(|finding| finding.defect == Defect::Race).expect("the race is reported");
    let mut lines = [race.spot.line, race.other.as_ref().expect("a race has two sides").line];
    lines.sort();
    assert_eq!(lines, [6, 8], "the tile's write and its read");

    let mended = reverse("workgroupBarrier();")?;
    let wanted: Vec<u32> = (0..4).flat_map(|group| (0..64).rev().map(move |i| 64 * group + i)).collect();
    let got = run(&checked, &mended)?;
    assert_eq!(got, wanted);
    println!("mended, on {checked:?}: {:?}...", &got[..4]);
    for profile in Profile::presets() {
        let (name, subgroup, order) = (profile.name, profile.subgroup, profile.order);
        let device = Device::cpu_as(profile)?;
        assert_eq!(run(&device, &mended)?, wanted, "as {name}");
        println!("right as {name}: subgroups of {subgroup}, workgroups {order:?}");
    }
    println!("checked: the race is found at its two lines; mended, all elements are right as every kind of hardware");
    Ok(())
}
