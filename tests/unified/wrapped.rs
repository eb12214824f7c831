//! A program's own wgpu buffers and command encoders.

use crate::support::*;
use crosslane::{Array, Device, ErrorKind, Kernel, axes, f16, s};
use wgpu::BufferUsages;

const SCALE: &str = "
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<uniform> factor: f32;
    @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&y) { y[id.x] += x[id.x] * factor; }
    }
";

/// The devices of wgpu here, not those that other tests use, and one over an application's own with no feature at all.
fn each(check: impl Fn(&Device, &wgpu::Device, &wgpu::Queue)) {
    for device in devices().iter().filter(|device| device.wgpu().is_some()).filter_map(fresh_like) {
        if let Some((raw, queue)) = device.wgpu() {
            check(&device, &raw, &queue);
        }
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    for adapter in futures::executor::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN)) {
        let request = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (raw, queue) = futures::executor::block_on(request).unwrap();
        check(&Device::from_wgpu(&adapter, raw.clone(), queue.clone()), &raw, &queue);
    }
}

const PLAIN: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);

fn buffer(raw: &wgpu::Device, size: u64, usage: BufferUsages) -> wgpu::Buffer {
    raw.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// What the application itself reads from a buffer.
fn contents(raw: &wgpu::Device, queue: &wgpu::Queue, from: &wgpu::Buffer) -> Vec<f32> {
    let target = buffer(raw, from.size(), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let mut encoder = raw.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, 0, &target, 0, from.size());
    queue.submit([encoder.finish()]);
    target.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    raw.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = target.get_mapped_range(..).unwrap();
    view.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn a_buffer_is_an_array_and_stays_the_programs() {
    each(|device, raw, queue| {
        let host: Vec<f32> = (0..1024).map(|i| i as f32).collect();
        let theirs = buffer(raw, 4096, PLAIN);
        queue.write_buffer(&theirs, 0, &bytes(&host));
        let before = device.memory().live;
        let mut x = Array::<f32>::from_wgpu_buffer(device, &theirs, 1024, &[2, 250]).unwrap();
        assert_eq!(device.memory().live, before);
        let wanted = &host[256..756];
        assert_eq!(x.to_vec().unwrap(), wanted, "on {}", name(device));
        assert_eq!((&x * 2.0).sum().item().unwrap(), wanted.iter().sum::<f32>() * 2.0);
        assert_eq!(x.slice(s![1, ..;100]).to_vec().unwrap(), [506.0, 606.0, 706.0]);
        // A kernel writes into the buffer, and nothing beside the array.
        let ones = Array::<f32>::ones(device, &[500]);
        Kernel::wgsl(SCALE).unwrap().for_elements(500).args((&ones, 3.0f32, &mut x)).launch(device).unwrap();
        x.slice_mut(s![0, 0..3]).assign(-1.0).unwrap();
        let got = contents(raw, queue, &theirs);
        assert_eq!((&got[..256], &got[756..]), (&host[..256], &host[756..]), "on {}", name(device));
        let wanted: Vec<f32> = (256..756).map(|i| if i < 259 { -1.0 } else { i as f32 + 3.0 }).collect();
        assert_eq!(got[256..756], wanted, "on {}", name(device));
        // What the application writes is seen by the next kernel; a clone that is assigned to leaves the buffer alone.
        queue.write_buffer(&theirs, 1024, &bytes(&[100.0]));
        let mut clone = x.clone();
        clone.slice_mut(s![0, 0]).assign(5.0).unwrap();
        assert_eq!((x.max_axes([0, 1]).item().unwrap(), clone.slice(s![0, 0]).item().unwrap()), (758.0, 5.0));
        assert_eq!(x.slice(s![0, 0]).item().unwrap(), 100.0);
        drop((x, clone));
        assert_eq!(contents(raw, queue, &theirs)[256], 100.0, "the buffer outlives its array");
    });
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A buffer that cannot be copied from is read by a kernel; sizes that are no multiple of anything.
#[test]
fn buffers_of_any_kind() {
    each(|device, raw, queue| {
        let theirs = buffer(raw, 64, BufferUsages::STORAGE | BufferUsages::COPY_DST);
        queue.write_buffer(&theirs, 0, &[1; 64]);
        let x = Array::<u32>::from_wgpu_buffer(device, &theirs, 12, &[13]).unwrap();
        assert_eq!(x.to_vec().unwrap(), [0x01010101; 13], "on {}", name(device));
        let mut small = Array::<u8>::from_wgpu_buffer(device, &theirs, 3, &[9]).unwrap();
        assert_eq!(small.to_vec().unwrap(), [1; 9]);
        small.slice_mut(s![4]).assign(7).unwrap();
        assert_eq!(x.to_vec().unwrap()[..1], [0x01010101], "x begins at byte 12, where the other ends");
        assert_eq!(small.cast::<u32>().sum().item().unwrap(), 15);
        if has(device, crosslane::DType::F16) {
            let halves = Array::<f16>::from_wgpu_buffer(device, &theirs, 34, &[2, 5]).unwrap();
            assert!(halves.to_vec().unwrap().iter().all(|x| x.to_bits() == 0x0101));
        }
    });
}

#[test]
fn what_cannot_be_wrapped_is_refused() {
    each(|device, raw, _| {
        let refused = |buffer: &wgpu::Buffer, offset, shape: &[usize], part: &str| {
            let error = Array::<f32>::from_wgpu_buffer(device, buffer, offset, shape).unwrap_err();
            assert!(error.to_string().contains(part), "{part:?} in {error}");
        };
        let good = buffer(raw, 64, PLAIN);
        refused(&good, 0, &[17], "80 bytes at least for [17]");
        refused(&good, 60, &[2], "80 bytes");
        refused(&good, 2, &[4], "multiple of 4");
        refused(&good, 0, &[usize::MAX, 2], "2^63");
        refused(&buffer(raw, 20, PLAIN), 0, &[5], "32 bytes at least");
        refused(&buffer(raw, 64, BufferUsages::COPY_DST), 0, &[4], "STORAGE");
        let line = line!() + 1;
        let error = Array::<f32>::from_wgpu_buffer(device, &good, 2, &[4]).unwrap_err();
        assert_eq!(error.call_site().unwrap().line(), line);
        for other in devices().iter().filter(|device| device.wgpu().is_none()) {
            let error = Array::<f32>::from_wgpu_buffer(other, &good, 0, &[4]).unwrap_err();
            assert!(error.to_string().contains("a device of wgpu"), "{error}");
        }
        assert_eq!(Array::<f32>::from_wgpu_buffer(device, &good, 0, &[16]).unwrap().len(), 16);
    });
}

/// Recorded into the application's encoder, between its own commands, with inputs that are gone when it is submitted.
#[test]
fn arrays_and_kernels_in_an_applications_encoder() {
    let scale = Kernel::wgsl(SCALE).unwrap();
    each(|device, raw, queue| {
        let host = small::<f32>(3000);
        let input = buffer(raw, 12_000, PLAIN);
        let x = Array::<f32>::from_wgpu_buffer(device, &input, 0, &[3000]).unwrap();
        let weights = Array::from_slice(device, &vec![0.5f32; 3000]);
        let y = (&x * &weights + 1.0).sum_axes(axes(0).keep_dims()) + Array::zeros(device, &[3000]);
        let output = buffer(raw, 12_000, PLAIN);
        let mut encoder = raw.create_command_encoder(&Default::default());
        // The application's own command comes first: the buffer is filled by it.
        let staging = buffer(raw, 12_000, BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
        queue.write_buffer(&staging, 0, &bytes(&host));
        encoder.copy_buffer_to_buffer(&staging, 0, &input, 0, 12_000);
        y.encode(&mut encoder).unwrap();
        let mut z = y.clone();
        y.encode(&mut encoder).unwrap(); // nothing more to record
        let (computed, offset) = y.wgpu_buffer().unwrap().unwrap();
        encoder.copy_buffer_to_buffer(&computed, offset, &output, 0, 12_000);
        drop((x, weights, y));
        spoil(device);
        queue.submit([encoder.finish()]);
        let total = host.iter().sum::<f32>() * 0.5 + 3000.0;
        assert_eq!(contents(raw, queue, &output), vec![total; 3000], "on {}", name(device));
        assert_eq!(z.to_vec().unwrap(), vec![total; 3000]);
        // Kernels, frame after frame: each writes into the same buffer, with a parameter of its own.
        let mut sums = Array::<f32>::from_wgpu_buffer(device, &output, 0, &[3000]).unwrap();
        z.slice_mut(s![..]).assign(1.0).unwrap();
        for frame in 0..3 {
            let mut encoder = raw.create_command_encoder(&Default::default());
            for factor in [1.0f32, 10.0] {
                let factor = factor * (frame + 1) as f32;
                scale.for_elements(3000).args((&z, factor, &mut sums)).encode(device, &mut encoder).unwrap();
            }
            queue.submit([encoder.finish()]);
        }
        assert_eq!(contents(raw, queue, &output), vec![total + 66.0; 3000], "on {}", name(device));
        // An input that is assigned to between recording and submission keeps its value for what was recorded.
        let mut encoder = raw.create_command_encoder(&Default::default());
        scale.for_elements(3000).args((&z, 1.0f32, &mut sums)).encode(device, &mut encoder).unwrap();
        z.slice_mut(s![0..10]).assign(1000.0).unwrap();
        queue.submit([encoder.finish()]);
        assert_eq!(sums.to_vec().unwrap(), vec![total + 67.0; 3000], "on {}", name(device));
        assert_eq!(z.sum().item().unwrap(), 12_990.0);
        // An encoder that is dropped gives everything back.
        device.synchronize().unwrap();
        let live = device.memory().live;
        let lost = &z + 1.0;
        let mut encoder = raw.create_command_encoder(&Default::default());
        lost.encode(&mut encoder).unwrap();
        drop((lost, encoder));
        device.synchronize().unwrap();
        assert_eq!(device.memory().live, live, "on {}", name(device));
    });
}

#[test]
fn encoders_of_wgpu_are_for_its_devices() {
    let Some((raw, _)) = devices().iter().find_map(Device::wgpu) else { return };
    for device in devices().iter().filter(|device| device.wgpu().is_none()) {
        let mut encoder = raw.create_command_encoder(&Default::default());
        let mut x = Array::<f32>::ones(device, &[3]);
        let error = (&x + 1.0).encode(&mut encoder).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported { operation: "encode", .. }), "{error}");
        let scale = Kernel::wgsl(SCALE).unwrap();
        let ones = Array::<f32>::ones(device, &[3]);
        assert!(scale.for_elements(3).args((&ones, 1.0f32, &mut x)).encode(device, &mut encoder).is_err());
        assert!(Array::<f32>::zeros(device, &[2]).reshape(&[3]).encode(&mut encoder).is_err());
    }
}
