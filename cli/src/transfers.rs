//! Transfers between host and device: ordinary memory and mapped memory, each way, and streams that are computed on the way.

use super::Outcome;
use super::compare::{compare, random, randoms, sum};
use super::measure::{Group, Row};
use crosslane::share::Direction;
use crosslane::{Array, Device, HostBuffer, Result, Streamed};
use std::cell::{OnceCell, RefCell};

const SEED: u64 = 3;

/// Host and device memory for transfers, made at its first use.
pub struct Ends {
    device: Device,
    n: usize,
    host: OnceCell<RefCell<Vec<f32>>>,
    array: OnceCell<Array<f32>>,
    up: OnceCell<RefCell<HostBuffer<f32>>>,
    down: OnceCell<RefCell<HostBuffer<f32>>>,
}

impl Ends {
    pub fn new(device: &Device, n: usize) -> Ends {
        let (host, array, up, down) = Default::default();
        Ends { device: device.clone(), n, host, array, up, down }
    }

    fn host(&self) -> &RefCell<Vec<f32>> {
        self.host.get_or_init(|| RefCell::new(randoms(SEED, self.n)))
    }

    fn array(&self) -> &Array<f32> {
        self.array.get_or_init(|| Array::from_slice(&self.device, &self.host().borrow()))
    }

    fn up(&self) -> Result<&RefCell<HostBuffer<f32>>> {
        if self.up.get().is_none() {
            let mut buffer = HostBuffer::new(&self.device, self.n, Direction::Upload)?;
            buffer.fill(0, &self.host().borrow())?;
            self.up.get_or_init(|| RefCell::new(buffer));
        }
        Ok(self.up.get().expect("just made"))
    }

    fn down(&self) -> Result<&RefCell<HostBuffer<f32>>> {
        if self.down.get().is_none() {
            let buffer = HostBuffer::new(&self.device, self.n, Direction::Download)?;
            self.down.get_or_init(|| RefCell::new(buffer));
        }
        Ok(self.down.get().expect("just made"))
    }
}

/// A way to transfer: name, what is timed, and the transferred elements, for the check.
type Way = (&'static str, fn(&Ends) -> Result<()>, fn(&Ends) -> Result<Vec<f32>>);

/// An upload is over when the device has the bytes.
fn arrived(array: Array<f32>) -> Result<()> {
    array.eval()?;
    array.device().synchronize()
}

/// The host's numbers as a stream.
fn streamed<'a>(e: &Ends, host: &'a [f32]) -> Streamed<'a, f32> {
    Streamed::from_read(&e.device, bytemuck::cast_slice(host))
}

const WAYS: [Way; 7] = [
    (
        "upload_pageable",
        |e| arrived(Array::from_slice(&e.device, &e.host().borrow())),
        |e| Array::from_slice(&e.device, &e.host().borrow()).to_vec(),
    ),
    ("upload_mapped", |e| arrived(e.up()?.borrow_mut().upload()?), |e| e.up()?.borrow_mut().upload()?.to_vec()),
    ("download_pageable", |e| e.array().to_vec().map(drop), |e| e.array().to_vec()),
    (
        "download_pageable_into",
        |e| e.array().read_into(&mut e.host().borrow_mut()),
        |e| {
            let mut host = vec![0.0; e.n];
            e.array().read_into(&mut host)?;
            Ok(host)
        },
    ),
    (
        "download_mapped",
        |e| e.down()?.borrow_mut().download(e.array()),
        |e| {
            let mut down = e.down()?.borrow_mut();
            down.download(e.array())?;
            Ok(down.as_slice()?.to_vec())
        },
    ),
    (
        "host_copy",
        |e| {
            host_copy(e, |piece| {
                std::hint::black_box(piece);
            })
        },
        |e| {
            let mut all = vec![];
            host_copy(e, |piece| all.extend_from_slice(piece))?;
            Ok(all)
        },
    ),
    (
        "streamed_map",
        |e| streamed(e, &e.host().borrow()).map(|x| x * 2.0).for_each(|_| Ok(())),
        |e| {
            let doubled = streamed(e, &e.host().borrow()).map(|x| x * 2.0).to_vec()?;
            Ok(doubled.into_iter().map(|x| x / 2.0).collect())
        },
    ),
];

/// Elements of a piece that the host copies: its caches hold them, as those of a stream.
const PIECE: usize = 2 << 20;

/// What a stream's reader does, by one thread of the host: copies its bytes into the same memory again and again.
fn host_copy(e: &Ends, mut take: impl FnMut(&[f32])) -> Result<()> {
    let host = e.host().borrow();
    let mut piece = vec![0.0; PIECE.min(host.len())];
    for part in host.chunks(PIECE) {
        piece[..part.len()].copy_from_slice(part);
        take(&piece[..part.len()]);
    }
    Ok(())
}

/// The sum of a stream, which is done when the last number is there.
fn streamed_sum(e: &Ends) -> Result<f64> {
    streamed(e, &e.host().borrow()).sum()
}

/// The lines of the table.
pub fn rows(ends: &Ends) -> Vec<Row<'_>> {
    let group = Group::Transfer { bytes: 4 * ends.n as u64 };
    let way = |(op, timed, brought): Way| {
        let check = move || -> Outcome { compare(op, &brought(ends)?, ends.n, 0.0, |i| random(SEED, i) as f64) };
        Row { op, n: ends.n, group, before: None, check: Box::new(check), work: Box::new(move || timed(ends)) }
    };
    let op = "streamed_sum";
    let check = move || -> Outcome {
        let wanted = sum(ends.n, |i| random(SEED, i) as f64);
        compare(op, &[(streamed_sum(ends)? / wanted) as f32], 1, 1e-6, |_| 1.0)
    };
    let work = Box::new(move || streamed_sum(ends).map(drop));
    let summed = Row { op, n: ends.n, group, before: None, check: Box::new(check), work };
    WAYS.map(way).into_iter().chain([summed]).collect()
}
