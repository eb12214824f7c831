//! What a kernel gets by calling it: indices, random numbers, packed integers, collectives of a workgroup, messages.

mod support;

use crosslane::op::Value;
use crosslane::{Array, Device, Element, ErrorKind, Kernel};
use rand::Rng;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use support::*;

fn kernel(source: &str) -> Kernel {
    Kernel::wgsl(source).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a body for each index below `count`, with `y[i]` to write and `x` to read.
fn each(device: &Device, body: &str, x: &[u32], count: usize) -> Vec<u32> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> x: array<u32>;
        @group(0) @binding(1) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(32)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
            let i = linear_index(id, groups);
            if i >= arrayLength(&y) {{ return; }}
            y[i] = x[0]; // both are bound
            {body}
        }}"
    );
    let (x, mut y) = (Array::from_slice(device, x), Array::<u32>::empty(device, &[count]));
    kernel(&source).for_elements(count).args((&x, &mut y)).launch(device).unwrap();
    y.to_vec().unwrap()
}

#[test]
fn philox_gives_the_published_words() {
    // Random123's kat_vectors, philox4x32 with 10 rounds: counter, key, result.
    let known: [[u32; 10]; 3] = [
        [0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
        [!0, !0, !0, !0, !0, !0, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
        [
            0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
            0x24126ea1,
        ],
    ];
    let x: Vec<u32> = known.iter().flat_map(|row| row[..6].to_vec()).collect();
    let body = "let at = 6u * (i / 4u);
        let words = philox(vec4<u32>(x[at], x[at + 1u], x[at + 2u], x[at + 3u]), vec2<u32>(x[at + 4u], x[at + 5u]));
        y[i] = words[i % 4u];";
    for device in devices() {
        let wanted: Vec<u32> = known.iter().flat_map(|row| row[6..].to_vec()).collect();
        assert_eq!(each(device, body, &x, 12), wanted, "on {}", name(device));
    }
}

#[test]
fn random_numbers_are_spread_as_they_should_be() {
    for device in devices() {
        let count = if is_checked(device) { 2000 } else { 20_000 };
        let floats = |body: &str| -> Vec<f64> {
            each(device, body, &[7], count).into_iter().map(|bits| f32::from_bits(bits) as f64).collect()
        };
        let uniform =
            floats("y[i] = bitcast<u32>(uniform_f32(philox(vec4<u32>(i, 0u, 0u, 0u), vec2<u32>(x[0], 1u)).y));");
        let normal =
            floats("y[i] = bitcast<u32>(normal_f32(philox(vec4<u32>(i, 0u, 0u, 0u), vec2<u32>(x[0], 2u)).xy).x);");
        let moments = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / count as f64;
            (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count as f64)
        };
        // Five standard errors of each moment.
        let error = |deviation: f64| 5.0 * deviation / (count as f64).sqrt();
        assert!(uniform.iter().all(|v| (0.0..1.0).contains(v)), "on {}", name(device));
        let (mean, variance) = moments(&uniform);
        assert!((mean - 0.5).abs() < error(0.289) && (variance - 1.0 / 12.0).abs() < error(0.075), "{mean} {variance}");
        let (mean, variance) = moments(&normal);
        assert!(
            mean.abs() < error(1.0) && (variance - 1.0).abs() < error(1.42),
            "{mean} {variance} on {}",
            name(device)
        );
    }
}

#[test]
fn indices_and_packed_integers() {
    let mut rng = random(5);
    let words: Vec<u32> = (0..64).map(|_| rng.random()).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let halves: Vec<u16> = words.iter().flat_map(|word| [*word as u16, (*word >> 16) as u16]).collect();
    for device in devices() {
        let run = |body: &str, count: usize| each(device, body, &words, count);
        let wanted: Vec<u32> = bytes.iter().map(|&byte| byte as u32).collect();
        assert_eq!(run("y[i] = get_u8(x[i / 4u], i);", 256), wanted, "on {}", name(device));
        let wanted: Vec<u32> = bytes.iter().map(|&byte| byte as i8 as i32 as u32).collect();
        assert_eq!(run("y[i] = bitcast<u32>(get_i8(x[i / 4u], i));", 256), wanted, "on {}", name(device));
        let wanted: Vec<u32> = halves.iter().map(|&half| half as u32).collect();
        assert_eq!(run("y[i] = get_u16(x[i / 2u], i);", 128), wanted, "on {}", name(device));
        let wanted: Vec<u32> = halves.iter().map(|&half| half as i16 as i32 as u32).collect();
        assert_eq!(run("y[i] = bitcast<u32>(get_i16(x[i / 2u], i));", 128), wanted, "on {}", name(device));
        let wanted: Vec<u32> = words.iter().map(|word| word & 0xff00ffff | 0x00ee0000).collect();
        assert_eq!(run("y[i] = set_u8(x[i], 6u, 0x3eeu);", 64), wanted, "on {}", name(device));
        let wanted: Vec<u32> = words.iter().map(|word| word & 0xffff | 0xbeef0000).collect();
        assert_eq!(run("y[i] = set_u16(x[i], 1u, 0x1beefu);", 64), wanted, "on {}", name(device));
        let body = "let at = coordinates_3d(i, 5u, 7u); let flat = coordinates_2d(i, 6u);
            y[i] = at.x + 100u * at.y + 10000u * at.z
                + 1000000u * u32(index_3d(at, 5u, 7u) == i && index_2d(flat, 6u) == i && flat.x < 6u);";
        let wanted: Vec<u32> = (0..140).map(|i| i % 5 + 100 * (i / 5 % 7) + 10000 * (i / 35) + 1_000_000).collect();
        assert_eq!(run(body, 140), wanted, "on {}", name(device));
    }
}

#[test]
fn strides_over_more_elements_than_invocations() {
    let multiply = kernel(
        "@group(0) @binding(0) var<storage, read> a: array<f32>;
        @group(0) @binding(1) var<storage, read_write> b: array<f32>;
        @compute @workgroup_size(8, 2)
        fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
            for (var i = linear_index(id, groups); i < arrayLength(&a); i += grid_size(groups)) { b[i] *= a[i]; }
        }",
    );
    for device in devices() {
        let a = Array::arange(device, 0.0f32, 1000.0, 1.0);
        for grid in [[1, 1, 1], [3, 2, 1], [2, 2, 3]] {
            let mut b = Array::<f32>::full(device, &[1000], 2.0).copy();
            multiply.grid(grid).args((&a, &mut b)).launch(device).unwrap();
            let wanted: Vec<f32> = (0..1000).map(|i| 2.0 * i as f32).collect();
            assert_eq!(b.to_vec().unwrap(), wanted, "{grid:?} on {}", name(device));
        }
    }
}

#[test]
fn each_entry_point_has_its_own_workgroup_size() {
    let source = "@group(0) @binding(0) var<storage, read_write> y: array<vec3<u32>>;
        @compute @workgroup_size(4, 2) fn small() { y[0] = workgroup_size(); }
        fn large_enough() {}
        @workgroup_size(16) @compute fn large() { y[0] = workgroup_size(); }";
    for device in devices() {
        for (entry, wanted) in [("small", [4, 2, 1]), ("large", [16, 1, 1])] {
            let mut y = Array::<u32>::zeros(device, &[4]);
            Kernel::wgsl_with(source, Some(entry), &[]).unwrap().grid([1]).args(&mut y).launch(device).unwrap();
            assert_eq!(y.to_vec().unwrap()[..3], wanted, "{entry} on {}", name(device));
        }
    }
}

#[test]
fn floats_are_added_atomically() {
    let add = kernel(
        "@group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            atomic_add_f32_sums(id.x % 3u, 0.25 * f32(id.x % 5u));
        }",
    );
    for device in devices() {
        let mut sums = Array::<u32>::zeros(device, &[3]);
        add.grid([15]).args(&mut sums).launch(device).unwrap();
        let got: Vec<f32> = sums.to_vec().unwrap().into_iter().map(f32::from_bits).collect();
        // 960 invocations: each pair of remainders 64 times, and all sums exact.
        assert_eq!(got, [160.0; 3], "on {}", name(device));
    }
}

/// Combines `x` in workgroups of one shape; on one workgroup each, values of invocations in order.
fn combined<T: Element + From<u8>>(device: &Device, call: &str, shape: &str, x: &[T], size: usize) -> Vec<T> {
    let ty = T::DTYPE.name();
    let source = format!(
        "override columns = 1u;
        @group(0) @binding(0) var<storage, read> x: array<{ty}>;
        @group(0) @binding(1) var<storage, read_write> y: array<{ty}>;
        @compute @workgroup_size({shape})
        fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {{
            let at = group.x * {size}u + local;
            let once = {call}(x[at], local);
            y[at] = {call}(x[at], local) + once - once; // again at once: nobody is still reading
        }}"
    );
    let (x, mut y) = (Array::from_slice(device, x), Array::<T>::zeros(device, &[x.len()]));
    kernel(&source).grid([(x.len() / size) as u32]).args((&x, &mut y)).launch(device).unwrap();
    y.to_vec().unwrap()
}

#[test]
fn workgroups_combine_values() {
    for device in devices() {
        for (shape, size) in [("1", 1), ("7", 7), ("5, 3, 2", 30), ("64", 64), ("columns * 100", 100)] {
            let mut rng = random(size as u64);
            let x: Vec<i32> = (0..3 * size).map(|_| rng.random_range(-1000..1000)).collect();
            let rows = |f: &dyn Fn(&[i32]) -> Vec<i32>| x.chunks(size).flat_map(f).collect::<Vec<_>>();
            let all = |fold: &dyn Fn(&[i32]) -> i32| rows(&|row| vec![fold(row); size]);
            let run = |call: &str| combined(device, call, shape, &x, size);
            let on = format!("{shape} on {}", name(device));
            assert_eq!(run("workgroup_sum_i32"), all(&|row| row.iter().sum()), "{on}");
            assert_eq!(run("workgroup_min_i32"), all(&|row| *row.iter().min().unwrap()), "{on}");
            assert_eq!(run("workgroup_max_i32"), all(&|row| *row.iter().max().unwrap()), "{on}");
            let prefix = |f: fn(i32, i32) -> i32| {
                rows(&|row| (0..size).map(|i| row[..=i].iter().copied().reduce(f).unwrap()).collect())
            };
            assert_eq!(run("workgroup_scan_sum_i32"), prefix(|a, b| a + b), "{on}");
            assert_eq!(run("workgroup_scan_max_i32"), prefix(i32::max), "{on}");
            let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            let wanted: Vec<f32> = all(&|row| row.iter().sum()).into_iter().map(|sum| sum as f32).collect();
            assert_eq!(combined(device, "workgroup_sum_f32", shape, &floats, size), wanted, "{on}");
            let low: Vec<f32> = x.iter().map(|&x| -1.0 - x.unsigned_abs() as f32).collect();
            let wanted: Vec<f32> =
                low.chunks(size).flat_map(|row| vec![row.iter().copied().fold(f32::MIN, f32::max); size]).collect();
            assert_eq!(combined(device, "workgroup_max_f32", shape, &low, size), wanted, "{on}");
        }
    }
}

#[test]
fn messages_come_out_with_line_and_invocation() {
    let source = "@group(0) @binding(3) var<storage, read> x: array<i32>;
        @compute @workgroup_size(4) fn speak(@builtin(global_invocation_id) id: vec3<u32>) {
            if id.x == 5u { print_i32(id, x[0]); }
            if id.x < 2u {
                print_f32(id /* who */, f32(id.x) - 0.5); print_u32(id.zzz, 4000000000u);
            }
            // print_u32(id, 1u);
            assert_that(id, x[0] < 0 || id.x != 6u);
        }";
    let speak = kernel(source);
    assert_eq!(speak.reflection().unwrap().bindings.len(), 1);
    for device in apis() {
        // Messages are the device's: not those of other tests that run on it now.
        let Some(device) = fresh_like(device) else { continue };
        let on = name(&device);
        assert!(device.messages().unwrap().is_empty());
        speak.grid([2]).args(&Array::from_slice(&device, &[-7])).launch(&device).unwrap();
        let said: Vec<String> = device.messages().unwrap().iter().map(|message| message.to_string()).collect();
        let wanted = [
            "speak:3 (5, 0, 0): -7",
            "speak:5 (0, 0, 0): -0.5",
            "speak:5 (0, 0, 0): 4000000000",
            "speak:5 (0, 0, 0): 4000000000",
            "speak:5 (1, 0, 0): 0.5",
        ];
        let mut sorted = said.clone();
        sorted.sort();
        assert_eq!(sorted, wanted, "{said:?} on {on}");
        assert!(device.messages().unwrap().is_empty(), "on {on}");
        speak.grid([2]).args(&Array::from_slice(&device, &[7])).launch(&device).unwrap();
        let error = device.synchronize().expect_err("an assertion failed");
        let ErrorKind::Assertion { kernel: said_by, line, invocation, failures } = error.kind() else {
            panic!("{error}")
        };
        let found = (said_by.as_str(), *line, *invocation, *failures);
        assert_eq!(found, ("speak", 8, Some([6, 0, 0]), 1), "on {on}");
        let said = device.messages().unwrap();
        assert_eq!((said.len(), said[0].value), (5, Value::Int(7)), "on {on}");
        // More than the buffer holds.
        let all = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { print_u32(id, id.x); }";
        kernel(all).grid([if is_checked(&device) { 1 } else { 300 }]).launch(&device).unwrap();
        let count = device.messages().unwrap().len();
        assert_eq!(count, if is_checked(&device) { 64 } else { 1 << 14 }, "on {on}");
    }
}

/// Kernels of one text differ by their entry points, the values of their overrides, and their names.
#[test]
fn messages_name_the_kernel_among_those_of_one_text() {
    let source = "override n: u32 = 1u;
        fn all(id: vec3<u32>) { print_u32(id, n); }
        @compute @workgroup_size(1) fn first(@builtin(global_invocation_id) id: vec3<u32>) { all(id); }
        @compute @workgroup_size(1) fn second(@builtin(global_invocation_id) id: vec3<u32>) { all(id); }
        @compute @workgroup_size(1) fn third(@builtin(global_invocation_id) id: vec3<u32>) {
            assert_that(id, n == 1u);
        }";
    let of = |entry: &str, n: f64| Kernel::wgsl_with(source, Some(entry), &[("n", n)]).unwrap();
    let kernels = [of("first", 1.0), of("second", 1.0), of("second", 2.0).named("two"), of("second", 2.0).named("too")];
    for device in apis() {
        let Some(device) = fresh_like(device) else { continue };
        kernels.iter().for_each(|kernel| kernel.grid([1]).launch(&device).unwrap());
        of("second", 1.0).grid([1]).set("n", 3).launch(&device).unwrap();
        let mut said: Vec<_> = device.messages().unwrap().into_iter().map(|said| (said.kernel, said.value)).collect();
        said.sort_by_key(|said| said.0.clone());
        let wanted = [("first", 1), ("second", 1), ("second", 3), ("too", 2), ("two", 2)];
        let wanted = wanted.map(|(name, value)| (name.to_string(), Value::Int(value)));
        assert_eq!(said, wanted, "on {}", name(&device));
        for (kernel, named) in [(of("third", 2.0), "third"), (of("third", 2.0).named("fourth"), "fourth")] {
            kernel.grid([1]).launch(&device).unwrap();
            let error = device.synchronize().expect_err("an assertion failed");
            let ErrorKind::Assertion { kernel, line: 6, .. } = error.kind() else { panic!("{error}") };
            assert_eq!(kernel, named, "on {}", name(&device));
        }
    }
}

/// While some threads look, kernels of others say more: each message is seen once, and each failure told once.
#[test]
fn no_message_is_lost_while_others_look() {
    const THREADS: i32 = 4;
    const ROUNDS: i32 = 50;
    let speak = kernel(
        "@group(0) @binding(0) var<storage, read> x: array<i32>;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            print_i32(id, x[0] * 8 + i32(id.x));
            assert_that(id, id.x != 3u);
        }",
    );
    for device in apis() {
        let Some(device) = fresh_like(device) else { continue };
        let (said, failed) = (Mutex::new(vec![]), AtomicU64::new(0));
        let look = || match device.messages() {
            Ok(more) => said.lock().unwrap().extend(more),
            Err(error) => match error.kind() {
                ErrorKind::Assertion { failures, .. } => drop(failed.fetch_add(*failures as u64, Ordering::Relaxed)),
                _ => panic!("{error}"),
            },
        };
        std::thread::scope(|threads| {
            for thread in 0..THREADS {
                let (speak, device, look) = (&speak, &device, &look);
                threads.spawn(move || {
                    for round in 0..ROUNDS {
                        let x = Array::from_slice(device, &[thread * ROUNDS + round]);
                        speak.grid([1]).args(&x).launch(device).unwrap();
                        if (round + thread) % 2 == 0 {
                            look();
                        }
                    }
                });
            }
        });
        (0..2).for_each(|_| look());
        let mut values: Vec<Value> = said.into_inner().unwrap().into_iter().map(|message| message.value).collect();
        values.sort_by_key(|value| if let Value::Int(value) = value { *value } else { panic!("{value:?}") });
        let wanted: Vec<Value> = (0..(THREADS * ROUNDS * 8) as i128).map(Value::Int).collect();
        assert_eq!(values.len(), wanted.len(), "on {}", name(&device));
        assert_eq!(values, wanted, "on {}", name(&device));
        assert_eq!(failed.into_inner(), (THREADS * ROUNDS) as u64, "on {}", name(&device));
    }
}

#[test]
fn what_a_program_declares_is_its_own() {
    let own = kernel(
        "fn uniform_f32(bits: u32) -> f32 { return 42.0; }
        fn philox_words(x: u32) -> u32 { return x; }
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn main() { y[0] = uniform_f32(philox_words(1u)); }",
    );
    assert!(!own.source().contains("appended"));
    let unknown = Kernel::wgsl("@compute @workgroup_size(1) fn main() { workgroup_product_f32(1.0, 0u); }");
    assert!(unknown.unwrap_err().to_string().contains("workgroup_product_f32"));
    let missing = Kernel::wgsl("@compute @workgroup_size(1) fn main() { atomic_add_f32_sums(0u, 1.0); }").unwrap_err();
    assert!(missing.to_string().contains("sums"), "{missing}");
    for device in devices() {
        let mut y = Array::<f32>::zeros(device, &[1]);
        own.grid([1]).args(&mut y).launch(device).unwrap();
        assert_eq!(y.item().unwrap(), 42.0, "on {}", name(device));
    }
}
