//! Loops of a program's kernels, and what the library binds to watch over them: each launch writes where it was told to,
//! what does not end is stopped, and no result that a driver cut short counts as one.

mod support;

use crosslane::device::Backend;
use crosslane::{Argument, Array, Device, DeviceOptions, ErrorKind, Kernel};
use std::time::{Duration, Instant};
use support::*;

fn kernel(source: &str) -> Kernel {
    Kernel::wgsl(source).unwrap_or_else(|error| panic!("{error}"))
}

/// The device again with a limit; nothing where it does not open twice.
fn limited(device: &Device, limit: Duration) -> Option<Device> {
    let name = name(device);
    let backend = format!("{:?}:{name}", device.properties().backend);
    let request = if device.properties().backend == Backend::Cpu { "cpu" } else { &backend };
    let opened = DeviceOptions::default().time_limit(limit).open(request);
    opened.inspect_err(|error| say(&format!("skipped: {backend} does not open a second time: {error}"))).ok()
}

fn is_llvmpipe(device: &Device) -> bool {
    name(device).contains("llvmpipe")
}

/// A loop of as many turns as the uniform says, to see whether later kernels are cut short.
const LONG: &str = "
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @group(0) @binding(1) var<uniform> turns: u32;
    @compute @workgroup_size(1) fn long() {
        var count = 0u;
        for (var i = 0u; i < turns; i++) { count++; }
        x[0] = count;
    }";

#[track_caller]
fn counts_to(device: &Device, turns: u32) {
    let mut x = Array::<u32>::zeros(device, &[1]);
    kernel(LONG).grid([1]).args((&mut x, turns)).launch(device).unwrap();
    assert_eq!(x.item().unwrap(), turns, "on {}", name(device));
}

#[test]
fn functions_that_nothing_calls_change_no_binding() {
    let uncalled = kernel(
        "@group(1) @binding(0) var<storage, read_write> y: array<u32>;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        fn helper() { while x[0] != 3u { x[0]++; } }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { y[i] = 7u + i; }",
    );
    let two = kernel(
        "@group(2) @binding(1) var<storage, read_write> z: array<u32>;
        @group(1) @binding(7) var<storage, read_write> y: array<u32>;
        @group(0) @binding(3) var<storage, read_write> unused: array<u32>;
        fn helper() { while y[0] != 3u { y[0]++; } }
        fn other() { while unused[0] != 3u { unused[0]++; } }
        @compute @workgroup_size(1) fn main() { helper(); z[0] = y[0]; }",
    );
    for device in apis() {
        let mut y = Array::<u32>::zeros(device, &[4]);
        uncalled.grid([1]).args(&mut y).launch(device).unwrap();
        assert_eq!(y.to_vec().unwrap(), [7, 8, 9, 10], "on {}", name(device));
        counts_to(device, 60_000);
        let (mut y, mut z) = (Array::<u32>::zeros(device, &[1]), Array::<u32>::zeros(device, &[1]));
        two.grid([1]).args((&mut y, &mut z)).launch(device).unwrap();
        assert_eq!((y.item().unwrap(), z.item().unwrap()), (3, 3), "on {}", name(device));
        counts_to(device, 60_000);
    }
}

#[test]
fn messages_and_counts_are_bound_beside_every_group() {
    let text = |group: u32| {
        format!(
            "@group({group}) @binding(5) var<storage, read_write> x: array<u32>;
            @group(3) @binding(0) var<storage, read_write> y: array<u32>;
            @compute @workgroup_size(1) fn main() {{
                var i = 0u;
                while x[i] != 0u {{ i++; }}
                print_u32(vec3(i), x[0]);
                y[0] = i;
            }}"
        )
    };
    for device in apis() {
        for group in 0..3 {
            let mut x = Array::from_slice(device, &[5u32, 6, 7, 0]);
            let mut y = Array::<u32>::zeros(device, &[1]);
            kernel(&text(group)).grid([1]).args((&mut x, &mut y)).launch(device).unwrap();
            assert_eq!((x.to_vec().unwrap(), y.item().unwrap()), (vec![5, 6, 7, 0], 3), "on {}", name(device));
            let said = device.messages().unwrap();
            assert_eq!((said.len(), said[0].invocation, said[0].line), (1, [3; 3], 6), "on {}", name(device));
        }
    }
}

#[test]
fn names_of_the_library_are_its_own() {
    let declared = [
        "@group(1) @binding(0) var<storage, read_write> crosslane_messages: array<u32>;",
        "var<private> crosslane_ticks: u32;",
        "fn crosslane_overdue() {}",
        "struct CrosslaneMessages { count: u32 }",
        "const crosslane_scratch_workgroup_sum_f32 = 3;",
        "fn other(crosslane_late: u32) {}",
    ];
    for declaration in declared {
        let source = format!("\n/* crosslane_ */ {declaration}\n@compute @workgroup_size(1) fn main() {{ }}");
        let error = Kernel::wgsl(&source).expect_err(declaration);
        let ErrorKind::Compile { message, .. } = error.kind() else { panic!("{error}") };
        let name = declaration.split([' ', '(', ':']).find(|word| word.to_lowercase().starts_with("crosslane"));
        assert!(message.contains(&format!("`{}`", name.unwrap())) && message.contains("wgsl:2:"), "{error}");
    }
    // Names are compared whole.
    kernel("const my_crosslane_limit = 3u; @compute @workgroup_size(1) fn main() { }");
}

#[test]
fn loops_count_beside_overrides_and_other_entry_points() {
    let text = "override SIZE = 4u; override SPAN: u32;
        var<workgroup> near: array<u32, SIZE>;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @group(0) @binding(1) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(SIZE) fn sums(@builtin(local_invocation_index) i: u32) {
            near[i] = x[i];
            workgroupBarrier();
            var sum = 0u;
            for (var j = 0u; j < arrayLength(&x) && j < SPAN; j++) { sum += near[j]; }
            x[i] = sum;
        }
        @compute @workgroup_size(1) fn other() { while y[0] != 3u { y[0]++; } }";
    for device in apis() {
        let made = Kernel::wgsl_with(text, Some("sums"), &[("SPAN", 2.0)]).unwrap();
        for (size, wanted) in [(4u32, vec![3, 3, 3, 3, 5, 6]), (6, vec![3; 6])] {
            let mut x = Array::from_slice(device, &[1u32, 2, 3, 4, 5, 6]);
            made.grid([1]).set("SIZE", size).args(&mut x).launch(device).unwrap();
            assert_eq!(x.to_vec().unwrap(), wanted, "on {}", name(device));
        }
        counts_to(device, 60_000);
    }
}

#[test]
fn kernels_that_leave_no_binding_run_or_are_refused() {
    for device in apis() {
        let count = device.caps().bindings as usize;
        if count > 64 {
            say(&format!("skipped: {} has {count} bindings", name(device)));
            continue;
        }
        let declared =
            (0..count).map(|i| format!("@group(0) @binding({i}) var<storage, read_write> x{i}: array<u32>;"));
        let used = (0..count).map(|i| format!("x{i}[0] = n;"));
        let text = format!(
            "{} @compute @workgroup_size(1) fn main() {{ var n = 0u; while n < x0[0] {{ n++; }} {} }}",
            declared.collect::<String>(),
            used.collect::<String>()
        );
        let arrays: Vec<_> = (0..count).map(|_| Array::from_slice(device, &[5u32])).collect();
        let arguments: Vec<_> = arrays.iter().map(Argument::in_place).collect();
        match kernel(&text).grid([1]).args(arguments.as_slice()).launch(device) {
            Ok(()) => assert_eq!(arrays[count - 1].item().unwrap(), 5, "on {}", name(device)),
            Err(error) => {
                assert!(is_llvmpipe(device), "{error} on {}", name(device));
                assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
            }
        }
    }
}

/// A kernel of a program that uses the names that our text uses.
#[test]
fn a_function_named_as_a_built_in_one_is_the_program_s_alone() {
    let source = LONG.replace("@compute", "fn min(a: u32, b: u32) -> u32 { return a + b; } @compute");
    let source = source.replace("count++", "count = min(count, 1u)");
    for device in apis().iter().filter(|device| !is_llvmpipe(device)) {
        let mut x = Array::<u32>::zeros(device, &[1]);
        kernel(&source).grid([1]).args((&mut x, 300_000u32)).launch(device).unwrap();
        assert_eq!(x.item().unwrap(), 300_000, "on {}", name(device));
    }
}

#[test]
fn short_loops_that_make_a_long_one_are_stopped() {
    let header = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;";
    let bodies = [
        // Three short ones within each other.
        "for (var i = 0u; i < 60000u; i++) { for (var j = 0u; j < 60000u; j++) {
            for (var k = 0u; k < 60000u; k++) { x[0] ^= i + j * k; } } }",
        // One that sticks: 2048 + 1 is 2048 in halves, and 2^24 + 1 is 2^24 in floats.
        "for (var i = 16777000.0; i < 16778000.0; i += 1.0) { x[0] ^= u32(i); }",
        // Through calls, and around a loop that may not end but does so soon each time.
        "for (var i = 0u; i < 60000u; i++) { for (var j = 0u; j < 60000u; j++) { turn(j); } }",
        "loop { turn(3u); if x[1] == 9u { break; } }",
    ];
    for device in apis().iter().filter(|device| !is_checked(device)) {
        let Some(device) = limited(device, Duration::from_millis(20)) else { continue };
        for body in bodies {
            let source = format!(
                "{header} fn turn(n: u32) {{ for (var i = 0u; i < n; i++) {{ x[0] ^= i; }} }}
                @compute @workgroup_size(1) fn main() {{ {body} }}"
            );
            let mut x = Array::<u32>::zeros(&device, &[2]);
            let started = Instant::now();
            let result = kernel(&source).grid([1]).args(&mut x).launch(&device).and_then(|()| device.synchronize());
            let error = result.expect_err(body);
            let stopped = matches!(error.kind(), ErrorKind::Endless { line: 1..=3, .. })
                || is_llvmpipe(&device) && matches!(error.kind(), ErrorKind::LoopLeft { line: 1..=3, .. });
            assert!(stopped, "{body}: {error} on {}", name(&device));
            assert!(started.elapsed() < Duration::from_secs(30), "{body} on {}", name(&device));
        }
        // So few that 20 ms suffice on a busy machine, where the interpreter is not optimised.
        counts_to(&device, 2_000);
    }
}

/// Kernels of one text differ by their entry points, the values of their overrides, and their names.
#[test]
fn the_kernel_that_is_stopped_is_named_among_those_of_one_text() {
    let text = "override limit: u32 = 9u; @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn first() { while x[0] != limit { x[1]++; } }
        @compute @workgroup_size(1) fn second() { while x[0] != limit { x[1]++; } }";
    let of = |entry: &str, n: f64| Kernel::wgsl_with(text, Some(entry), &[("limit", n)]).unwrap();
    for device in apis().iter().filter(|device| !is_checked(device)) {
        let Some(device) = limited(device, Duration::from_millis(20)) else { continue };
        let ends = |kernel: &Kernel, start: u32| {
            let mut x = Array::from_slice(&device, &[start, 0]);
            kernel.grid([1]).args(&mut x).launch(&device).and_then(|()| device.synchronize())
        };
        // One that ends is known first.
        ends(&of("first", 9.0), 9).unwrap();
        let kernels = [
            (of("second", 9.0), "second", 3),
            (of("first", 9.0), "first", 2),
            (of("second", 8.0).named("eight"), "eight", 3),
            (of("second", 8.0).named("ate"), "ate", 3),
        ];
        for (kernel, wanted, at) in kernels {
            let error = ends(&kernel, 0).expect_err("it does not end");
            let (ErrorKind::Endless { kernel, line, .. } | ErrorKind::LoopLeft { kernel, line, .. }) = error.kind()
            else {
                panic!("{error} on {}", name(&device))
            };
            assert_eq!((kernel.as_str(), *line), (wanted, at), "on {}", name(&device));
        }
    }
}

/// The cpu engine's limit is one for the whole launch; with its checks, for a workgroup.
#[test]
fn a_grid_of_short_loops_is_stopped() {
    let text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            var sum = 0u;
            for (var j = 0u; j < 100u; j++) { sum += j ^ i; }
            x[0] = sum;
        }";
    let plain = text.replace("for (var j = 0u; j < 100u; j++) { sum += j ^ i; }", "");
    for request in ["cpu", "cpu:apple-like"] {
        let device = DeviceOptions::default().time_limit(Duration::from_millis(50)).open(request).unwrap();
        for text in [text, &plain] {
            let started = Instant::now();
            let mut x = Array::<u32>::zeros(&device, &[1]);
            let side = device.caps().grid;
            let result = kernel(text).grid([side, side]).args(&mut x).launch(&device);
            let error = result.expect_err("4,294,836,225 workgroups");
            let stopped = matches!(error.kind(), ErrorKind::Endless { seconds: 0.05, .. });
            assert!(stopped, "{error} on {request}");
            assert!(started.elapsed() < Duration::from_secs(3), "{:?} on {request}", started.elapsed());
        }
        counts_to(&device, 100);
    }
}

#[test]
fn what_a_driver_leaves_is_no_result() {
    let text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        fn count(turns: u32) -> u32 {
            var n = 0u;
            loop { if n == turns { break; } n++; }
            return n;
        }
        @compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) { x[i] = count(x[i]); }";
    // Each invocation's turns of each loop are few, those of invocations that run together are not.
    let apart = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            var n = 0u;
            for (var j = 0u; j < 800u; j++) {
                for (var k = 0u; k < select(1u, 200u, j % 8u == i); k++) { n++; }
            }
            x[i] = n;
        }";
    for device in apis().iter().filter(|device| !is_checked(device)) {
        let cases = [
            (text, vec![100_000u32, 500_001, 1_000_000], vec![100_000u32, 500_001, 1_000_000]),
            (text, vec![100_000, 3, 1], vec![100_000, 3, 1]),
            (text, vec![60_000, 3, 1], vec![60_000, 3, 1]),
            (apart, vec![0; 8], vec![700 + 100 * 200; 8]),
        ];
        for (index, (source, start, wanted)) in cases.into_iter().enumerate() {
            let mut x = Array::from_slice(device, &start);
            let result = kernel(source).grid([1]).args(&mut x).launch(device).and_then(|()| x.to_vec());
            match result {
                Ok(got) => assert_eq!(got, wanted, "case {index} on {}", name(device)),
                Err(error) => {
                    assert!(is_llvmpipe(device) && index != 2, "case {index}: {error} on {}", name(device));
                    let text = error.to_string();
                    let ErrorKind::LoopLeft { line, .. } = error.kind() else { panic!("{error}") };
                    assert!(*line == if index < 2 { 4 } else { 5 } && text.contains("Device::cpu()"), "{error}");
                }
            }
        }
        counts_to(device, 60_000);
    }
}

#[test]
fn loops_end_in_every_way() {
    let text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        fn first(wanted: u32) -> u32 {
            for (var i = 0u; i < arrayLength(&x); i++) {
                var j = 0u;
                loop {
                    if j == 3u { if i == 1u { continue; } break; }
                    if x[i] == wanted { return i; }
                    continuing { j++; break if j > 5u; }
                }
                switch i { case 2u: { continue; } case 3u: { break; } default: { } }
                while true { if i == 6u { return 99u; } break; }
            }
            return 42u;
        }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            let found = first(i * 3u);
            workgroupBarrier();
            x[i] = found;
        }";
    for device in apis() {
        let mut x = Array::from_slice(device, &[7u32, 9, 6, 1, 0]);
        kernel(text).grid([1]).args(&mut x).launch(device).unwrap();
        assert_eq!(x.to_vec().unwrap(), [4, 42, 2, 1, 0], "on {}", name(device));
        device.synchronize().unwrap();
    }
}

/// `Device::new()` and what asks for software: the library's own engine is right, and software drivers come after it.
#[test]
fn the_processor_comes_before_software_drivers() {
    for request in ["", "software"] {
        let device = Device::open(request).unwrap();
        let (kind, backend) = (device.properties().kind, device.properties().backend);
        assert!(
            kind != crosslane::device::DeviceKind::Software || backend == Backend::Cpu,
            "{request:?} took {device:?}"
        );
    }
    let all = Device::list();
    for (index, properties) in all.iter().enumerate() {
        let opened = Device::open(&index.to_string());
        let Ok(device) = opened else { continue };
        assert_eq!(name(&device), properties.name, "indices are those of the list");
    }
}

/// Kernels whose loops count share memory that the host maps at each wait. Launches of several threads, which may be
/// submitted together and later, are not submitted while it is mapped.
#[test]
fn kernels_with_loops_run_beside_threads_that_wait() {
    let add = kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() {
            var i = 0u;
            while x[i] != 0u {
                x[i]++;
                i++;
            }
        }",
    );
    let open = |name| DeviceOptions::default().staged_transfers(true).open(name);
    let staged =
        |name| open(name).inspect_err(|error| say(&format!("skipped {name} with staged transfers: {error}"))).ok();
    let staged: Vec<Device> = ["lavapipe", "swiftshader"].into_iter().filter_map(staged).collect();
    for device in apis().iter().chain(&staged) {
        let rounds = if is_checked(device) { 10 } else { 100 };
        std::thread::scope(|threads| {
            for thread in 0..6u32 {
                let add = &add;
                threads.spawn(move || {
                    let mut x = Array::from_slice(device, &[thread + 1, 100, 7, 0]);
                    for round in 1..=rounds {
                        add.grid([1]).args(&mut x).launch(device).unwrap();
                        match (thread + round) % 7 {
                            0 => device.synchronize().unwrap(),
                            3 => {
                                let wanted = [thread + 1 + round, 100 + round, 7 + round, 0];
                                assert_eq!(x.to_vec().unwrap(), wanted, "on {}", name(device));
                            }
                            _ => {}
                        }
                    }
                    assert_eq!(x.slice(crosslane::s![1]).item().unwrap(), 100 + rounds, "on {}", name(device));
                });
            }
        });
        counts_to(device, 60_000);
    }
}
