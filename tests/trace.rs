//! Profiles, rooflines, occupancy and advice: what they say of launches that are known.

mod support;

use crosslane::device::Backend;
use crosslane::profile::{Limiter, Span, SpanKind, Trace};
use crosslane::{Argument, Array, Device, DeviceOptions, Kernel, Recording};
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, Once};
use std::time::{Duration, Instant};
use support::{apis, fresh, is_checked, name};

const ADD_ONE: &str = "
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] = x[id.x] + 1.0; }
}";

/// A profile has what every thread asks of the device: tests take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn add_one(name: &str) -> Kernel {
    Kernel::wgsl(ADD_ONE).unwrap().named(name)
}

/// So many workgroups of `kernel` from `x` to `y`.
fn launch(device: &Device, kernel: &Kernel, groups: u32, x: &Array<f32>, y: &Array<f32>) -> crosslane::Result<()> {
    kernel.grid([groups]).args((x, Argument::in_place(y))).launch(device)
}

fn of(trace: &Trace, kind: SpanKind) -> Vec<&Span> {
    trace.spans().iter().filter(|span| span.kind == kind).collect()
}

/// Spans lie in the profile, in the order of their starts, and launches of one queue one after the other.
#[track_caller]
fn is_sound(trace: &Trace, wall: Duration, device: &Device) {
    assert!(trace.total() <= wall, "{}", name(device));
    assert!(trace.spans().is_sorted_by_key(|span| span.start));
    // The clocks are set by each other within the time that it takes to ask.
    let slack = Duration::from_millis(5);
    for span in trace.spans() {
        assert!(span.end() <= trace.total() + slack, "{span:?} of {:?} on {}", trace.total(), name(device));
    }
    let launches = of(trace, SpanKind::Launch);
    let sum: Duration = launches.iter().map(|span| span.duration).sum();
    assert!(launches.is_empty() || sum > Duration::ZERO, "{}", name(device));
    assert!(sum <= wall, "{sum:?} of {wall:?} on {}", name(device));
    assert!(trace.device_busy() <= trace.total() + slack);
}

#[test]
fn a_profile_has_every_span_of_a_known_program() {
    let _alone = alone();
    for device in apis() {
        let n = 20_000;
        let kernel = add_one("add one");
        let y = Array::<f32>::zeros(device, &[n]);
        y.eval().unwrap();
        let started = Instant::now();
        let (sum, trace) = device
            .profile(|| {
                let x = Array::from_slice(device, &vec![1.0f32; n]);
                for _ in 0..3 {
                    launch(device, &kernel, (n as u32).div_ceil(64), &x, &y)?;
                }
                y.sum().item()
            })
            .unwrap();
        is_sound(&trace, started.elapsed(), device);
        assert_eq!(sum, 2.0 * n as f32);
        let launches = of(&trace, SpanKind::Launch);
        let (own, library): (Vec<&Span>, Vec<&Span>) = launches.iter().partition(|span| span.name == "add one");
        assert_eq!(own.len(), 3, "{}", name(device));
        assert!(own.iter().all(|span| (span.bytes, span.flops, span.launches) == (n as u64 * 8, None, 1)));
        // The sum reads every element once and writes one, in however many passes.
        assert!(!library.is_empty());
        let bytes: u64 = library.iter().map(|span| span.bytes).sum();
        let flops: u64 = library.iter().map(|span| span.flops.unwrap()).sum();
        let passes = library.len() as u64;
        assert!((n as u64 * 4 + 4 - passes..=n as u64 * 4 + 4).contains(&bytes), "{bytes}");
        assert!((n as u64 - passes..=2 * n as u64).contains(&flops), "{flops}");
        let (uploads, downloads) = (of(&trace, SpanKind::Upload), of(&trace, SpanKind::Download));
        assert!(uploads.iter().any(|span| span.bytes == n as u64 * 4), "{uploads:?}");
        assert_eq!(downloads.iter().map(|span| span.bytes).collect::<Vec<_>>(), [4]);
        assert!(!of(&trace, SpanKind::Wait).is_empty());
        let compiled: Vec<&str> = of(&trace, SpanKind::Compile).iter().map(|span| span.name.as_str()).collect();
        assert!(compiled.contains(&"add one"), "{compiled:?}");
        // Up, then the kernels, then down.
        let slack = Duration::from_micros(if trace.device_clock() { 200 } else { 0 });
        assert!(uploads[0].start <= own[0].start + slack, "{}", name(device));
        assert!(own[2].start <= library[0].start && library[0].start <= downloads[0].start + slack);
        // Warm, it is not compiled again.
        let y = Array::<f32>::zeros(device, &[n]);
        let x = Array::<f32>::ones(device, &[n]);
        let ((), trace) = device.profile(|| launch(device, &kernel, 1, &x, &y)).unwrap();
        assert!(of(&trace, SpanKind::Compile).iter().all(|span| span.name != "add one"));
    }
}

#[test]
fn more_launches_than_one_query_set_holds() {
    let _alone = alone();
    for device in apis().iter().filter(|device| !is_checked(device)) {
        let (x, y) = (Array::<f32>::ones(device, &[64]), Array::<f32>::zeros(device, &[64]));
        let kernel = add_one("many");
        let count = 1100;
        let started = Instant::now();
        let ((), trace) = device.profile(|| (0..count).try_for_each(|_| launch(device, &kernel, 1, &x, &y))).unwrap();
        is_sound(&trace, started.elapsed(), device);
        let many = of(&trace, SpanKind::Launch).into_iter().filter(|span| span.name == "many").count();
        assert_eq!(many, count, "{}", name(device));
        assert_eq!(y.to_vec().unwrap(), [2.0; 64]);
    }
}

/// Where no clock is, or none that programs may see, each launch is waited for.
#[test]
#[cfg(feature = "wgpu")]
fn without_timestamps_the_hosts_clock_does() {
    let _alone = alone();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    for adapter in futures::executor::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN)) {
        let request = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (raw, queue) = futures::executor::block_on(request).unwrap();
        let device = Device::from_wgpu(&adapter, raw, queue);
        let x = Array::<f32>::ones(&device, &[1000]);
        x.eval().unwrap();
        let started = Instant::now();
        let (sum, trace) = device.profile(|| (&x * 2.0 + 1.0).copy().sum().item()).unwrap();
        assert_eq!(sum, 3000.0);
        is_sound(&trace, started.elapsed(), &device);
        assert!(!trace.device_clock() && trace.to_string().contains("by the host's clock"));
        let launches = of(&trace, SpanKind::Launch);
        assert!(!launches.is_empty());
        assert!(launches.windows(2).all(|pair| pair[0].end() <= pair[1].start), "one after the other");
    }
}

/// Recorded kernels are as many launches, or one span of as many.
#[test]
fn what_was_recorded_counts_each_launch() {
    let _alone = alone();
    for device in apis() {
        let mut recording = Recording::nothing(device, 7).unwrap();
        let ((), trace) = device.profile(|| recording.run()).unwrap();
        let launches = of(&trace, SpanKind::Launch);
        assert_eq!(launches.iter().map(|span| span.launches).sum::<usize>(), 7, "{}", name(device));
    }
}

#[test]
fn a_profile_prints_a_table() {
    let _alone = alone();
    for device in apis() {
        let n = 1 << 14;
        let x = Array::from_slice(device, &vec![1.0f32; n]);
        let y = Array::<f32>::zeros(device, &[n]);
        let kernel = add_one("in the table");
        let (_, trace) = device
            .profile(|| {
                (0..4).try_for_each(|_| launch(device, &kernel, n as u32 / 64, &x, &y))?;
                (&x * 2.0).sum().to_vec()
            })
            .unwrap();
        let text = trace.to_string();
        let line = |start: &str| {
            let found = text.lines().find(|line| line.starts_with(start));
            found.unwrap_or_else(|| panic!("{start:?} is not in:\n{text}")).split_whitespace().collect::<Vec<_>>()
        };
        let clock = if trace.device_clock() { "device's clock" } else { "host's clock" };
        assert!(text.starts_with(&device.properties().to_string()) && text.contains(clock), "{text}");
        assert_eq!(line("kernel").join(" "), "kernel count total us mean us min us max us GB/s GFLOP/s % of roofline");
        let cells = line("in the table");
        assert_eq!((cells[3], cells[9], cells.len()), ("4", "-", 11), "{text}");
        let number = |cell: usize| cells[cell].parse::<f64>().unwrap();
        let (total, mean, min, max) = (number(4), number(5), number(6), number(7));
        assert!(min <= mean && mean <= max && (total - 4.0 * mean).abs() < 0.05 && min >= 0.0, "{text}");
        let rate = 4.0 * 8.0 * n as f64 / total * 1e-3;
        assert!((number(8) - rate).abs() <= 0.06 + rate * 0.01, "{} GB/s, by the table {rate}", cells[8]);
        let percent = 100.0 * rate * 1e9 / trace.roofline().unwrap().bytes_per_second;
        assert!((number(10) - percent).abs() <= 0.06 + percent * 0.01, "{} %, not {percent}", cells[10]);
        assert_eq!(line("download")[1], "1", "{text}");
        assert!(line("wait").len() == 7 && line("total")[4].starts_with("busy"), "{text}");
    }
}

/// JSON that a viewer takes: named tracks, complete events in microseconds that do not overlap on a track.
#[test]
fn chrome_json_has_a_track_of_each_kind() {
    let _alone = alone();
    for device in apis() {
        let kernel = add_one("a \"quoted\" name");
        let y = Array::<f32>::zeros(device, &[1000]);
        let (_, trace) = device
            .profile(|| {
                let x = Array::from_slice(device, &[1.0f32; 1000]);
                launch(device, &kernel, 16, &x, &y)?;
                y.to_vec()
            })
            .unwrap();
        let json: Value = serde_json::from_str(&trace.chrome_json()).unwrap();
        let events = json["traceEvents"].as_array().unwrap();
        let track = |event: &Value| event["tid"].as_u64().unwrap();
        let named = |name: &str| {
            let found = events.iter().find(|event| event["name"] == "thread_name" && event["args"]["name"] == name);
            track(found.unwrap_or_else(|| panic!("no track {name:?} on {}", support::name(device))))
        };
        let complete: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
        assert_eq!(complete.len(), trace.spans().len());
        for (kind, name) in [
            ("Launch", "device"),
            ("Upload", "transfers"),
            ("Download", "transfers"),
            ("Wait", "host waits"),
            ("Compile", "compilation"),
        ] {
            assert!(complete.iter().any(|event| event["cat"] == kind && track(event) == named(name)), "{kind}");
        }
        assert!(complete.iter().any(|event| event["name"] == kernel.name() && event["args"]["bytes"] == 8000));
        let mut ends = std::collections::HashMap::new();
        for event in &complete {
            let (start, length) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
            let end: f64 = ends.insert(track(event), start + length).unwrap_or(0.0);
            assert!(start >= end - 0.002 && start + length <= trace.total().as_secs_f64() * 1e6 + 5000.0);
        }
    }
}

/// Profiles do not nest, end with an error of the work's own, and leave the device usable.
#[test]
fn a_failed_profile_leaves_the_device_usable() {
    let _alone = alone();
    for device in apis() {
        let inner = device.profile(|| device.profile(|| Ok(())).map(|_| ()));
        let text = inner.unwrap_err().to_string();
        assert!(text.contains("profile: device: wanted no profile that is running already"), "{text}");
        let wrong = device.profile(|| (Array::<f32>::ones(device, &[2]) + Array::ones(device, &[3])).to_vec());
        assert!(wrong.is_err());
        let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            device.profile(|| -> crosslane::Result<()> { panic!("on purpose") })
        }));
        assert!(panics.is_err());
        let x = Array::<f32>::ones(device, &[100]);
        let (time, trace) = device.profile(|| device.gpu_time(|| (&x + 1.0).eval())).unwrap();
        assert_eq!(time, None, "the profile has the clock");
        assert_eq!(of(&trace, SpanKind::Launch).len(), 1);
        assert_eq!(device.gpu_time(|| (&x + 1.0).eval()).unwrap().is_some(), device.caps().timestamps);
    }
}

#[test]
fn worth_grows_with_the_work_and_is_kept() {
    let _alone = alone();
    for device in apis() {
        let of = |bytes, flops| device.worth(bytes, flops).unwrap();
        assert_eq!(of(1 << 20, 1 << 20), of(1 << 20, 1 << 20));
        let (small, large, long) = (of(4, 1), of(1 << 40, 1), of(4, 1 << 50));
        assert!(small.device < large.device && small.processor < large.processor, "{small}; {large}");
        assert!(small.device < long.device && small.processor < long.processor, "{small}; {long}");
        // A launch takes longer than an addition.
        assert!(!small.is_device(), "{small}");
        // Past all numbers.
        assert!(of(u64::MAX, u64::MAX).device > large.device);
    }
}

#[test]
fn the_roofline_is_sane_and_kept() {
    let _alone = alone();
    for device in apis() {
        let roofline = device.roofline().unwrap();
        let sane = |rate: f64| (1e3..1e17).contains(&rate);
        assert!(sane(roofline.bytes_per_second) && sane(roofline.flops_per_second), "{roofline:?}");
        // It is kept. A busy machine stops this thread at times, so that one of five tries must be fast.
        let again = |_| {
            let start = Instant::now();
            assert_eq!(device.roofline().unwrap(), roofline);
            start.elapsed()
        };
        assert!((0..5).map(again).min() < Some(Duration::from_millis(1)));
        // A copy of the same size cannot be much faster than the triad says.
        if !is_checked(device) && device.caps().timestamps {
            let x = Array::<f32>::ones(device, &[1 << 20]).copy();
            x.eval().unwrap();
            let times = (0..5).filter_map(|_| device.gpu_time(|| x.copy().eval()).unwrap());
            let best = times.filter(|time| !time.is_zero()).min();
            let rate = best.map_or(0.0, |time| 8.0 * (1 << 20) as f64 / time.as_secs_f64());
            assert!(rate < 20.0 * roofline.bytes_per_second, "{rate} of {roofline:?} on {}", name(device));
        }
    }
}

#[test]
fn occupancy_is_sane() {
    let _alone = alone();
    for device in apis() {
        let small = add_one("small").occupancy(device).unwrap();
        assert!(small.workgroups_per_unit >= 1 && small.fraction > 0.0 && small.fraction <= 1.0, "{small}");
        assert_eq!(small.invocations_per_unit, small.workgroups_per_unit * 64);
        assert_eq!(small.estimated, device.properties().backend != crosslane::device::Backend::Cuda);
        // As much workgroup memory as there is: fewer workgroups, and that is why.
        let words = device.caps().workgroup_bytes.min(32 << 10) / 4;
        let text = format!(
            "var<workgroup> tile: array<f32, {words}>;
            @group(0) @binding(0) var<storage, read_write> y: array<f32>;
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{
                tile[i] = y[i]; workgroupBarrier(); y[i] = tile[31u - i];
            }}"
        );
        let large = Kernel::wgsl(&text).unwrap().occupancy(device).unwrap();
        if device.properties().kind != crosslane::device::DeviceKind::Software {
            assert_eq!(large.limited_by, Limiter::WorkgroupMemory, "{large}");
            assert!(large.fraction < small.fraction);
        }
        let wide = Kernel::wgsl("@compute @workgroup_size(64, 64) fn main() {}").unwrap().occupancy(device);
        assert!(wide.unwrap_err().to_string().contains("4096 invocations"));
    }
}

#[test]
fn suggested_sizes_are_whole_subgroups_within_limits() {
    let _alone = alone();
    for device in apis() {
        let caps = device.caps();
        for elements in [0, 1, 1000, 1001, 100_000, 100_001, usize::MAX] {
            let size = device.suggest_workgroup_size(elements);
            assert!(size >= 1 && size <= caps.workgroup_invocations);
            let wanted = if elements <= 1000 { 64 } else { 256 };
            let subgroup = caps.subgroups.map_or(1, |(_, largest)| largest);
            if wanted <= caps.workgroup_invocations && subgroup <= wanted {
                assert_eq!(size, wanted, "{elements} on {}", name(device));
            }
            assert!(subgroup > caps.workgroup_invocations || size.is_multiple_of(subgroup));
        }
    }
}

/// What was logged as advice.
static SAID: Mutex<Vec<String>> = Mutex::new(vec![]);

struct Listener;

impl log::Log for Listener {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, record: &log::Record) {
        if record.target() == "crosslane::advice" {
            SAID.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        log::set_logger(&Listener).unwrap();
        log::set_max_level(log::LevelFilter::Warn);
    });
}

/// What was said about a kernel since it was last asked.
fn said(kernel: &str) -> Vec<String> {
    let mut all = SAID.lock().unwrap();
    let (own, others) =
        std::mem::take(&mut *all).into_iter().partition(|text| text.starts_with(&format!("{kernel}: ")));
    *all = others;
    own
}

/// Where launches are to be short, a program's kernel that was not is named.
#[test]
fn long_kernels_are_named() {
    let _alone = alone();
    listen();
    for other in apis().iter().filter(|device| device.caps().timestamps && !is_checked(device)) {
        let request = match other.properties().backend {
            Backend::Cpu => "cpu:compiled".to_string(),
            Backend::Cuda => "cuda".to_string(),
            api => format!("{api:?}:{}", other.properties().name),
        };
        let open = |budget| DeviceOptions::default().slice(budget).open(&request).unwrap();
        for (budget, named) in [(Duration::from_nanos(1), 1), (Duration::from_secs(100), 0), (Duration::MAX, 0)] {
            let device = &open(budget);
            let (x, y) = (Array::<f32>::ones(device, &[1 << 16]).copy(), Array::<f32>::zeros(device, &[1 << 16]));
            let title = format!("long on {request}, {budget:?}");
            let kernel = add_one(&title);
            for _ in 0..2 {
                launch(device, &kernel, 1024, &x, &y).unwrap();
                device.synchronize().unwrap();
            }
            let texts = said(&title);
            let of_time = texts.iter().filter(|text| text.contains("it took") && text.contains("DeviceOptions::slice"));
            assert_eq!(of_time.count(), named, "{texts:?} on {request}");
        }
    }
}

#[test]
fn advice_is_given_once_and_can_be_switched_off() {
    let _alone = alone();
    listen();
    for (nth, device) in apis().iter().enumerate().filter(|(_, device)| !is_checked(device)) {
        let n = 1 << 20;
        let (x, y) = (Array::from_slice(device, &vec![1.0f32; n]), Array::<f32>::zeros(device, &[n]));
        let title = format!("few on {nth}");
        let few = Kernel::wgsl(
            "@group(0) @binding(0) var<storage, read> x: array<f32>;
            @group(0) @binding(1) var<storage, read_write> y: array<f32>;
            @compute @workgroup_size(65) fn main(@builtin(local_invocation_index) i: u32) { y[i] = x[i]; }",
        )
        .unwrap()
        .named(&title);
        device.set_advice(false);
        launch(device, &few, 1, &x, &y).unwrap();
        assert_eq!(said(&title), [""; 0], "switched off");
        device.set_advice(true);
        launch(device, &few, 1, &x, &y).unwrap();
        launch(device, &few.named(&title), 1, &x, &y).unwrap();
        // A device with one unit is full with one workgroup.
        if std::thread::available_parallelism().is_ok_and(|count| count.get() > 1) {
            let texts = said(&title);
            assert_eq!(texts.len(), 1, "{texts:?} on {}", name(device));
            assert!(texts[0].contains("1 workgroups of 65 invocations for 8388608 bytes"), "{texts:?}");
        }
        // Enough workgroups, but a word about the 65.
        let groups = 1024;
        let strip = n / groups as usize;
        let odd = format!("odd on {nth}");
        let kernel = few.named(&odd);
        for _ in 0..2 {
            launch(device, &kernel, groups, &x, &y).unwrap();
        }
        let texts = said(&odd);
        assert_eq!(texts.len(), device.caps().subgroups.is_some() as usize, "{texts:?} {strip}");
        assert!(texts.iter().all(
            |text| text.contains("workgroups of 65 invocations") && text.contains("stay idle; take a multiple of")
        ));
        // Up, only read, and down again as it was; what a kernel wrote may come down.
        let both = format!("both ways on {nth}");
        let kernel = add_one(&both);
        launch(device, &kernel, groups * 16, &x, &y).unwrap();
        y.to_vec().unwrap();
        assert_eq!(said(&both), [""; 0]);
        x.to_vec().unwrap();
        x.to_vec().unwrap();
        // The first kernel that read it is named.
        let texts = [said(&title), said(&odd), said(&both)].concat();
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(texts[0].contains("4194304 bytes was uploaded, only read by the kernel, and downloaded again"));
    }
}

/// Neighbours far apart are told with line and distance on a device that checks, and are no defect.
#[test]
#[cfg(feature = "cpu")]
fn strided_access_is_advice_and_no_defect() {
    let _alone = alone();
    listen();
    let Some(device) = fresh("cpu:checked") else { return };
    let walk = |name: &str, index: &str| {
        let text = format!(
            "@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    var sum = 0.0;
    for (var k = 0u; k < 64u; k++) {{
        sum += x[{index}];
    }}
    y[id.x] = sum;
}}"
        );
        let kernel = Kernel::wgsl(&text).unwrap().named(name);
        let (x, y) = (Array::<f32>::ones(&device, &[64 * 64]), Array::<f32>::zeros(&device, &[64]));
        (0..2).for_each(|_| launch(&device, &kernel, 1, &x, &y).unwrap());
        assert_eq!(y.to_vec().unwrap(), [64.0; 64]);
    };
    walk("rows", "id.x * 64u + k");
    let texts = said("rows");
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].contains("line 6: neighbouring invocations touch `x` 256 bytes apart"), "{texts:?}");
    walk("columns", "k * 64u + id.x");
    walk("one place", "k");
    walk("scattered", "(id.x * 37u + k * 11u + (id.x * id.x * 13u) % 64u) % 4096u");
    assert_eq!([said("columns"), said("one place"), said("scattered")].concat(), [""; 0]);
}
