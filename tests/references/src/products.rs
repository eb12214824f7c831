//! Matrix products.

/// Rows times columns for each of a batch: `batch` matrices of `rows` x `inner` and of `inner` x `columns`, by rows.
pub fn product(a: &[f64], b: &[f64], [batch, rows, inner, columns]: [usize; 4]) -> Vec<f64> {
    let mut data = vec![0.0; batch * rows * columns];
    for n in 0..batch {
        for r in 0..rows {
            let sums = &mut data[(n * rows + r) * columns..][..columns];
            for k in 0..inner {
                let left = a[(n * rows + r) * inner + k];
                let right = &b[(n * inner + k) * columns..][..columns];
                sums.iter_mut().zip(right).for_each(|(sum, right)| *sum += left * right);
            }
        }
    }
    data
}
