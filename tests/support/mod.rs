//! What the integration tests share: the devices, a host array to compare with, garbage in memory, random numbers.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod process;

use crosslane::array::Axes;
use crosslane::cpu::{Checks, Profile};
use crosslane::device::{Backend, Caps, DeviceKind, Tuning};
use crosslane::op::Value;
use crosslane::{Array, DType, Device, DeviceOptions, Element, Error, axes, eval_all};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::io::Write;
use std::sync::{Mutex, OnceLock};

/// Says what is not tested and why, where the test runner does not swallow it.
pub fn say(text: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The system's words for why a file cannot be opened.
pub fn unopened(path: impl AsRef<std::path::Path>) -> String {
    std::fs::File::open(path).unwrap_err().to_string()
}

/// The mistake that an array holds comes out of every way to a value.
pub fn held<T: Element>(array: &Array<T>) -> Error {
    let error = array.check().unwrap_err();
    assert_eq!(array.to_vec().unwrap_err().to_string(), error.to_string());
    assert!(array.eval().is_err() && array.explain().is_err() && array.item().is_err());
    assert!(array.read_into(&mut []).is_err() && array.copy().to_vec().is_err());
    #[cfg(feature = "wgpu")]
    assert!(array.wgpu_buffer().is_err());
    assert!(array.clone().assign(array).is_err() && array.clone().write(0, &[]).is_err());
    let later = array.reshape(&[3]).flip(0).count_nonzero().to_vec().unwrap_err();
    assert_eq!(later.to_string(), error.to_string(), "the first mistake is the one that is told");
    error
}

/// Axes that a reduction keeps or not.
pub fn kept(list: &[isize], keep: bool) -> Axes {
    if keep { axes(list).keep_dims() } else { axes(list) }
}

/// Every device here, and lavapipe a second time with staged transfers. Tests that run side by side have devices of their
/// own, since one does one thing at a time; those that run one after the other share them, and with them the kernels.
pub fn devices() -> &'static [Device] {
    static SETS: [OnceLock<Vec<Device>>; SIDE_BY_SIDE] = [const { OnceLock::new() }; SIDE_BY_SIDE];
    SETS[set()].get_or_init(open_all)
}

/// How the processor is opened: it compiles each kernel, of which most would be too small for that. `cases` has registers allocated by
/// backtracking, all other programs in one pass, so that both ways run all operations.
pub const PROCESSOR: &str = match env!("CARGO_CRATE_NAME").as_bytes() {
    b"cases" => "cpu:compiled",
    _ => "cpu:one-pass",
};

/// Which set of devices this test uses.
pub fn set() -> usize {
    thread_local!(static TAKEN: Taken = Taken::new());
    TAKEN.with(|taken| taken.0)
}

/// Sets of devices. With more than two, kernels are compiled that often.
pub const SIDE_BY_SIDE: usize = 2;

/// How many tests use each set.
static USERS: Mutex<[usize; SIDE_BY_SIDE]> = Mutex::new([0; SIDE_BY_SIDE]);

/// A test's place in a set, given back as its thread ends.
struct Taken(usize);

impl Taken {
    fn new() -> Taken {
        let mut users = USERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let set = (0..SIDE_BY_SIDE).min_by_key(|&set| users[set]).expect("there are sets");
        users[set] += 1;
        Taken(set)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        USERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())[self.0] -= 1;
    }
}

fn open_all() -> Vec<Device> {
    if let Ok(profile) = std::env::var("CROSSLANE_TEST_PROFILE") {
        return vec![match limits(&profile) {
            Some(options) => options.open("lavapipe").unwrap_or_else(|error| panic!("{profile}: {error}")),
            None if ALONE.contains(&profile.as_str()) => Device::open(&profile).unwrap(),
            None => stand_in(&profile, 1 << 20),
        }];
    }
    let mut devices = Vec::new();
    for (index, properties) in Device::list().iter().enumerate() {
        let request = if properties.backend == Backend::Cpu { PROCESSOR.to_string() } else { index.to_string() };
        match Device::open(&request) {
            Ok(device) => devices.push(device),
            Err(error) => say(&format!("skipped {properties}: {error}")),
        }
    }
    for name in required() {
        Device::open(&name).unwrap_or_else(|error| panic!("CROSSLANE_REQUIRE names {name}: {error}"));
    }
    match DeviceOptions::default().staged_transfers(true).open("lavapipe") {
        Ok(device) => devices.push(device),
        Err(error) => say(&format!("skipped lavapipe with staged transfers: {error}")),
    }
    if devices.is_empty() {
        say(&format!("nothing is tested: {}", Device::open("").unwrap_err()));
    }
    devices
}

/// Devices of lavapipe that have less than it could have; `CROSSLANE_TEST_PROFILE` runs all tests on one of them.
const LIMITED: [&str; 2] = ["lavapipe-without-immediates", "lavapipe-webgpu"];

/// Two ways in which the cpu engine runs kernels, and DX12: `CROSSLANE_TEST_PROFILE` has all tests run so alone.
const ALONE: [&str; 3] = ["cpu:compiled", "cpu:interpreted", "dx12"];

/// How such a device is opened.
fn limits(profile: &str) -> Option<DeviceOptions> {
    // The ways that cards take.
    let options = DeviceOptions::default().tuning(Tuning::default());
    match LIMITED.iter().position(|name| *name == profile)? {
        0 => Some(options.immediates(false)),
        _ => Some(options.webgpu_limits(true)),
    }
}

/// The kind of hardware that a cpu engine of the test's own plays.
pub fn played() -> String {
    let profile = std::env::var("CROSSLANE_TEST_PROFILE").unwrap_or_default();
    let is_own = profile.is_empty() || limits(&profile).is_some() || ALONE.contains(&profile.as_str());
    if is_own { "native".into() } else { profile }
}

/// Lavapipe without immediates, and with the limits of WebGPU and nothing beyond them: for tests that run each operation once.
/// None where `CROSSLANE_TEST_PROFILE` says what is tested.
pub fn limited() -> &'static [Device] {
    static SETS: [OnceLock<Vec<Device>>; SIDE_BY_SIDE] = [const { OnceLock::new() }; SIDE_BY_SIDE];
    let open = |name| {
        let options = limits(name).expect("one of LIMITED");
        options.open("lavapipe").inspect_err(|error| say(&format!("skipped {name}: {error}"))).ok()
    };
    SETS[set()].get_or_init(|| match std::env::var("CROSSLANE_TEST_PROFILE") {
        Ok(_) => vec![],
        Err(_) => LIMITED.into_iter().filter_map(open).collect(),
    })
}

/// A preset of the cpu engine with every check on, and with bindings so small that arrays past one are quick to test.
pub fn stand_in(name: &str, binding_bytes: u64) -> Device {
    stand_in_with(name, |caps| caps.binding_bytes = caps.binding_bytes.min(binding_bytes))
}

/// The same, with other figures.
pub fn stand_in_with(name: &str, change: impl FnOnce(&mut Caps)) -> Device {
    let mut profile = Profile::presets().into_iter().find(|p| p.name == name).unwrap_or_else(|| panic!("{name}?"));
    // The variants that cards use, and the interpreter does not.
    if profile.caps.processor.is_none() {
        profile.caps.tuning = Tuning::default();
    }
    change(&mut profile.caps);
    DeviceOptions::default().cpu(profile, Some(Checks::default())).unwrap()
}

/// The kind of hardware that the cpu engine plays, with bindings of 64 KiB; `None` for drivers, whose bindings would take
/// minutes to fill.
pub fn narrow() -> Option<Device> {
    match std::env::var("CROSSLANE_TEST_PROFILE") {
        Ok(name) if limits(&name).is_none() && !ALONE.contains(&name.as_str()) => Some(stand_in(&name, 1 << 16)),
        _ => {
            say("not run: past one binding of 64 KiB only with CROSSLANE_TEST_PROFILE and a kind of the cpu engine's");
            None
        }
    }
}

/// Whether every access is watched: a defect on purpose is an error there, and much data takes long.
pub fn is_checked(device: &Device) -> bool {
    name(device).contains("checked")
}

/// Whether every type and case is worth its time: on GPUs, and on the first two kinds of hardware that the cpu engine
/// plays. Software drivers take up to seconds to compile a kernel, and the other kinds differ in the kernels' shapes.
pub fn is_thorough(device: &Device) -> bool {
    match std::env::var("CROSSLANE_TEST_PROFILE") {
        Ok(profile) => ["native", "webgpu", "cpu:compiled", "cpu:interpreted"].contains(&profile.as_str()),
        Err(_) => device.properties().kind != DeviceKind::Software,
    }
}

/// What `CROSSLANE_REQUIRE` may name beside devices: compilers that tests of kernels' texts start.
const TOOLS: [&str; 8] = ["dawn", "dxc", "fxc", "g++", "glslang", "nvrtc", "spirv-tools", "vendors"];

fn required() -> Vec<String> {
    let names = std::env::var("CROSSLANE_REQUIRE").unwrap_or_default();
    let names = names.split(',').map(|name| name.trim().to_string());
    names.filter(|name| !name.is_empty() && !TOOLS.contains(&name.as_str())).collect()
}

/// Whether a tool that is not there is a failure.
pub fn is_required(tool: &str) -> bool {
    assert!(TOOLS.contains(&tool));
    std::env::var("CROSSLANE_REQUIRE").unwrap_or_default().split(',').any(|name| name.trim() == tool)
}

/// One device for each driver and API: without the second lavapipe, where transfers do not matter.
pub fn apis() -> &'static [Device] {
    let all = devices();
    let staged = all.len() > 1 && all[..all.len() - 1].iter().any(|d| name(d) == name(&all[all.len() - 1]));
    &all[..all.len() - staged as usize]
}

/// One device for each driver, which compiles each kernel once: where the kernels take long to compile. Of those that are
/// there through Vulkan and through GL the former; `gl.rs` runs each operation through the latter.
pub fn drivers() -> impl Iterator<Item = &'static Device> {
    apis().iter().filter(|device| !is_second(device))
}

/// What [`drivers`] leaves out.
pub fn seconds() -> impl Iterator<Item = &'static Device> {
    apis().iter().filter(|device| is_second(device))
}

/// Whether it is GL on what is there through Vulkan too: Mesa's llvmpipe.
fn is_second(device: &Device) -> bool {
    let is = |device: &Device, backend| device.properties().backend == backend;
    let vulkan =
        |other: &Device| is(other, Backend::Vulkan) && name(other).split(' ').next() == name(device).split(' ').next();
    is(device, Backend::Gl) && apis().iter().any(vulkan)
}

/// The devices but for software drivers of Vulkan, which compile a kernel of some operations for a second: there a test of
/// what is composed of others keeps to a few.
pub fn quick() -> impl Iterator<Item = &'static Device> {
    drivers().filter(|device| !compiles_slowly(device))
}

/// The others.
pub fn slow() -> impl Iterator<Item = &'static Device> {
    drivers().filter(|device| compiles_slowly(device))
}

/// Software drivers of Vulkan and GL.
pub fn compiles_slowly(device: &Device) -> bool {
    device.properties().kind == DeviceKind::Software && device.properties().backend != Backend::Cpu
}

/// A device of one's own, for tests that lose it or look at its memory.
pub fn fresh(request: &str) -> Option<Device> {
    Device::open(request).inspect_err(|error| say(&format!("skipped: {error}"))).ok()
}

/// The same device opened anew, for a test that looks at its memory while others use the one they share.
pub fn fresh_like(device: &Device) -> Option<Device> {
    let properties = device.properties();
    match properties.backend {
        Backend::Cpu if is_checked(device) => fresh("cpu:checked"),
        Backend::Cpu => fresh(match name(device) {
            "cpu compiled in one pass" => "cpu:one-pass",
            "cpu compiled" => "cpu:compiled",
            _ => "cpu",
        }),
        backend => fresh(&format!("{backend:?}:{}", properties.name)),
    }
}

/// Whether the device can hold the type.
pub fn has(device: &Device, dtype: DType) -> bool {
    caps_have(device.caps(), dtype)
}

/// Whether a device with these capabilities can hold the type.
pub fn caps_have(caps: &Caps, dtype: DType) -> bool {
    match dtype {
        DType::F16 => caps.f16,
        DType::F64 | DType::Complex64 => caps.f64,
        DType::I64 | DType::U64 => caps.i64,
        _ => true,
    }
}

pub fn name(device: &Device) -> &str {
    &device.properties().name
}

/// SwiftShader: its defects are exempted by name, with the reason beside each.
pub fn is_swiftshader(device: &Device) -> bool {
    name(device).contains("SwiftShader")
}

pub fn random(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// Leaves garbage in the pool: what arrays and scratch get next is all NaN or 0xCD. Engines that watch every access tell of
/// a read that nothing was written for, whatever lies there, and take seconds to write so much.
pub fn spoil(device: &Device) {
    spoil_below(device, 21);
}

/// The same of the pool's memory for arrays of fewer words than `2^power`, which takes less time.
pub fn spoil_below(device: &Device, power: u32) {
    if is_checked(device) {
        return;
    }
    for round in 0..2 {
        let arrays: Vec<Array<u32>> = (6..power)
            .flat_map(|power| [1usize << power, (1 << power) + (1 << (power - 2)), 3 << (power - 1)])
            .map(|len| Array::full(device, &[len], if round == 0 { 0xcdcd_cdcd } else { 0x7fc0_dead }).copy())
            .collect();
        eval_all(&arrays.iter().collect::<Vec<_>>()).unwrap();
    }
    device.synchronize().unwrap();
}

/// `len` elements: small integers of any type, always the same.
pub fn small<T: Element>(len: usize) -> Vec<T> {
    (0..len as i128).map(|i| of((i * 7919 + 3) % 11 - if signed::<T>() { 5 } else { 0 })).collect()
}

pub fn signed<T: Element>() -> bool {
    !matches!(T::DTYPE, DType::U8 | DType::U16 | DType::U32 | DType::U64 | DType::Bool)
}

/// A small integer as any type.
pub fn of<T: Element>(x: i128) -> T {
    T::from_scalar(Value::Int(x).scalar(T::DTYPE))
}

pub fn value<T: Element>(x: T) -> Value {
    Value::of(x.scalar())
}

/// The real and the imaginary part, which is 0 for all but complex numbers.
pub fn parts<T: Element>(x: T) -> [f64; 2] {
    match value(x) {
        Value::Complex(re, im) => [re, im],
        other => [other.float(), 0.0],
    }
}

/// Random bits as any type; floats of every size, NaN and infinities included, denormals not.
pub fn bits<T: Element>(rng: &mut StdRng) -> T {
    loop {
        let bits = match T::DTYPE.size() {
            16 => rng.random::<u128>(),
            size => (rng.random::<u64>() >> (64 - 8 * size)) as u128,
        };
        let bits = if T::DTYPE == DType::Bool { bits & 1 } else { bits };
        let x = T::from_scalar(crosslane::op::Scalar { dtype: T::DTYPE, bits });
        let tiny = match T::DTYPE {
            DType::F16 => 6.2e-5,
            DType::F32 | DType::BF16 | DType::Complex32 => f32::MIN_POSITIVE as f64,
            DType::F64 | DType::Complex64 => f64::MIN_POSITIVE,
            _ => 0.0,
        };
        if parts(x).iter().all(|part| *part == 0.0 || part.is_nan() || part.abs() >= tiny) {
            return x;
        }
    }
}

/// Random bits in this shape.
pub fn noise<T: Element>(seed: u64, shape: &[usize]) -> Dense<T> {
    let mut rng = random(seed);
    Dense::new(shape, (0..shape.iter().product()).map(|_| bits(&mut rng)).collect())
}

/// A row-major array on the host, with views that copy: slow and obvious.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense<T> {
    pub shape: Vec<usize>,
    pub data: Vec<T>,
}

impl<T: Copy> Dense<T> {
    pub fn new(shape: &[usize], data: Vec<T>) -> Dense<T> {
        assert_eq!(shape.iter().product::<usize>(), data.len());
        Dense { shape: shape.to_vec(), data }
    }

    pub fn at(&self, point: &[usize]) -> T {
        self.data[self.place(point)]
    }

    fn place(&self, point: &[usize]) -> usize {
        point.iter().zip(&self.shape).fold(0, |flat, (p, e)| flat * e + p)
    }

    /// An array of another shape whose element at `point` is this one's at `from(point)`.
    pub fn view(&self, shape: &[usize], from: impl Fn(&[usize]) -> Vec<usize>) -> Dense<T> {
        Dense::new(shape, points(shape).map(|point| self.at(&from(&point))).collect())
    }

    pub fn slice(&self, axis: usize, start: usize, step: isize, len: usize) -> Dense<T> {
        let mut shape = self.shape.clone();
        shape[axis] = len;
        self.view(&shape, |point| {
            let mut from = point.to_vec();
            from[axis] = (start as isize + point[axis] as isize * step) as usize;
            from
        })
    }

    pub fn permute(&self, order: &[usize]) -> Dense<T> {
        let shape: Vec<usize> = order.iter().map(|&axis| self.shape[axis]).collect();
        self.view(&shape, |point| {
            let mut from = vec![0; order.len()];
            order.iter().zip(point).for_each(|(&axis, &p)| from[axis] = p);
            from
        })
    }

    pub fn flip(&self, axis: usize) -> Dense<T> {
        let extent = self.shape[axis];
        self.slice(axis, extent.saturating_sub(1), -1, extent)
    }

    pub fn broadcast(&self, shape: &[usize]) -> Dense<T> {
        let extra = shape.len() - self.shape.len();
        self.view(shape, |point| {
            point[extra..].iter().zip(&self.shape).map(|(&p, &extent)| if extent == 1 { 0 } else { p }).collect()
        })
    }

    pub fn reshape(&self, shape: &[usize]) -> Dense<T> {
        Dense::new(shape, self.data.clone())
    }

    pub fn map<R: Copy>(&self, f: impl Fn(T) -> R) -> Dense<R> {
        Dense::new(&self.shape, self.data.iter().map(|&x| f(x)).collect())
    }

    pub fn zip<R: Copy>(&self, other: &Dense<T>, f: impl Fn(T, T) -> R) -> Dense<R> {
        assert_eq!(self.shape, other.shape);
        Dense::new(&self.shape, self.data.iter().zip(&other.data).map(|(&a, &b)| f(a, b)).collect())
    }

    /// For each element of the result of a reduction, the elements that go into it, in row-major order.
    pub fn groups(&self, reduced: &[bool]) -> Vec<Vec<T>> {
        let pick = |which: bool| -> Vec<usize> {
            self.shape.iter().zip(reduced).map(|(&e, &r)| if r == which { e } else { 1 }).collect()
        };
        let (kept, inner) = (pick(false), pick(true));
        let places = |shape: &[usize]| -> Vec<usize> { points(shape).map(|point| self.place(&point)).collect() };
        let (kept, inner) = (places(&kept), places(&inner));
        kept.iter().map(|k| inner.iter().map(|r| self.data[k + r]).collect()).collect()
    }
}

/// Every point of an index space in row-major order.
pub fn points(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..shape.iter().product::<usize>()).map(move |mut index| {
        let mut point = vec![0; shape.len()];
        for (p, &extent) in point.iter_mut().zip(shape).rev() {
            *p = index % extent;
            index /= extent;
        }
        point
    })
}

/// The array on a device.
pub fn upload<T: Element>(device: &Device, host: &Dense<T>) -> Array<T> {
    Array::from_shape(device, &host.shape, &host.data)
}

/// Asserts shape and every element, floats by value with NaN equal to NaN.
#[track_caller]
pub fn same<T: Element>(got: &Array<T>, wanted: &Dense<T>, what: &str) {
    assert_eq!(got.shape(), wanted.shape, "{what} on {}", name(got.device()));
    same_values(&got.to_vec().unwrap(), &wanted.data, &format!("{what} on {}", name(got.device())));
}

#[track_caller]
pub fn same_values<T: Element>(got: &[T], wanted: &[T], what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    let differs = |(g, w): (&T, &T)| g != w && !(value(*g).is_nan() && value(*w).is_nan());
    if let Some(at) = got.iter().zip(wanted).position(differs) {
        let wrong = got.iter().zip(wanted).filter(|&pair| differs(pair)).count();
        panic!("{what}: {wrong} of {} differ, first at {at}: got {:?}, wanted {:?}", got.len(), got[at], wanted[at]);
    }
}

/// Runs a generic check for each of the types that the device has.
#[macro_export]
macro_rules! for_types {
    ($device:expr, [$($type:ty),*], $check:ident) => {
        $(if $crate::support::has($device, <$type as crosslane::Element>::DTYPE) {
            $check::<$type>($device);
        })*
    };
}
