//! What a kernel sees of memory that was somebody else's: nothing. The pool is full of a pattern, and each byte that an
//! index reaches is the array's own or 0.

use crate::support::{apis, has, name, say, spoil_below};
use crosslane::device::Backend;
use crosslane::{Argument, Array, DType, Device, Element, Kernel, Recording, s};
use half::f16;

/// Words that are looked at: past 256 bytes, the most that a driver rounds a uniform buffer up to.
const SEEN: u32 = 80;

/// No array here has as many words as 2 to this.
const SMALL: u32 = 9;

/// What a kernel reads at the indices from 0 on, and those that wrap.
fn seen(device: &Device, declared: &str, read: &str, argument: Argument) -> Vec<u32> {
    let source = format!(
        "@group(0) @binding(0) {declared}
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {{
    for (var i = 0u; i < {SEEN}u; i++) {{ output[i] = {read}; }}
    for (var k = 0u; k < 8u; k++) {{ let i = k - 4u; output[{SEEN}u + k] = {read}; }}
}}"
    );
    let mut output = Array::<u32>::zeros(device, &[SEEN as usize + 8]);
    let kernel = Kernel::wgsl(&source).unwrap();
    kernel.grid([1]).args((argument, &mut output)).launch(device).unwrap();
    output.to_vec().unwrap()
}

#[track_caller]
fn own_or_zero(device: &Device, what: &str, seen: &[u32], own: &[u32], words: usize) {
    let foreign = seen.iter().position(|word| *word != 0 && !own.contains(word));
    if let Some(at) = foreign {
        panic!("{what} on {}: {:#x} at {at} of {seen:x?}, own are {own:x?}", name(device), seen[at]);
    }
    let words = words.min(SEEN as usize);
    assert_eq!(seen[..words], own[..words], "{what} on {}", name(device));
}

/// Uniforms: (the type, how a word is read, words of the type).
const UNIFORMS: [(&str, &str, usize); 5] = [
    ("vec2<u32>", "u[i]", 2),
    ("vec3<u32>", "u[i]", 3),
    ("vec4<u32>", "u[i]", 4),
    ("array<vec4<u32>, 3>", "u[i / 4u][i % 4u]", 12),
    ("array<vec4<u32>, 20>", "u[i / 4u][i % 4u]", 80),
];

#[test]
fn uniforms_show_nothing_else() {
    for device in apis() {
        for (ty, read, words) in UNIFORMS {
            let declared = format!("var<uniform> u: {ty};");
            // A vec3 lies in the room of four words.
            let room = words.next_multiple_of(2);
            let mut own: Vec<u32> = (100..100 + room as u32).collect();
            spoil_below(device, SMALL);
            let uploaded = Array::from_slice(device, &own);
            own_or_zero(
                device,
                &format!("{ty}, uploaded"),
                &seen(device, &declared, read, Argument::bytes_of(&uploaded)),
                &own,
                words,
            );
            spoil_below(device, SMALL);
            let computed = Array::<u32>::arange(device, 90, 90 + room as u32, 1) + 10u32;
            computed.eval().unwrap();
            own_or_zero(
                device,
                &format!("{ty}, computed"),
                &seen(device, &declared, read, Argument::bytes_of(&computed)),
                &own,
                words,
            );
            spoil_below(device, SMALL);
            let longer = Array::<u32>::arange(device, 36, 36 + 64 + room as u32 + 3, 1) + 0u32;
            own.extend([0; 3].iter().zip(0..).map(|(_, k)| 100 + (room + k) as u32));
            let view = longer.slice(s![64..64 + room as isize]);
            let seen = seen(device, &declared, read, Argument::bytes_of(&view));
            let foreign = seen.iter().find(|word| **word != 0 && !own.contains(word));
            assert_eq!(foreign, None, "{ty}, a view on {}: {seen:x?}", name(device));
        }
        spoil_below(device, SMALL);
        let value = seen(device, "var<uniform> u: vec2<u32>;", "u[i]", [7u32, 9].into());
        own_or_zero(device, "a value", &value, &[7, 9], 2);
    }
}

/// How an array comes out of another.
type Make<T> = fn(&Array<T>) -> Array<T>;

/// Elements that do not fill the last word, in arrays of each kind.
fn parts_of_words<T: Element>(device: &Device, of: fn(u8) -> T, bits: fn(T) -> u16, computed: Make<T>) {
    let (dtype, size) = (T::DTYPE, T::DTYPE.size());
    for len in [1usize, 2, 3, 5, 6, 7, 63, 130] {
        let values: Vec<T> = (0..len).map(|n| of((n * 37 % 100 + 1) as u8)).collect();
        let kinds: [(&str, Make<T>); 5] = [
            ("uploaded", |x| x.clone()),
            ("computed", computed),
            ("copied", |x| x.copy()),
            ("flipped", |x| x.flip(0).copy()),
            ("concatenated", |x| Array::concatenate(&[x, &x.slice(s![..1])], 0).unwrap()),
        ];
        for (kind, make) in kinds {
            let what = format!("{len} of {dtype}, {kind}");
            spoil_below(device, SMALL);
            let uploaded = Array::from_slice(device, &values);
            let array = make(&uploaded);
            array.eval().unwrap();
            let host = array.to_vec().unwrap();
            let mut bytes: Vec<u8> = host.iter().flat_map(|&x| bits(x).to_le_bytes()[..size].to_vec()).collect();
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            let own: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
            let declared = "var<storage, read> x: array<u32>;";
            let seen = seen(device, declared, "x[i]", Argument::bytes_of(&array));
            own_or_zero(device, &what, &seen, &own, own.len());
            assert_eq!(array.to_vec().unwrap(), host, "{what} on {}", name(device));
        }
    }
}

#[test]
fn arrays_show_nothing_else() {
    for device in apis() {
        parts_of_words::<u8>(device, |x| x, |x| x as u16, |x| (x.cast::<u32>() + 1u32).cast());
        parts_of_words::<u16>(device, |x| x as u16 * 256, |x| x, |x| (x.cast::<u32>() + 1u32).cast());
        parts_of_words::<bool>(device, |x| x % 2 == 1, |x| x as u16, |x| !x);
        match has(device, DType::F16) {
            true => parts_of_words::<f16>(device, |x| f16::from_f32(x as f32), |x| x.to_bits(), |x| x + f16::ONE),
            false => say(&format!("f16 is not tested on {}: it has none", name(device))),
        }
    }
}

/// A part of an array shows its neighbours, which are the program's own, and leaves them as they are.
#[test]
fn views_keep_what_lies_behind() {
    for device in apis() {
        let whole = Array::from_slice(device, &[1u8, 2, 3, 4, 5, 6, 7]);
        let head = whole.slice(s![..3]);
        let seen = seen(device, "var<storage, read> x: array<u32>;", "x[i]", Argument::bytes_of(&head));
        assert_eq!(seen[0] & 0xff_ffff, 0x03_0201, "on {}", name(device));
        assert!([0, 4].contains(&(seen[0] >> 24)), "{:#x} on {}", seen[0], name(device));
        assert_eq!(whole.to_vec().unwrap(), [1, 2, 3, 4, 5, 6, 7], "on {}", name(device));
    }
}

const BYTES: &str = "var<storage, read> x: array<u32>;";

/// What was cleared once is cleared again after the library has written to the array.
#[test]
fn what_the_library_writes_past_the_end_is_not_seen() {
    for device in apis() {
        let mut x = Array::from_slice(device, &[1u8, 2, 3, 4, 5]);
        let long = Array::from_slice(device, &[7u8; 64]);
        spoil_below(device, SMALL);
        for round in 0..3 {
            let words = seen(device, BYTES, "x[i]", Argument::bytes_of(&x));
            let own = if round == 0 { [0x0403_0201, 5] } else { [0x0407_0707, 7] };
            own_or_zero(device, &format!("round {round}"), &words, &own, 2);
            x.slice_mut(s![..3]).assign(long.slice(s![..3])).unwrap();
            x.slice_mut(s![4..]).assign(long.slice(s![..1])).unwrap();
        }
    }
}

/// Memory that a recording gets in place of other memory, and values that it gets.
#[test]
fn recordings_show_nothing_else() {
    for device in apis() {
        let source = format!(
            "@group(0) @binding(0) var<uniform> u: vec2<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {{ for (var i = 0u; i < {SEEN}u; i++) {{ output[i] = u[i]; }} }}"
        );
        let kernel = Kernel::wgsl(&source).unwrap();
        let mut output = Array::<u32>::zeros(device, &[SEEN as usize]).copy();
        let first = Array::from_slice(device, &[3u32, 4]);
        let mut recording = Recording::new(device);
        recording.add(kernel.grid([1]).args((Argument::bytes_of(&first), &mut output))).unwrap();
        recording.add(kernel.grid([1]).args(([1u32, 2], &mut output))).unwrap();
        recording.run().unwrap();
        own_or_zero(device, "a value", &output.to_vec().unwrap(), &[1, 2], 2);
        spoil_below(device, SMALL);
        recording.set(1, "u", [8u32, 9]).unwrap();
        recording.run().unwrap();
        own_or_zero(device, "another value", &output.to_vec().unwrap(), &[8, 9], 2);
        let mut recording = Recording::new(device);
        recording.add(kernel.grid([1]).args((Argument::bytes_of(&first), &mut output))).unwrap();
        spoil_below(device, SMALL);
        let second = Array::<u32>::arange(device, 5, 7, 1) + 0u32;
        second.eval().unwrap();
        recording.replace(&first, &second).unwrap();
        recording.run().unwrap();
        own_or_zero(device, "replaced", &output.to_vec().unwrap(), &[5, 6], 2);
    }
}

/// While the host sees an array, nothing is written to it: a kernel reads a copy, or is refused as others are.
#[test]
fn what_the_host_sees_is_left_alone() {
    for device in apis().iter().filter(|device| device.caps().unified) {
        spoil_below(device, SMALL);
        let x = Array::from_slice(device, &[1u8, 2, 3]);
        let guard = x.map_memory().unwrap();
        let mut output = Array::<u32>::zeros(device, &[1]);
        let source = format!(
            "@group(0) @binding(0) {BYTES}
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {{ output[0] = x[0]; }}"
        );
        let launched =
            Kernel::wgsl(&source).unwrap().grid([1]).args((Argument::bytes_of(&x), &mut output)).launch(device);
        assert_eq!(guard[..], [1, 2, 3], "on {}", name(device));
        if device.properties().backend == Backend::Cpu {
            launched.unwrap();
            assert_eq!(output.to_vec().unwrap(), [0x03_0201]);
        }
    }
}
