//! Cooperative matrices.

use super::types::kind;
use super::*;
use naga::CooperativeData;

impl Builder<'_> {
    fn shape(&self, inner: &Inner) -> Outcome<Shape> {
        let Inner::CooperativeMatrix { columns, rows, scalar, .. } = *inner else {
            return self.refuse("a cooperative matrix is wanted here");
        };
        match kind(scalar) {
            Some(kind @ (Kind::F32 | Kind::F16)) => Ok(Shape { rows: rows as u32, columns: columns as u32, kind }),
            _ => self.refuse(format!("cooperative matrices of {scalar:?}")),
        }
    }

    /// Bytes between rows or columns: the stride counts what the pointer points to, scalars or vectors.
    fn stride(&mut self, place: &Place, data: &CooperativeData) -> Outcome<Reg> {
        let bytes = match place.ty {
            Inner::Scalar(scalar) => scalar.width as u32,
            Inner::Vector { size, scalar } => size as u32 * scalar.width as u32,
            _ => return self.refuse("a pointer to scalars or vectors is wanted here"),
        };
        let (stride, bytes) = (self.word(data.stride)?, self.constant(bytes));
        Ok(self.bin(Bin::MulI32, stride, bytes))
    }

    /// The bytes of the variable that a place lies in: its stride may lead a matrix out of it.
    fn within(&self, place: &Place) -> [u32; 2] {
        let holds = |(_, start, bytes): &&(String, u32, u32)| (*start..start + bytes).contains(&place.offset);
        match place.root {
            Root::Memory(Space::Workgroup, _) => self.workgroup_names.iter().find(holds),
            _ => None,
        }
        .map_or([0, u32::MAX], |(_, start, bytes)| [*start, start + bytes])
    }

    pub(super) fn matrix_load(
        &mut self,
        ty: &Inner,
        rows: u32,
        columns: u32,
        data: &CooperativeData,
    ) -> Outcome<Vec<Reg>> {
        let shape = Shape { rows, columns, ..self.shape(ty)? };
        self.small |= shape.kind == Kind::F16;
        let place = self.place(data.pointer)?;
        let (at, within) = (self.memory(&place)?, self.within(&place));
        let stride = self.stride(&place, data)?;
        let to: Vec<Reg> = (0..self.types.words(ty)).map(|_| self.register(true)).collect();
        let list = self.list(to.clone());
        self.varying(Instr::MatrixLoad { to: list, at, within, stride, row_major: data.row_major, shape });
        Ok(to)
    }

    pub(super) fn matrix_store(&mut self, target: Handle<Expression>, data: &CooperativeData) -> Outcome<()> {
        let ty = self.ty(target).clone();
        let shape = self.shape(&ty)?;
        self.small |= shape.kind == Kind::F16;
        let words = self.words(target)?.to_vec();
        let place = self.place(data.pointer)?;
        let (at, within) = (self.memory(&place)?, self.within(&place));
        let stride = self.stride(&place, data)?;
        let from = self.list(words);
        self.varying(Instr::MatrixStore { from, at, within, stride, row_major: data.row_major, shape });
        Ok(())
    }

    pub(super) fn matrix_multiply_add(
        &mut self,
        a: Handle<Expression>,
        b: Handle<Expression>,
        c: Handle<Expression>,
    ) -> Outcome<Vec<Reg>> {
        let shapes = [a, b, c].map(|h| self.shape(self.ty(h)));
        let [shape_a, shape_b, shape_c] = shapes;
        let (shape_a, shape_b, shape_c) = (shape_a?, shape_b?, shape_c?);
        let (a, b, c) = (self.words(a)?, self.words(b)?, self.words(c)?);
        let to: Vec<Reg> = (0..c.len()).map(|_| self.register(true)).collect();
        let [to_list, a, b, c] = [to.clone(), a.to_vec(), b.to_vec(), c.to_vec()].map(|regs| self.list(regs));
        self.varying(Instr::MatrixMulAdd { to: to_list, a, b, c, shape_a, shape_b, shape_c });
        Ok(to)
    }
}
