//! Transfers of every kind, size and type: whole, in part, many, mapped, asynchronous, from several threads.

use crate::for_types;
use crate::support::*;
use crosslane::share::Direction;
use crosslane::{Array, Complex, Device, Element, HostBuffer, bf16, f16, s, upload_all};
use futures::executor::block_on;
use futures::future::join_all;

fn round_trip<T: Element>(device: &Device) {
    let mut rng = random(23);
    for len in [0, 1, 2, 3, 5, 7, 64, 1023, 4097, 300_001] {
        let host: Vec<T> = (0..len).map(|_| bits(&mut rng)).collect();
        let x = Array::from_slice(device, &host);
        let what = format!("{len} {} on {}", T::DTYPE, name(device));
        same_values(&x.to_vec().unwrap(), &host, &what);
        same_values(&x.copy().to_vec().unwrap(), &host, &format!("copy of {what}"));
        let mut into = vec![of::<T>(0); len];
        x.read_into(&mut into).unwrap();
        same_values(&into, &host, &format!("read_into of {what}"));
        if len > 4 {
            // Parts begin at bytes that are no multiple of 4.
            let part = x.slice(s![1..-2]);
            same_values(&part.to_vec().unwrap(), &host[1..len - 2], &format!("part of {what}"));
            let mut y = x.clone();
            y.write(3, &host[..len - 4]).unwrap();
            let shifted: Vec<T> = [&host[..3], &host[..len - 4], &host[len - 1..]].concat();
            same_values(&y.to_vec().unwrap(), &shifted, &format!("write into {what}"));
        }
        let mut up = HostBuffer::<T>::new(device, len, Direction::Upload).unwrap();
        let half = len / 2;
        up.fill(half, &host[half..]).unwrap();
        up.fill(0, &host[..half]).unwrap();
        let array = up.upload().unwrap();
        same_values(&array.to_vec().unwrap(), &host, &format!("mapped upload of {what}"));
        let mut down = HostBuffer::<T>::new(device, len, Direction::Download).unwrap();
        for source in [&array, &array.flip(0).flip(0), &array.copy()] {
            down.download(source).unwrap();
            let bytes: &[T::Stored] = down.as_slice().unwrap();
            same_values(&T::from_stored(bytes.to_vec()), &host, &format!("mapped download of {what}"));
        }
        // Filled again, the array before keeps its values.
        if len > 0 {
            up.fill(0, &[of::<T>(1)]).unwrap();
            assert_eq!(up.upload().unwrap().slice(s![..1]).item().unwrap(), of::<T>(1));
            same_values(&array.to_vec().unwrap(), &host, &format!("{what} after its buffer was filled again"));
        }
    }
}

#[test]
fn every_type_and_size_both_ways() {
    for device in devices() {
        spoil(device);
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], round_trip);
    }
}

#[test]
fn many_small_ones_in_one_go() {
    for device in devices() {
        spoil(device);
        let host: Vec<Vec<u8>> = (0..1000).map(|i| (0..i % 13).map(|j| (i * 7 + j) as u8).collect()).collect();
        let arrays = upload_all(device, &host.iter().map(|x| x.as_slice()).collect::<Vec<_>>()).unwrap();
        let back = Array::read_all(&arrays.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(back, host, "on {}", name(device));
        let sums: Vec<Array<u32>> = arrays.iter().map(|x| x.cast::<u32>().sum()).collect();
        let sums = Array::read_all(&sums.iter().collect::<Vec<_>>()).unwrap();
        let wanted = host.iter().map(|x| x.iter().map(|&x| x as u32).sum::<u32>());
        assert!(sums.iter().map(|x| x[0]).eq(wanted), "on {}", name(device));
        assert!(Array::<f32>::read_all(&[]).unwrap().is_empty());
    }
}

/// Longer than the ring of staging memory, with a length that is no multiple of anything.
#[test]
fn long_ones_through_the_ring() {
    let host: Vec<u32> = (0..25_000_003u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let more: Vec<u32> = host.iter().map(|x| x.wrapping_add(1)).collect();
    for device in devices() {
        let x = Array::from_slice(device, &host);
        assert!(x.to_vec().unwrap() == host, "on {}", name(device));
        assert!((&x + 1).to_vec().unwrap() == more, "on {}", name(device));
        let arrays = upload_all(device, &[&host[..5_000_001], &host[..3], &host[7..]]).unwrap();
        let back = Array::read_all(&arrays.iter().collect::<Vec<_>>()).unwrap();
        assert!(back[0] == host[..5_000_001] && back[1] == host[..3] && back[2] == host[7..], "on {}", name(device));
        device.trim();
    }
}

#[test]
fn asynchronous_forms() {
    for device in devices() {
        let all = block_on(join_all((0..20).map(|i| Array::from_vec_async(device, vec![i as f32; 1000 + i]))));
        let arrays: Vec<Array<f32>> = all.into_iter().map(|array| array.unwrap()).collect();
        let back = block_on(join_all(arrays.iter().map(|array| (array * 2.0).to_vec_async())));
        for (i, values) in back.into_iter().enumerate() {
            assert_eq!(values.unwrap(), vec![i as f32 * 2.0; 1000 + i], "on {}", name(device));
        }
        block_on(device.synchronize_async()).unwrap();
        let wrong = (&arrays[0] + &arrays[1]).to_vec_async();
        assert!(block_on(wrong).is_err(), "a mistake comes out of the future");
        // A future that is dropped harms nothing.
        drop(arrays[3].to_vec_async());
        assert_eq!(arrays[3].sum().item().unwrap(), 3.0 * 1003.0);
    }
}

/// Threads share a device and arrays: short and long reads, work and assignments at the same time.
#[test]
fn several_threads_at_once() {
    for device in devices() {
        let len = 700_001;
        let shared = Array::from_slice(device, &small::<i32>(len));
        let sum: i32 = small::<i32>(len).iter().sum();
        std::thread::scope(|scope| {
            for thread in 0..4i32 {
                let shared = &shared;
                scope.spawn(move || {
                    for round in 0..5 {
                        let mine = shared + thread;
                        assert_eq!(mine.sum().item().unwrap(), sum.wrapping_add(thread * len as i32));
                        assert_eq!(shared.to_vec().unwrap()[..11], small::<i32>(11), "thread {thread}");
                        let mut own = shared.clone();
                        own.slice_mut(s![..1000]).assign(round).unwrap();
                        assert_eq!(own.slice(s![..1000]).sum().item().unwrap(), 1000 * round);
                        let up = Array::from_slice(shared.device(), &vec![thread; 300_000]);
                        assert!(block_on(up.to_vec_async()).unwrap().iter().all(|&x| x == thread));
                    }
                });
            }
        });
        same_values(&shared.to_vec().unwrap(), &small::<i32>(len), &format!("what threads shared on {}", name(device)));
    }
}
