//! Memory that host and device share in one way or another, and other libraries' memory.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../examples/13_streaming_file.rs"]
#[allow(dead_code, reason = "its main is not run")]
mod streaming_file;

#[cfg(feature = "cuda")]
mod cuda;
mod dlpack;
mod live;
mod mapped;
mod sides;
#[cfg(feature = "wgpu")]
mod wrapped;

/// The example, with a file of a few megabytes in an even smaller memory, on devices of its own: it sets their limits.
#[test]
fn a_file_larger_than_memory() {
    for device in ["cpu", "lavapipe", "swiftshader", "gpu"].iter().filter_map(|request| support::fresh(request)) {
        let summary = streaming_file::stream(&device, 3 << 20, 1 << 18).unwrap();
        assert_eq!(summary.bytes, 3 << 20, "on {}", support::name(&device));
        assert!(summary.memory.peak < 3 << 20 && summary.memory.hits > summary.memory.misses, "{:?}", summary.memory);
    }
}
