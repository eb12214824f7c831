//! Built-in functions that look at a vector or matrix as a whole.

use super::*;
use naga::MathFunction as M;

impl Builder<'_> {
    /// Functions that look at a vector or matrix as a whole.
    pub(super) fn geometry(
        &mut self,
        fun: M,
        kind: Kind,
        handles: &[Handle<Expression>],
        args: &[Rc<[Reg]>],
    ) -> Outcome<Option<Vec<Reg>>> {
        let per = if kind.long() { 2 } else { 1 };
        let a: Vec<Vec<Reg>> = args[0].chunks_exact(per).map(<[Reg]>::to_vec).collect();
        let b: Vec<Vec<Reg>> =
            args.get(1).map_or(vec![], |words| words.chunks_exact(per).map(<[Reg]>::to_vec).collect());
        Ok(Some(match fun {
            M::Dot => self.dot(kind, &a, &b),
            M::Cross => {
                let mut result = vec![];
                for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                    let (x, y) = (self.mul(kind, &a[i], &b[j]), self.mul(kind, &a[j], &b[i]));
                    result.extend(self.sub(kind, &x, &y));
                }
                result
            }
            M::Length if a.len() == 1 => self.abs_or_sign(M::Abs, kind, &a[0]),
            M::Length => self.length(kind, &a),
            M::Distance => {
                let difference: Vec<_> = a.iter().zip(&b).map(|(x, y)| self.sub(kind, x, y)).collect();
                match difference.len() {
                    1 => self.abs_or_sign(M::Abs, kind, &difference[0]),
                    _ => self.length(kind, &difference),
                }
            }
            M::Normalize => {
                let length = self.length(kind, &a);
                a.iter().flat_map(|x| self.div(kind, x, &length)).collect()
            }
            M::FaceForward => {
                let c: Vec<Vec<Reg>> = args[2].chunks_exact(per).map(<[Reg]>::to_vec).collect();
                let dot = self.dot(kind, &b, &c);
                let zero = self.float(kind, 0.0);
                let keep = self.scalar_binary(naga::BinaryOperator::Less, kind, &dot, &zero)?[0];
                let mut result = vec![];
                for x in &a {
                    let negative = self.sub(kind, &zero, x);
                    result.extend(x.iter().zip(&negative).map(|(&p, &n)| self.tern(Tern::Select, keep, p, n)));
                }
                result
            }
            M::Reflect => {
                let (dot, two) = (self.dot(kind, &b, &a), self.float(kind, 2.0));
                let twice = self.mul(kind, &two, &dot);
                let mut result = vec![];
                for (x, n) in a.iter().zip(&b) {
                    let along = self.mul(kind, &twice, n);
                    result.extend(self.sub(kind, x, &along));
                }
                result
            }
            M::Refract => self.refract(kind, &a, &b, &args[2])?,
            M::Outer => {
                let mut result = vec![];
                for y in &b {
                    a.iter().for_each(|x| result.extend(self.mul(kind, x, y)));
                }
                result
            }
            M::Transpose | M::Determinant | M::Inverse => {
                let &Inner::Matrix { columns, rows, .. } = self.ty(handles[0]) else {
                    return self.refuse(format!("{fun:?} of something other than a matrix"));
                };
                let (columns, rows) = (columns as usize, rows as usize);
                let size: Vec<usize> = (0..columns).collect();
                match fun {
                    M::Transpose => (0..rows)
                        .flat_map(|r| (0..columns).flat_map(move |c| [(c, r)]))
                        .flat_map(|(c, r)| a[c * rows + r].clone())
                        .collect(),
                    M::Determinant => self.determinant(kind, &a, rows, &size, &size),
                    _ => return self.refuse("Inverse has no form in WGSL"),
                }
            }
            _ => return Ok(None),
        }))
    }

    fn dot(&mut self, kind: Kind, a: &[Vec<Reg>], b: &[Vec<Reg>]) -> Vec<Reg> {
        let mut sum = self.mul(kind, &a[0], &b[0]);
        for (x, y) in a.iter().zip(b).skip(1) {
            let product = self.mul(kind, x, y);
            sum = self.add(kind, &sum, &product);
        }
        sum
    }

    fn length(&mut self, kind: Kind, a: &[Vec<Reg>]) -> Vec<Reg> {
        let square = self.dot(kind, a, a);
        self.float1(kind, (Un::SqrtF32, LongUn::SqrtF64), &square)
    }

    fn refract(&mut self, kind: Kind, a: &[Vec<Reg>], n: &[Vec<Reg>], ratio: &[Reg]) -> Outcome<Vec<Reg>> {
        // k = 1 - ratio^2 (1 - dot(n, a)^2); 0 if k < 0, else ratio a - (ratio dot(n, a) + sqrt(k)) n
        let (one, zero) = (self.float(kind, 1.0), self.float(kind, 0.0));
        let dot = self.dot(kind, n, a);
        let square = self.mul(kind, &dot, &dot);
        let rest = self.sub(kind, &one, &square);
        let ratio2 = self.mul(kind, ratio, ratio);
        let product = self.mul(kind, &ratio2, &rest);
        let k = self.sub(kind, &one, &product);
        let none = self.scalar_binary(naga::BinaryOperator::Less, kind, &k, &zero)?[0];
        let root = self.float1(kind, (Un::SqrtF32, LongUn::SqrtF64), &k);
        let along = self.mul(kind, ratio, &dot);
        let factor = self.add(kind, &along, &root);
        let mut result = vec![];
        for (x, y) in a.iter().zip(n) {
            let (p, q) = (self.mul(kind, ratio, x), self.mul(kind, &factor, y));
            let bent = self.sub(kind, &p, &q);
            result.extend(bent.iter().zip(&zero).map(|(&b, &z)| self.tern(Tern::Select, none, z, b)));
        }
        Ok(result)
    }

    /// By the first of these columns (Laplace).
    fn determinant(
        &mut self,
        kind: Kind,
        a: &[Vec<Reg>],
        stride: usize,
        columns: &[usize],
        rows: &[usize],
    ) -> Vec<Reg> {
        if columns.len() == 1 {
            return a[columns[0] * stride + rows[0]].clone();
        }
        let mut sum: Option<Vec<Reg>> = None;
        for (i, &row) in rows.iter().enumerate() {
            let others: Vec<usize> = rows.iter().copied().filter(|&r| r != row).collect();
            let minor = self.determinant(kind, a, stride, &columns[1..], &others);
            let product = self.mul(kind, &a[columns[0] * stride + row].clone(), &minor);
            sum = Some(match sum {
                None => product,
                Some(sum) if i % 2 == 1 => self.sub(kind, &sum, &product),
                Some(sum) => self.add(kind, &sum, &product),
            });
        }
        sum.unwrap_or_default()
    }
}
