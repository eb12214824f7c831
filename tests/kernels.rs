//! Kernels of a program's own: bound in every way, launched on every device, and every mistake an error that names
//! what was wanted; the device works afterwards.

mod support;

use crosslane::device::{Backend, Caps};
use crosslane::kernel::{Access, BindPoint, Feature, Reflection};
use crosslane::op::{Op, Value};
use crosslane::{
    Argument, Array, DType, Device, DeviceOptions, Elementwise, Error, ErrorKind, Kernel, Recording, Result, f16, s,
};
use support::*;

const ADD: &str = "
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] += x[id.x]; }
}";

fn kernel(source: &str) -> Kernel {
    Kernel::wgsl(source).unwrap_or_else(|error| panic!("{error}"))
}

fn reflection(source: &str) -> Reflection {
    kernel(source).reflection().unwrap().clone()
}

#[track_caller]
fn mistake<T>(result: Result<T>, argument_name: &str, parts: &[&str]) {
    let error = result.err().expect("a mistake");
    let ErrorKind::Argument { argument, wanted, got, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(argument, argument_name, "{error}");
    assert!(!wanted.is_empty() && !got.is_empty() && error.to_string().contains("kernels.rs:"), "{error}");
    parts.iter().for_each(|part| assert!(error.to_string().contains(part), "{part:?} is not in: {error}"));
}

#[track_caller]
fn does_not_compile(result: Result<Kernel>, parts: &[&str]) {
    let error = result.expect_err("it does not compile");
    assert!(matches!(error.kind(), ErrorKind::Compile { .. }), "{error}");
    parts.iter().for_each(|part| assert!(error.to_string().contains(part), "{part:?} is not in: {error}"));
}

fn works(device: &Device) {
    let (x, y) = (Array::from_slice(device, &[1.0f32, 2.0]), Array::<f32>::ones(device, &[2]));
    kernel(ADD).grid([1, 1, 1]).args([Argument::in_place(&x), Argument::in_place(&y)]).launch(device).unwrap();
    assert_eq!(y.to_vec().unwrap(), [2.0, 3.0], "on {}", name(device));
}

#[test]
fn arrays_lazy_viewed_and_shared() {
    for device in devices() {
        let add = kernel(ADD);
        let lazy = Array::arange(device, 0.0f32, 1000.0, 1.0) * 2.0;
        let y = Array::<f32>::zeros(device, &[10, 100]);
        for _ in 0..3 {
            add.grid([16, 1, 1]).args([Argument::in_place(&lazy), Argument::in_place(&y)]).launch(device).unwrap();
        }
        let wanted: Vec<f32> = (0..1000).map(|i| (i * 6) as f32).collect();
        assert_eq!(y.to_vec().unwrap(), wanted, "on {}", name(device));
        assert_eq!((&y + 1.0).sum().item().unwrap(), 2_998_000.0);
        // A view with gaps is copied to be read; one without is written in place.
        let part = y.slice(s![2]);
        let aligned = y.flatten().slice(s![512..612]);
        add.grid([2, 1, 1])
            .args([Argument::in_place(&y.transpose().slice(s![0]).copy()), Argument::in_place(&aligned)])
            .launch(device)
            .unwrap();
        add.grid([2, 1, 1])
            .args([Argument::in_place(&lazy.slice(s![..;10])), Argument::in_place(&aligned)])
            .launch(device)
            .unwrap();
        let (all, first) = (y.to_vec().unwrap(), aligned.to_vec().unwrap());
        assert_eq!((first[1], all[513]), (3678.0 + 20.0, 3678.0 + 20.0), "on {}", name(device));
        assert_eq!(part.to_vec().unwrap(), &wanted[200..300]);
        works(device);
    }
}

#[test]
fn groups_uniforms_and_structures() {
    let source = "
        struct Scale { factor: vec2<f32>, shift: f32 }
        struct Rows { count: u32, rows: array<vec2<f32>> }
        @group(1) @binding(5) var<uniform> scale: Scale;
        @group(3) @binding(0) var<storage, read_write> result: array<vec2<f32>>;
        @group(1) @binding(2) var<storage> input: array<vec2<f32>, 4>;
        @group(2) @binding(9) var<uniform> turns: i32;
        @group(3) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
        @group(0) @binding(0) var<storage, read_write> unused: array<f32>;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) i: u32) {
            var x = input[i];
            for (var turn = 0; turn < turns; turn++) { x = x * scale.factor + scale.shift; }
            result[i] = x;
            atomicAdd(&counts[i % 2], u32(turns));
        }";
    let wanted =
        [("input", 1, 2, 32), ("scale", 1, 5, 16), ("turns", 2, 9, 4), ("result", 3, 0, 8), ("counts", 3, 1, 4)];
    let found = reflection(source);
    let found: Vec<_> =
        found.bindings.iter().map(|b| (b.name.as_str(), b.point.group, b.point.binding, b.bytes)).collect();
    assert_eq!(found, wanted);
    for device in devices() {
        let input = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let scale = Array::from_slice(device, &[2.0f32, 3.0, 1.0, 0.0]);
        let turns = Array::from_slice(device, &[7, 2, 7]).slice(s![1..2]);
        let (result, counts) = (Array::<f32>::zeros(device, &[4, 2]), Array::<u32>::zeros(device, &[2]));
        let arguments: [Argument; 5] = [
            Argument::in_place(&input),
            Argument::in_place(&scale),
            Argument::in_place(&turns),
            Argument::in_place(&result),
            Argument::in_place(&counts),
        ];
        kernel(source).grid([3, 1, 1]).args(arguments).launch(device).unwrap();
        let wanted = [7.0, 22.0, 15.0, 40.0, 23.0, 58.0, 31.0, 76.0];
        assert_eq!(result.to_vec().unwrap(), wanted, "on {}", name(device));
        assert_eq!(counts.to_vec().unwrap(), [12, 12], "on {}", name(device));
    }
}

#[test]
fn overrides_entries_and_immediates() {
    let source = "
        override tile: u32 = 16;
        @id(7) override start: f32;
        override both = tile * 2;
        struct Range { from_index: u32, step: f32 }
        var<immediate> range: Range;
        var<workgroup> kept: array<f32, both>;
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(tile)
        fn ramp(@builtin(local_invocation_index) i: u32) {
            kept[tile - 1 - i] = start + f32(i) * range.step;
            workgroupBarrier();
            y[range.from_index + i] = kept[i];
        }
        @compute @workgroup_size(1) fn one() { y[0] = 1.0; }";
    mistake(Kernel::wgsl(source), "entry", &["one of ramp, one"]);
    mistake(Kernel::wgsl_with(source, Some("two"), &[]), "entry", &["one of ramp, one", "got two"]);
    assert_eq!(Kernel::wgsl_with(source, Some("ramp"), &[]).unwrap().open_overrides(), ["start"]);
    mistake(Kernel::wgsl_with(source, Some("ramp"), &[("tiel", 4.0)]), "override", &["tile, start", "got tiel"]);
    for value in [-1.0, 2.5, 1e10, f64::NAN] {
        mistake(Kernel::wgsl_with(source, Some("ramp"), &[("tile", value)]), "override tile", &["type u32"]);
    }
    mistake(Kernel::wgsl_with(source, Some("ramp"), &[("7", f64::INFINITY)]), "override 7", &["type f32", "got inf"]);
    assert!(Kernel::wgsl_with(source, Some("ramp"), &[("tile", 0.0), ("start", 0.0)]).is_err());
    let ramp = Kernel::wgsl_with(source, Some("ramp"), &[("tile", 8.0), ("start", 0.5)]).unwrap();
    let found = ramp.reflection().unwrap();
    assert_eq!((found.workgroup_size, found.workgroup_bytes, found.immediate_bytes), ([8, 1, 1], 64, 8));
    let text: Vec<String> =
        found.overrides.iter().map(|o| format!("{} {} {} {:?}", o.name, o.ty, o.required, o.default)).collect();
    assert_eq!(text, ["tile u32 false Some(16.0)", "start f32 true None", "both u32 false None"]);
    let one = Kernel::wgsl_with(source, Some("one"), &[]).unwrap();
    assert_eq!((one.reflection().unwrap().immediate_bytes, one.reflection().unwrap().workgroup_bytes), (0, 0));
    for device in devices() {
        let y = Array::<f32>::zeros(device, &[10]);
        let bytes = [1u32.to_le_bytes(), 2.0f32.to_le_bytes()].concat();
        let result = ramp.grid([1, 1, 1]).args([Argument::in_place(&y), Argument::immediates(&bytes)]).launch(device);
        if device.caps().immediate_bytes == 0 {
            assert!(result.unwrap_err().to_string().contains("immediates of 8 bytes, limit 0"));
            continue;
        }
        result.unwrap();
        one.grid([1, 1, 1]).args([Argument::in_place(&y)]).launch(device).unwrap();
        let wanted = [1.0, 14.5, 12.5, 10.5, 8.5, 6.5, 4.5, 2.5, 0.5, 0.0];
        assert_eq!(y.to_vec().unwrap(), wanted, "on {}", name(device));
        mistake(
            ramp.grid([1, 1, 1]).args([Argument::in_place(&y)]).launch(device),
            "arguments",
            &["wanted 3: y, from_index, step", "got 1"],
        );
        let long = Argument::immediates(&[0; 12]);
        mistake(
            ramp.grid([1, 1, 1]).args([Argument::in_place(&y), long.clone()]).launch(device),
            "immediates",
            &["8 bytes", "got 12"],
        );
        mistake(
            ramp.grid([1, 1, 1]).args([long, Argument::in_place(&y)]).launch(device),
            "arguments",
            &["wanted 3", "got 2"],
        );
        works(device);
    }
}

/// Doubles the elements of any type that WGSL has.
fn doubled<T: crosslane::Number>(device: &Device) {
    let (ty, enable) = (T::DTYPE.name(), if T::DTYPE == DType::F16 { "enable f16; " } else { "" });
    let source = format!(
        "{enable}@group(0) @binding(0) var<storage, read_write> x: array<{ty}>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ x[id.x] += x[id.x]; }}"
    );
    let kernel = kernel(&source);
    assert_eq!(kernel.reflection().unwrap().bindings[0].element, Some(T::DTYPE));
    assert_eq!(kernel.reflection().unwrap().features.is_empty(), T::DTYPE.size() == 4);
    let x = Array::from_slice(device, &small::<T>(8));
    let twice = (&x + &x).copy();
    twice.eval().unwrap();
    kernel.grid([2, 1, 1]).args([Argument::in_place(&x)]).launch(device).unwrap();
    assert_eq!(x.to_vec().unwrap(), twice.to_vec().unwrap(), "{ty} on {}", name(device));
}

const SCALE: &str = "
struct Scale { factor: f32, shift: vec2<f32>, turns: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<uniform> times: u32;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
// @len(x, y)
var<immediate> scale: Scale;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&y) { return; }
    y[id.x] += f32(times) * (x[id.x] * scale.factor + scale.shift.x - scale.shift.y) + f32(scale.turns);
}";

#[test]
fn scalars_go_where_the_kernel_has_them() {
    for device in devices() {
        let scale = kernel(SCALE);
        let members: Vec<_> =
            scale.reflection().unwrap().immediates.iter().map(|m| (m.name.as_str(), m.ty.as_str(), m.offset)).collect();
        assert_eq!(members, [("factor", "f32", 0), ("shift", "vec2<f32>", 8), ("turns", "u32", 16)]);
        let x = Array::arange(device, 0.0f32, 200.0, 1.0);
        let mut y = Array::<f32>::full(device, &[200], 0.5);
        let result = scale.for_elements(200).args((&x, 3u32, &mut y, 2.0f32, [10.0f32, 1.0], 100u32)).launch(device);
        if device.caps().immediate_bytes == 0 {
            assert!(result.unwrap_err().to_string().contains("immediates of 24 bytes, limit 0"));
            continue;
        }
        result.unwrap();
        let wanted: Vec<f32> = (0..200).map(|i| 0.5 + 3.0 * (i as f32 * 2.0 + 9.0) + 100.0).collect();
        assert_eq!(y.to_vec().unwrap(), wanted, "on {}", name(device));
        let x = &x;
        let launch = |y: &mut Array<f32>, rest: Vec<Argument<'static>>| {
            let first = [Argument::in_place(x), 1u32.into(), Argument::in_place(y)];
            scale.grid([4]).args(first.into_iter().chain(rest).collect::<Vec<_>>()).launch(device)
        };
        let (factor, shift, turns) = (Argument::from(1.0f32), Argument::from([1.0f32, 2.0]), Argument::from(1u32));
        launch(&mut y, vec![factor.clone(), shift.clone(), turns.clone()]).unwrap();
        mistake(launch(&mut y, vec![]), "arguments", &["wanted 6: x, times, y, factor, shift, turns", "got 3"]);
        mistake(launch(&mut y, vec![factor.clone(), shift.clone()]), "arguments", &["wanted 6", "got 5"]);
        mistake(launch(&mut y, vec![factor.clone(), turns.clone(), turns]), "shift", &["vec2<f32>, got u32"]);
        mistake(launch(&mut y, vec![factor.clone(), shift, factor]), "turns", &["wanted u32, got f32"]);
        mistake(
            scale.grid([4]).args((x, 1i32, &mut y, 1.0f32, [0.0f32; 2], 1u32)).launch(device),
            "times",
            &["u32, got i32"],
        );
        mistake(
            scale.grid([4]).args((1.0f32, 1u32, &mut y, 1.0f32, [0.0f32; 2], 1u32)).launch(device),
            "x",
            &["an array", "a value of type f32"],
        );
        let mut short = Array::<f32>::zeros(device, &[10, 10]);
        let result = scale.grid([4]).args((x, 1u32, &mut short, 1.0f32, [0.0f32; 2], 1u32)).launch(device);
        mistake(result, "y", &["as many elements as x: 200, got 100"]);
        works(device);
    }
}

#[test]
fn what_a_kernel_writes_is_the_arrays_own() {
    let double = kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
        }",
    );
    for device in &devices().iter().filter_map(fresh_like).collect::<Vec<_>>() {
        let mut x = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0, 5.0]);
        let (before, lazy, view) = (x.clone(), &x + 10.0, x.slice(s![..2]));
        double.for_elements(5).args(&mut x).launch(device).unwrap();
        assert_eq!(x.to_vec().unwrap(), [2.0, 4.0, 6.0, 8.0, 10.0], "on {}", name(device));
        assert_eq!(before.to_vec().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0], "on {}", name(device));
        assert_eq!((lazy.to_vec().unwrap()[4], view.to_vec().unwrap()[1]), (15.0, 2.0), "on {}", name(device));
        // Alone in its memory it stays there; a view with gaps moves out of it.
        drop((before, lazy, view));
        let live = device.memory().live;
        double.for_elements(5).args(&mut x).launch(device).unwrap();
        assert_eq!((x.to_vec().unwrap()[4], device.memory().live), (20.0, live), "on {}", name(device));
        let mut flipped = x.flip(0);
        double.for_elements(5).args(&mut flipped).launch(device).unwrap();
        assert_eq!((flipped.to_vec().unwrap()[0], x.to_vec().unwrap()[4]), (40.0, 20.0), "on {}", name(device));
        let part = 256 / 4;
        let mut long = Array::<f32>::ones(device, &[2 * part]);
        double.for_elements(part).args(long.slice_mut(s![part..])).launch(device).unwrap();
        assert_eq!(long.sum().item().unwrap(), 3.0 * part as f32, "on {}", name(device));
        mistake(double.grid([2]).args(&x).launch(device), "x", &["&mut x", "read_write", "got &"]);
        mistake(double.grid([2]).args(long.slice_mut(s![..;2])).launch(device), "x", &["contiguous"]);
        // One rule for all, also for those that could do with less.
        let wanted = ["a contiguous array from a multiple of 256 bytes on"];
        mistake(double.grid([2]).args(long.slice_mut(s![part / 2..])).launch(device), "x", &wanted);
    }
}

#[test]
fn grids_for_elements_and_shapes() {
    let (narrow, wide) = ("id.x", "id.x + id.y * n.x * 1u");
    let text = |index: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>, {}) {{
                let i = {index}; if i < arrayLength(&x) {{ atomicAdd(&x[i], 1u); }}
            }}",
            if index == narrow {
                "@builtin(local_invocation_index) l: u32"
            } else {
                "@builtin(num_workgroups) n: vec3<u32>"
            }
        )
    };
    let (narrow, wide) = (kernel(&text(narrow)), kernel(&text(wide)));
    let square = kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x < 5u && id.y < 3u { x[id.y * 5u + id.x] += 1u; }
        }",
    );
    for device in devices() {
        let limit = device.caps().grid as usize;
        let count = if is_checked(device) { 300 } else { 70_000 };
        let mut x = Array::<u32>::zeros(device, &[count]);
        wide.for_elements(count).args(&mut x).launch(device).unwrap();
        assert_eq!((x.min().item().unwrap(), x.max().item().unwrap()), (1, 1), "on {}", name(device));
        narrow.for_elements(200).args(&mut x).launch(device).unwrap();
        assert_eq!(x.sum().item().unwrap() as usize, count + 200, "on {}", name(device));
        mistake(
            narrow.for_elements(limit + 1).args(&mut x).launch(device),
            "for_elements",
            &["only a part", &limit.to_string()],
        );
        wide.for_elements(0).args(&mut x).launch(device).unwrap();
        let mut none = Array::<u32>::zeros(device, &[0]);
        wide.for_elements(none.len()).args(&mut none).launch(device).unwrap();
        square.for_shape([0, 3]).args(&mut none).launch(device).unwrap();
        mistake(wide.for_elements(0).args((&mut x, &mut none)).launch(device), "arguments", &["wanted 1: x"]);
        mistake(wide.for_elements(1).args(&mut none).launch(device), "x", &["at least 4 bytes"]);
        let mut table = Array::<u32>::zeros(device, &[3, 5]);
        square.for_shape([5, 3]).args(&mut table).launch(device).unwrap();
        square.for_shape([5, 0]).args(&mut table).launch(device).unwrap();
        assert_eq!(table.to_vec().unwrap(), [1; 15], "on {}", name(device));
        mistake(
            square.for_elements(5).args(&mut table).launch(device),
            "for_elements",
            &["one dimension", "[4, 2, 1]"],
        );
        mistake(square.grid([1, 0]).args(&mut table).launch(device), "grid", &["at least", "[1, 0, 1]"]);
    }
    for (index, rows) in [("id.x", false), ("id.y", true), ("id.xy.x", true), ("helper(id)", true)] {
        let source = format!(
            "fn helper(id: vec3<u32>) -> u32 {{ return id.x; }}
            struct In {{ @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) id: vec3<u32> }}
            @group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(4) fn main(in: In) {{ let id = in.id; x[{index}] = in.l; }}"
        );
        assert_eq!(reflection(&source).sees_rows, rows, "{index}");
    }
}

#[test]
fn endless_loops_are_stopped() {
    let waits = kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
        @group(1) @binding(0) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(32) fn waits(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x == 0u { atomicAdd(&x[1], 1u); }
            while atomicLoad(&x[0]) != 7u { // nobody writes it
                for (var i = 0u; i < 3u; i++) { y[i] = i; }
            }
        }",
    );
    let long = kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @group(0) @binding(1) var<uniform> turns: u32;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var state = id.x;
            for (var i = 0u; i < turns; i++) { state = state * 1664525u + 1013904223u; }
            x[id.x] = state;
        }",
    );
    let wanted =
        |start: u32, turns: u32| (0..turns).fold(start, |s, _| s.wrapping_mul(1664525).wrapping_add(1013904223));
    for device in apis().iter().filter(|device| !is_checked(device)) {
        let name = device.properties().name.clone();
        let backend = format!("{:?}:{name}", device.properties().backend);
        let options = DeviceOptions::default().time_limit(std::time::Duration::from_millis(1));
        let Ok(device) = options.open(if device.properties().backend == Backend::Cpu { "cpu" } else { &backend })
        else {
            say(&format!("skipped: {backend} does not open a second time"));
            continue;
        };
        for groups in [1, 4] {
            let (mut x, mut y) = (Array::<u32>::zeros(&device, &[2]), Array::<u32>::zeros(&device, &[3]));
            let outcome =
                waits.grid([groups]).args((&mut x, &mut y)).launch(&device).and_then(|()| device.synchronize());
            let Err(error) = outcome else { panic!("it does not end on {name}") };
            let ErrorKind::Endless { kernel, line, seconds, .. } = error.kind() else { panic!("{error} on {name}") };
            assert_eq!((kernel.as_str(), *line, *seconds), ("waits", 5, 0.001), "on {name}");
        }
        works(&device);
    }
    for device in apis().iter().filter(|device| !is_checked(device)) {
        // Mesa's llvmpipe leaves every loop after 65,535 turns (LP_MAX_TGSI_LOOP_ITERATIONS).
        let turns = if name(device).contains("llvmpipe") { 65_000 } else { 300_000 };
        let mut x = Array::<u32>::zeros(device, &[64]);
        long.grid([2]).args((&mut x, turns)).launch(device).unwrap();
        let got = x.to_vec().unwrap();
        assert_eq!((got[0], got[63]), (wanted(0, turns), wanted(63, turns)), "on {}", name(device));
    }
}

#[test]
fn overrides_at_the_launch_and_files() {
    let fill = kernel(
        "override value: u32 = 1; override twice = false;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() { x[0] = select(value, 2 * value, twice); }",
    );
    for device in devices() {
        let mut x = Array::<u32>::zeros(device, &[1]);
        for (value, twice, wanted) in [(5, false, 5), (5, true, 10), (7, false, 7), (5, false, 5)] {
            fill.grid([1]).set("value", value).set("twice", twice).args(&mut x).launch(device).unwrap();
            assert_eq!(x.item().unwrap(), wanted, "on {}", name(device));
        }
        let result = fill.grid([1]).set("valve", 3).args(&mut x).launch(device);
        mistake(result, "override", &["one of value, twice", "got valve"]);
        mistake(fill.grid([1]).set("value", 0.5).args(&mut x).launch(device), "override value", &["type u32", "0.5"]);
    }
    let path = std::env::temp_dir().join(format!("crosslane-{}.wgsl", std::process::id()));
    std::fs::write(&path, ADD).unwrap();
    let from_file = Kernel::wgsl_file(&path).unwrap();
    assert_eq!((from_file.name(), from_file.source()), (path.to_str().unwrap(), ADD));
    std::fs::remove_file(&path).unwrap();
    mistake(Kernel::wgsl_file(&path), "path", &["a file", path.to_str().unwrap()]);
    let contract = ADD.replace("@compute", "// @len(x, z)\n@compute");
    does_not_compile(Kernel::wgsl(&contract), &["@len(x, z) names \"z\""]);
}

#[test]
fn every_element_type() {
    for device in devices() {
        for_types!(device, [f16, f32, f64, i32, i64, u32, u64], doubled);
        let bytes = Array::from_slice(device, &[1u8, 2, 3, 4, 5, 6, 7]);
        let words = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(1) fn main() { x[1] = arrayLength(&x); }";
        kernel(words).grid([1, 1, 1]).args([Argument::in_place(&bytes)]).launch(device).unwrap();
        assert_eq!(bytes.to_vec().unwrap(), [1, 2, 3, 4, 2, 0, 0], "on {}", name(device));
    }
}

#[test]
fn grids_and_checks() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
            x[id.x + n.x * (id.y + n.y * id.z)] = id.x + 10 * id.y + 100 * id.z;
        }";
    for device in devices() {
        let x = Array::<u32>::full(device, &[24], 9).copy();
        mistake(kernel(source).grid([4, 0, 1]).args(Argument::in_place(&x)).launch(device), "grid", &["at least"]);
        assert_eq!(x.to_vec().unwrap(), [9; 24]);
        kernel(source).grid([4, 3, 2]).args([Argument::in_place(&x)]).launch(device).unwrap();
        let wanted: Vec<u32> = (0..24).map(|i| i % 4 + 10 * (i / 4 % 3) + 100 * (i / 12)).collect();
        assert_eq!(x.to_vec().unwrap(), wanted, "on {}", name(device));
        // Past the end nothing outside is touched.
        kernel(source).grid([4, 3, 40]).args([Argument::in_place(&x)]).launch(device).unwrap();
        let limit = device.caps().grid;
        mistake(
            kernel(source).grid([1, limit + 1, 1]).args([Argument::in_place(&x)]).launch(device),
            "grid",
            &[&limit.to_string()],
        );
        // SAFETY: the grid is as large as the array.
        let unchecked = unsafe { kernel(source).trusted() };
        assert!(unchecked.is_trusted() && unchecked.id() != kernel(source).id());
        unchecked.grid([24, 1, 1]).args([Argument::in_place(&x)]).launch(device).unwrap();
        assert_eq!(x.to_vec().unwrap(), (0..24).collect::<Vec<u32>>(), "on {}", name(device));
    }
}

#[test]
fn arguments_that_do_not_fit() {
    let fixed = "@group(0) @binding(0) var<uniform> m: mat4x4<f32>; @group(0) @binding(1) var<storage, read_write> x: array<vec4<i32>>;
        @compute @workgroup_size(1) fn main() { x[0] = vec4<i32>(m[0]); }";
    for device in devices() {
        let launch = |arguments: &[Argument]| kernel(ADD).grid([1, 1, 1]).args(arguments).launch(device);
        let (x, y) = (Array::from_slice(device, &[1.0f32; 4]), Array::from_slice(device, &[1.0f32; 4]));
        mistake(launch(&[Argument::in_place(&x)]), "arguments", &["wanted 2: x, y", "got 1"]);
        mistake(
            launch(&[Argument::in_place(&x), Argument::in_place(&y), Argument::in_place(&y)]),
            "arguments",
            &["got 3"],
        );
        mistake(
            launch(&[Argument::in_place(&x), Argument::in_place(&y), Argument::immediates(&[1])]),
            "immediates",
            &["0 bytes, got 1"],
        );
        let integers = Array::<u32>::zeros(device, &[4]);
        mistake(
            launch(&[Argument::in_place(&integers), Argument::in_place(&y)]),
            "x",
            &["array<f32>", "an array of u32"],
        );
        mistake(
            launch(&[Argument::in_place(&Array::<bool>::zeros(device, &[4])), Argument::in_place(&y)]),
            "x",
            &["an array of bool"],
        );
        let empty = Array::<f32>::zeros(device, &[0]);
        mistake(
            launch(&[Argument::in_place(&x), Argument::in_place(&empty)]),
            "y",
            &["at least 4 bytes", "got 0 in shape [0]"],
        );
        for (a, b) in [(&x, &x), (&x.reshape(&[2, 2]), &x), (&x, &x.slice(s![..2]))] {
            mistake(
                launch(&[Argument::in_place(a), Argument::in_place(b)]),
                "y",
                &["memory of its own", "both x and y"],
            );
        }
        let gaps = y.flip(0);
        mistake(
            launch(&[Argument::in_place(&x), Argument::in_place(&gaps)]),
            "y",
            &["contiguous", "a view of shape [4]"],
        );
        if let Some(other) = fresh(device.properties().name.as_str()) {
            mistake(
                launch(&[Argument::in_place(&Array::<f32>::ones(&other, &[4])), Argument::in_place(&y)]),
                "x",
                &["an array on"],
            );
        }
        let failed = launch(&[(&(&x + &Array::<f32>::ones(device, &[3]))).into(), Argument::in_place(&y)]).unwrap_err();
        assert!(failed.to_string().contains("[4] and [3]"), "{failed}");
        let run = |m: &Array<f32>, x: &Array<i32>| {
            kernel(fixed).grid([1, 1, 1]).args([m.into(), Argument::in_place(x)]).launch(device)
        };
        let fours = Array::<i32>::zeros(device, &[4]);
        mistake(run(&x, &fours), "m", &["at least 64 bytes for mat4x4<f32>", "got 16 in shape [4] of f32"]);
        mistake(run(&Array::ones(device, &[4, 4]), &Array::zeros(device, &[3])), "x", &["at least 16 bytes"]);
        run(&Array::ones(device, &[40, 400]), &fours).unwrap();
        assert_eq!(fours.to_vec().unwrap(), [1; 4]);
        let library = crosslane::ops::EmptyKernel(1).plan(device.caps()).unwrap().passes[0].kernel.clone();
        mistake(Kernel::from(library).grid([1, 1, 1]).args([]).launch(device), "kernel", &["Kernel::wgsl", "nothing"]);
        works(device);
    }
}

#[test]
fn texts_that_do_not_compile() {
    let typed =
        "fn helper() -> f32 { return 1.0; }\n@compute @workgroup_size(1)\nfn main() { var x: u32 = helper(); }\n";
    does_not_compile(Kernel::wgsl(typed), &["wgsl:3:17", "fn main() { var x: u32 = helper(); }", "f32", "kernels.rs"]);
    does_not_compile(Kernel::wgsl("@compute @workgroup_size(1) fn main() { x = ; }"), &["wgsl:1:"]);
    let recursive = "@group(0) @binding(0) var<storage, read> x: array<f32>;\n@compute @workgroup_size(1)\nfn main() { x[0] = 1.0; }";
    does_not_compile(Kernel::wgsl(recursive), &["wgsl:3:", "x[0] = 1.0"]);
    let texture =
        "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() { x[0] = textureDimensions(t).x; }";
    does_not_compile(Kernel::wgsl(texture), &["t is a texture_2d<f32>", "binds buffers"]);
    let far = ADD.replace("group(0)", "group(4000000000)");
    does_not_compile(Kernel::wgsl(&far), &["x is in group 4000000000", "0 to 3"]);
    does_not_compile(
        Kernel::wgsl("enable wgpu_int16; @compute @workgroup_size(1) fn main() { let x = 1i; }var<private> y: i16;"),
        &[],
    );
    for text in ["", "fn main() {}", "@fragment fn main() {}", "\0", "é"] {
        assert!(Kernel::wgsl(text).is_err(), "{text:?}");
    }
    mistake(Kernel::wgsl("fn main() {}"), "entry", &["@compute", "none in the text"]);
    let nested =
        format!("@compute @workgroup_size(1) fn main() {{ let x = {}1{}; }}", "(".repeat(9000), ")".repeat(9000));
    does_not_compile(Kernel::wgsl(&nested), &[]);
}

#[test]
fn what_a_kernel_breaks() {
    let source = "enable f16;
        var<workgroup> tile: array<vec3<f32>, 2000>;
        var<workgroup> flag: bool;
        @group(0) @binding(0) var<storage, read_write> x: array<u64>;
        @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u64>>;
        @group(0) @binding(2) var<storage, read_write> sums: array<atomic<f32>>;
        @group(0) @binding(3) var<storage, read> half: array<vec4<f16>>;
        @group(0) @binding(4) var<storage, read> wide: array<f64, 20000000>;
        @compute @workgroup_size(32, 16) fn main(@builtin(local_invocation_index) i: u32) {
            tile[i] = vec3(f32(half[i].x), f32(wide[i]), 0.0);
            flag = subgroupAny(i > 2);
            x[i] = 2lu;
            atomicAdd(&counts[i], 1lu);
            atomicAdd(&sums[i], 1.0);
        }";
    let found = reflection(source);
    assert_eq!(found.features, Feature::ALL[..6]);
    assert_eq!((found.workgroup_size, found.workgroup_bytes), ([32, 16, 1], 32016));
    assert_eq!(
        found.breaks(&Caps::mobile_like()),
        [
            "workgroup of 512 invocations, limit 128",
            "workgroup memory 32016 bytes, limit 16352",
            "storage buffers: 5 bound, limit 4",
            "a binding of 160000000 bytes, limit 134217728",
            "16-bit floats, not supported",
            "64-bit floats, not supported",
            "64-bit integers, not supported",
            "64-bit atomics, not supported",
            "f32 atomics, not supported",
            "subgroups, not supported",
        ]
    );
    assert_eq!(found.breaks(&Caps::nvidia_like()), [""; 0]);
    let point = BindPoint { group: 0, binding: 3, uniform: false, access: Access::Read };
    let half = &found.bindings[3];
    assert_eq!((half.point, half.element, half.stride, half.bytes), (point, Some(DType::F16), Some(8), 8));
    assert_eq!(half.to_string(), "@group(0) @binding(3) var<storage, read> half: array<vec4<f16>>");
    let matrices = "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read_write> x: array<f32>;
        @compute @workgroup_size(32) fn main() { let c = coopLoadT<coop_mat8x8<f32, C>>(&x[0], 8u); coopStoreT(c, &x[0], 8u); }";
    let matrices = kernel(matrices);
    assert_eq!(matrices.reflection().unwrap().features, [Feature::Tensor]);
    for device in devices() {
        let x = Array::<f32>::zeros(device, &[64]);
        let unsupported = |kernel: &Kernel, arguments: &[Argument], part: &str| {
            let error: Error = kernel.grid([1, 1, 1]).args(arguments).launch(device).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
            assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
        };
        // The cpu engine checks what they load and store.
        match device.properties().backend {
            Backend::Cpu => matrices.grid([1, 1, 1]).args([Argument::in_place(&x)]).launch(device).unwrap(),
            _ => unsupported(&matrices, &[Argument::in_place(&x)], "cooperative matrices"),
        }
        let large = "@group(0) @binding(0) var<uniform> u: array<vec4<f32>, 8192>;
            @group(0) @binding(1) var<storage, read_write> x: array<f32>;
            @compute @workgroup_size(1) fn main() { x[0] = u[5].x; }";
        unsupported(
            &kernel(large),
            &[Argument::in_place(&x), Argument::in_place(&x)],
            "a uniform binding of 131072 bytes, limit 65536",
        );
        if device.caps().f64 {
            works(device);
            continue;
        }
        unsupported(&kernel(source), &[], "64-bit floats, not supported");
        works(device);
    }
}

/// What stands inside something else is followed by the stack: what is too deep for one is refused, and the rest works on a
/// thread of 2 MiB.
#[test]
fn texts_that_nest_deeply() {
    let test = || {
        let body = |body: &str| {
            format!(
                "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
                 @compute @workgroup_size(1) fn main() {{ {body} }}"
            )
        };
        let sum = |count: usize| body(&format!("x[0] = {}x[1];", "x[1] + ".repeat(count)));
        let called = |count: usize| {
            let each =
                |n: usize| format!("fn f{n}() -> u32 {{ if x[1] > 0u {{ return f{}() + 1u; }} return 0u; }}\n", n - 1);
            let functions: String = (1..=count).map(each).collect();
            format!("fn f0() -> u32 {{ return x[1]; }}\n{functions}{}", body(&format!("x[0] = f{count}();")))
        };
        let chained = |count: usize| {
            let each = |n: usize| format!("if x[1] == {}u {{ x[0] = {n}u; }} else ", n + 2);
            body(&((0..count).map(each).collect::<String>() + "{ x[0] = 1000u; }"))
        };
        let typed = |count: usize| {
            let each = |n: usize| format!("alias T{} = array<T{n}, 1>;", n + 1);
            let alias: String = (0..count).map(each).collect();
            format!("alias T0 = u32; {alias} var<private> p: T{count}; {}", body("let q = p; x[0] = 7u;"))
        };
        let doubling = |count: usize| {
            let each = |n: usize| format!("fn f{n}() -> u32 {{ return f{m}() + f{m}(); }}\n", m = n - 1);
            let functions: String = (1..=count).map(each).collect();
            format!("fn f0() -> u32 {{ return x[1]; }}\n{functions}{}", body(&format!("x[0] = f{count}();")))
        };
        for (text, part) in [
            (doubling(40), "wanted at most 262144 expressions and statements with all calls written out"),
            (doubling(200), "written out"),
            (sum(3_300), "wanted fewer than 1000 operators"),
            (sum(200_000), "wanted fewer than 1000 operators"),
            (body(&format!("x[0] = x{};", "[0]".repeat(5_000))), "wanted fewer than 1000 operators"),
            (called(1_500), "wanted at most 250 functions that call one another"),
            (called(20_000), "wanted fewer than 16384 declarations"),
            (chained(5_000), "wanted fewer than 250 statements"),
            (typed(5_000), "wanted at most 250 types"),
        ] {
            does_not_compile(Kernel::wgsl(&text), &[part]);
        }
        // As machine code from the first launch on, too.
        let compiled = Device::open("cpu:compiled").unwrap();
        let interpreted = devices().iter().filter(|device| device.properties().backend == Backend::Cpu);
        for device in interpreted.chain([&compiled]) {
            let run = |text: String| {
                let mut x = Array::from_slice(device, &[0u32, 1]);
                let launched = kernel(&text).grid([1]).args(&mut x).launch(device);
                launched.and_then(|()| Ok(x.to_vec()?[0]))
            };
            assert_eq!(run(doubling(8)).unwrap(), 256, "on {}", name(device));
            assert_eq!(run(sum(490)).unwrap(), 491, "on {}", name(device));
            assert_eq!(run(called(120)).unwrap(), 121, "on {}", name(device));
            assert_eq!(run(chained(200)).unwrap(), 1000, "on {}", name(device));
            let error = run(called(240)).unwrap_err().to_string();
            assert!(error.contains("statements inside one another, functions inlined"), "{error}");
            works(device);
        }
        // Sums of a formula are those of a text.
        let x = Array::from_slice(&devices()[0], &[1u32]);
        let long = |count: usize| Elementwise::new("x: u32", &format!("z: u32 = {}x", "x + ".repeat(count)));
        let sum = long(400).unwrap().call::<u32>((&x,)).unwrap();
        assert_eq!(sum.to_vec().unwrap(), [401]);
        assert!(long(5_000).unwrap_err().to_string().contains("wanted fewer than 1000 operators"));
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}

/// A program that never collects its messages does not fill the host's memory with them.
#[test]
fn messages_that_nobody_collects() {
    let device = Device::open("cpu").unwrap();
    let says = |first: u32| {
        let text = format!(
            "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                print_u32(id, id.x + {first}u);
            }}"
        );
        kernel(&text).grid([256]).launch(&device).unwrap();
        device.synchronize().unwrap();
    };
    (0..6).for_each(|nth| says(nth << 14));
    let said = device.messages().unwrap();
    assert_eq!(said.len(), 4 << 14, "the last are kept");
    assert_eq!((said[0].value, said[said.len() - 1].value), (Value::Int(2 << 14), Value::Int((6 << 14) - 1)));
    assert!(device.messages().unwrap().is_empty());
}

/// What a text of a few lines declares is counted before any memory is taken for it.
#[test]
fn a_few_lines_that_want_much_memory() {
    let tiles = (0..4).map(|n| format!("var<workgroup> t{n}: array<u32, 268435456>;")).collect::<String>();
    let wrapped =
        format!("{tiles} @compute @workgroup_size(1) fn main() {{ t0[0] = 1u; t1[0] = 1u; t2[0] = 1u; t3[0] = 1u; }}");
    does_not_compile(Kernel::wgsl(&wrapped), &["workgroup memory takes 4294967296 bytes", "wanted less than 2^32"]);
    // What the entry point does not use counts nothing.
    let unused = format!("{tiles} {}", ADD);
    assert_eq!(reflection(&unused).workgroup_bytes, 0);
    for device in devices().iter().filter(|device| device.properties().backend == Backend::Cpu) {
        let (x, mut y) = (Array::from_slice(device, &[1.0f32, 2.0]), Array::<f32>::ones(device, &[2]).copy());
        kernel(&unused).grid([1]).args((&x, &mut y)).launch(device).unwrap();
        assert_eq!(y.to_vec().unwrap(), [2.0, 3.0]);
        let refused = |declared: &str, body: &str, size: u32, part: &str| {
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> x: array<u32>; {declared}
                 fn zeros() -> array<u32, 67108864> {{ return array<u32, 67108864>(); }}
                 @compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
            );
            let mut x = Array::<u32>::zeros(device, &[4]);
            let error = kernel(&text).grid([1]).args(&mut x).launch(device).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Compile { .. }) && error.to_string().contains(part), "{error}");
        };
        let (words, bytes) = ("words or more: wanted 4194304 at most", "bytes a workgroup: wanted 1073741824 at most");
        for size in [1, 64] {
            let part = if size == 1 { words } else { bytes };
            refused("var<private> p: array<u32, 67108864>;", "p[x[0]] = 1u; x[1] = p[2];", size, part);
            refused("", "var p: array<u32, 67108864>; p[x[0]] = 1u; x[1] = p[2];", size, part);
            refused("", "let p = array<u32, 67108864>(); x[1] = p[i];", size, part);
            refused("", "x[1] = zeros()[i];", size, part);
        }
        works(device);
    }
}

/// naga 30.0.1 panics in its writer of SPIR-V where an override's value is taken for other bits.
#[test]
fn what_the_shader_compiler_panics_on_is_an_error() {
    let source = "override oi = 3i;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn reinterprets() { var v = bitcast<u32>(oi); x[0] = v; }";
    for device in devices() {
        let mut x = Array::<u32>::zeros(device, &[1]);
        for _ in 0..2 {
            let launched = Kernel::wgsl(source).and_then(|kernel| kernel.grid([1]).args(&mut x).launch(device));
            match launched {
                Ok(()) => assert_eq!(x.item().unwrap(), 3, "on {}", name(device)),
                Err(error) => {
                    let ErrorKind::Compile { message, .. } = error.kind() else { panic!("{error}") };
                    assert!(message.contains("naga panicked") && error.to_string().contains("reinterprets"), "{error}");
                }
            }
        }
        works(device);
    }
}

/// The processor compiles a kernel that it runs often, and compiles it again in the next tier, while threads go on launching it:
/// every launch gives the same.
#[test]
fn a_kernel_is_compiled_while_threads_launch_it() {
    let device = Device::open("cpu").unwrap();
    let kernel = kernel(ADD);
    let x: Vec<f32> = (0..1 << 17).map(|i| i as f32 * 0.37).collect();
    let once = || {
        let (x, mut y) = (Array::from_slice(&device, &x), Array::<f32>::ones(&device, &[1 << 17]).copy());
        kernel.grid([2048]).args((&x, &mut y)).launch(&device).unwrap();
        y.to_vec().unwrap()
    };
    let wanted: Vec<f32> = x.iter().map(|x| 1.0 + x).collect();
    // 256 launches of 2^17 elements compute several times the 2^20 words of the interpreter, and the 2^26 of the first code.
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| (0..64).for_each(|_| assert!(once() == wanted)))));
    });
}

/// A list that only some invocations have, read at an index that all share: each vector of invocations reads its own, not that
/// of the first, which did not write it.
#[test]
fn lists_of_some_invocations_are_their_own() {
    let numbers: Vec<String> = (0..39).map(|at| format!("{at}u * 7u + group")).collect();
    let source = format!(
        "
        @group(0) @binding(0) var<storage, read_write> y: array<u32>;
        var<immediate> index: u32;
        fn look(group: u32) -> u32 {{
            var table = array<u32, 39>({});
            return table[index];
        }}
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {{
            var found = 1u;
            if lane >= 48u {{ found = look(group.x); }}
            y[group.x * 64u + lane] = found;
        }}",
        numbers.join(", ")
    );
    let kernel = kernel(&source);
    for device in devices() {
        let mut y = Array::<u32>::zeros(device, &[500 * 64]).copy();
        kernel.grid([500]).args((&mut y, 20u32)).launch(device).unwrap();
        let wanted = |at: usize| if at % 64 >= 48 { 140 + at as u32 / 64 } else { 1 };
        let wrong = y.to_vec().unwrap().iter().enumerate().filter(|(at, y)| **y != wanted(*at)).count();
        assert_eq!(wrong, 0, "on {}", name(device));
    }
}

/// One kernel for several values: those without a default are given at each launch.
#[test]
fn overrides_without_a_value_are_given_at_each_launch() {
    let source = "
        override n: u32;
        @id(9) override start: u32;
        override spare = n - 2u; // not of 1
        override unused: f32;
        var<workgroup> near: array<u32, 2 * n>;
        @group(0) @binding(0) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(n) fn main(@builtin(local_invocation_index) i: u32) {
            near[2u * n - 1u - i] = start + i;
            workgroupBarrier();
            y[i] = near[n + i] + 1000u / n + spare;
        }";
    let kernel = kernel(source);
    assert_eq!(kernel.open_overrides(), ["n", "start"]);
    let half = Kernel::wgsl_with(source, None, &[("n", 4.0)]).unwrap();
    assert_eq!(
        (half.open_overrides(), half.reflection().unwrap().workgroup_size),
        (&["start".to_string()][..], [4, 1, 1])
    );
    assert!(kernel.module().is_err() && half.module().is_err(), "what compiles it gets no placeholder");
    for device in devices() {
        for n in [4u32, 8, 2] {
            let mut y = Array::<u32>::zeros(device, &[8]);
            let launcher = kernel.grid([1]).set("n", n).set("9", 10);
            launcher.args(&mut y).launch(device).unwrap();
            let value = |i: u32| if i < n { 10 + (n - 1 - i) + 1000 / n + n - 2 } else { 0 };
            assert_eq!(y.to_vec().unwrap(), (0..8).map(value).collect::<Vec<_>>(), "{n} on {}", name(device));
            let mut z = Array::<u32>::zeros(device, &[8]);
            half.for_elements(4).set("start", 1).args(&mut z).launch(device).unwrap();
            assert_eq!(z.to_vec().unwrap(), [256, 255, 254, 253, 0, 0, 0, 0], "on {}", name(device));
        }
        let mut y = Array::<u32>::zeros(device, &[8]);
        let parts = ["no default", ".set(\"start\", value)", "wgsl_with", "tests/kernels.rs"];
        mistake(kernel.grid([1]).set("n", 4).args(&mut y).launch(device), "override start", &parts);
        mistake(kernel.for_elements(8).args(&mut y).launch(device), "override n", &["no default", "tests/kernels.rs"]);
        mistake(kernel.grid([1]).compile(device).map(|_| ()), "override n", &["no default"]);
        let mut recording = Recording::new(device);
        mistake(recording.add(kernel.grid([1]).args(&mut y)).map(|_| ()), "override n", &["no default"]);
    }
}

/// wgpu's older name of the immediates, and a uniform with storage's layout that is given as a value.
#[test]
fn older_words_and_looser_layouts_are_taken() {
    let kernel = kernel(
        "requires uniform_buffer_standard_layout;
        struct Steps { last: f32 } struct Both { steps: Steps, by: f32 }
        var< push_constant > factor: f32;
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        @group(0) @binding(1) var<uniform> both: Both;
        @compute @workgroup_size(1) fn main() { y[0] = (both.steps.last + both.by) * factor; }",
    );
    let found = kernel.reflection().unwrap();
    assert_eq!(found.immediates[0].name, "factor");
    assert_eq!(found.unportable[0].to_string().lines().count(), 1);
    for device in devices().iter().filter(|device| device.caps().immediate_bytes > 0) {
        let both = Array::from_slice(device, &[3.0f32, 4.0]);
        let mut y = Array::<f32>::zeros(device, &[1]);
        kernel.grid([1]).args((&mut y, &both, 2.0f32)).launch(device).unwrap();
        assert_eq!(y.to_vec().unwrap(), [14.0], "on {}", name(device));
    }
}
