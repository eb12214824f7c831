//! A card under what would end it: memory used up to the last megabyte, a kernel that writes where nothing is. One program of
//! its own, since a lost card is lost for the whole process.
#![cfg(all(feature = "cuda", feature = "wgpu"))]

use crosslane::device::Backend;
use crosslane::{Argument, Array, Device, DeviceOptions, Error, ErrorKind, Kernel};

/// Sizes of the arrays that fill a card, in bytes. The last leaves less than a megabyte.
const SIZES: [u64; 3] = [1 << 30, 64 << 20, 1 << 20];

fn works(device: &Device) {
    let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    assert_eq!((x * 2.0).sum().item().unwrap(), 12.0);
}

fn is_lost(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::DeviceLost { .. })
}

/// Whether Vulkan has a card of this name.
fn is_in_vulkan(name: &str) -> bool {
    Device::list().iter().any(|other| other.backend == Backend::Vulkan && other.name == name)
}

/// Takes all of the card's memory, down to the last megabyte; the errors have figures, and everything works after.
fn memory_used_up(device: &Device) {
    let (label, mut arrays) = (device.properties().to_string(), vec![]);
    for bytes in SIZES {
        let error = loop {
            let array = Array::<u32>::empty(device, &[bytes as usize / 4]);
            match array.eval() {
                Ok(()) => arrays.push(array),
                Err(error) => break error,
            }
            assert!((arrays.len() as u64) < 4096, "{label} has no end");
        };
        let ErrorKind::OutOfMemory { requested, live, free, .. } = error.kind() else { panic!("{label}: {error}") };
        assert!(*requested == bytes && *live >= arrays.len() as u64 * SIZES[2], "{label}: {error}");
        // The driver keeps some for itself: 5 MiB of an H200.
        let few = bytes.max(16 << 20);
        assert!(device.properties().backend != Backend::Cuda || free.is_some_and(|free| free < few), "{error}");
    }
    println!("{label}: {} arrays, {} bytes", arrays.len(), device.memory().live);
    // There may be room for small things, or not; neither is more than an error.
    for work in 0..100 {
        match Array::from_vec(device, vec![work; 1000]).cumsum(0).to_vec() {
            Ok(sums) => assert_eq!(sums[999], 1000 * work),
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => {}
            // wgpu gives a device up whose driver finds no memory for a submission.
            Err(error) => {
                assert!(is_lost(&error) && device.properties().backend != Backend::Cuda, "{label}: {error}");
                println!("{label}: {error}");
                drop(arrays);
                return works(&device.reopen().unwrap());
            }
        }
    }
    drop(arrays);
    device.trim();
    works(device);
    Array::<u32>::ones(device, &[(1 << 30) / 4]).eval().unwrap();
}

/// A kernel that is not checked writes far outside: an error then and from then on, also of opening the card again; the card
/// opens through Vulkan, and arrays are rebuilt there.
fn address_of_nothing(vulkan: bool) {
    let device = DeviceOptions::default().keep_lineage(true).cuda(0).unwrap();
    let kernel = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<array<u32, 1048576>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            x[id.x + 0xf0000000u][0] = 1u; // 15 PiB from here, which no card maps
        }",
    );
    // SAFETY: none: that it writes out of bounds is what is tested, in a process that does nothing else.
    let kernel = unsafe { kernel.unwrap().trusted() };
    let kept = Array::from_vec(&device, (0..1000u32).collect()).cumsum(0);
    kept.eval().unwrap();
    let x = Array::<u32>::zeros(&device, &[1 << 20]);
    let outcome = kernel.grid([1]).args(Argument::in_place(&x)).launch(&device).and_then(|()| device.synchronize());
    assert!(is_lost(&outcome.unwrap_err()));
    assert!(is_lost(&x.to_vec().unwrap_err()) && is_lost(&kept.to_vec().unwrap_err()));
    assert!(is_lost(&Array::<f32>::ones(&device, &[10]).sum().item().unwrap_err()));
    drop(x);
    let error = Device::cuda(0).unwrap_err();
    assert!(error.to_string().contains("start the process anew") && is_lost(&error), "{error}");
    match device.reopen() {
        Ok(again) => {
            assert!(vulkan && again.properties().backend == Backend::Vulkan);
            println!("lost {}, went on with {}", device.properties(), again.properties());
            works(&again);
            assert_eq!(kept.rebuild(&again).unwrap().to_vec().unwrap()[999], 499_500);
        }
        Err(error) => assert!(!vulkan && is_lost(&error), "{error}"),
    }
}

#[test]
fn a_card_that_is_used_up_or_lost_is_an_error() {
    let card = match Device::cuda(0) {
        Ok(card) => card,
        Err(error) => return println!("skipped: {error}"),
    };
    let name = card.properties().name.clone();
    let vulkan = is_in_vulkan(&name);
    memory_used_up(&card);
    drop(card);
    match vulkan {
        true => memory_used_up(&Device::open(&format!("vulkan:{name}")).unwrap()),
        false => println!("skipped through Vulkan: {name} is not in the list"),
    }
    address_of_nothing(vulkan);
}
