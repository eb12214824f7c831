//! Null hardware compiles, and refuses with one error whatever would have to run.

use crate::support::say;
use crate::vendors::{DEVICES, TASK, folder, is_there, start};
use crosslane::device::{Backend, DeviceKind};
use crosslane::{Array, Device, ErrorKind, Event, Kernel, Recording, Result};

/// The error of something that would have to run.
#[track_caller]
fn refused<T>(result: Result<T>) {
    let Err(error) = result else { panic!("it ran on null hardware") };
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("only compiles") && text.contains("another device"), "{text}");
}

#[test]
fn null_hardware_compiles_and_runs_nothing() {
    if std::env::var(TASK).is_ok() {
        return look();
    }
    let (Some(folder), name) = (folder(), "refused::null_hardware_compiles_and_runs_nothing") else { return };
    for wanted in ["AMD Vega", "Apple M1", "Adreno 740"] {
        let device = DEVICES.iter().find(|device| device.name.starts_with(wanted)).expect("it is one of them");
        if is_there(&folder, device) {
            let output = start(&folder, device, name, "look").wait_with_output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && text.contains("all of it was refused"), "{wanted}: {text}");
        }
    }
}

fn look() {
    let device = Device::open("null").unwrap();
    let properties = device.properties();
    assert_eq!((properties.kind, properties.backend), (DeviceKind::Null, Backend::Vulkan), "{properties}");
    assert!(device.caps().subgroups.is_some() && !device.caps().unified);
    is_not_chosen(&properties.name);

    let kernel = Kernel::wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
        override N = 3u;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            for (var i = 0u; i < u32(x[0]); i++) { x[id.x] += f32(N); }
        }",
    )
    .unwrap();
    kernel.grid([1]).compile(&device).unwrap();
    kernel.grid([1]).set("N", 5.0).compile(&device).unwrap();
    assert!(kernel.grid([1]).set("M", 5.0).compile(&device).is_err());
    kernel.occupancy(&device).unwrap();

    let mut x = Array::<f32>::zeros(&device, &[64]);
    refused((&x + 1.0).explain());
    refused(x.to_vec());
    refused((&x + 1.0).eval());
    refused(x.sum().item());
    refused(Array::from_slice(&device, &[1.0f32; 4]).to_vec());
    refused(Array::from_slice(&device, &[1.0f32; 1 << 18]).to_vec());
    refused(Array::from_slice(&device, &[3u32, 1, 2]).sort().to_vec());
    refused(kernel.grid([1]).args(&mut x).launch(&device));
    let mut recording = Recording::new(&device);
    refused(recording.add(kernel.grid([1]).args(&mut x)));
    refused(Recording::nothing(&device, 2).and_then(|mut recording| recording.run()));
    refused(device.profile(|| x.eval()));
    refused(device.roofline());
    refused(Event::record(&device));
    refused(futures::executor::block_on(x.to_vec_async()));
    device.synchronize().unwrap();
    let again = device.reopen().unwrap();
    kernel.grid([1]).compile(&again).unwrap();
    drop((recording, x, again, device));
    say("all of it was refused");
}

/// Neither for an empty request, nor for one of a kind or an API.
fn is_not_chosen(name: &str) {
    for request in ["", "gpu", "discrete", "vulkan", "wgpu", "vulkan:"] {
        if let Ok(device) = Device::open(request) {
            assert_ne!(device.properties().kind, DeviceKind::Null, "{request:?}");
        }
    }
    for request in ["null", "vulkan:null", name] {
        assert_eq!(Device::open(request).unwrap().properties().kind, DeviceKind::Null, "{request:?}");
    }
}
