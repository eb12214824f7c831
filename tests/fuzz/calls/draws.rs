//! Calls that draw random numbers or make points, with arguments of every size.

use super::{Call, real, shape};
use crosslane::random::{Generator, Halton, Sobol};

pub const DRAWS: &[Call] = &[
    |x, _, t| Ok(generator(x, t).uniform(&shape(t))),
    |x, _, t| Ok(generator(x, t).uniform_in(real(t) as f32..real(t) as f32, &shape(t))),
    |x, _, t| Ok(generator(x, t).normal(&shape(t))),
    |x, y, t| Ok(generator(x, t).lognormal(y, real(t) as f32, &shape(t))),
    |x, y, t| Ok(generator(x, t).gamma(y, &shape(t))),
    |x, _, t| Ok(generator(x, t).beta(real(t) as f32, real(t) as f32, &shape(t))),
    |x, _, t| Ok(generator(x, t).dirichlet(&t.several(3, |t| real(t) as f32), &shape(t))),
    |x, _, t| Ok(generator(x, t).integers(t.number() as i32..t.number() as i32, &shape(t)).cast()),
    |x, y, t| Ok(generator(x, t).bernoulli(y, &shape(t)).cast()),
    |x, y, t| Ok(generator(x, t).poisson(y, &shape(t)).cast()),
    |x, _, t| Ok(generator(x, t).binomial(t.size() as u32, real(t) as f32, &shape(t)).cast()),
    |x, _, t| Ok(generator(x, t).geometric(real(t) as f32, &shape(t)).cast()),
    |x, _, t| Ok(generator(x, t).categorical(&t.several(3, real), &shape(t)).cast()),
    |x, _, t| generator(x, t).multinomial(t.size() as u32, &t.several(3, real), &shape(t)).map(|drawn| drawn.cast()),
    |x, _, t| Ok(generator(x, t).he_uniform(&shape(t))),
    |x, _, t| Ok(generator(x, t).permutation(t.size()).cast()),
    |x, _, t| Ok(generator(x, t).shuffle(x)),
    |x, _, t| Ok(generator(x, t).choice(x, &shape(t))),
    |x, _, t| generator(x, t).choice_without_replacement(x, t.size()),
    |x, _, t| Ok(Sobol::new(t.size())?.starting(t.size() as u32).points(x.device(), t.size())),
    |x, _, t| Ok(Halton::new(t.size())?.scrambled(7).points(x.device(), t.size())),
];

fn generator(x: &crosslane::Array<f32>, t: &mut crate::tape::Tape) -> Generator {
    let mut generator = Generator::new(x.device(), t.number() as u64);
    generator.jump(t.number() as u64);
    generator
}
