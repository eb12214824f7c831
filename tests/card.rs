//! A CUDA card under what would end it: memory used up, a kernel that writes where nothing is. One program of its own,
//! since a lost card is lost for the whole process.
#![cfg(feature = "cuda")]

use crosslane::{Argument, Array, Device, ErrorKind, Kernel};

fn works(device: &Device) {
    let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
    assert_eq!((x * 2.0).sum().item().unwrap(), 12.0);
}

/// Takes all of the card's memory; the error has figures, and everything works after.
fn memory_used_up() {
    let device = Device::cuda(0).unwrap();
    let most = device.caps().buffer_bytes;
    let mut arrays = vec![];
    let error = loop {
        let array = Array::<u32>::empty(&device, &[(4 << 30) / 4]);
        match array.eval() {
            Ok(()) => arrays.push(array),
            Err(error) => break error,
        }
        assert!(arrays.len() as u64 <= most >> 32, "more than the card has");
    };
    let ErrorKind::OutOfMemory { requested, free, .. } = error.kind() else { panic!("{error}") };
    assert!(*requested == 4 << 30 && free.is_some_and(|free| free < 4 << 30), "{error}");
    drop(arrays);
    works(&device);
}

/// A kernel that is not checked writes far outside: an error then and from then on, also of opening the card again.
fn address_of_nothing() {
    let device = Device::cuda(0).unwrap();
    let kernel = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<array<u32, 1048576>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            x[id.x + 0xf0000000u][0] = 1u; // 15 PiB from here, which no card maps
        }",
    );
    // SAFETY: none: that it writes out of bounds is what is tested, in a process that does nothing else.
    let kernel = unsafe { kernel.unwrap().trusted() };
    let x = Array::<u32>::zeros(&device, &[1 << 20]);
    let outcome = kernel.grid([1]).args(Argument::in_place(&x)).launch(&device).and_then(|()| device.synchronize());
    let lost = |error: crosslane::Error| matches!(error.kind(), ErrorKind::DeviceLost { .. });
    assert!(lost(outcome.unwrap_err()));
    assert!(lost(x.to_vec().unwrap_err()));
    assert!(lost(Array::<f32>::ones(&device, &[10]).sum().item().unwrap_err()));
    drop((x, device));
    let error = Device::cuda(0).unwrap_err();
    assert!(error.to_string().contains("start the process anew"), "{error}");
    assert!(lost(error));
}

#[test]
fn a_card_that_is_used_up_or_lost_is_an_error() {
    if let Err(error) = Device::cuda(0) {
        return println!("skipped: {error}");
    }
    memory_used_up();
    address_of_nothing();
}
