//! A billion elements, on cards that have the memory: sums past 2^32, bytes past 2^31, arrays past one binding. All is
//! made and compared on the card.

mod support;

use crosslane::array::OutOfRange;
use crosslane::device::Backend;
use crosslane::device::DeviceKind;
use crosslane::{Argument, Array, Device, DeviceOptions, Kernel, Recording, Result, Scan, f16, s};
use support::{apis, name, say};

const N: usize = 1 << 30;
/// More than a few tiles of anything, and it ends within one.
const ODD: usize = (1 << 24) + 7;

/// The cards; says which devices are none.
fn cards() -> Vec<&'static Device> {
    let is = |device: &&Device| {
        let enough = device.properties().kind == DeviceKind::Discrete && device.caps().buffer_bytes >= 16 << 30;
        if !enough {
            say(&format!("skipped {}: wanted a card with buffers of 16 GiB", name(device)));
        }
        enough
    };
    apis().iter().filter(is).collect()
}

fn counting(device: &Device) -> Array<u32> {
    Array::arange(device, 0u32, N as u32, 1)
}

/// Each of the numbers below 2^30 once, in no order: an odd factor permutes them.
fn mixed(device: &Device) -> Result<Array<u32>> {
    let mixed = (counting(device) * 2_654_435_761u32) & (N as u32 - 1);
    mixed.eval()?;
    Ok(mixed)
}

/// The cards, and lavapipe, which does this in seconds; says which devices are neither.
fn cards_and_lavapipe() -> Vec<&'static Device> {
    let is = |device: &&Device| {
        let fast = device.properties().kind == DeviceKind::Discrete || name(device).contains("llvmpipe");
        if !fast {
            say(&format!("skipped {}: 2^24 elements take it long", name(device)));
        }
        fast
    };
    apis().iter().filter(is).collect()
}

#[track_caller]
fn holds(what: &str, device: &Device, condition: &Array<bool>) {
    assert!(condition.all().item().unwrap(), "{what} of 2^30 on {}", name(device));
}

#[test]
fn odd_lengths_of_millions() {
    for device in cards_and_lavapipe() {
        let i = Array::<u32>::arange(device, 0, ODD as u32, 1);
        let low = (&i & 7).copy();
        let right = |what: &str, condition: &Array<bool>| {
            assert!(condition.all().item().unwrap(), "{what} of 2^24 + 7 on {}", name(device));
        };
        let sums: Array<u32> = Scan::sum().call(&low);
        right("sums", &sums.equal(&((&i >> 3) * 28 + &low * (&low + 1) / 2)));
        let few = i.compress(&low.less(3)).to_array().unwrap();
        assert_eq!(few.len(), (1 << 24) / 8 * 3 + 3, "selection on {}", name(device));
        let place = Array::<u32>::arange(device, 0, few.len() as u32, 1);
        right("selection", &few.equal(&place / 3 * 8 + &place % 3));
        let counts: Vec<u32> = (0..8).map(|bin| (1 << 21) + (bin < 7) as u32).collect();
        assert_eq!(low.bincount(8).to_vec().unwrap(), counts, "bincount on {}", name(device));
        if device.properties().kind != DeviceKind::Discrete {
            say(&format!("{}: sorts of 2^24 + 7 on cards only, they take it half a minute", name(device)));
            continue;
        }
        // Each of the numbers below 2^24 once, and the first seven again.
        let x = ((&i * 2_654_435_761u32) & ((1 << 24) - 1)).copy();
        let (sorted, order) = (x.sort(), x.argsort());
        let (before, after) = (sorted.slice(s![..-1]), sorted.slice(s![1..]));
        right("sort", &before.less_equal(&after));
        let twice = before.equal(&after);
        assert_eq!(twice.cast::<u32>().sum().item().unwrap(), 7, "sort on {}", name(device));
        right("argsort", &x.take(&order, OutOfRange::Drop).equal(&sorted));
        right("stable argsort", &(before.not_equal(&after) | order.slice(s![..-1]).less(order.slice(s![1..]))));
    }
}

#[test]
fn sorts_and_places() {
    for device in cards() {
        let x = mixed(device).unwrap();
        holds("sort", device, &x.sort().equal(counting(device)));
        let order = x.argsort();
        holds("argsort", device, &x.take(&order, OutOfRange::Drop).equal(counting(device)));
        assert_eq!(x.nth(N / 3).item().unwrap(), N as u32 / 3, "nth on {}", name(device));
        let largest: Vec<u32> = (0..10).map(|i| N as u32 - 1 - i).collect();
        assert_eq!(x.top_k(10).0.to_vec().unwrap(), largest, "top_k on {}", name(device));
    }
}

#[test]
fn moves_past_32_bits() {
    for device in cards() {
        let side = 1usize << 15;
        let x = counting(device).reshape(&[side, side]).copy();
        x.eval().unwrap();
        let turned = x.transpose().copy();
        let (i, j) = (Array::<u32>::arange(device, 0, side as u32, 1), 1u32 << 15);
        holds("transpose", device, &turned.equal(&i.expand_dims(1) + &(&i * j)));
        drop(turned);
        let both = Array::concatenate(&[&x, &(&x + 1)], 1).unwrap();
        holds("first half", device, &both.slice(s![.., ..1 << 15]).equal(&x));
        holds("second half", device, &both.slice(s![.., 1 << 15..]).equal(&x + 1));
        drop(both);
        let rolled = x.roll(12345);
        holds("roll", device, &rolled.roll(-12345).equal(&x));
    }
}

/// Sides and results of 4 GiB.
#[test]
fn products_past_one_binding() {
    for device in cards() {
        let side = N.isqrt();
        let (i, j) =
            (Array::<u32>::arange(device, 0, side as u32, 1).expand_dims(1), Array::arange(device, 0, side as u32, 1));
        // All sixteen numbers in each row, in some order.
        let x = ((&i * 7 + &j * 3) & 15).copy();
        x.eval().unwrap();
        let every = side / 64 - 1;
        let picked = i.equal(&(Array::arange(device, 0, 64, 1) * every as u32)).cast::<u32>();
        let wanted = x.slice(s![.., ..(64 * every) as isize; every as isize]);
        holds("picked columns", device, &x.matmul(&picked).equal(wanted));
        let halves = x.cast::<f16>();
        drop(x);
        halves.eval().unwrap();
        let sums = halves.matmul_as::<f32>(&Array::full(device, &[side, 64], f16::ONE));
        holds("sums of halves", device, &sums.equal(side as f32 / 16.0 * 120.0));
        drop(halves);
        let left = (&i & 7).cast::<f32>().broadcast_to(&[side, 16]);
        let right = (&j & 7).cast::<f32>().broadcast_to(&[16, side]);
        let wide = left.copy().matmul(&right.copy());
        wide.eval().unwrap();
        holds("a large result", device, &wide.equal((&i & 7).cast::<f32>() * (&j & 7).cast::<f32>() * 16.0));
    }
}

#[test]
fn sums_past_32_bits() {
    for device in cards() {
        let i = counting(device);
        let low = &i & 7;
        let sums: Array<u32> = Scan::sum().call(&low);
        holds("sum of u32", device, &sums.equal(&((&i >> 3) * 28 + &low * (&low + 1) / 2)));
        drop(sums);
        let wide = i.cast::<u64>();
        let sums: Array<u64> = Scan::sum().exclusive().call(&(&wide * 8));
        // 4 i (i - 1), past 2^61.
        holds("sum of u64", device, &(sums + &wide * 4).equal(&(&wide * &wide * 4)));
        assert_eq!(wide.sum().item().unwrap(), (N as u64) * (N as u64 - 1) / 2, "sum on {}", name(device));
    }
}

#[test]
fn bytes_counted_and_selected() {
    for device in cards() {
        let low = mixed(device).unwrap() & 255;
        let bytes = low.cast::<u8>();
        bytes.eval().unwrap();
        assert_eq!(bytes.bincount(256).to_vec().unwrap(), vec![N as u32 / 256; 256], "bincount on {}", name(device));
        let few = bytes.compress(&low.less(64));
        assert_eq!(few.count().unwrap(), N / 4, "selection on {}", name(device));
        let sum = few.to_array().unwrap().cast::<u64>().sum().item().unwrap();
        assert_eq!(sum, N as u64 / 256 * (63 * 64 / 2), "selection on {}", name(device));
        let sorted = few.sort().to_array().unwrap();
        let places = Array::<u32>::arange(device, 0, N as u32 / 4, 1);
        holds("sort of selected", device, &sorted.cast::<u32>().equal(&(places / (N as u32 / 256))));
    }
}

/// Every array a dedicated allocation, as those past wgpu's largest buffer are: transfers, kernels and recordings over them.
#[test]
#[cfg(feature = "wgpu")]
fn dedicated_allocations() {
    for other in apis().iter().filter(|device| device.properties().backend == Backend::Vulkan) {
        let opened = DeviceOptions::default().dedicated_from(0).open(&format!("vulkan:{}", other.properties().name));
        let device = &opened.unwrap();
        for length in [1, 7, 1000, (1 << 20) + 5] {
            let host: Vec<u16> = (0..length).map(|i| (i as u32).wrapping_mul(40_503) as u16).collect();
            let x = Array::from_slice(device, &host);
            assert_eq!(x.to_vec().unwrap(), host, "{length} on {}", name(device));
            let mut sorted = host.clone();
            sorted.sort_unstable();
            assert_eq!(x.sort().to_vec().unwrap(), sorted, "{length} on {}", name(device));
            let sum: u32 = host.iter().fold(0u32, |sum, &x| sum.wrapping_add(x as u32 * 3 + 1));
            assert_eq!((x.cast::<u32>() * 3 + 1).sum().item().unwrap(), sum, "{length} on {}", name(device));
            assert!(x.map_memory().is_err() || length == 0, "wgpu cannot map it");
        }
        let mut x = Array::<u32>::zeros(device, &[1 << 16]).copy();
        let kernel = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] += id.x; }",
        );
        kernel.unwrap().for_elements(1 << 16).args(&mut x).launch(device).unwrap();
        let mut recording = Recording::of(&[&(&x * 2)]).unwrap();
        recording.run().unwrap();
        assert!(x.equal(Array::arange(device, 0, 1 << 16, 1)).all().item().unwrap(), "on {}", name(device));
        drop(x);
        drop(recording);
        device.trim();
        assert_eq!(device.memory().pooled, 0);
    }
}

/// As many bytes as 32 bits count, and more: elementwise work, sums, running sums, parts and single elements around 2^31 and
/// 2^32.
#[test]
fn elements_past_32_bits() {
    const ROW: usize = 1 << 20;
    for device in cards() {
        for rows in [1 << 11, 1 << 12, (1 << 12) + 1, 1 << 13] {
            let what = format!("{rows} x 2^20 on {}", name(device));
            let (i, j) =
                (Array::<u32>::arange(device, 0, rows, 1).expand_dims(1), Array::arange(device, 0, ROW as u32, 1));
            let x = ((&i * 7 + &j * 13 + (&j >> 8)) & 127).cast::<u8>().copy();
            x.eval().unwrap();
            let wanted = |place: usize| {
                let (i, j) = (place / ROW, place % ROW);
                (i * 7 + j * 13 + (j >> 8)) as u8 & 127
            };
            let flat = x.reshape(&[-1]);
            let len = flat.len();
            assert_eq!(len, rows as usize * ROW);
            for place in [0, (1 << 31) - 3, (1 << 32) - 3, len - 10].into_iter().filter(|&place| place + 10 <= len) {
                let part = flat.slice(s![place as isize..place as isize + 10]).to_vec().unwrap();
                assert_eq!(part, (place..place + 10).map(wanted).collect::<Vec<_>>(), "at {place} of {what}");
            }
            // A shift by a row keeps values of the same column, each 7 more.
            let (above, below) = (flat.slice(s![..-(ROW as isize)]), flat.slice(s![ROW as isize..]));
            assert!(
                below.equal(((above.cast::<u32>() + 7) & 127).cast::<u8>()).all().item().unwrap(),
                "rows of {what}"
            );
            let all: u64 = (0..ROW).map(|j| (0..128).map(|i| wanted(i * ROW + j) as u64).sum::<u64>()).sum();
            let whole = rows as usize / 128 * 128;
            let rest: u64 =
                (whole..rows as usize).map(|i| (0..ROW).map(|j| wanted(i * ROW + j) as u64).sum::<u64>()).sum();
            let sum = flat.cast::<u64>().sum().item().unwrap();
            assert_eq!(sum, all * (whole as u64 / 128) + rest, "sum of {what}");
            let mut changed = flat.copy();
            changed.slice_mut(s![-5..-2]).assign(200).unwrap();
            let changed = changed.cast::<u32>();
            assert_eq!(changed.greater(127).cast::<u32>().sum().item().unwrap(), 3, "assignment to {what}");
            assert_eq!(changed.max().item().unwrap(), 200, "assignment to {what}");
        }
    }
}

/// An array of halves with more of them than 32 bits count: as many are seen as can be counted.
#[test]
fn halves_past_what_is_counted() {
    for device in cards() {
        let words = 1usize << 31; // 8 GiB, 2^32 halves
        if device.caps().binding_bytes < words as u64 * 4 || !device.caps().f16 {
            say(&format!("skipped {}: wanted bindings of 8 GiB, and halves", name(device)));
            continue;
        }
        let kernel = Kernel::wgsl(
            "enable f16;
             @group(0) @binding(0) var<storage, read_write> x: array<f16>;
             @group(0) @binding(1) var<storage, read_write> length: array<u32>;
             @compute @workgroup_size(1) fn main() {
                 length[0] = arrayLength(&x);
                 x[arrayLength(&x) - 1u] = 1.0h;
             }",
        )
        .unwrap();
        let (x, mut length) = (Array::<u32>::zeros(device, &[words]).copy(), Array::<u32>::zeros(device, &[1]));
        kernel.grid([1]).args((Argument::bytes_of(&x), &mut length)).launch(device).unwrap();
        assert_eq!(length.item().unwrap(), u32::MAX, "on {}", name(device));
        let last = x.slice(s![words as isize - 1..]).copy();
        assert_eq!(last.item().unwrap(), f16::ONE.to_bits() as u32, "on {}", name(device)); // the half before the last
    }
}
