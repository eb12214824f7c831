//! A billion elements, on cards that have the memory: sums past 2^32, bytes past 2^31, arrays past one binding. All is
//! made and compared on the card.

mod support;

use crosslane::array::{OutOfRange, Side, SortOptions, TopKOptions};
use crosslane::cpu::Profile;
use crosslane::device::DeviceKind;
use crosslane::{Argument, Array, Device, DeviceOptions, ErrorKind, Kernel, Result, Scan, f16, s};
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
    use crosslane::{Recording, device::Backend};
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

/// Rows of 2^20 bytes below 128, `1 + 2^12` of them: more than 2^32 in all, and by how many rows.
const ROW: usize = 1 << 20;
const ROWS: usize = (1 << 12) + 1;

/// By how much a row's bytes are more than the first one's. The last row, 2^32 elements later, differs from it.
fn of_row(i: usize) -> usize {
    i * 7 + (i >> 12) * 3
}

/// The byte at this place.
fn byte(place: usize) -> u8 {
    let (i, j) = (place / ROW, place % ROW);
    (of_row(i) + j * 13 + (j >> 8)) as u8 & 127
}

/// Frees what earlier tests have left in pools: a card's memory is for all of its devices.
fn make_room() {
    apis().iter().for_each(Device::trim);
}

/// All of them, `[ROWS, ROW]`.
fn bytes(device: &Device) -> Array<u8> {
    make_room();
    let i = Array::<u32>::arange(device, 0, ROWS as u32, 1).expand_dims(1);
    let j = Array::<u32>::arange(device, 0, ROW as u32, 1);
    let x = ((&i * 7 + (&i >> 12) * 3 + &j * 13 + (&j >> 8)) & 127).cast::<u8>().copy();
    x.eval().unwrap();
    x
}

/// How often each occurs in the first row. A row is the first one, each byte more by [`of_row`].
fn of_first_row() -> Vec<u32> {
    let mut counts = vec![0u32; 128];
    (0..ROW).for_each(|j| counts[byte(j) as usize] += 1);
    counts
}

/// The sum of each row.
fn sums_of_rows() -> Vec<u8> {
    let first = of_first_row();
    let sum = |row: usize| (0..128).map(|x| first[x] * ((x + of_row(row)) & 127) as u32).fold(0, u32::wrapping_add);
    (0..ROWS).map(|row| sum(row) as u8).collect()
}

/// How often each occurs.
fn occurrences() -> Vec<u32> {
    let (first, mut counts) = (of_first_row(), vec![0; 128]);
    for row in 0..ROWS {
        (0..128).for_each(|x| counts[(x + of_row(row)) & 127] += first[x]);
    }
    counts
}

/// The cards, and with `CROSSLANE_HUGE=cpu` the processor, which takes minutes and 16 GiB of the host's memory.
fn cards_and_processor() -> Vec<Device> {
    let mut all: Vec<Device> = cards().into_iter().cloned().collect();
    match std::env::var("CROSSLANE_HUGE").as_deref() {
        Ok("cpu") => {
            let mut profile = Profile::native();
            profile.caps.buffer_bytes = 1 << 36;
            all.push(DeviceOptions::default().cpu(profile, None).unwrap());
        }
        _ => say("skipped the processor: wanted CROSSLANE_HUGE=cpu"),
    }
    all
}

/// Whether a device has memory for this; says if not.
fn has_memory(device: &Device, gibibytes: u64, what: &str) -> bool {
    make_room();
    let enough = device.caps().buffer_bytes >= gibibytes << 30 && device.properties().kind == DeviceKind::Discrete;
    if !enough {
        say(&format!("skipped {what} on {}: wanted a card with buffers of {gibibytes} GiB", name(device)));
    }
    enough
}

fn part<T: crosslane::Element>(array: &Array<T>, start: usize, len: usize) -> Vec<T> {
    array.slice(s![start..start + len]).to_vec().unwrap()
}

#[test]
fn numbers_past_2_32() {
    let len = (1usize << 32) + 1024;
    for device in &cards_and_processor() {
        if has_memory(device, 20, "2^32 + 1024 floats") {
            let x = Array::arange(device, 0.0f32, len as f32, 1.0);
            x.eval().unwrap();
            assert_eq!(x.len(), len);
            for place in [0, 1 << 20, 1 << 31, (1 << 32) - 256, 1 << 32, len - 512] {
                assert_eq!(part(&x, place, 1), [place as f32], "arange on {}", name(device));
            }
            drop(x);
            let x = Array::linspace(device, -1.0f32, 1.0, len);
            x.eval().unwrap();
            for place in [0, 1 << 31, 1 << 32, len - 2, len - 1] {
                let (got, wanted) = (part(&x, place, 1)[0] as f64, place as f64 * 2.0 / (len - 1) as f64 - 1.0);
                assert!((got - wanted).abs() < 1e-6, "{got} and not {wanted}: linspace on {}", name(device));
            }
            assert_eq!(part(&x, len - 1, 1), [1.0], "linspace on {}", name(device));
        }
        if has_memory(device, 40, "2^32 + 1024 numbers of 64 bits") {
            let x = Array::arange(device, 5u64, 5 + 3 * len as u64, 3);
            x.eval().unwrap();
            let wanted = |place: usize| 5 + 3 * place as u64;
            for place in [0, (1 << 32) - 3, len - 9] {
                assert_eq!(
                    part(&x, place, 9),
                    (place..place + 9).map(wanted).collect::<Vec<_>>(),
                    "on {}",
                    name(device)
                );
            }
            let all = len as u64;
            // Modulo 2^64.
            let sum = (3 * (all / 2)).wrapping_mul(all - 1).wrapping_add(5 * all);
            assert_eq!(x.sum().item().unwrap(), sum, "sum on {}", name(device));
        }
    }
}

#[test]
fn counts_past_2_32() {
    for device in &cards_and_processor() {
        let x = bytes(device);
        assert_eq!(x.bincount(128).to_vec().unwrap(), occurrences(), "bincount on {}", name(device));
        let halves: Vec<u32> = occurrences().chunks(64).map(|half| half.iter().sum()).collect();
        let (counts, _) = x.histogram(2, 0.0..128.0).unwrap();
        assert_eq!(counts.to_vec().unwrap(), halves, "histogram on {}", name(device));
        drop(x);
        let zeros = Array::<u8>::zeros(device, &[1 << 33]);
        assert_eq!(zeros.bincount(2).to_vec().unwrap(), [u32::MAX, 0], "one count on {}", name(device));
        let error = zeros.argsort().to_vec().unwrap_err().to_string();
        assert!(error.contains("whose positions u32 holds"), "{error}");
        let error = zeros.nonzero().to_vec().unwrap_err().to_string();
        assert!(error.contains("at most 2^32 elements"), "{error}");
    }
}

#[test]
fn selections_past_2_32() {
    for device in &cards_and_processor() {
        let (x, counts) = (bytes(device), occurrences());
        let few = x.compress(&x.cast::<u32>().less(3));
        let count: u32 = counts[..3].iter().sum();
        assert_eq!(few.count().unwrap(), count as usize, "selection on {}", name(device));
        let few = few.to_array().unwrap();
        assert_eq!(few.bincount(4).to_vec().unwrap(), [counts[0], counts[1], counts[2], 0], "on {}", name(device));
        let first: Vec<u8> = (0..ROWS * ROW).map(byte).filter(|&x| x < 3).take(1000).collect();
        assert_eq!(part(&few, 0, 1000), first, "first of selection on {}", name(device));
        let last = (0..ROWS * ROW).rev().map(byte).filter(|&x| x < 3).take(1000).collect::<Vec<_>>();
        let last: Vec<u8> = last.into_iter().rev().collect();
        assert_eq!(part(&few, few.len() - 1000, 1000), last, "last of selection on {}", name(device));
        let (parted, count) = x.partition(&x.cast::<u32>().less(64));
        let below: usize = counts[..64].iter().map(|&count| count as usize).sum();
        assert_eq!(count.item().unwrap() as usize, below, "partition on {}", name(device));
        assert_eq!(parted.len(), ROWS * ROW);
        let (low, high) = (parted.slice(s![..below]), parted.slice(s![below..]));
        assert_eq!(low.cast::<u32>().max().item().unwrap(), 63, "partition on {}", name(device));
        assert_eq!(high.cast::<u32>().min().item().unwrap(), 64, "partition on {}", name(device));
        assert_eq!(parted.bincount(128).to_vec().unwrap(), counts, "partition on {}", name(device));
    }
}

#[test]
fn elements_by_index_past_2_32() {
    let outside = OutOfRange::Error;
    for device in &cards_and_processor() {
        let (x, len) = (bytes(device), ROWS * ROW);
        let rows = x.take_axis(&Array::from_slice(device, &[ROWS as i32 - 1, 0, -2]), 0, outside);
        for (row, from) in [ROWS - 1, 0, ROWS - 2].into_iter().enumerate() {
            let same = rows.slice(s![row]).equal(x.slice(s![from])).all().item().unwrap();
            assert!(same, "row {from} on {}", name(device));
        }
        let columns = x.take_axis(&Array::from_slice(device, &[ROW as u32 - 1, 3]), 1, outside);
        let wanted: Vec<u8> = (0..ROWS).flat_map(|i| [ROW - 1, 3].map(|j| byte(i * ROW + j))).collect();
        assert_eq!(columns.to_vec().unwrap(), wanted, "columns on {}", name(device));
        let flat = x.flatten();
        let near = flat.take(&Array::from_slice(device, &[0i32, -1, i32::MIN, i32::MAX]), outside);
        let wanted = [0, len - 1, len - (1 << 31), (1 << 31) - 1].map(byte);
        assert_eq!(near.to_vec().unwrap(), wanted, "signed indices on {}", name(device));
        let far = flat.take(&Array::from_slice(device, &[u32::MAX, u32::MAX - 1, 1 << 31]), outside);
        let wanted = [(1 << 32) - 1, (1 << 32) - 2, 1 << 31].map(byte);
        assert_eq!(far.to_vec().unwrap(), wanted, "indices on {}", name(device));
        if !device.caps().i64 {
            say(&format!("skipped indices of 64 bits on {}: no 64-bit integers", name(device)));
            continue;
        }
        let wide = [len as u64 - 1, 1 << 32, (1 << 32) + 5, 0];
        let taken = flat.take(&Array::from_slice(device, &wide), outside);
        assert_eq!(taken.to_vec().unwrap(), wanted_at(&wide), "indices of 64 bits on {}", name(device));
        let behind = [-1, -(len as i64), (1 << 32) + 7 - len as i64];
        let taken = flat.take(&Array::from_slice(device, &behind), outside);
        let wanted = wanted_at(&behind.map(|i| (i + len as i64) as u64));
        assert_eq!(taken.to_vec().unwrap(), wanted, "signed indices of 64 bits on {}", name(device));
        let error = flat.take(&Array::from_slice(device, &[0, len as u64]), outside).to_vec().unwrap_err().to_string();
        assert!(error.contains(&format!("wanted 0 to {}, got {len}", len - 1)), "{error}");
    }
}

fn wanted_at(places: &[u64]) -> Vec<u8> {
    places.iter().map(|&place| byte(place as usize)).collect()
}

#[test]
fn segments_past_2_32() {
    for device in &cards_and_processor() {
        if !device.caps().i64 {
            say(&format!("skipped {}: no offsets of 64 bits", name(device)));
            continue;
        }
        make_room();
        // Rows, of which the first has none of its own and two are one.
        let offsets: Vec<u64> =
            [0, 0].into_iter().chain((1..=ROWS as u64).filter(|&row| row != 3).map(|row| row * ROW as u64)).collect();
        let offsets = Array::from_slice(device, &offsets);
        let sums: Array<u8> = Scan::sum().reduce_segments(&bytes(device).flatten(), &offsets);
        let rows = sums_of_rows();
        let two = [0, rows[0], rows[1], rows[2].wrapping_add(rows[3])];
        assert_eq!(sums.to_vec().unwrap(), [&two, &rows[4..]].concat(), "on {}", name(device));
    }
}

#[test]
fn sorts_past_2_32() {
    for device in &cards_and_processor() {
        let (x, counts) = (bytes(device).flatten(), occurrences());
        let (sorted, values) = x.sort_pairs(&(&x.cast::<u32>() ^ 85).cast::<u8>());
        let (before, after) = (sorted.slice(s![..-1]).cast::<u32>(), sorted.slice(s![1..]).cast::<u32>());
        let rises = before.less_equal(after).all().item().unwrap();
        assert!(rises, "sort on {}", name(device));
        assert_eq!(sorted.bincount(128).to_vec().unwrap(), counts, "sort on {}", name(device));
        let moved = (&values.cast::<u32>() ^ 85).equal(sorted.cast::<u32>()).all().item().unwrap();
        assert!(moved, "sort with values on {}", name(device));
        drop(values);
        let (distinct, times) = sorted.run_lengths();
        assert_eq!(distinct.to_vec().unwrap(), (0..128).collect::<Vec<u8>>(), "runs on {}", name(device));
        assert_eq!(times.to_vec().unwrap(), counts, "runs on {}", name(device));
        drop((x, sorted));
        if !has_memory(device, 48, "a sort of 2^33 bytes") {
            continue;
        }
        let zeros = Array::<u8>::zeros(device, &[1 << 33]).copy();
        assert_eq!(zeros.unique().to_vec().unwrap(), [0], "unique of 2^33 on {}", name(device));
        let error = zeros.run_lengths().1.to_vec().unwrap_err().to_string();
        assert!(error.contains("runs of fewer than 2^32 elements"), "{error}");
    }
}

#[test]
fn positions_past_2_32() {
    for device in &cards_and_processor() {
        if !device.caps().i64 {
            say(&format!("skipped {}: no positions of 64 bits", name(device)));
            continue;
        }
        let (rows, len) = (bytes(device), ROWS * ROW);
        let (values, places) = rows.top_k_with(2, &TopKOptions::default().axis(1));
        assert!(values.cast::<u32>().equal(127).all().item().unwrap(), "top_k of rows on {}", name(device));
        let taken = rows.take_along_axis(&places, 1, OutOfRange::Error);
        assert!(taken.cast::<u32>().equal(127).all().item().unwrap(), "top_k of rows on {}", name(device));
        drop((values, places, taken));
        let far = [(1 << 32) + 77, 1 << 32, 5, len as u64 - 1];
        let x = rows.flatten().put(
            &Array::from_slice(device, &far),
            &device.array([203u8, 202, 201, 200]),
            OutOfRange::Error,
        );
        drop(rows);
        x.eval().unwrap();
        let wide = x.cast::<u32>(); // computed in what reads it
        assert_eq!(wide.arg_max_as::<u64>(..).item().unwrap(), far[0], "arg_max on {}", name(device));
        assert_eq!((&wide ^ 255).arg_min_as::<i64>(0).item().unwrap(), far[0] as i64, "arg_min on {}", name(device));
        let (values, places) = x.top_k_as::<u64>(4, &TopKOptions::default());
        assert_eq!(values.to_vec().unwrap(), [203, 202, 201, 200], "top_k on {}", name(device));
        assert_eq!(places.to_vec().unwrap(), far, "top_k on {}", name(device));
        let mut rising = far;
        rising.sort();
        let found = wide.greater_equal(200).nonzero_as::<u64>();
        assert_eq!(found.to_vec().unwrap(), rising, "nonzero on {}", name(device));
        drop((values, places, found));
        let sorted = x.sort();
        let mut counts = occurrences();
        far.iter().for_each(|&place| counts[byte(place as usize) as usize] -= 1);
        let below: Vec<u64> = (0..=128).map(|x| counts[..x].iter().map(|&count| count as u64).sum()).collect();
        let bounds = Array::from_slice(device, &(0..=128).collect::<Vec<u8>>());
        let got = sorted.searchsorted_as::<u64>(&bounds, Side::Left).to_vec().unwrap();
        assert_eq!(got, below, "searchsorted on {}", name(device));
        assert_eq!(x.nth(len - 2).item().unwrap(), 202, "nth on {}", name(device));
        drop(sorted);
        if !has_memory(device, 36, "positions of all elements") {
            continue;
        }
        match x.argsort_as::<u64>(&SortOptions::default()).slice(s![len - 4..]).to_vec() {
            Ok(last) => assert_eq!(last, [far[3], far[2], far[1], far[0]], "argsort on {}", name(device)),
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => {
                say(&format!("skipped argsort: {error}"))
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn scatters_past_2_32() {
    let outside = OutOfRange::Error;
    for device in &cards_and_processor() {
        let (x, len) = (bytes(device), ROWS * ROW);
        let differ = |y: &Array<u8>| y.not_equal(&x).cast::<u32>().sum().item().unwrap();
        let values = [200u8, 201, 202, 203];
        let near = x.put(&Array::from_slice(device, &[0i32, -1, i32::MIN, i32::MAX]), &device.array(values), outside);
        let far =
            x.put(&Array::from_slice(device, &[u32::MAX, u32::MAX - 1, 1 << 31, 7]), &device.array(values), outside);
        let places = [[0, len - 1, len - (1 << 31), (1 << 31) - 1], [(1 << 32) - 1, (1 << 32) - 2, 1 << 31, 7]];
        for (put, places) in [near, far].iter().zip(places) {
            assert_eq!(differ(put), 4, "put on {}", name(device));
            for (place, value) in places.into_iter().zip(values) {
                assert_eq!(part(&put.flatten(), place, 1), [value], "put on {}", name(device));
            }
        }
        let last = Array::full(device, &[1, ROW], ROWS as u32 - 1);
        let row = x.put_along_axis(&last, &Array::full(device, &[1, ROW], 255), 0, outside);
        assert_eq!(differ(&row), ROW as u32, "a row put on {}", name(device));
        let mask = x.cast::<u32>().equal(127);
        let values = (Array::<u32>::arange(device, 0, occurrences()[127], 1) % 101 + 128).cast::<u8>();
        let placed = x.masked_scatter(&mask, &values);
        assert_eq!(differ(&placed), occurrences()[127], "through a mask on {}", name(device));
        let again = placed.compress(&mask).to_array().unwrap();
        assert!(again.equal(&values).all().item().unwrap(), "through a mask on {}", name(device));
    }
}

#[test]
fn repeats_past_2_32() {
    for device in &cards_and_processor() {
        make_room();
        let counts = [u32::MAX, 5, 1 << 30];
        let x = device.array([3u8, 9, 5]).repeat(&device.array(counts)).unwrap();
        assert_eq!(x.len(), counts.iter().map(|&count| count as usize).sum::<usize>());
        let places = [0, u32::MAX as usize - 2, u32::MAX as usize + 3, x.len() - 4];
        let wanted = [[3, 3, 3, 3], [3, 3, 9, 9], [9, 9, 5, 5], [5, 5, 5, 5]];
        for (place, wanted) in places.into_iter().zip(wanted) {
            assert_eq!(part(&x, place, 4), wanted, "repeat on {}", name(device));
        }
        assert_eq!(
            x.bincount(10).to_vec().unwrap(),
            [0, 0, 0, u32::MAX, 0, 1 << 30, 0, 0, 0, 5],
            "on {}",
            name(device)
        );
    }
}

#[test]
fn keys_past_2_32() {
    for device in &cards_and_processor() {
        make_room();
        let rows = Array::<u32>::arange(device, 0, ROWS as u32, 1).cast::<u8>().expand_dims(1);
        let keys = rows.broadcast_to(&[ROWS, ROW]).copy().flatten();
        let ones = Array::<u8>::ones(device, &[ROWS * ROW]);
        let scanned: Array<u8> = Scan::sum().call_by_key(&keys, &ones);
        let places = Array::<u32>::arange(device, 1, ROW as u32 + 1, 1).cast::<u8>();
        let wrong = scanned.reshape(&[ROWS, ROW]).not_equal(&places).cast::<u32>().sum_axes(-1).to_vec().unwrap();
        let some: Vec<_> = wrong.iter().enumerate().filter(|(_, count)| **count > 0).take(9).collect();
        assert!(some.is_empty(), "a scan by key on {}: wrong, of these rows: {some:?}", device.properties());
        drop(scanned);
        let (firsts, sums) = Scan::sum().reduce_by_key::<_, _, u8>(&keys, &bytes(device).flatten());
        let wanted: Vec<u8> = (0..ROWS).map(|row| row as u8).collect();
        assert_eq!(firsts.to_array().unwrap().to_vec().unwrap(), wanted, "on {}", device.properties());
        assert_eq!(sums.to_array().unwrap().to_vec().unwrap(), sums_of_rows(), "on {}", device.properties());
        if has_memory(device, 40, "scans of 2^32 + 2^20 words by key") {
            drop((firsts, sums));
            let ones = Array::<u32>::ones(device, &[ROWS * ROW]);
            let scanned: Array<u32> = Scan::sum().call_by_key(&keys, &ones);
            let places = Array::<u32>::arange(device, 1, ROW as u32 + 1, 1);
            let scanned = scanned.reshape(&[ROWS, ROW]);
            let wrong = scanned.not_equal(&places).cast::<u32>().sum_axes(-1).to_vec().unwrap();
            let some: Vec<_> = wrong.iter().enumerate().filter(|(_, count)| **count > 0).take(9).collect();
            assert!(
                some.is_empty(),
                "a scan of words by key on {}: wrong, of these rows: {some:?}",
                device.properties()
            );
            let whole = scanned.equal(places.broadcast_to(&[ROWS, ROW])).all().item().unwrap();
            assert!(whole, "all on {}", device.properties());
        }
    }
}
