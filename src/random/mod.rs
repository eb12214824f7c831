//! Random numbers: generators, distributions, permutations, and sequences that fill space evenly.
//!
//! A [`Generator`] is a key and a position. Each draw is a function of them and of the element's index (Philox4x32-10, a
//! counter-based generator), so draws are expressions: they need no memory, fuse with what follows, and another seed runs the
//! same kernel. Draws by attempts (`gamma`, `beta`, `poisson`, `binomial`) fuse with elementwise work only, one of them in a
//! kernel: reductions and others read them from memory.
//!
//! **The same seed gives the same bits on every device**: on each engine and driver, whatever the kernels' sizes and order.
//! That holds for all distributions, as their functions are made of additions, multiplications and bits alone, and products
//! are rounded before something is added. Exceptions are stated where they are: what sums floats or divides, as
//! [`Generator::dirichlet`] does. Arithmetic of your own on a draw is like any other: `x * s + m` may be rounded once or twice.
//!
//! ```
//! # crosslane::example(|device| {
//! use crosslane::random::Generator;
//! let mut random = Generator::new(device, 42);
//! let (x, y) = (random.uniform::<f32>(&[100_000]), random.uniform::<f32>(&[100_000]));
//! let inside = (x.square() + y.square()).less(1.0);
//! let pi = 4.0 * inside.cast::<f32>().mean().item()?; // one kernel, which reads no memory
//! assert!((pi - std::f32::consts::PI).abs() < 0.02);
//! # Ok(()) });
//! ```

mod continuous;
mod discrete;
mod draw;
mod initial;
mod orders;
mod spread;

pub use spread::{Halton, Sobol};

use crate::device::Device;
use crosslane_ops::random::philox;

/// The last word of counters: draws, keys of other generators, and keys of permutations have their own.
const CHILD: u32 = 1;
const ORDER: u32 = 2;

/// A source of random numbers: a key made of a seed, and the position that the next draw begins at.
///
/// Cheap: three numbers on the host. It is not for secrets. Threads and streams each take a generator of their own, from
/// [`Generator::split`] or [`Generator::fork`].
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::random::Generator;
/// let mut random = Generator::new(device, 7);
/// let x = random.normal::<f32>(&[2, 3]);
/// let again = Generator::new(device, 7).normal::<f32>(&[2, 3]);
/// assert_eq!(x.to_vec()?, again.to_vec()?);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "RandomState")]
#[doc(alias = "default_rng")]
#[doc(alias = "curand")]
pub struct Generator {
    device: Device,
    key: [u32; 2],
    /// The number of the next block of four words.
    position: u64,
}

impl Generator {
    /// The generator of this seed, for arrays on a device.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::random::Generator;
    /// let words = |seed| Generator::new(device, seed).words(&[8]).to_vec();
    /// assert_eq!(words(1)?, words(1)?);
    /// assert_ne!(words(1)?, words(2)?);
    /// # Ok(()) });
    /// ```
    pub fn new(device: &Device, seed: u64) -> Generator {
        Generator { device: device.clone(), key: [seed as u32, (seed >> 32) as u32], position: 0 }
    }

    /// The device of its arrays.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// assert_eq!(crosslane::random::Generator::new(device, 1).device(), device);
    /// # Ok(()) });
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// So many new generators, each with a key of its own. This generator goes on with other numbers than theirs.
    ///
    /// Keys are 64 bits of Philox: two of 2^20 generators have the same with a chance of 2^-25.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::random::Generator;
    /// let mut random = Generator::new(device, 1);
    /// let mut children = random.split(2);
    /// let [first, second] = [0, 1].map(|nth: usize| children[nth].words(&[4]).to_vec());
    /// assert_ne!(first?, second?);
    /// # Ok(()) });
    /// ```
    #[doc(alias = "spawn")]
    pub fn split(&mut self, count: usize) -> Vec<Generator> {
        let first = self.position;
        self.position = first.wrapping_add(count as u64);
        (0..count as u64).map(|nth| self.child([first.wrapping_add(nth), 1])).collect()
    }

    /// The generator of a stream's, thread's or process's number. It depends on the key and the number alone: not on what
    /// has been drawn.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::random::Generator;
    /// let random = Generator::new(device, 1);
    /// let words = |stream| random.fork(stream).words(&[4]).to_vec();
    /// assert_eq!(words(3)?, words(3)?);
    /// assert_ne!(words(3)?, words(4)?);
    /// # Ok(()) });
    /// ```
    pub fn fork(&self, stream: u64) -> Generator {
        self.child([stream, 0])
    }

    fn child(&self, [number, kind]: [u64; 2]) -> Generator {
        let [a, b, ..] = philox([number as u32, (number >> 32) as u32, kind as u32, CHILD], self.key);
        Generator { device: self.device.clone(), key: [a, b], position: 0 }
    }

    /// Leaves out so many blocks: a block is four words, four numbers of 32 bits, or an element of what is drawn by attempts.
    /// There are 2^64 blocks.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::random::Generator;
    /// let mut random = Generator::new(device, 1);
    /// let all = random.words(&[12]).to_vec()?;
    /// let mut later = Generator::new(device, 1);
    /// later.jump(2);
    /// assert_eq!(later.words(&[4]).to_vec()?, all[8..]);
    /// # Ok(()) });
    /// ```
    #[doc(alias = "advance")]
    #[doc(alias = "skip_ahead")]
    pub fn jump(&mut self, blocks: u64) {
        self.position = self.position.wrapping_add(blocks);
    }

    /// The key of a permutation, which takes a block.
    fn order_key(&mut self) -> [u32; 2] {
        let [a, b, ..] = philox([self.position as u32, (self.position >> 32) as u32, 0, ORDER], self.key);
        self.jump(1);
        [a, b]
    }
}
