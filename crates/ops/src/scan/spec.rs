//! What the text of a scan's kernels depends on.

use super::rows::Shape;
use super::scanned::{Fusions, Scanned};
use crate::Operator;
use crate::fuse::FusionSpec;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Draft, Spec};

/// A scan's specification.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct ScanSpec {
    pub operator: Operator,
    pub exclusive: bool,
    pub values: FusionSpec,
    pub heads: Option<FusionSpec>,
    /// What a selection stores.
    pub picked: Option<FusionSpec>,
    /// Whether a selection fills the array after its last element.
    pub filled: bool,
    pub form: Form,
}

/// Which of the kernels.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Rows(Shape),
    /// The last launch over columns, or one that leaves the totals of chunks; whether there are several of these.
    Columns {
        last: bool,
        chunked: bool,
    },
    /// The same of a processor.
    Spans {
        last: bool,
        chunked: bool,
    },
    /// Runs of keys of this type.
    ByKey(DType, Shape),
}

impl Scanned {
    pub(super) fn spec(&self, fusions: &Fusions, form: Form) -> ScanSpec {
        ScanSpec {
            operator: self.operator.clone(),
            exclusive: self.exclusive,
            values: fusions.values.spec(),
            heads: fusions.heads.as_ref().map(|fusion| fusion.spec()),
            picked: fusions.picked.as_ref().map(|fusion| fusion.spec()),
            filled: self.fill.is_some(),
            form,
        }
    }
}

impl Spec for ScanSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        match &self.form {
            Form::Rows(shape) => self.rows_draft(shape),
            Form::Columns { last, chunked } => self.columns_draft(*last, *chunked, caps),
            Form::Spans { last, chunked } => self.spans_draft(*last, *chunked, caps),
            Form::ByKey(key, shape) => self.by_key_draft(*key, shape),
        }
    }
}

impl ScanSpec {
    /// The type of the scanned values.
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    pub fn accumulator(&self) -> DType {
        self.operator.accumulator(self.dtype())
    }

    /// The type of the stored values.
    pub fn result(&self) -> DType {
        match &self.picked {
            Some(picked) => picked.dtype(),
            None => self.operator.result(self.dtype()),
        }
    }

    /// All that is read.
    pub fn fusions(&self) -> impl Iterator<Item = &FusionSpec> {
        [Some(&self.values), self.heads.as_ref(), self.picked.as_ref()].into_iter().flatten()
    }
}
