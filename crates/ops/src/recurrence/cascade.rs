//! Sections in a row, by their coefficients, on the host in f64.

/// The most numbers of a state.
pub const MOST_STATES: usize = 8;
/// The most powers of a step's matrix: no axis has more than 2^31 values.
const MOST_POWERS: usize = 31;
/// The largest entry of a power that is used: what is carried by it stays finite in f32 for signals of any usual size.
const LARGEST: f64 = 1e18;

/// Sections of one order, each of which takes what the one before gives, in transposed direct form II:
/// `y = b[0] x + z[0]; z[j] = b[j + 1] x + z[j + 1] - a[j + 1] y`.
#[derive(Clone, Debug)]
pub struct Cascade {
    /// The order of each section, and the numbers of its state.
    pub order: usize,
    /// Of each section `b[0..=order]`, then `a[1..=order]`; `a[0]` is 1.
    pub sections: Vec<Vec<f64>>,
}

impl Cascade {
    /// The sections of a table that [`Cascade::table`] made.
    pub fn of_table(order: usize, sections: usize, table: &[f64]) -> Cascade {
        let sections = table.chunks(2 * order + 1).take(sections).map(<[f64]>::to_vec).collect();
        Cascade { order, sections }
    }

    /// Numbers of a state.
    pub fn states(&self) -> usize {
        self.order * self.sections.len()
    }

    /// The output for one value; the state moves on.
    pub fn step(&self, state: &mut [f64], value: f64) -> f64 {
        self.sections.iter().zip(state.chunks_mut(self.order)).fold(value, |x, (section, z)| {
            let (b, a) = section.split_at(self.order + 1);
            let y = b[0] * x + z[0];
            for j in 0..self.order {
                let next = z.get(j + 1).copied().unwrap_or(0.0);
                z[j] = b[j + 1] * x + next - a[j] * y;
            }
            y
        })
    }

    /// The matrix by which a step without input moves the state, by rows.
    fn matrix(&self) -> Vec<f64> {
        let count = self.states();
        let mut matrix = vec![0.0; count * count];
        for column in 0..count {
            let mut state = vec![0.0; count];
            state[column] = 1.0;
            self.step(&mut state, 0.0);
            (0..count).for_each(|row| matrix[row * count + column] = state[row]);
        }
        matrix
    }

    /// The coefficients, and then the matrix of 1, 2, 4 and so on steps while their entries are moderate; and how many.
    pub fn table(&self) -> (Vec<f64>, usize) {
        let mut table = self.sections.concat();
        let (count, mut power, mut powers) = (self.states(), self.matrix(), 0);
        while powers < MOST_POWERS && power.iter().all(|entry| entry.abs() < LARGEST) {
            table.extend(&power);
            power = product(&power, &power, count);
            powers += 1;
        }
        (table, powers)
    }

    /// The state that an input of ones leaves as it is; `None` if there is none.
    pub fn settled(&self) -> Option<Vec<f64>> {
        let mut scale = 1.0;
        let mut states = vec![];
        for section in &self.sections {
            let (b, a) = section.split_at(self.order + 1);
            let gain = b.iter().sum::<f64>() / (1.0 + a.iter().sum::<f64>());
            // Backwards: z[j] = b[j + 1] x + z[j + 1] - a[j + 1] y, of x = 1 and y = gain.
            let mut z = vec![0.0; self.order];
            for j in (0..self.order).rev() {
                z[j] = b[j + 1] - a[j] * gain + z.get(j + 1).copied().unwrap_or(0.0);
            }
            states.extend(z.iter().map(|value| value * scale));
            scale *= gain;
        }
        states.iter().all(|value| value.is_finite()).then_some(states)
    }
}

fn product(a: &[f64], b: &[f64], count: usize) -> Vec<f64> {
    let entry = |at: usize| (0..count).map(|k| a[at / count * count + k] * b[k * count + at % count]).sum();
    (0..count * count).map(entry).collect()
}
