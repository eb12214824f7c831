//! A thousand transfers of a byte against one of a thousand bytes: what a transfer costs before its bytes count.

mod timing;

use crosslane::{Array, Device, Result};

const COUNT: usize = 1000;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    println!("{}", device.properties());
    let host: Vec<u8> = (0..COUNT).map(|i| (i * 7 % 251) as u8).collect();
    let one_by_one = || -> Result<Vec<u8>> {
        let there: Vec<Array<u8>> =
            host.iter().map(|byte| Array::from_slice(&device, std::slice::from_ref(byte))).collect();
        there.iter().map(|byte| byte.item()).collect()
    };
    let at_once = || Array::from_slice(&device, &host).to_vec();
    assert_eq!(one_by_one()?, host);
    assert_eq!(at_once()?, host);
    let many = timing::microseconds(&device, || one_by_one().map(drop))?;
    let one = timing::microseconds(&device, || at_once().map(drop))?;
    println!("{COUNT} transfers of a byte, there and back: {many:.0} us, {:.2} us each", many / COUNT as f64);
    println!("one transfer of {COUNT} bytes, there and back: {one:.1} us");
    println!("together they are {:.0} times as fast", many / one);
    println!("checked: both bring back what was sent");
    Ok(())
}
