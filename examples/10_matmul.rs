//! Three matrix products: an element for each invocation, by squares in workgroup memory, and the library's.

mod timing;

use crosslane::{Array, Device, Kernel, Result};

fn main() -> Result<()> {
    env_logger::init_from_env(env_logger::Env::new().default_filter_or("crosslane=warn")); // advice is logged
    let device = Device::new()?;
    let text = include_str!("kernels/matmul.wgsl");
    let mut gains = vec![];
    println!("{}", device.properties());
    timing::tell_debug_build();
    println!("shape                                naive                    tiled              the library's");
    for [rows, inner, columns] in [[256u32, 512, 256], [100, 100, 100], [250, 511, 1], [17, 33, 65]] {
        let matrix = |seed: u32, rows: u32, columns: u32| -> Vec<f32> {
            (0..rows * columns).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 28) as f32 - 7.0).collect()
        };
        let (a_host, b_host) = (matrix(1, rows, inner), matrix(2, inner, columns));
        let (a, b) = (Array::from_slice(&device, &a_host), Array::from_slice(&device, &b_host));
        let shape = Array::from_slice(&device, &[rows, inner, columns, 0]);
        let check = |what: &str, got: Vec<f32>| {
            for (at, &got) in got.iter().enumerate() {
                let (row, column) = (at as u32 / columns, at as u32 % columns);
                let term = |k: u32| a_host[(row * inner + k) as usize] * b_host[(k * columns + column) as usize];
                assert_eq!(got, (0..inner).map(term).sum::<f32>(), "{what} at ({row}, {column})"); // whole numbers: exact
            }
        };
        let mut times = vec![];
        for entry in ["naive", "tiled"] {
            let kernel = Kernel::wgsl_with(text, Some(entry), &[])?;
            let mut product = Array::<f32>::zeros(&device, &[rows as usize, columns as usize]);
            let launch = kernel.for_shape([columns, rows]).args((&shape, &a, &b, &mut product));
            times.push(timing::microseconds(&device, || launch.launch(&device))?);
            drop(launch);
            check(entry, product.to_vec()?);
        }
        let [a, b] = [a.reshape(&[rows, inner]), b.reshape(&[inner, columns])];
        times.push(timing::microseconds(&device, || a.matmul(&b).eval())?);
        check("the library's", a.matmul(&b).to_vec()?);
        let work = 2.0 * rows as f64 * inner as f64 * columns as f64;
        print!("{:16}", format!("{rows} x {inner} x {columns}"));
        times.iter().for_each(|time| print!(" {time:8.1} us {:6.2} GFLOP/s", work / time / 1e3));
        println!();
        if rows == 256 {
            gains.push(times[0] / times[1]);
        }
    }
    match gains[0] {
        gain if gain > 1.1 => println!("squares in workgroup memory: {gain:.1} times as fast as the naive kernel"),
        gain => println!(
            "squares in workgroup memory gain nothing here ({gain:.1} times as fast): a processor's caches keep what is used \
             again, and its workgroup memory is memory like any other; a card shows the gain"
        ),
    }
    println!("the tutorial, 256 x 512 x 256 (Numba, RTX 2080 Ti): 1600 us and 784 us; NumPy 496 us");
    println!(
        "NumPy by OpenBLAS, one thread of a Xeon (`examples/beside/matmul_numpy.py`): 572 us; of 100 x 100 x 100 15.6 us"
    );
    println!("checked: every element is the host's sum");
    Ok(())
}
