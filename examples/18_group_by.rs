//! Sales summed by customer, and the best customer found: the host learns one number at the end.

mod timing;

use crosslane::{Array, Device, Result, Scan, axes};

const SALES: usize = 1_000_000;
const CUSTOMERS: u32 = 10_000;

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let random = |i: u32| (i.wrapping_mul(0x9e37_79b9) ^ (i >> 7)).wrapping_mul(0x85eb_ca6b) >> 8;
    let customer: Vec<u32> = (0..SALES as u32).map(|i| random(i) % CUSTOMERS).collect();
    let cents: Vec<u32> = (0..SALES as u32).map(|i| random(!i) % 10_000).collect();
    let (customers, amounts) = (Array::from_slice(&device, &customer), Array::from_slice(&device, &cents));

    // Everything is made lazily, and runs in one submission.
    let best = || -> Result<Array<u32>> {
        let (sorted, amounts) = customers.sort_pairs(&amounts);
        let (who, sums) = Scan::sum().reduce_by_key::<_, _, u32>(&sorted, &amounts);
        // How many customers bought something is known to the device alone: 0 stands in for the others.
        let sums = sums.or(0);
        let place = sums.arg_max_axes(axes(0).keep_dims());
        Ok(who.or(0).take(&place, crosslane::array::OutOfRange::Error))
    };
    let winner = best()?.item()?;

    let mut totals = vec![0u32; CUSTOMERS as usize];
    customer.iter().zip(&cents).for_each(|(&who, &amount)| totals[who as usize] += amount);
    let most = *totals.iter().max().expect("there are customers");
    assert_eq!(totals[winner as usize], most);
    let time = timing::microseconds(&device, || best()?.eval())?;
    println!("{}: customer {winner} bought for {most} cents; found in {time:.0} us", device.properties());
    println!("checked: the host finds the same customer's total");
    Ok(())
}
