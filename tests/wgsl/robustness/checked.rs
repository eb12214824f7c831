//! The same programs on the cpu engine that checks: each access out of bounds is found at its line, no other is; and turned
//! off, the check leaves the accesses as harmless as they are everywhere.

use super::{Access, Program, Space, wrong_rows};
use crate::judge::{Judge, launch};
use crosslane::cpu::{Checks, Defect, Profile};
use crosslane::{Array, Device, DeviceOptions, ErrorKind};
use std::collections::BTreeSet;

const SPACES: [Space; 5] = [Space::Function, Space::Private, Space::Workgroup, Space::Storage, Space::Uniform];

/// Cases whose findings a report has room for.
const TOGETHER: usize = 20;

impl Program {
    /// The line that accesses the container.
    fn line(&self, case: usize) -> u32 {
        let (container, access) = self.cases[case];
        let start = match access {
            Access::Call => format!("fn call{container}("),
            _ => format!("case {case}u: "),
        };
        self.source.lines().position(|line| line.starts_with(&start)).expect("each case has a line") as u32 + 1
    }

    fn is_inside(&self, [case, index]: [u32; 2]) -> bool {
        (index as usize) < self.placed[self.cases[case as usize].0].container.elements[3]
    }
}

/// The lines where accesses out of bounds were found.
fn found(device: &Device, program: &Program, space: Space, rows: &[[u32; 2]]) -> BTreeSet<u32> {
    let arrays: Vec<_> = program.buffers(space, rows).iter().map(|words| Array::from_slice(device, words)).collect();
    let Err(error) = launch(device, &program.source, program.grid(space, rows), &arrays) else {
        return BTreeSet::new();
    };
    let ErrorKind::Defects { report } = error.kind() else { panic!("{space:?}: {error}") };
    let others: Vec<_> = report.findings.iter().filter(|finding| finding.defect != Defect::OutOfBounds).collect();
    assert!(others.is_empty(), "{space:?}: {others:?}");
    report.findings.iter().map(|finding| finding.spot.line).collect()
}

#[test]
fn each_access_out_of_bounds_is_found_at_its_line() {
    let device = Device::cpu_checked().unwrap();
    for space in SPACES {
        let program = Program::new(space);
        let (inside, outside): (Vec<_>, Vec<_>) = program.rows().into_iter().partition(|&row| program.is_inside(row));
        assert_eq!(found(&device, &program, space, &inside), BTreeSet::new(), "{space:?}, all inside");
        for first in (0..program.cases.len()).step_by(TOGETHER) {
            let cases = first..(first + TOGETHER).min(program.cases.len());
            let rows: Vec<_> = outside.iter().filter(|row| cases.contains(&(row[0] as usize))).copied().collect();
            let wanted = cases.map(|case| program.line(case)).collect();
            let got = found(&device, &program, space, &rows);
            assert_eq!(got, wanted, "{space:?}\n{}", program.source);
        }
    }
}

#[test]
fn unwatched_they_do_no_harm() {
    let checks = Checks::default().with(|checks| checks.bounds = false);
    let judge = Judge::from(&DeviceOptions::default().cpu(Profile::native(), Some(checks)).unwrap());
    for space in SPACES {
        assert_eq!(wrong_rows(&judge, &Program::new(space), space), Vec::<String>::new());
    }
}

/// A matrix whose stride leads it out of its variable: what it loads there is 0, what it stores there is gone.
#[test]
fn matrices_stay_in_their_variable() {
    let source = "enable wgpu_cooperative_matrix;
var<workgroup> before: array<f32, 64>;
var<workgroup> tile: array<f32, 64>;
var<workgroup> after: array<f32, 64>;
@group(0) @binding(0) var<storage, read> stride: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = i; k < 64u; k += 32u) { before[k] = 1.0; tile[k] = 2.0; after[k] = 3.0; }
    workgroupBarrier();
    let s = stride[0];
    let m = coopLoad<coop_mat8x8<f32, C>>(&tile[0], s);
    workgroupBarrier();
    coopStore(m + m, &tile[0], s);
    workgroupBarrier();
    for (var k = i; k < 64u; k += 32u) { output[k] = before[k]; output[64u + k] = tile[k]; output[128u + k] = after[k]; }
    workgroupBarrier();
    coopStore(m, &output[192], 8u);
}";
    let mut profile = Profile::native();
    profile.caps.tensor = Some(8);
    for (stride, columns) in [(8u32, 8), (16, 4), (u32::MAX - 63, 1), (9, 7)] {
        let device = DeviceOptions::default().cpu(profile.clone(), None).unwrap();
        let (stride_array, output) = (Array::from_slice(&device, &[stride]), Array::from_slice(&device, &[0u32; 256]));
        launch(&device, source, [1, 1, 1], &[stride_array, output.clone()]).unwrap_or_else(|error| panic!("{error}"));
        let output: Vec<f32> = output.to_vec().unwrap().into_iter().map(f32::from_bits).collect();
        assert!(output[..64].iter().all(|&x| x == 1.0), "stride {stride}: {:?}", &output[..64]);
        assert!(output[128..192].iter().all(|&x| x == 3.0), "stride {stride}: {:?}", &output[128..192]);
        assert!(output[64..128].iter().all(|&x| x == 2.0 || x == 4.0), "stride {stride}: {:?}", &output[64..128]);
        let loaded = output[192..].iter().filter(|&&x| x != 0.0).count();
        assert!(output[192..].iter().all(|&x| x == 0.0 || x == 2.0), "stride {stride}: {:?}", &output[192..]);
        let whole = 8 * columns;
        assert!((whole..whole + 8).contains(&loaded), "stride {stride}: {loaded}");

        let device = DeviceOptions::default().cpu(profile.clone(), Some(Checks::default())).unwrap();
        let (stride_array, output) = (Array::from_slice(&device, &[stride]), Array::from_slice(&device, &[0u32; 256]));
        let result = launch(&device, source, [1, 1, 1], &[stride_array, output]);
        let Err(error) = result else {
            assert_eq!(stride, 8, "nothing was found");
            continue;
        };
        let ErrorKind::Defects { report } = error.kind() else { panic!("{error}") };
        let lines: BTreeSet<u32> = report.findings.iter().map(|finding| finding.spot.line).collect();
        assert_eq!(lines, BTreeSet::from([11, 13]), "stride {stride}:\n{report}");
        let right =
            |f: &crosslane::cpu::Finding| f.defect == Defect::OutOfBounds && f.binding.as_deref() == Some("tile");
        assert!(report.findings.iter().all(right), "stride {stride}:\n{report}");
    }
}
