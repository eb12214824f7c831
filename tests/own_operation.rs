//! Operations of a program's own: applied, judged, and refused where they are not what they say.

mod support;

use crosslane::cpu::{Checks, Profile};
use crosslane::device::Caps;
use crosslane::op::{Binding, Case, Grid, Host, KernelDraft, Op, Param, Pass, Plan, Slot, Value};
use crosslane::{Array, DType, Device, Error, ErrorKind, Kernel, Result, f16};
use support::*;

/// Both the sum and the difference of two arrays, the sum by way of scratch memory.
#[derive(Clone, Hash)]
struct Both {
    len: usize,
    wrong: Wrong,
}

/// What is wrong with it.
#[derive(Clone, Copy, Hash, PartialEq)]
enum Wrong {
    Nothing,
    /// The reference has another difference.
    Reference,
    /// The kernel reads past its inputs.
    Index,
    /// The plan binds more than the output holds.
    Window,
    /// The plan begins a window anywhere.
    Alignment,
    /// The plan names a buffer that is not there.
    Buffer,
    /// The kernel writes to its input.
    Input,
    /// A word of parameters is missing.
    Params,
    /// What is written is bound twice.
    Twice,
    /// A kernel of the library, which runs unchecked.
    Library,
    /// No workgroup.
    Grid,
}

const ADD: &str = "
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<f32>;
@compute @workgroup_size(64)
fn add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = linear_index(id, groups);
    if i < params.count { sum[i] = a[i] + b[i + PAST]; }
}
";

const SPLIT: &str = "
@group(0) @binding(0) var<storage, read> sum: array<f32>;
@group(0) @binding(1) var<storage, WHAT> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> sums: array<f32>;
@group(0) @binding(3) var<storage, read_write> differences: array<f32>;
@compute @workgroup_size(64)
fn split(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = linear_index(id, groups);
    if i >= params.count { return; }
    sums[i] = sum[i];
    differences[i] = sum[i] - twice(b[i]);
}
";

impl Op for Both {
    fn name(&self) -> &'static str {
        "both"
    }

    fn slots(&self) -> Vec<Slot> {
        let read = |name| Slot::read(name, DType::F32, self.len);
        // Not all that is read comes first.
        vec![
            read("a"),
            Slot::write("sums", DType::F32, self.len),
            read("b"),
            Slot::write("differences", DType::F32, self.len),
        ]
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let past = (self.wrong == Wrong::Index) as u32;
        let add = KernelDraft::new("add", ADD).constant("PAST", past).param("count").kernel(caps)?;
        let text = SPLIT.replace("WHAT", if self.wrong == Wrong::Input { "read_write" } else { "read" });
        let split = KernelDraft::new("split", &text).param("count");
        let split = split.append("fn twice(x: f32) -> f32 { return 2.0 * x; }").kernel(caps)?;
        let slots = self.slots();
        let all = |buffer: usize| Binding::whole(buffer, &slots[buffer.min(3)]);
        let bytes = all(0).bytes;
        let sums = match self.wrong {
            Wrong::Window => Binding::new(1, 0, bytes + 128),
            Wrong::Alignment => Binding::new(1, 4, bytes - 4),
            Wrong::Buffer => all(5),
            Wrong::Twice => all(3),
            _ => all(1),
        };
        let params = vec![Param::Is(self.len as u32); (self.wrong != Wrong::Params) as usize];
        let grid = Grid::Count(self.len.div_ceil(64) as u64);
        let last = if self.wrong == Wrong::Grid { Grid::Fixed([0, 1, 1]) } else { grid };
        let mut passes = vec![
            Pass { kernel: add, buffers: vec![all(0), all(2), all(4)], params: params.clone(), grid },
            Pass { kernel: split, buffers: vec![all(4), all(2), sums, all(3)], params, grid: last },
        ];
        if self.wrong == Wrong::Library {
            passes = crosslane::ops::EmptyKernel(1).plan(caps)?.passes;
        }
        Ok(Plan { scratch: vec![bytes], passes })
    }

    fn flops(&self) -> u64 {
        2 * self.len as u64
    }

    fn bytes(&self) -> u64 {
        16 * self.len as u64
    }

    fn reference(&self, host: &mut Host) {
        for i in 0..self.len {
            let (a, b) = (host.get(0, i).float(), host.get(2, i).float());
            host.set(1, i, Value::Float(a + b));
            let off = if self.wrong == Wrong::Reference && i == 70 { 0.25 } else { 0.0 };
            host.set(3, i, Value::Float(a - b + off));
        }
    }
}

fn both(len: usize, wrong: Wrong) -> Both {
    Both { len, wrong }
}

/// The name and fields of [`Both`], and another meaning.
mod other {
    use super::*;

    #[derive(Clone, Hash)]
    pub struct Both {
        pub len: usize,
        pub wrong: Wrong,
    }

    impl Op for Both {
        fn name(&self) -> &'static str {
            "both"
        }

        fn slots(&self) -> Vec<Slot> {
            super::both(self.len, self.wrong).slots()
        }

        fn plan(&self, caps: &Caps) -> Result<Plan> {
            let mut plan = super::both(self.len, self.wrong).plan(caps)?;
            plan.passes[1].buffers.swap(2, 3);
            Ok(plan)
        }

        fn flops(&self) -> u64 {
            0
        }

        fn bytes(&self) -> u64 {
            0
        }

        fn reference(&self, _: &mut Host) {}
    }
}

#[test]
fn cases_are_judged() {
    for device in devices() {
        for len in [1, 63, 64, 1000] {
            device.judge(&Case::new(format!("of {len}"), both(len, Wrong::Nothing))).unwrap();
        }
        let error = device.judge(&Case::new("of 100", both(100, Wrong::Reference))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("both: of 100: element 70 of differences"), "{text}");
        assert!(matches!(error.kind(), ErrorKind::WrongResult { index: 70, .. }), "{text}");
        device.judge(&Case::new("of 70", both(70, Wrong::Reference))).unwrap();
    }
}

#[test]
fn a_checked_device_finds_what_a_card_does_not() {
    let checked = Device::cpu_checked().unwrap();
    checked.judge(&Case::new("of 100", both(100, Wrong::Nothing))).unwrap();
    let error = checked.judge(&Case::new("of 100", both(100, Wrong::Index))).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Defects { .. }), "{error}");
}

#[test]
fn arrays_are_computed_with_what_stands_around() {
    for device in devices() {
        let (x, y) = (device.array([1.0f32, 2.0, 3.0]), device.array([10.0f32, 20.0, 30.0]));
        // Views, work before and after, and one array for both inputs.
        let apply = |a: &Array<f32>, b: &Array<f32>| {
            device.apply::<(Array<f32>, Array<f32>)>(both(3, Wrong::Nothing), (a, b)).unwrap()
        };
        let (sums, differences) = apply(&x.flip(0), &(&y * 0.5));
        assert_eq!((sums + 1.0).to_vec().unwrap(), [9.0, 13.0, 17.0], "on {}", name(device));
        assert_eq!(differences.to_vec().unwrap(), [-2.0, -8.0, -14.0]);
        let (doubles, zeros) = apply(&x, &x);
        assert_eq!((doubles.to_vec().unwrap(), zeros.to_vec().unwrap()), (vec![2.0, 4.0, 6.0], vec![0.0; 3]));
        let (constant, _) = apply(&Array::full(device, &[3], 2.0), &Array::linspace(device, 0.0, 2.0, 3));
        assert_eq!(constant.to_vec().unwrap(), [2.0, 3.0, 4.0]);
        assert!(doubles.explain().unwrap().steps.is_empty() && sums_of(device).explain().unwrap().steps.len() == 1);
    }
}

fn sums_of(device: &Device) -> Array<f32> {
    let x = device.array([1.0f32, 2.0, 3.0]);
    device.apply::<(Array<f32>, Array<f32>)>(both(3, Wrong::Nothing), (&x, &x)).unwrap().0
}

#[test]
fn types_of_one_name_are_two_operations() {
    for device in devices() {
        let x = device.array([1.0f32, 2.0, 3.0]);
        let (sums, _): (Array<f32>, Array<f32>) = device.apply(both(3, Wrong::Nothing), (&x, &x)).unwrap();
        let op = other::Both { len: 3, wrong: Wrong::Nothing };
        let (swapped, _): (Array<f32>, Array<f32>) = device.apply(op, (&x, &x)).unwrap();
        assert_eq!((sums.to_vec().unwrap(), swapped.to_vec().unwrap()), (vec![2.0, 4.0, 6.0], vec![0.0; 3]));
    }
}

#[test]
fn plans_that_reach_too_far_are_refused() {
    for device in devices() {
        let x = Array::<f32>::ones(device, &[1000]);
        for (wrong, wanted) in [
            (Wrong::Window, "a part of a buffer of 4032 bytes for split"),
            (Wrong::Alignment, "an offset that is a multiple of"),
            (Wrong::Buffer, "one of 5 slots and scratch buffers"),
            (Wrong::Input, "to read the input b"),
            (Wrong::Params, "1 words of parameters"),
            (Wrong::Twice, "what is written bound once"),
            (Wrong::Library, "kernels of KernelDraft"),
            (Wrong::Grid, "workgroups in each dimension"),
        ] {
            let (sums, _): (Array<f32>, Array<f32>) = device.apply(both(1000, wrong), (&x, &x)).unwrap();
            let error = sums.to_vec().unwrap_err().to_string();
            assert!(error.contains("both: plan: wanted") && error.contains(wanted), "{error} should have {wanted:?}");
            assert!(error.contains("own_operation.rs"), "{error}");
            if wrong != Wrong::Library {
                assert!(device.judge(&Case::new("", both(1000, wrong))).unwrap_err().to_string().contains(wanted));
            }
        }
        assert_eq!(x.to_vec().unwrap(), [1.0; 1000], "the device works on");
    }
}

#[test]
fn mistakes_are_named() {
    let device = &devices()[0];
    let (x, long) = (device.array([1.0f32, 2.0]), device.array([1.0f32, 2.0, 3.0]));
    let says = |made: Result<(Array<f32>, Array<f32>)>, wanted: &str| {
        let error = made.map(drop).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error} should have {wanted:?}");
        assert!(error.call_site().is_some_and(|at| at.file().ends_with("own_operation.rs")), "{error}");
    };
    let op = || both(2, Wrong::Nothing);
    says(device.apply(op(), &x), "both: arguments: wanted 2, as its slots read, got 1");
    says(device.apply(op(), (&x, &long)), "both: b: wanted 2 elements of f32, got 3 elements of f32");
    says(device.apply(op(), (&x.cast::<i32>(), &x)), "both: a: wanted 2 elements of f32, got 2 elements of i32");
    says(device.apply(op(), (&x, 1.0f32)), "both: b: wanted an array, got a scalar");
    says(device.apply(op(), (&x, &(&x + &long))), "add: shapes");
    let elsewhere = Device::cpu_as(Profile::native()).unwrap();
    says(device.apply(op(), (&x, &elsewhere.array([1.0f32, 2.0]))), "both: b: wanted an array on");
    let error = device.apply::<Array<f32>>(op(), (&x, &x)).map(drop).unwrap_err().to_string();
    assert!(error.contains("both: result: wanted (f32, f32), got (f32)"), "{error}");
}

#[test]
fn kernels_that_do_not_fit_are_refused() {
    let of = |text: &str, caps: &Caps| KernelDraft::new("own", text).kernel(caps).map(drop).unwrap_err();
    let caps = Caps::webgpu();
    let says = |error: Error, words: &[&str]| {
        words.iter().for_each(|word| assert!(error.to_string().contains(word), "{error} should have {word:?}"));
    };
    says(of("\n\n@compute @workgroup_size(1) fn main() { let x = y; }", &caps), &["does not compile", "wgsl:3:"]);
    says(of("fn main() {}", &caps), &["an entry point"]);
    let says_something =
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { print_u32(id, 1u); }";
    says(of(says_something, &caps), &["print_*"]);
    let halves = "enable f16; @group(0) @binding(0) var<storage, read_write> x: array<f16>;
        @compute @workgroup_size(1) fn main() { x[0] = 1.0h; }";
    says(of(halves, &caps), &["own", "16-bit floats"]);
    KernelDraft::new("own", halves).kernel(&Caps::nvidia_like()).unwrap();
    let large = "@compute @workgroup_size(1024) fn main() {}";
    says(of(large, &caps), &["1024 invocations, limit 256"]);
    // The same draft is the same kernel, and no kernel to launch by itself.
    let kernel = |width| KernelDraft::new("own", "@compute @workgroup_size(N) fn main() {}").constant("N", width);
    let made: Vec<crosslane::op::Kernel> = [1, 1, 2].map(|width| kernel(width).kernel(&caps).unwrap()).to_vec();
    assert!(made[0].id() == made[1].id() && made[1].id() != made[2].id());
    assert!(Kernel::from(made[0].clone()).grid([1]).launch(&devices()[0]).is_err());
}

/// Halves that are counted: no array read, one output.
#[derive(Clone, Hash)]
struct Numbers(usize);

impl Op for Numbers {
    fn name(&self) -> &'static str {
        "numbers"
    }

    fn slots(&self) -> Vec<Slot> {
        vec![Slot::write("numbers", DType::F16, self.0)]
    }

    fn plan(&self, caps: &Caps) -> Result<Plan> {
        let text = "enable f16;
            @group(0) @binding(0) var<storage, read_write> x: array<f16>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                if id.x < params.count { x[id.x] = f16(id.x); }
            }";
        let kernel = KernelDraft::new("numbers", text).param("count").kernel(caps)?;
        let (buffers, params) = (vec![Binding::whole(0, &self.slots()[0])], vec![Param::Is(self.0 as u32)]);
        let grid = Grid::Count(self.0.div_ceil(64) as u64);
        Ok(Plan { scratch: vec![], passes: vec![Pass { kernel, buffers, params, grid }] })
    }

    fn flops(&self) -> u64 {
        0
    }

    fn bytes(&self) -> u64 {
        2 * self.0 as u64
    }

    fn reference(&self, host: &mut Host) {
        (0..self.0).for_each(|i| host.set(0, i, Value::Int(i as i128)));
    }
}

#[test]
fn without_inputs_and_without_elements() {
    for device in devices() {
        if !has(device, DType::F16) {
            let error = device.apply::<Array<f16>>(Numbers(3), ()).map(drop).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Unsupported { operation: "numbers", .. }), "{error}");
            assert!(device.judge(&Case::new("", Numbers(3))).is_err());
            continue;
        }
        device.judge(&Case::new("odd", Numbers(101))).unwrap();
        let numbers = |len| device.apply::<Array<f16>>(Numbers(len), ()).unwrap().cast::<f32>().to_vec().unwrap();
        assert_eq!(numbers(3), [0.0, 1.0, 2.0], "on {}", name(device));
        assert_eq!(numbers(0), [0.0; 0]);
    }
}

#[test]
fn a_loop_that_does_not_end_is_stopped_on_the_processor() {
    let options = crosslane::DeviceOptions::default().time_limit(std::time::Duration::from_millis(200));
    let device = options.cpu(Profile::native(), None::<Checks>).unwrap();

    #[derive(Clone, Hash)]
    struct Endless;

    impl Op for Endless {
        fn name(&self) -> &'static str {
            "endless"
        }

        fn slots(&self) -> Vec<Slot> {
            vec![Slot::write("x", DType::U32, 1)]
        }

        fn plan(&self, caps: &Caps) -> Result<Plan> {
            let text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
                @compute @workgroup_size(1) fn main() { while x[0] != 1u || x[0] != 2u { x[0] = 3u; } }";
            let kernel = KernelDraft::new("endless", text).kernel(caps)?;
            let (buffers, params, grid) = (vec![Binding::whole(0, &self.slots()[0])], vec![], Grid::Count(1));
            Ok(Plan { scratch: vec![], passes: vec![Pass { kernel, buffers, params, grid }] })
        }

        fn flops(&self) -> u64 {
            0
        }

        fn bytes(&self) -> u64 {
            4
        }

        fn reference(&self, _: &mut Host) {}
    }

    let error = device.apply::<Array<u32>>(Endless, ()).unwrap().to_vec().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Endless { .. }), "{error}");
}
