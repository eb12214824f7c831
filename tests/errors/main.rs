//! Bad input of every kind: the documented error with operation, argument, wanted, got and the caller's line; never a
//! panic or a hang; and the device works afterwards.

mod stays;
#[path = "../support/mod.rs"]
mod support;

use crosslane::array::{CosineKind, Footprint, Norm, PadMode, Slice, SpectrumOptions};
use crosslane::cpu::{Checks, Profile};
#[cfg(any(feature = "wgpu", feature = "cuda"))]
use crosslane::device::Backend;
use crosslane::random::Generator;
use crosslane::share::Direction;
use crosslane::{
    Array, Complex, Device, DeviceOptions, Error, ErrorKind, HostBuffer, Kernel, Unified, axes, eval_all, f16, s,
    upload_all,
};
use support::*;

/// The device still computes.
#[track_caller]
fn works(device: &Device) {
    assert_eq!((Array::from_slice(device, &[1.0f32, 2.0]) + 1.0).sum().item().unwrap(), 5.0);
}

/// An argument error of this operation that names all of `parts`, made at `line` of this file.
#[track_caller]
fn argument(error: &Error, wanted_operation: &str, line: u32, parts: &[&str]) {
    let ErrorKind::Argument { operation, argument, wanted, got, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(*operation, wanted_operation, "{error}");
    assert!(!argument.is_empty() && !wanted.is_empty() && !got.is_empty(), "{error}");
    for part in parts {
        assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
    }
    called_at(error, line);
}

#[track_caller]
fn called_at(error: &Error, line: u32) {
    let site = error.call_site().unwrap_or_else(|| panic!("no call site: {error}"));
    assert_eq!((site.file(), site.line()), (file!(), line), "{error}");
    assert!(error.to_string().contains(&format!("errors/main.rs:{line}")), "{error}");
}

#[test]
fn shapes_that_do_not_fit() {
    for device in apis() {
        let (a, b) = (Array::<f32>::zeros(device, &[2, 3]), Array::<f32>::zeros(device, &[4]));
        let sum = &a + &b;
        argument(&held(&sum), "add", line!() - 1, &["[2, 3] and [4]"]);
        let chained = (&a * &b).sqrt() + 1.0;
        argument(&held(&chained), "multiply", line!() - 1, &["[2, 3]", "[4]"]);
        let method = a.atan2(&b);
        argument(&held(&method), "atan2", line!() - 1, &[]);
        let chosen = a.less(1.0).select(&a, &b);
        argument(&held(&chosen), "select", line!() - 1, &[]);
        let mut changed = a.clone();
        changed += &b;
        argument(&held(&changed), "add", line!() - 1, &[]);
        let shape = a.reshape(&[4, 2]);
        argument(&held(&shape), "reshape", line!() - 1, &["6 elements", "[4, 2]"]);
        let wide = a.broadcast_to(&[3, 3]);
        argument(&held(&wide), "broadcast_to", line!() - 1, &["[2, 3]", "[3, 3]"]);
        let made = Array::from_shape(device, &[2, 2], &[1.0f32]);
        argument(&held(&made), "from_shape", line!() - 1, &["4 elements", "got 1"]);
        let mut target = a.clone();
        argument(&target.assign(&b).unwrap_err(), "assign", line!(), &["[2, 3]", "[4]"]);
        let error = target.slice_mut(s![0]).assign(&b).unwrap_err();
        argument(&error, "assign", line!() - 1, &["[3]", "[4]"]);
        assert_eq!(target.to_vec().unwrap(), [0.0; 6], "a refused assignment changes nothing");
        works(device);
    }
}

#[test]
fn axes_and_slices_that_are_not_there() {
    for device in apis() {
        let x = Array::<f32>::zeros(device, &[2, 3]);
        let wrong = x.sum_axes(2);
        argument(&held(&wrong), "sum", line!() - 1, &["axis", "got 2", "-2 to 1"]);
        argument(&held(&x.max_axes(axes(-3).keep_dims())), "max", line!(), &["got -3"]);
        argument(&held(&x.mean_axes([0, 0])), "mean", line!(), &["each axis once"]);
        argument(&held(&x.variance_axes(isize::MIN, 0)), "variance", line!(), &[]);
        argument(&held(&x.norm_axes(isize::MAX)), "norm", line!(), &[]);
        argument(&held(&x.arg_max_axes([1, -1])), "arg_max", line!(), &["[1, -1]"]);
        argument(&held(&x.flip([0, -2])), "flip", line!(), &["each axis once", "[0, -2]"]);
        assert_eq!(x.sum_axes(axes(..).keep_dims()).shape(), [1, 1]);
        assert_eq!(x.max_axes([0, -1]).to_vec().unwrap(), x.flip(..).max().to_vec().unwrap());
        argument(&held(&x.permute([0])), "permute", line!(), &["each of 2 axes once", "[0]"]);
        argument(&held(&x.permute([0, 0])), "permute", line!(), &["[0, 0]"]);
        argument(&held(&x.swap_axes(0, 2)), "swap_axes", line!(), &["got 2"]);
        argument(&held(&x.flip(-3)), "flip", line!(), &["got -3"]);
        argument(&held(&x.expand_dims(4)), "expand_dims", line!(), &["got 4"]);
        argument(&held(&x.sum().flip(0)), "flip", line!(), &["rank 0"]);
        argument(&held(&x.slice(s![0..3])), "slice", line!(), &["slice of axis 0", "0..2"]);
        argument(&held(&x.slice(s![.., 3])), "slice", line!(), &["slice of axis 1", "index 3"]);
        argument(&held(&x.slice(s![-3])), "slice", line!(), &["index -3"]);
        argument(&held(&x.slice(s![..;0])), "slice", line!(), &["step"]);
        argument(&held(&x.slice(s![.., .., 0])), "slice", line!(), &["at most 2", "got 3"]);
        argument(&held(&x.slice(s![isize::MIN..])), "slice", line!(), &[]);
        argument(&held(&x.slice(s![0..=isize::MAX])), "slice", line!(), &[]);
        assert_eq!(x.slice(s![..;isize::MIN]).to_vec().unwrap().len(), 3);
        assert_eq!(x.slice(s![..;isize::MAX]).to_vec().unwrap().len(), 3);
        let error = x.clone().slice_mut(&[Slice::from(5)]).assign(1.0).unwrap_err();
        argument(&error, "slice_mut", line!() - 1, &["index 5"]);
        works(device);
    }
}

#[test]
fn wrong_counts_of_elements() {
    for device in devices() {
        let mut x = Array::<u16>::zeros(device, &[3]);
        argument(&x.item().unwrap_err(), "item", line!(), &["one element", "3 in shape [3]"]);
        argument(&x.slice(s![..0]).item().unwrap_err(), "item", line!(), &["0 in"]);
        argument(&x.write(2, &[1, 2]).unwrap_err(), "write", line!(), &["at most 3", "2 from 2 on"]);
        argument(&x.write(usize::MAX, &[1]).unwrap_err(), "write", line!(), &[]);
        argument(&x.read_into(&mut [0; 4]).unwrap_err(), "read_into", line!(), &["3 elements", "got 4"]);
        assert_eq!(x.to_vec().unwrap(), [0; 3]);
        let mut up = HostBuffer::<u16>::new(device, 3, Direction::Upload).unwrap();
        argument(&up.fill(1, &[1, 2, 3]).unwrap_err(), "HostBuffer::fill", line!(), &["3 from 1 on"]);
        argument(&up.fill(usize::MAX, &[1]).unwrap_err(), "HostBuffer::fill", line!(), &[]);
        argument(&up.download(&x).unwrap_err(), "HostBuffer::download", line!(), &["Download", "Upload"]);
        argument(&up.as_slice().unwrap_err(), "HostBuffer::as_slice", line!(), &[]);
        let mut down = HostBuffer::<u16>::new(device, 4, Direction::Download).unwrap();
        argument(&down.download(&x).unwrap_err(), "HostBuffer::download", line!(), &["4 elements", "got 3"]);
        argument(&down.upload().unwrap_err(), "HostBuffer::upload", line!(), &[]);
        argument(&down.fill(0, &[]).unwrap_err(), "HostBuffer::fill", line!(), &[]);
        let none = Array::<f32>::zeros(device, &[0, 2]);
        argument(&held(&none.min()), "min", line!(), &["[0, 2]"]);
        argument(&held(&none.arg_max_axes(0)), "arg_max", line!(), &[]);
        assert_eq!(none.max_axes(1).to_vec().unwrap(), [0.0; 0]);
        argument(&held(&Array::arange(device, 0, 1, 0)), "arange", line!(), &["step"]);
        argument(&held(&Array::arange(device, 0.0f32, f32::INFINITY, 1.0)), "arange", line!(), &[]);
        argument(&held(&Array::arange(device, 0.0f32, 1.0, f32::NAN)), "arange", line!(), &[]);
        works(device);
    }
}

#[test]
fn types_that_the_device_does_not_have() {
    fn refused<T: crosslane::Number>(device: &Device) {
        let one: T = of(1);
        let unsupported = |error: &Error, line: u32| {
            let ErrorKind::Unsupported { operation, wanted, help, .. } = error.kind() else { panic!("{error}") };
            assert!(!operation.is_empty() && wanted.contains("bit") && !help.is_empty(), "{error}");
            called_at(error, line);
        };
        unsupported(&held(&Array::full(device, &[3], one)), line!());
        unsupported(&held(&Array::<T>::zeros(device, &[3])), line!());
        unsupported(&held(&Array::from_slice(device, &[one])), line!());
        unsupported(&held(&Array::arange(device, one, one, one)), line!());
        unsupported(&held(&Array::<f32>::zeros(device, &[3]).cast::<T>()), line!());
        unsupported(&upload_all(device, &[&[one][..]]).unwrap_err(), line!());
        let buffer = HostBuffer::<T>::new(device, 3, Direction::Upload).and_then(|mut buffer| buffer.upload());
        assert!(matches!(buffer.unwrap_err().kind(), ErrorKind::Unsupported { .. }));
        works(device);
    }
    let mut missing = 0;
    for device in apis() {
        let caps = device.caps();
        if !caps.f16 {
            refused::<f16>(device);
        }
        if !caps.f64 {
            refused::<f64>(device);
        }
        if !caps.i64 {
            refused::<u64>(device);
            refused::<i64>(device);
        }
        missing += !(caps.f16 && caps.f64 && caps.i64) as u32;
    }
    say(&format!("{missing} devices lack a type"));
}

#[test]
fn arrays_of_two_devices() {
    let [first, second, ..] = devices() else { return say("skipped: there are no two devices") };
    let (a, b) = (Array::<f32>::ones(first, &[2]), Array::<f32>::ones(second, &[2]));
    let names = [name(first), name(second)];
    let sum = &a + &b;
    argument(&held(&sum), "add", line!() - 1, &names);
    argument(&held(&a.less(1.0).select(&a, &b)), "select", line!(), &names);
    argument(&a.clone().assign(&b).unwrap_err(), "assign", line!(), &names);
    argument(&a.clone().slice_mut(s![0]).assign(b.sum()).unwrap_err(), "assign", line!(), &names);
    argument(&Array::read_all(&[&a, &b]).unwrap_err(), "read_all", line!(), &names);
    argument(&eval_all(&[&a, &b]).unwrap_err(), "eval_all", line!(), &names);
    if let Ok(mut buffer) = HostBuffer::<f32>::new(second, 2, Direction::Download) {
        argument(&buffer.download(&a).unwrap_err(), "HostBuffer::download", line!(), &names);
    }
    works(first);
    works(second);
}

/// What was opened twice has one name, and still two.
#[test]
fn arrays_of_two_devices_of_one_name() {
    for device in apis() {
        let Some(again) = fresh_like(device) else { continue };
        let (a, b) = (device.array([1.0f32]), again.array([1.0f32]));
        let error = held(&(&a + &b));
        let ErrorKind::Argument { wanted, got, .. } = error.kind() else { panic!("{error}") };
        assert_ne!(wanted, got);
        assert!(got.contains(name(device)) && got.contains(" of this name"), "{got}");
        // Every message names the one that is meant.
        let labels = [device, &again].map(|device| device.properties().label());
        assert_ne!(labels[0], labels[1]);
        assert!(labels[1].contains(name(device)) && labels[1].contains("of this name"), "{labels:?}");
        let large = |device| held(&Array::<u8>::empty(device, &[1 << 50])).to_string();
        assert!(large(&again).contains(&labels[1]) && !large(device).contains(&labels[1]), "{}", large(&again));
        assert!(format!("{b:?}").contains(&labels[1]) && !format!("{a:?}").contains(&labels[1]), "{a:?} and {b:?}");
    }
}

#[test]
fn a_step_of_zero_is_told() {
    for device in apis() {
        let error = held(&Array::arange(device, 0.0f32, 1.0, -0.0));
        argument(&error, "arange", line!() - 1, &["step: wanted a step other than 0, got -0.0"]);
        argument(&held(&Array::arange(device, 0, 3, 0)), "arange", line!(), &["a step other than 0"]);
    }
}

#[test]
fn too_large() {
    for device in apis() {
        // More than the address space.
        for shape in [&[usize::MAX][..], &[1 << 40, 1 << 40], &[usize::MAX, usize::MAX], &[1 << 61]] {
            argument(&held(&Array::<f32>::zeros(device, shape)), "full", line!(), &["2^63 bytes"]);
        }
        // As in NumPy an extent of 0 hides no others.
        argument(&held(&Array::<f32>::zeros(device, &[0, usize::MAX, 4])), "full", line!(), &["2^63 bytes"]);
        let none = Array::<f32>::zeros(device, &[0, 1 << 58, 4]);
        assert_eq!((none.len(), none.transpose().len()), (0, 0));
        assert!(none.to_vec().unwrap().is_empty() && none.transpose().to_vec().unwrap().is_empty());
        // Wider by broadcasting than any memory: an error, at once or when it is evaluated.
        let one = Array::<f32>::ones(device, &[1]);
        assert!(one.broadcast_to(&[usize::MAX, 16]).to_vec().is_err());
        let long = Array::<f32>::ones(device, &[1 << 40]);
        assert!((&long + &long.reshape(&[1usize << 40, 1])).eval().is_err());
        // More than the largest buffer, with the figures, without asking the host for as much.
        let too_large = |error: Error| {
            let ErrorKind::TooLarge { bytes, limit, operation, .. } = error.kind() else { panic!("{error}") };
            assert!(bytes > limit && *limit == device.caps().buffer_bytes && !operation.is_empty(), "{error}");
        };
        let here = |error: &Error, line: u32| {
            let site = error.call_site().unwrap_or_else(|| panic!("no call site: {error}"));
            assert_eq!((site.file(), site.line()), (file!(), line), "{error}");
        };
        let error = long.eval().unwrap_err();
        here(&error, line!() - 1);
        too_large(error);
        let error = (&long * 2.0).to_vec().unwrap_err();
        here(&error, line!() - 1);
        too_large(error);
        too_large(futures::executor::block_on(long.to_vec_async()).unwrap_err());
        too_large(long.copy().explain().unwrap_err());
        too_large(Array::read_all(&[&long]).unwrap_err());
        let buffer = HostBuffer::<f32>::new(device, 1 << 50, Direction::Upload).map(|_| ());
        assert!(matches!(buffer.unwrap_err().kind(), ErrorKind::TooLarge { .. } | ErrorKind::OutOfMemory { .. }));
        let huge = HostBuffer::<u64>::new(device, usize::MAX / 4, Direction::Download).map(|_| ());
        assert!(huge.is_err());
        works(device);
    }
}

/// More than the processor's memory: an error with the figures, with checks and without, and no abort.
#[test]
fn more_than_the_processor_has() {
    let mut profile = Profile::native();
    profile.caps.buffer_bytes = 1 << 60;
    for checks in [None, Some(Checks::default())] {
        let device = DeviceOptions::default().cpu(profile.clone(), checks).unwrap();
        let error = Array::<f32>::empty(&device, &[1 << 52]).to_vec().unwrap_err();
        let ErrorKind::OutOfMemory { requested, .. } = error.kind() else { panic!("{error}") };
        assert!(*requested >= 1 << 54, "{error}");
        for direction in [Direction::Upload, Direction::Download] {
            let error = HostBuffer::<f32>::new(&device, 1 << 52, direction).map(|_| ()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::OutOfMemory { at: Some(_), .. }), "{error}");
        }
        works(&device);
    }
}

/// A processor that says it has memory for anything.
fn boundless(checks: Option<Checks>) -> Device {
    let mut profile = Profile::native();
    profile.caps.buffer_bytes = 1 << 62;
    DeviceOptions::default().cpu(profile, checks).unwrap()
}

/// Elements that the host has no room for, although the device would have.
#[test]
fn more_than_the_host_has() {
    let device = boundless(None);
    let out = |error: Error, bytes: u64| {
        let ErrorKind::OutOfMemory { requested, at: Some(_), .. } = error.kind() else { panic!("{error}") };
        assert!(*requested == bytes && error.to_string().contains("on the host"), "{error}");
    };
    let ones = Array::<f32>::ones(&device, &[1 << 52]);
    out(ones.to_vec().unwrap_err(), 1 << 54);
    out(Array::read_all(&[&ones]).unwrap_err(), 1 << 54);
    for shape in [&[1 << 52][..], &[1 << 26, 1 << 26]] {
        out(Unified::<f32>::new(&device, shape).map(|_| ()).unwrap_err(), 1 << 54);
    }
    for device in apis() {
        out(Unified::<u16>::new(device, &[1 << 60]).map(|_| ()).unwrap_err(), 1 << 61);
        works(device);
    }
    works(&device);
}

/// Work for more launches than anyone waits for is refused before they are listed.
#[test]
fn more_launches_than_are_planned() {
    let refused = |device: &Device, error: Error, line: u32| {
        let parts = ["shape: wanted what 131072 launches can access", "got 536870912 launches"];
        argument(&error, "reduce", line, &parts);
        works(device);
    };
    for device in apis() {
        let ones = Array::<f32>::ones(device, &[1 << 60]);
        let error = ones.sum().item().unwrap_err();
        refused(device, error, line!() - 1);
        for sum in [ones.reshape(&[1 << 30, 1 << 30]).sum_axes(1), ones.mean(), ones.softmax(0), ones.variance(1)] {
            assert!(sum.to_vec().is_err() && sum.explain().is_err());
        }
        // Elements are counted, and what they cost, in 64 bits.
        let busy = (0..40).fold(ones, |x, _| x.sin() * 2.0 + 1.0);
        assert!(busy.eval().is_err() && busy.explain().is_err() && busy.sum().explain().is_err());
        works(device);
    }
}

#[test]
fn more_parts_than_anyone_splits_into() {
    for device in apis() {
        let none = Array::<f32>::zeros(device, &[0]);
        let wanted = ["parts: wanted at most 1048576, got 4611686018427387904"];
        argument(&none.split(1 << 62, 0).unwrap_err(), "split", line!(), &wanted);
        argument(&none.array_split(1 << 62, 0).unwrap_err(), "array_split", line!(), &wanted);
        assert_eq!(none.split(5, 0).unwrap().len(), 5);
    }
}

/// A line of a text may be longer than a format's width.
/// Found by `tests/fuzz`: sizes that the host would first have taken memory for, and shapes whose other extents overflow.
#[test]
fn sizes_past_all_memory() {
    let device = &Device::cpu().unwrap();
    let much = 1usize << 40;
    let refused = |array: Array<f32>, operation: &str, part: &str| {
        let error = array.check().unwrap_err().to_string();
        assert!(error.starts_with(operation) && error.contains(part) && error.contains("errors/main.rs"), "{error}");
    };
    let (x, none) = (Array::<f32>::ones(device, &[3, 4]), Array::<f32>::ones(device, &[0, 1 << 33]));
    let overflows = [0, much, much];
    refused(Array::from_shape(device, &overflows, &[]), "from_slice", "fewer than 2^63 bytes");
    refused(Array::zeros(device, &overflows), "full", "fewer than 2^63 bytes");
    refused(none.reshape(&overflows), "reshape", "fewer than 2^63 bytes");
    refused(none.broadcast_to(&[much, 0, 1 << 33]), "broadcast_to", "fewer than 2^63 bytes");
    refused(x.uniform_filter(much, 0, PadMode::Edge), "uniform_filter", "1 to 2^28");
    refused(x.erode(&Footprint::cross(much), PadMode::Edge), "erode", "a box of 1 to 2 axes");
    refused(none.dct(CosineKind::II, Norm::Ortho), "dct", "268435456 values at most");
    refused(none.dst(CosineKind::I, Norm::Backward), "dst", "268435456 values at most");
    refused(x.power_spectrum(&SpectrumOptions::new(much), 1.0), "power_spectrum", "a length and a step of 1 to");
    let pieces = x.cast::<Complex<f32>>();
    refused(pieces.istft(&SpectrumOptions::new(6).step(usize::MAX)), "istft", "a length and a step of 1 to");
    let window = [much, much, 1, 1];
    refused(Generator::new(device, 1).he_uniform(&window), "uniform_in", "fewer than 2^63 bytes");
    for frequencies in [Array::fftfreq(device, usize::MAX, 1.0), Array::rfftfreq(device, 4 * much, 1.0)] {
        let error = frequencies.check().unwrap_err().to_string();
        assert!(
            error.contains("fftfreq") && error.contains("bytes wanted") && error.contains("errors/main.rs"),
            "{error}"
        );
    }
    works(device);
}

/// A text with an array of an invocation's own, which a number from memory indexes.
fn indexing(declared: &str, words: usize, place: &str) -> Kernel {
    let (private, own) = match declared {
        "private" => (format!("var<private> a: array<u32, {words}>;"), String::new()),
        _ => (String::new(), format!("var a: array<array<u32, 2>, {}>;", words / 2)),
    };
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        {private}
        @compute @workgroup_size(1) fn main() {{ {own} {place} = 7u; x[0] = {place}; }}"
    );
    Kernel::wgsl(&text).unwrap()
}

/// Mesa compiles them for minutes, or dies. Every other device runs them.
#[test]
fn arrays_that_llvmpipe_cannot_compile() {
    for device in apis() {
        let mut x = Array::<u32>::zeros(device, &[4]);
        let mut run =
            |kernel: &Kernel| kernel.grid([1]).args(&mut x).launch(device).and_then(|()| x.slice(s![0]).item());
        for (declared, place) in [("private", "a[x[1]]"), ("function", "a[x[1]][1]")] {
            // Few enough words, or an index that is known.
            let known = if declared == "private" { "a[9]" } else { "a[9][1]" };
            assert_eq!(run(&indexing(declared, 64, place)).unwrap(), 7);
            assert_eq!(run(&indexing(declared, 2048, known)).unwrap(), 7);
            let result = run(&indexing(declared, 1026, place));
            match name(device).contains("llvmpipe") {
                false => assert_eq!(result.unwrap(), 7, "on {}", name(device)),
                true => {
                    let error = result.unwrap_err().to_string();
                    let wanted = "at most 4096 bytes in an indexed variable of an invocation, which main exceeds by 8";
                    assert!(error.contains(wanted) && error.contains("Device::cpu()"), "{error}");
                }
            }
        }
        works(device);
    }
}

#[test]
fn findings_far_to_the_right() {
    let device = DeviceOptions::default().cpu(Profile::native(), Some(Checks::default())).unwrap();
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n\
         @compute @workgroup_size(1) fn main() {{ {} x[9] = 1u; }}",
        " ".repeat(70_000)
    );
    let mut x = Array::from_slice(&device, &[0u32; 4]);
    let kernel = Kernel::wgsl(&source).unwrap();
    let found = kernel.grid([1]).args(&mut x).launch(&device).and_then(|()| device.synchronize()).unwrap_err();
    let said = found.to_string();
    assert!(said.contains("out of bounds") && said.contains("main:2:70042"), "{}", &said[..200]);
}

/// Numbers of a text at the end of 32 bits.
#[test]
fn numbers_at_the_end_of_their_range() {
    let source = |binding: u32, body: &str| {
        format!(
            "@group(0) @binding({binding}) var<storage, read_write> x: array<u32>;
             @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}"
        )
    };
    let device = DeviceOptions::default().cpu(Profile::native(), None).unwrap();
    for body in ["print_u32(id, x[0]);", "for (var i = 0u; i < x[0]; i++) { x[1] += i; }"] {
        for binding in [0, u32::MAX - 1, u32::MAX] {
            let mut x = Array::from_slice(&device, &[3u32, 0]);
            let kernel = Kernel::wgsl(&source(binding, body)).unwrap();
            kernel.grid([1]).args(&mut x).launch(&device).unwrap();
            let wanted = if body.starts_with("print") { [3, 0] } else { [3, 3] };
            assert_eq!(x.to_vec().unwrap(), wanted, "{body} at {binding}");
        }
    }
    assert_eq!(device.messages().unwrap().len(), 3);
    for device in apis() {
        // Some drivers have no bindings so far: an error or the result.
        let mut x = Array::from_slice(device, &[3u32, 0]);
        let kernel = Kernel::wgsl(&source(u32::MAX, "x[1] = 3u;")).unwrap();
        let _ = kernel.grid([1]).args(&mut x).launch(device).and_then(|()| device.synchronize());
        works(device);
    }
    let immediates = "var<immediate> many: array<vec4<u32>, 67108864>;
        @compute @workgroup_size(1) fn main() { _ = many[1].x; }";
    let error = Kernel::wgsl(immediates).unwrap_err().to_string();
    // naga 30.0.1 panics of them where its overflows are checked.
    assert!(error.contains("immediates take 1073741824 bytes") || error.contains("naga panicked"), "{error}");
}

#[test]
fn zero_sizes_work() {
    for device in devices() {
        let none = Array::<f32>::from_slice(device, &[]);
        assert_eq!(((&none + 1.0).exp().to_vec().unwrap(), none.shape()), (vec![], &[0][..]));
        assert_eq!(Array::<bool>::zeros(device, &[3, 0]).transpose().shape(), [0, 3]);
        assert_eq!((none.len(), none.sum().item().unwrap(), none.flip(0).copy().len()), (0, 0.0, 0));
        let mut target = Array::<i32>::zeros(device, &[2, 2]);
        target.slice_mut(s![1..1]).assign(5).unwrap();
        target.write(4, &[]).unwrap();
        assert_eq!(target.to_vec().unwrap(), [0; 4]);
        for direction in [Direction::Upload, Direction::Download] {
            assert!(HostBuffer::<f32>::new(device, 0, direction).unwrap().is_empty());
        }
        assert_eq!(upload_all::<f32>(device, &[]).unwrap().len(), 0);
        let memory = DeviceOptions::default().memory_limit(0).open("").unwrap();
        let error = Array::from_slice(&memory, &[1.0f32]).to_vec().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfMemory { limit: Some(0), at: Some(_), .. }), "{error}");
        works(device);
    }
}

#[test]
fn operators_that_do_not_compile() {
    let bad = [
        "a +* b",
        "",
        "a + c",
        "a + 1u",
        "a < b",
        "a) + (b; }",
        "a); } fn more() -> f32 { return (1.0",
        "return a",
        "a) ; //",
        "a); /*",
        "combine(a, b)",
        "identity()",
        "params.extent",
        "a + b; discard",
        "vec2(a, b)",
        "\0",
        "/* never closed",
        "f64(a)",
        "states[0]",
        "a); loop {} return (b",
    ];
    for device in apis() {
        let x = Array::from_slice(device, &[1.0f32, 2.0, 3.0]);
        for expression in bad {
            let result = x.reduce(expression, 0.0);
            let line = line!() - 1;
            let error = result.to_vec().unwrap_err();
            let ErrorKind::Compile { kernel, message, .. } = error.kind() else { panic!("{expression:?}: {error}") };
            assert!(!kernel.is_empty() && !message.is_empty() && kernel.contains("operator"), "{error}");
            called_at(&error, line);
        }
        let rows = x.reshape(&[3, 1]).reduce_axes("nothing", 0.0, axes(1).keep_dims());
        assert!(held(&rows).to_string().contains("nothing"));
        argument(&held(&x.reduce_axes("a + b", 0.0, 1)), "reduce", line!(), &["got 1"]);
        assert_eq!(x.reduce("a + b", 0.0).item().unwrap(), 6.0);
        works(device);
    }
}

#[test]
fn devices_that_are_not_here() {
    for request in ["no such device", "99", "-1", "vulkan:no such device", "cpu:no such profile"] {
        let error = Device::open(request).unwrap_err();
        let ErrorKind::NoDevice { wanted, looked, install } = error.kind() else { panic!("{error}") };
        assert!(wanted == request && looked.contains("looked for") && !install.is_empty(), "{error}");
    }
    for opened in [Device::cuda(99), Device::open("cuda:99")] {
        let error = opened.unwrap_err();
        match error.kind() {
            #[cfg(not(feature = "cuda"))]
            ErrorKind::NotBuilt { engine, .. } => assert_eq!(*engine, "cuda", "{error}"),
            #[cfg(feature = "cuda")]
            ErrorKind::NoDevice { .. } => {}
            _ => panic!("{error}"),
        }
    }
    // Case does not matter.
    assert!(is_checked(&Device::open("CPU:Checked").unwrap()) && !is_checked(&Device::open("Cpu:").unwrap()));
    assert!(name(&Device::open("Cpu:Apple-Like").unwrap()).contains("apple-like"));
    let error = Device::cpu_as(Profile { subgroup: 3, ..Profile::native() }).unwrap_err();
    let ErrorKind::Argument { wanted, got, .. } = error.kind() else { panic!("{error}") };
    assert!(wanted.contains("from 4 to 128") && got == "3", "{error}");
}

/// Without NVIDIA's driver or compiler the error names the library, where it was looked for and what to install.
#[test]
#[cfg(feature = "cuda")]
fn cuda_that_is_not_here() {
    for opened in [Device::cuda(0), Device::open("cuda"), Device::open("CUDA:0"), Device::open("cuda:")] {
        let Err(error) = opened else { continue };
        let ErrorKind::NoDevice { wanted, looked, install } = error.kind() else { panic!("{error}") };
        assert!(wanted.starts_with("cuda") && !install.is_empty(), "{error}");
        if !looked.contains("does not start") {
            let [driver, compiler, variable] = match cfg!(windows) {
                true => ["nvcuda.dll", "nvrtc64_120_0.dll", "PATH"],
                false => ["libcuda.so.1", "libnvrtc.so.12", "LD_LIBRARY_PATH"],
            };
            assert!(looked.contains(driver) || looked.contains(compiler), "{error}");
            assert!(looked.contains(variable), "{error}");
        }
    }
    if let Ok(device) = Device::cuda(0) {
        assert!(device.properties().backend == Backend::Cuda && device.caps().subgroups == Some((32, 32)));
        let error = Device::cuda(1000).unwrap_err().to_string();
        assert!(error.contains("cuda:1000") && error.contains("card"), "{error}");
    }
}

/// A lost device answers every call with an error, at once; another one of the same driver works.
#[test]
#[cfg(feature = "wgpu")]
fn lost_devices() {
    for properties in Device::list().into_iter().filter(|p| !matches!(p.backend, Backend::Cpu | Backend::Cuda)) {
        // The same card may be there through CUDA.
        let name = format!("wgpu:{}", properties.name);
        for staged in [false, true] {
            let open = || DeviceOptions::default().staged_transfers(staged).open(&name).unwrap();
            let device = open();
            let x = Array::from_slice(&device, &small::<f32>(1000));
            let mut down = HostBuffer::<f32>::new(&device, 1000, Direction::Download).unwrap();
            let mut up = HostBuffer::<f32>::new(&device, 1000, Direction::Upload).unwrap();
            assert_eq!((&x + 1.0).to_vec().unwrap().len(), 1000);
            let lazy = &x * 2.0;
            device.wgpu().unwrap().0.destroy();
            let lost = |error: Error| assert!(matches!(error.kind(), ErrorKind::DeviceLost { .. }), "{error}");
            lost(lazy.to_vec().unwrap_err());
            lost(x.to_vec().unwrap_err());
            lost(lazy.sum().item().unwrap_err());
            // Not the same again: its kernels were taken before the device was found lost.
            lost((&x * 3.0).eval().unwrap_err());
            lost(device.synchronize().unwrap_err());
            lost(Array::from_slice(&device, &[1.0f32]).to_vec().unwrap_err());
            lost(Array::from_slice(&device, &vec![1.0f32; 1 << 20]).to_vec().unwrap_err());
            lost(upload_all(&device, &[&[1.0f32][..]]).unwrap_err());
            lost(x.clone().write(0, &[1.0]).unwrap_err());
            lost(down.download(&x).unwrap_err());
            assert!(down.as_slice().is_err(), "elements of a transfer that failed");
            lost(up.fill(0, &[1.0]).unwrap_err());
            lost(HostBuffer::<f32>::new(&device, 5, Direction::Upload).map(|_| ()).unwrap_err());
            lost(futures::executor::block_on(x.to_vec_async()).unwrap_err());
            lost(device.gpu_time(|| lazy.eval()).unwrap_err());
            device.trim();
            drop((x, lazy, device));
            works(&open());
        }
    }
}
