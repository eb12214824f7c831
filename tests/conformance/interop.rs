//! Devices: over a program's own wgpu device, the buffer behind an array, time on the device, choosing.
#![cfg(feature = "wgpu")]

use crate::support::*;
use crosslane::{Array, Device, s};

fn adapters() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    futures::executor::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN))
}

/// A device without any feature and with the least limits: parameters travel in uniforms, arrays through staging.
#[test]
fn over_a_device_with_nothing() {
    for adapter in adapters() {
        let request = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (raw, queue) = futures::executor::block_on(request).unwrap();
        let device = Device::from_wgpu(&adapter, raw.clone(), queue.clone());
        let caps = device.caps();
        assert_eq!((caps.immediate_bytes, caps.f16, caps.unified, caps.subgroups), (0, false, false, None));
        spoil(&device);
        let host = small::<f32>(100_001);
        let x = Array::from_slice(&device, &host);
        let y = (&x * 2.0 + 1.0).abs();
        let wanted: Vec<f32> = host.iter().map(|x| (x * 2.0 + 1.0).abs()).collect();
        same_values(&y.to_vec().unwrap(), &wanted, &format!("through uniforms on {}", name(&device)));
        assert_eq!(y.sum().item().unwrap(), wanted.iter().sum::<f32>());
        // Many launches of one submission, each with its own parameters; then again, over the same uniforms.
        for round in 0..3 {
            let parts: Vec<Array<f32>> = (0..300).map(|i| &x * (i + round) as f32).map(|x| x.slice(s![2])).collect();
            let all = Array::read_all(&parts.iter().collect::<Vec<_>>()).unwrap();
            let wanted = (0..300).map(|i| host[2] * (i + round) as f32);
            assert!(all.iter().map(|x| x[0]).eq(wanted), "round {round} on {}", name(&device));
        }
        let mut z = Array::<u8>::zeros(&device, &[10, 10]);
        z.slice_mut(s![..;3, 1..]).assign(4).unwrap();
        assert_eq!(z.cast::<u32>().sum_axes(1).to_vec().unwrap(), [36, 0, 0, 36, 0, 0, 36, 0, 0, 36]);
        // More values than bindings of the smallest device, and other work of the program between.
        let many =
            (0..20).fold(x.clone(), |sum, i| &sum + &Array::from_slice(&device, &small::<f32>(100_001 + i)[i..]));
        assert!(many.to_vec().is_ok());
        let (same, _) = device.wgpu().unwrap();
        assert!(same == raw);
        queue.submit([]);
    }
}

/// The program reads an array's buffer with its own copy command.
#[test]
fn the_buffer_behind_an_array() {
    for device in devices() {
        let Some((raw, queue)) = device.wgpu() else { continue };
        let x = Array::from_slice(device, &small::<u32>(1000));
        for (array, first) in [(&x + 1, 1u32), (x.slice(s![100..]), 0), (x.flip(0), 0)] {
            let (buffer, offset) = array.wgpu_buffer().unwrap().unwrap();
            let bytes = array.len() as u64 * 4;
            let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
            let descriptor = wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
            let target = raw.create_buffer(&descriptor);
            let mut encoder = raw.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&buffer, offset, &target, 0, bytes);
            queue.submit([encoder.finish()]);
            target.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
            raw.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            let view = target.get_mapped_range(..).unwrap();
            let got: Vec<u32> = view.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
            assert_eq!(got, array.to_vec().unwrap(), "{first} on {}", name(device));
        }
    }
}

#[test]
fn time_on_the_device() {
    for device in apis() {
        let x = Array::from_slice(device, &vec![1.0f32; 1 << 20]);
        let time = device.gpu_time(|| x.exp().sin().eval()).unwrap();
        assert_eq!(time.is_some(), device.caps().timestamps, "on {}", name(device));
        if let Some(time) = time {
            assert!(time.as_nanos() > 0 && time.as_secs() < 60, "{time:?} on {}", name(device));
        }
        assert!(device.gpu_time(|| x.reshape(&[3]).eval()).is_err());
        assert!(device.gpu_time(|| Ok(5)).is_ok(), "no kernel at all");
    }
}

#[test]
fn devices_are_found_by_index_name_and_kind() {
    let list = Device::list();
    for (index, properties) in list.iter().enumerate().filter(|(_, it)| it.missing.is_none()) {
        assert_eq!(Device::open(&index.to_string()).unwrap().properties().name, properties.name);
        let device = Device::open(&properties.name.to_uppercase()).unwrap();
        assert_eq!(device.properties().name, properties.name);
        let kind = format!("{:?}", properties.kind);
        assert_eq!(format!("{:?}", Device::open(&kind).unwrap().properties().kind), kind);
        let backend = format!("{:?}:", properties.backend);
        assert!(Device::open(&backend).is_ok() && Device::open("").is_ok());
        assert!(properties.caps.buffer_bytes >= properties.caps.binding_bytes, "{properties}");
    }
}
