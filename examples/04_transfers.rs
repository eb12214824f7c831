//! Transfers: what moving data costs, and the best ways round it.

mod timing;

use crosslane::share::Direction;
use crosslane::{Array, Device, HostBuffer, Result, upload_all};

/// Runs it until it gets no faster, so that memory and kernels are ready, and prints the fastest of some runs then.
fn timed<R>(what: &str, mut work: impl FnMut() -> Result<R>) -> Result<R> {
    timing::warm(|| work().map(drop))?;
    let mut last = None;
    let time = timing::fastest(|| work().map(|result| last = Some(result)))?;
    println!("{:8.3} ms  {what}", time / 1e3);
    Ok(last.expect("a run at least"))
}

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("on {}", device.properties());
    let n = 1 << 22;
    let mut host: Vec<f32> = (0..n).map(|i| i as f32).collect();

    println!("\n16 MiB to the device and back:");
    let x = timed("from_slice", || {
        let x = Array::from_slice(&device, &host);
        device.synchronize()?;
        Ok(x)
    })?;
    timed("to_vec: the system must make the pages of a new vector first", || x.to_vec())?;
    timed("read_into memory that is there already", || x.read_into(&mut host))?;

    // Mapped memory: the device reads and writes it directly, so nothing is copied on the host.
    let mut up = HostBuffer::new(&device, n, Direction::Upload)?;
    up.fill(0, &host)?;
    timed("upload from a HostBuffer", || {
        let x = up.upload()?;
        device.synchronize()?;
        Ok(x)
    })?;
    let mut down = HostBuffer::new(&device, n, Direction::Download)?;
    timed("download into a HostBuffer", || down.download(&x))?;
    assert_eq!(down.as_slice()?, host);

    println!("\n1000 arrays of 100 elements:");
    let parts: Vec<&[f32]> = host.chunks(100).take(1000).collect();
    timed("one by one", || {
        let arrays: Vec<_> = parts.iter().map(|part| Array::from_slice(&device, part)).collect();
        device.synchronize()?;
        Ok(arrays)
    })?;
    let arrays = timed("upload_all", || {
        let arrays = upload_all(&device, &parts)?;
        device.synchronize()?;
        Ok(arrays)
    })?;
    let all: Vec<&Array<f32>> = arrays.iter().collect();
    timed("back one by one", || all.iter().map(|array| array.to_vec()).collect::<Result<Vec<_>>>())?;
    let back = timed("back with read_all", || Array::read_all(&all))?;
    assert_eq!(back.concat(), host[..100_000]);

    println!("\nTen steps and one number:");
    let step = |x: &Array<f32>| x * 0.5 + 1.0;
    let there_and_back = timed("the array comes back after each step", || {
        let mut now = host.clone();
        for _ in 0..10 {
            now = step(&Array::from_slice(&device, &now)).to_vec()?;
        }
        Ok(now.iter().copied().fold(0.0, f32::max))
    })?;
    let stays = timed("the array stays on the device, only the number comes", || {
        (0..10).fold(x.clone(), |x, _| step(&x)).max().item()
    })?;
    assert_eq!(there_and_back, stays);

    println!("\nThe host works while the device's answer is on its way:");
    let busy = || (0..2_000_000u64).fold(0, |sum, i| sum ^ i.wrapping_mul(i)); // whatever the program has to do
    let plain = timed("first one, then the other", || Ok((step(&x).to_vec()?, std::hint::black_box(busy()))))?;
    let overlapped = timed("to_vec_async", || {
        let answer = step(&x).to_vec_async(); // begins at once; the future needs no particular executor
        let work = std::hint::black_box(busy());
        Ok((futures::executor::block_on(answer)?, work))
    })?;
    assert_eq!(plain, overlapped);
    println!("checked: what came back is what was sent");
    Ok(())
}
