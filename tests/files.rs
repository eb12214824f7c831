//! NumPy's files, and arrays through serde. What NumPy wrote is `tests/numpy/kept.npz`, by `files.py`.

mod support;

use crosslane::array::HostArray;
use crosslane::npy::{self, Npz, NpzWriter};
use crosslane::{Array, Complex, Device, Element, bf16, f16};
use std::path::PathBuf;
use support::*;

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/numpy/kept.npz");

/// A file of this test's own, which goes when it is dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("crosslane-files-{}-{name}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn kept<T: Element>(name: &str) -> HostArray<T> {
    Npz::open(KEPT).unwrap().load(name).unwrap()
}

#[test]
fn every_type_that_numpy_wrote() {
    fn check<T: Element>(step: f64) {
        let wanted: Vec<T> =
            (0..6).map(|i| T::from_scalar(crosslane::op::Value::Float(i as f64 * step).scalar(T::DTYPE))).collect();
        let got = kept::<T>(T::DTYPE.name());
        assert_eq!((got.shape(), got.values()), (&[2, 3][..], &wanted[..]), "{}", T::DTYPE);
    }
    check::<f16>(1.5);
    check::<f32>(1.5);
    check::<f64>(1.5);
    check::<i32>(7.0);
    check::<i64>(7.0);
    check::<u8>(7.0);
    check::<u16>(7.0);
    check::<u32>(7.0);
    check::<u64>(7.0);
    assert_eq!(kept::<bool>("bool").values(), [false, true, false, true, false, true]);
}

#[test]
fn every_layout_that_numpy_wrote() {
    for name in ["fortran", "big"] {
        let got = kept::<i32>(name);
        assert_eq!((got.shape(), got.values()), (&[2, 3][..], &[0, 1, 2, 3, 4, 5][..]), "{name}");
    }
    assert_eq!(kept::<u16>("deep"), HostArray::new(&[2, 3, 4], (0..24).collect()).unwrap());
    assert_eq!(kept::<f32>("scalar"), HostArray::new(&[], vec![2.5]).unwrap());
    assert_eq!(kept::<Complex<f32>>("complex"), HostArray::new(&[2], vec![Complex::new(0.0, 0.0); 2]).unwrap());
    assert_eq!(kept::<u8>("empty"), HostArray::new(&[0, 3], vec![]).unwrap());
}

#[test]
fn what_is_wrong_is_told() {
    let mut npz = Npz::open(KEPT).unwrap();
    assert_eq!(npz.names().len(), 16);
    assert_eq!(npz.dtype("u16").unwrap(), crosslane::DType::U16);
    let told = |result: crosslane::Result<HostArray<f32>>, parts: &[&str]| {
        let text = result.unwrap_err().to_string();
        parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in {text}"));
    };
    told(npz.load("u16"), &["Npz::load", "kept.npz: u16", "wanted elements of f32, got u16"]);
    told(npz.load("none"), &["not there; wanted one of f16, f32, "]);
    told(npz.load("complex"), &["wanted elements of f32, got Complex32"]);
    told(npy::load(KEPT), &["npy::load", "not a .npy file"]);
    told(npy::load("/nowhere/x.npy"), &["/nowhere/x.npy", &unopened("/nowhere/x.npy")]);
    let file = Temporary::new("short.npy");
    for (descr, shape, wanted) in [
        ("'<f4'", "(3,)", "wanted the bytes of shape [3] of f32, got 8 bytes"),
        ("'<f4'", "(9223372036854775807,)", "past 2^64 bytes"),
        ("'<f4'", "(1152921504606846976, )", "got 8 bytes"),
        ("'<f4'", "(-1,)", "no shape"),
        ("[('x', '<f4')]", "(2,)", "got records"),
        ("'|b1'", "(2,)", "got bool"),
        ("'é'", "(2,)", "got é"),
        ("''", "(2,)", "wanted elements of f16"),
    ] {
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
        let header = [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), &[0; 8]].concat();
        std::fs::write(&file.0, header).unwrap();
        told(npy::load(&file.0), &[wanted]);
    }
}

/// Headers that want much of who reads them are refused at once.
#[test]
fn headers_that_take_long_or_much() {
    let file = Temporary::new("hostile.npy");
    let told = |header: &[u8], part: &str| {
        std::fs::write(&file.0, header).unwrap();
        let began = std::time::Instant::now();
        for error in [npy::load::<f32>(&file.0).map(|_| ()), npy::dtype(&file.0).map(|_| ())].map(Result::unwrap_err) {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert!(began.elapsed().as_secs() < 5, "{part}");
    };
    let headed = |version: u8, length: u32, text: &str| {
        let length = &length.to_le_bytes()[..if version == 1 { 2 } else { 4 }];
        [b"\x93NUMPY", &[version, 0][..], length, text.as_bytes()].concat()
    };
    for nested in [22, 60_000] {
        let text = format!("{{'descr': {}, 'fortran_order': False, 'shape': (1,), }}\n", "[".repeat(nested));
        told(&headed(2, text.len() as u32, &text), "got records");
    }
    for version in [2, 3] {
        told(&headed(version, u32::MAX, "{}"), "its header has 4294967295 bytes, wanted 65536 at most");
    }
    told(&headed(1, 65535, "{}"), "not a .npy file");
}

/// Every prefix of a file is read without a panic.
#[test]
fn files_cut_short() {
    let (file, cut) = (Temporary::new("whole.npy"), Temporary::new("cut.npy"));
    npy::save(&file.0, &HostArray::new(&[2, 2], vec![1u16, 2, 3, 4]).unwrap()).unwrap();
    let bytes = std::fs::read(&file.0).unwrap();
    assert_eq!(bytes.len(), 128 + 8, "a header of two times 64 bytes at most");
    for length in 0..bytes.len() {
        std::fs::write(&cut.0, &bytes[..length]).unwrap();
        assert!(npy::load::<u16>(&cut.0).is_err(), "{length} bytes");
    }
}

fn there_and_back<T: Element>(device: &Device) {
    let file = Temporary::new(&format!("{}-{}.npy", T::DTYPE, set()));
    let host = noise::<T>(1, &[3, 5]);
    upload(device, &host).transpose().save_npy(&file.0).unwrap();
    assert_eq!(npy::dtype(&file.0).unwrap(), T::DTYPE);
    same(&Array::<T>::load_npy(device, &file.0).unwrap(), &host.permute(&[1, 0]), "there and back");
}

#[test]
fn arrays_there_and_back() {
    for device in quick() {
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], there_and_back);
        let error = Array::<f32>::load_npy(device, "/nowhere/x.npy").unwrap_err();
        assert!(error.to_string().contains("/nowhere/x.npy"), "{error}");
        let file = Temporary::new(&format!("{}.npz", set()));
        let mut writer = NpzWriter::create(&file.0).unwrap();
        writer.add("x", &device.array([1.5f32, -2.0]).to_host().unwrap()).unwrap();
        writer.add("y", &HostArray::new(&[1, 1], vec![true]).unwrap()).unwrap();
        assert!(writer.add("x", &HostArray::new(&[0], Vec::<u8>::new()).unwrap()).is_err(), "twice");
        writer.finish().unwrap();
        // A writer that does not finish changes nothing.
        let mut other = NpzWriter::create(&file.0).unwrap();
        other.add("z", &HostArray::new(&[1], vec![1u8]).unwrap()).unwrap();
        drop(other);
        let mut npz = Npz::open(&file.0).unwrap();
        assert_eq!(npz.names(), ["x", "y"]);
        assert_eq!(npz.load::<f32>("x").unwrap().to_device(device).to_vec().unwrap(), [1.5, -2.0]);
        assert_eq!(npz.load::<bool>("y").unwrap().shape(), [1, 1]);
    }
}

#[cfg(feature = "serde")]
#[test]
fn through_serde() {
    for device in quick() {
        let x = Array::arange(device, 0.0f32, 6.0, 1.0).reshape(&[2, 3]);
        let text = serde_json::to_string(&x).unwrap();
        assert_eq!(text, r#"{"shape":[2,3],"values":[0.0,1.0,2.0,3.0,4.0,5.0]}"#);
        let host: HostArray<f32> = serde_json::from_str(&text).unwrap();
        let numbers = device.array([Complex::new(1.5f32, -2.0)]);
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(text, r#"{"shape":[1],"values":[[1.5,-2.0]]}"#);
        let back: HostArray<Complex<f32>> = serde_json::from_str(&text).unwrap();
        assert_eq!(back.to_device(device).to_vec().unwrap(), numbers.to_vec().unwrap());
        same(&host.to_device(device), &Dense::new(&[2, 3], x.to_vec().unwrap()), "through JSON");
        if device.caps().f16 {
            let halves = device.array([f16::from_f32(0.5)]);
            let host: HostArray<f16> = serde_json::from_str(&serde_json::to_string(&halves).unwrap()).unwrap();
            assert_eq!(host.values(), [f16::from_f32(0.5)]);
        }
        let error = serde_json::to_string(&(&x + &device.array([1.0; 4]))).unwrap_err().to_string();
        assert!(error.contains("[2, 3] and [4]"), "{error}");
    }
    for text in [r#"{"shape":[2],"values":[1]}"#, r#"{"shape":[4294967296,4294967296,2],"values":[]}"#] {
        let error = serde_json::from_str::<HostArray<u8>>(text).unwrap_err().to_string();
        assert!(error.contains("elements for shape"), "{error}");
    }
}
