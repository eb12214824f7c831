//! Random programs: expressions over random views, made from bytes, on the device and on the host, which knows nothing of it.

use crate::support::*;
use crate::tape::Tape;
use crosslane::array::Slice;
use crosslane::{Array, Device};

/// One step of a random program: it works on the newest array, and takes an older one as second argument.
#[derive(Clone, Debug)]
enum Act {
    Unary(u8),
    Binary(u8, usize),
    Scalar(u8, i32),
    Slice(usize, usize, usize, isize),
    Flip(usize),
    Permute(u64),
    Reshape(usize),
    Expand(usize),
    Broadcast(usize),
    Reduce(u8, u8, bool),
    Assign(usize, i32),
    Evaluate,
}

impl Act {
    fn read(tape: &mut Tape) -> Act {
        let wide = |tape: &mut Tape| tape.byte() as usize;
        match tape.below(24) {
            0..3 => Act::Unary(tape.byte()),
            3..8 => Act::Binary(tape.byte(), wide(tape)),
            8..10 => Act::Scalar(tape.byte(), tape.below(9) as i32 - 4),
            10..13 => Act::Slice(wide(tape), wide(tape), wide(tape), tape.one(&[1, 2, 3, -1, -2, -3])),
            13 => Act::Flip(wide(tape)),
            14 | 15 => Act::Permute(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(tape.byte() as u64 + 1)),
            16 | 17 => Act::Reshape(wide(tape)),
            18 => Act::Expand(wide(tape)),
            19 => Act::Broadcast(tape.below(6)),
            20 | 21 => Act::Reduce(tape.byte(), tape.byte(), tape.below(2) == 1),
            22 => Act::Assign(wide(tape), tape.below(18) as i32 - 9),
            _ => Act::Evaluate,
        }
    }
}

/// What a program begins with, and its steps.
#[derive(Debug)]
pub struct Program {
    shapes: Vec<Vec<usize>>,
    acts: Vec<Act>,
}

impl Program {
    /// The program that bytes mean. All bytes mean one.
    pub fn read(bytes: &[u8]) -> Program {
        let mut tape = Tape::new(bytes);
        let extent = |tape: &mut Tape| tape.one(&[1, 2, 3, 4, 5, 6, 7, 8, 1, 33]);
        let shapes = (0..1 + tape.below(3)).map(|_| tape.several(3, extent)).collect();
        let mut acts = vec![];
        while !tape.is_empty() && acts.len() < 16 {
            acts.push(Act::read(&mut tape));
        }
        Program { shapes, acts }
    }
}

/// The same value on the device and on the host.
#[derive(Clone)]
struct Both<T: crosslane::Element> {
    device: Array<T>,
    host: Dense<T>,
}

/// What a reduction makes of a group on the host.
type Group<T> = fn(&[T]) -> T;

/// What differs between i32 and f32: a function on both sides, by number.
pub trait Kind: crosslane::Number {
    fn unary(f: u8, x: &Array<Self>, h: &Dense<Self>) -> (Array<Self>, Dense<Self>);
    fn binary(f: u8, a: &Array<Self>, b: &Array<Self>, x: &Dense<Self>, y: &Dense<Self>) -> (Array<Self>, Dense<Self>);
    fn reduce(f: u8, x: &Array<Self>, axes: &[isize], keep: bool) -> (Array<Self>, Group<Self>);
    fn close(got: Self, wanted: Self) -> bool;
}

impl Kind for i32 {
    fn unary(f: u8, x: &Array<i32>, h: &Dense<i32>) -> (Array<i32>, Dense<i32>) {
        match f % 6 {
            0 => (-x, h.map(i32::wrapping_neg)),
            1 => (x.abs(), h.map(i32::wrapping_abs)),
            2 => (x.square(), h.map(|x| x.wrapping_mul(x))),
            3 => (!x, h.map(|x| !x)),
            4 => (x.cast::<u8>().cast::<i32>(), h.map(|x| x as u8 as i32)),
            _ => (x.greater(0).cast::<i32>(), h.map(|x| (x > 0) as i32)),
        }
    }

    fn binary(f: u8, a: &Array<i32>, b: &Array<i32>, x: &Dense<i32>, y: &Dense<i32>) -> (Array<i32>, Dense<i32>) {
        match f % 7 {
            0 => (a + b, x.zip(y, i32::wrapping_add)),
            1 => (a - b, x.zip(y, i32::wrapping_sub)),
            2 => (a * b, x.zip(y, i32::wrapping_mul)),
            3 => (a / b, x.zip(y, |x, y| if y == 0 { x } else { x.wrapping_div(y) })),
            4 => (a.maximum(b), x.zip(y, i32::max)),
            5 => (a ^ b, x.zip(y, |x, y| x ^ y)),
            _ => (a.less(b).select(a, b), x.zip(y, i32::min)),
        }
    }

    fn reduce(f: u8, x: &Array<i32>, axes: &[isize], keep: bool) -> (Array<i32>, Group<i32>) {
        match f % 4 {
            0 => (x.sum_axes(kept(axes, keep)), |g| g.iter().fold(0, |a, &b| a.wrapping_add(b))),
            1 => (x.max_axes(kept(axes, keep)), |g| *g.iter().max().unwrap()),
            2 => (x.product_axes(kept(axes, keep)), |g| g.iter().fold(1, |a, &b| a.wrapping_mul(b))),
            _ => (x.arg_min_axes(kept(axes, keep)).cast(), |g| (0..g.len()).min_by_key(|&i| (g[i], i)).unwrap() as i32),
        }
    }

    fn close(got: i32, wanted: i32) -> bool {
        got == wanted
    }
}

/// Floats keep to functions that do not magnify an error of their argument, so that one bound holds for all: values
/// stay within 1e3, and each step adds at most 4e-7 of that.
impl Kind for f32 {
    fn unary(f: u8, x: &Array<f32>, h: &Dense<f32>) -> (Array<f32>, Dense<f32>) {
        match f % 5 {
            0 => (-x, h.map(|x| -x)),
            1 => (x.abs(), h.map(f32::abs)),
            2 => (x.sin(), h.map(|x| (x as f64).sin() as f32)),
            3 => (x.tanh(), h.map(|x| (x as f64).tanh() as f32)),
            _ => (x.sigmoid(), h.map(|x| (1.0 / (1.0 + (-x as f64).exp())) as f32)),
        }
    }

    fn binary(f: u8, a: &Array<f32>, b: &Array<f32>, x: &Dense<f32>, y: &Dense<f32>) -> (Array<f32>, Dense<f32>) {
        let half = |x: f32, y: f32| (x as f64 * 0.5 + y as f64 * 0.5) as f32;
        match f % 4 {
            0 => (a * 0.5 + b * 0.5, x.zip(y, half)),
            1 => (a * 0.5 - b * 0.5, x.zip(y, |x, y| half(x, -y))),
            2 => (a.maximum(b), x.zip(y, f32::max)),
            _ => (a.minimum(b), x.zip(y, f32::min)),
        }
    }

    fn reduce(f: u8, x: &Array<f32>, axes: &[isize], keep: bool) -> (Array<f32>, Group<f32>) {
        match f % 3 {
            0 => {
                (x.mean_axes(kept(axes, keep)), |g| (g.iter().map(|&x| x as f64).sum::<f64>() / g.len() as f64) as f32)
            }
            1 => (x.max_axes(kept(axes, keep)), |g| g.iter().copied().fold(f32::MIN, f32::max)),
            _ => (x.min_axes(kept(axes, keep)), |g| g.iter().copied().fold(f32::MAX, f32::min)),
        }
    }

    fn close(got: f32, wanted: f32) -> bool {
        // Eleven steps of at most 4e-7 of values within 9 * 1.
        (got - wanted).abs() <= 11.0 * 4e-7 * 9.0
    }
}

fn perform<T: Kind>(act: &Act, all: &mut Vec<Both<T>>) {
    let Both { mut device, mut host } = all.last().unwrap().clone();
    let rank = host.shape.len();
    match *act {
        Act::Unary(f) => (device, host) = T::unary(f, &device, &host),
        Act::Binary(f, other) => {
            let other = all[other % all.len()].clone();
            let Some(shape) = crosslane::array::broadcast_shapes(&[&host.shape, &other.host.shape]) else { return };
            if shape.iter().product::<usize>() > 5000 {
                return;
            }
            let (x, y) = (host.broadcast(&shape), other.host.broadcast(&shape));
            (device, host) = T::binary(f, &device, &other.device, &x, &y);
        }
        Act::Scalar(f, x) => {
            let scalar = Dense::new(&[], vec![of::<T>(x as i128)]);
            let array = Array::full(device.device(), &[], scalar.data[0]);
            (device, host) = T::binary(f, &device, &array, &host, &scalar.broadcast(&host.shape));
        }
        Act::Slice(axis, a, b, step) if rank > 0 => {
            let axis = axis % rank;
            let (a, b) = (a % (host.shape[axis] + 1), b % (host.shape[axis] + 1));
            let (start, end) = (a.min(b), a.max(b));
            let len = (end - start).div_ceil(step.unsigned_abs());
            let mut slices = vec![Slice::from(..); axis];
            slices.push(Slice::from(start as isize..end as isize).step(step));
            device = device.slice(&slices);
            host = host.slice(axis, if step > 0 || len == 0 { start } else { end - 1 }, step, len);
        }
        Act::Flip(axis) if rank > 0 => {
            (device, host) = (device.flip((axis % rank) as isize), host.flip(axis % rank));
        }
        Act::Permute(seed) => {
            let mut order: Vec<usize> = (0..rank).collect();
            order.sort_by_key(|&axis| seed.wrapping_mul(axis as u64 * 2 + 1).rotate_left(17));
            device = device.permute(order.iter().map(|&axis| axis as isize).collect::<Vec<_>>());
            host = host.permute(&order);
        }
        Act::Reshape(seed) => {
            let len = host.data.len();
            let divisors: Vec<usize> = (1..=len).filter(|d| len.is_multiple_of(*d)).collect();
            let Some(&first) = divisors.get(seed.checked_rem(divisors.len()).unwrap_or(0)) else { return };
            let shape = if seed.is_multiple_of(3) { vec![len / first, first] } else { vec![first, 1, len / first] };
            (device, host) = (device.reshape(&shape), host.reshape(&shape));
        }
        Act::Expand(before) if rank < 5 => {
            let mut shape = host.shape.clone();
            shape.insert(before % (rank + 1), 1);
            (device, host) = (device.expand_dims((before % (rank + 1)) as isize), host.reshape(&shape));
        }
        Act::Broadcast(extent) if rank < 4 && host.data.len() < 500 => {
            let shape = [vec![extent], host.shape.clone()].concat();
            (device, host) = (device.broadcast_to(&shape), host.broadcast(&shape));
        }
        Act::Reduce(f, axes, keep) if !host.data.is_empty() => {
            let which: Vec<bool> = (0..rank).map(|axis| axes >> axis & 1 == 1).collect();
            let axes: Vec<isize> = (0..rank as isize).filter(|&axis| which[axis as usize]).collect();
            let (result, meaning) = T::reduce(f, &device, &axes, keep);
            let data = host.groups(&which).iter().map(|group| meaning(group)).collect();
            let extents = host.shape.iter().zip(&which);
            let shape: Vec<usize> =
                extents.filter(|(_, r)| keep || !**r).map(|(&e, &r)| if r { 1 } else { e }).collect();
            (device, host) = (result, Dense::new(&shape, data));
        }
        Act::Assign(at, x) if rank > 0 && host.shape[0] > 0 => {
            let row = at % host.shape[0];
            device.slice_mut(&[Slice::from(row as isize)]).assign(of::<T>((x % 3) as i128)).unwrap();
            let stride = host.data.len() / host.shape[0];
            host.data[row * stride..(row + 1) * stride].fill(of((x % 3) as i128));
        }
        Act::Evaluate => device.eval().unwrap(),
        _ => return,
    }
    all.push(Both { device, host });
}

/// Runs a program on both sides: `Err` is the first difference, or an error of the device.
pub fn agree<T: Kind>(device: &Device, program: &Program) -> Result<(), String> {
    let start = |(i, shape): (usize, &Vec<usize>)| {
        let len: usize = shape.iter().product();
        let host = Dense::new(shape, small::<T>(len + i)[i..].to_vec());
        Both { device: upload(device, &host), host }
    };
    let mut all: Vec<Both<T>> = program.shapes.iter().enumerate().map(start).collect();
    program.acts.iter().for_each(|act| perform(act, &mut all));
    let fail = |what: String| Err(format!("{what} on {}, {} of {program:?}", name(device), T::DTYPE));
    // Newest first: what is older is then partly computed, partly not.
    for (nth, both) in all.iter().enumerate().rev() {
        let got = match both.device.to_vec() {
            Ok(got) => got,
            Err(error) => return fail(format!("value {nth}: {error}")),
        };
        let wanted = &both.host.data;
        let wrong = got.iter().zip(wanted).position(|(&g, &w)| !T::close(g, w));
        if both.device.shape() != both.host.shape || got.len() != wanted.len() || wrong.is_some() {
            let (g, w) = (both.device.shape(), &both.host.shape);
            return fail(format!("value {nth} at {wrong:?}: got {g:?} {got:?}, wanted {w:?} {wanted:?}"));
        }
    }
    Ok(())
}
