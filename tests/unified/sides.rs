//! `Unified`: every sequence of uses gives the values of a plain vector, and copies what must be copied, no more.

use crate::support::*;
use crosslane::share::{Transfers, UnifiedState};
use crosslane::{Array, Device, ErrorKind, Unified, s};
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Range;

/// What a `Unified` should hold and have done, element by element.
struct Model {
    values: Vec<u32>,
    on_host: bool,
    on_device: bool,
    host_dirty: Vec<bool>,
    device_dirty: Vec<bool>,
    uploaded: u64,
    downloaded: u64,
}

impl Model {
    fn new(len: usize) -> Model {
        let clean = vec![false; len];
        let (host_dirty, device_dirty) = (clean.clone(), clean);
        Model {
            values: vec![0; len],
            on_host: true,
            on_device: false,
            host_dirty,
            device_dirty,
            uploaded: 0,
            downloaded: 0,
        }
    }

    fn up(&mut self) {
        let all = !std::mem::replace(&mut self.on_device, true);
        self.uploaded += self.host_dirty.iter().filter(|&&dirty| dirty || all).count() as u64 * 4;
        self.host_dirty.fill(false);
    }

    fn down(&mut self, range: Range<usize>) {
        let part = &mut self.device_dirty[range];
        self.downloaded += part.iter().filter(|&&dirty| dirty).count() as u64 * 4;
        part.fill(false);
    }

    fn state(&self) -> UnifiedState {
        match (self.on_host, self.on_device) {
            (_, false) => UnifiedState::HostOnly,
            (false, _) => UnifiedState::DeviceOnly,
            _ if self.host_dirty.contains(&true) => UnifiedState::HostDirty,
            _ if self.device_dirty.contains(&true) => UnifiedState::DeviceDirty,
            _ => UnifiedState::InSync,
        }
    }
}

fn part(rng: &mut StdRng, len: usize) -> Range<usize> {
    let (a, b) = (rng.random_range(0..=len), rng.random_range(0..=len));
    a.min(b)..a.max(b)
}

/// One use, of either.
fn step(rng: &mut StdRng, x: &mut Unified<u32>, model: &mut Model) {
    let len = model.values.len();
    let range = part(rng, len);
    match rng.random_range(0..8) {
        0 | 1 => {
            model.down(0..len);
            let target = x.host_range_mut(range.clone()).unwrap();
            for (at, value) in range.clone().zip(target) {
                (*value, model.values[at]) = (at as u32 * 7 + *value, at as u32 * 7 + model.values[at]);
            }
            if model.on_device {
                model.host_dirty[range].fill(true);
            }
        }
        2 => {
            model.down(range.clone());
            assert_eq!(x.host_range(range.clone()).unwrap(), &model.values[range]);
        }
        3 => {
            model.down(0..len);
            assert_eq!(x.host().unwrap(), model.values);
        }
        4 | 5 => {
            model.up();
            let array = x.device_range_mut(range.clone()).unwrap();
            let slice = s![range.start as isize..range.end as isize];
            let more = array.slice(slice) + 3;
            array.slice_mut(slice).assign(&more).unwrap();
            model.values[range.clone()].iter_mut().for_each(|value| *value += 3);
            model.device_dirty[range].fill(true);
        }
        6 => {
            model.up();
            assert_eq!(x.device().unwrap().to_vec().unwrap(), model.values);
        }
        _ => match rng.random() {
            true => {
                model.up();
                x.sync_to_device().unwrap();
            }
            false => {
                model.down(0..len);
                x.sync_to_host().unwrap();
            }
        },
    }
}

#[test]
fn any_uses_in_any_order() {
    for device in devices() {
        for (seed, len) in [(1, 50), (2, 1), (3, 0)] {
            let mut rng = random(seed);
            for make in [Unified::new, Unified::pinned] {
                let (mut x, mut model) = (make(device, &[len]).unwrap(), Model::new(len));
                for _ in 0..if len == 50 { 40 } else { 10 } {
                    step(&mut rng, &mut x, &mut model);
                    assert_eq!(x.state(), model.state(), "on {}", name(device));
                    let Transfers { uploaded_bytes, downloaded_bytes, .. } = x.transfers();
                    let wanted = (model.uploaded, model.downloaded);
                    assert_eq!((uploaded_bytes, downloaded_bytes), wanted, "on {}", name(device));
                }
                assert_eq!(x.host().unwrap(), model.values);
            }
        }
    }
}

#[test]
fn every_state_is_seen_and_nothing_moves_that_is_clean() {
    for device in apis() {
        let mut x = Unified::<f32>::new(device, &[10, 10]).unwrap();
        assert_eq!(x.state(), UnifiedState::HostOnly);
        x.host_mut().unwrap().fill(2.0);
        assert_eq!((x.state(), x.transfers()), (UnifiedState::HostOnly, Transfers::default()));
        assert_eq!(x.device().unwrap().shape(), [10, 10]);
        assert_eq!(x.state(), UnifiedState::InSync);
        let once = x.transfers();
        assert_eq!((once.uploads, once.uploaded_bytes, once.downloads), (1, 400, 0));
        for _ in 0..3 {
            x.device().unwrap().eval().unwrap();
            assert_eq!(x.host().unwrap()[99], 2.0);
        }
        assert_eq!(x.transfers(), once, "both sides were the same");
        x.host_range_mut(5..7).unwrap()[1] = 9.0;
        x.host_range_mut(90..91).unwrap()[0] = 1.0;
        assert_eq!((x.state(), x.dirty()), (UnifiedState::HostDirty, &[5..7, 90..91][..]));
        assert_eq!(x.device().unwrap().sum().item().unwrap(), 200.0 + 7.0 - 1.0);
        assert_eq!((x.transfers().uploads, x.transfers().uploaded_bytes), (3, 412));
        *x.device_mut().unwrap() *= 2.0;
        assert_eq!((x.state(), x.dirty()), (UnifiedState::DeviceDirty, std::slice::from_ref(&(0..100))));
        assert_eq!(x.host().unwrap()[..8], [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 18.0, 4.0]);
        assert_eq!((x.transfers().downloads, x.transfers().downloaded_bytes), (1, 400));
        let mut y = Unified::from_array(Array::arange(device, 0u32, 4, 1)).unwrap();
        assert_eq!(y.state(), UnifiedState::DeviceOnly);
        *y.device_mut().unwrap() += 1;
        assert_eq!((y.state(), y.transfers()), (UnifiedState::DeviceOnly, Transfers::default()));
        assert_eq!(y.host().unwrap(), [1, 2, 3, 4]);
        assert_eq!((y.state(), y.transfers().downloaded_bytes), (UnifiedState::InSync, 16));
    }
}

/// Clones and expressions keep the values of their time, whatever is uploaded later.
#[test]
fn what_was_read_before_stays() {
    for device in apis() {
        let mut x = Unified::from_vec(device, vec![1u32; 1000]).unwrap();
        let (before, lazy) = (x.device().unwrap().clone(), x.device().unwrap() + 1);
        x.host_range_mut(0..10).unwrap().fill(5);
        assert_eq!(x.device().unwrap().sum().item().unwrap(), 1040);
        x.host_mut().unwrap().fill(7);
        assert_eq!(x.device().unwrap().sum().item().unwrap(), 7000);
        assert_eq!((before.sum().item().unwrap(), lazy.sum().item().unwrap()), (1000, 2000), "on {}", name(device));
    }
}

fn bytes_and_masks(device: &Device) {
    let mut bytes = Unified::from_vec(device, vec![1u8; 11]).unwrap();
    bytes.device().unwrap().eval().unwrap();
    bytes.host_range_mut(3..6).unwrap().fill(200);
    assert_eq!(bytes.device().unwrap().to_vec().unwrap(), [1, 1, 1, 200, 200, 200, 1, 1, 1, 1, 1]);
    bytes.device_range_mut(9..10).unwrap().slice_mut(s![9]).assign(4).unwrap();
    assert_eq!(bytes.host().unwrap()[8..], [1, 4, 1]);
    assert_eq!((bytes.transfers().uploaded_bytes, bytes.transfers().downloaded_bytes), (14, 1));
    let mut mask = Unified::<bool>::pinned(device, &[5]).unwrap();
    mask.host_range_mut(1..3).unwrap().fill(true);
    let turned = !mask.device().unwrap();
    *mask.device_mut().unwrap() = turned;
    assert_eq!(mask.host().unwrap(), [true, false, false, true, true]);
}

#[test]
fn types_smaller_than_a_word() {
    devices().iter().for_each(bytes_and_masks);
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_lost() {
    for device in apis() {
        let mut x = Unified::from_vec(device, vec![1.0f32; 8]).unwrap();
        for range in [0..9, 9..9] {
            let error = x.host_range_mut(range.clone()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Argument { operation: "host_range_mut", .. }), "{error}");
            assert!(error.to_string().contains("0..8") && error.call_site().unwrap().line() == line!() - 2, "{error}");
            assert!(x.host_range(range.clone()).is_err() && x.device_range_mut(range).is_err());
        }
        #[expect(clippy::reversed_empty_ranges, reason = "on purpose")]
        let backwards = x.host_range(5..3);
        assert!(backwards.is_err());
        *x.device_mut().unwrap() = Array::zeros(device, &[4]);
        let error = x.host().unwrap_err().to_string();
        assert!(error.contains("[8]") && error.contains("[4]"), "{error}");
        *x.device_mut().unwrap_or(&mut Array::zeros(device, &[1])) = Array::zeros(device, &[1]);
        let mut y = Unified::from_vec(device, vec![1.0f32; 8]).unwrap();
        y.host().unwrap();
        let wrong = y.device().unwrap() + &Array::zeros(device, &[3]);
        assert!(Unified::from_array(wrong.clone()).is_err());
        *y.device_mut().unwrap() = wrong;
        assert!(y.host().unwrap_err().to_string().contains("[8] and [3]"));
        assert!(y.host().is_err(), "it is still so");
        assert_eq!((Array::from_slice(device, &[1.0f32]) + 1.0).item().unwrap(), 2.0);
    }
}

/// Without room on the device the host keeps what it has, and later there is room.
#[test]
fn out_of_memory_and_on() {
    let Some(device) = fresh("cpu") else { return };
    let mut x = Unified::from_vec(&device, vec![3u32; 1 << 16]).unwrap();
    x.device().unwrap().eval().unwrap();
    x.host_mut().unwrap().fill(4);
    device.trim();
    device.set_memory_limit(Some(1000));
    assert!(matches!(x.device().unwrap_err().kind(), ErrorKind::OutOfMemory { .. }));
    assert_eq!(x.host().unwrap()[9], 4);
    device.set_memory_limit(None);
    assert_eq!(x.device().unwrap().max().item().unwrap(), 4);
}

/// A repeated row is one row in memory: to assign to it, it must become many first.
#[test]
fn what_repeats_is_copied_before_it_is_assigned_to() {
    for device in apis() {
        let row = Array::from_slice(device, &[1u32, 2, 3]);
        let mut x = row.broadcast_to(&[2, 3]);
        drop(row);
        x.eval().unwrap();
        x.slice_mut(s![0]).assign(7).unwrap();
        assert_eq!(x.to_vec().unwrap(), [7, 7, 7, 1, 2, 3], "on {}", name(device));
    }
}
