use crosslane::*;
fn main() {
    let device = Device::open(&std::env::args().nth(1).unwrap()).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let x = Array::from_slice(&device, &vec![1u32; n]);
    x.eval().unwrap();
    device.synchronize().unwrap();
    for _ in 0..3 {
        let t = std::time::Instant::now();
        let y = x.cumsum(0);
        y.eval().unwrap();
        device.synchronize().unwrap();
        println!("{:?} {:?}", t.elapsed(), y.slice(s![-1..]).to_vec().unwrap());
    }
}
