//! StepKind a fusion's text depends on, which is less than the problem: no extents, offsets or values.

use super::{Fusion, Mode, Store};
use crosslane_core::element::{DType, word_suffixes};
use crosslane_core::kernel::{Access, Feature};
use crosslane_core::op::{ExpressionStep, Formula, LeafSource, StepKind};

/// A fusion's specification: arrays, the steps between them, and how they are walked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FusionSpec {
    /// StepKind its names begin with: kernels may have several.
    pub prefix: &'static str,
    /// The kernel's variables, slowest first.
    pub variables: &'static [&'static str],
    /// The variable that each dimension is part of.
    pub groups: Vec<usize>,
    /// The extents, where they are constants of the text.
    pub extents: Option<Vec<u64>>,
    /// The leaves, then the output if there is one.
    pub arrays: Vec<Array>,
    /// The type of each scalar. Each is a parameter, whether a step takes it or not.
    pub scalars: Vec<DType>,
    pub steps: Vec<ExpressionStep>,
    /// 1 or 4.
    pub width: u32,
    /// The variable along which four lanes lie.
    pub lanes: usize,
    /// How the output is stored, if there is one.
    pub store: Option<Store>,
}

/// An array, or what stands for one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    pub place: Place,
    pub dtype: DType,
    pub mode: Mode,
    /// Along each dimension.
    pub strides: Vec<Stride>,
}

/// Where an array's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In a buffer.
    Memory,
    /// Nowhere: the element at an address is the address.
    Index,
    /// The kernel hands it over.
    Given,
    /// In a tile of the workgroup's memory.
    Tile(usize),
}

/// How far an address moves from one element to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stride {
    Zero,
    One,
    /// As a parameter says.
    Param,
}

impl Stride {
    fn of(stride: i64) -> Stride {
        match stride {
            0 => Stride::Zero,
            1 => Stride::One,
            _ => Stride::Param,
        }
    }
}

impl Fusion<'_> {
    pub fn spec(&self) -> FusionSpec {
        let array = |array: usize| Array {
            place: match self.expression.leaves.get(array).map(|leaf| leaf.source) {
                Some(LeafSource::Slot(_)) | None => Place::Memory,
                Some(LeafSource::Index) => Place::Index,
                Some(LeafSource::Given) => Place::Given,
                Some(LeafSource::Tile(tile)) => Place::Tile(tile),
            },
            dtype: self.dtype(array),
            mode: self.modes[array],
            strides: self.walks[array].strides.iter().map(|&stride| Stride::of(stride)).collect(),
        };
        FusionSpec {
            prefix: self.prefix,
            variables: self.variables,
            groups: self.dims.iter().map(|dim| dim.group).collect(),
            extents: self.constant.then(|| self.dims.iter().map(|dim| dim.extent).collect()),
            arrays: (0..self.walks.len()).map(array).collect(),
            scalars: self.expression.scalars.iter().map(|scalar| scalar.dtype).collect(),
            steps: self.expression.steps.clone(),
            width: self.width,
            lanes: self.lanes,
            store: self.output.map(|(_, _, store)| store),
        }
    }
}

impl FusionSpec {
    /// The type of the result.
    pub fn dtype(&self) -> DType {
        self.steps.last().expect("an expression has a step").dtype
    }

    /// The arrays that are no output.
    pub fn leaves(&self) -> &[Array] {
        &self.arrays[..self.arrays.len() - self.store.is_some() as usize]
    }

    pub fn in_memory(&self, array: usize) -> bool {
        self.arrays[array].place == Place::Memory
    }

    /// Whether the output's place changes with a variable of the kernel.
    pub fn stores_apart(&self, variable: &str) -> bool {
        let output = self.arrays.last().filter(|_| self.store.is_some());
        let mut strides = output.into_iter().flat_map(|output| output.strides.iter().zip(&self.groups));
        strides.any(|(stride, &group)| self.variables[group] == variable && *stride != Stride::Zero)
    }

    /// The formulas in it, each once, in the order of their first use.
    pub fn formulas(&self) -> Vec<&Formula> {
        let mut found: Vec<&Formula> = vec![];
        for step in &self.steps {
            if let StepKind::Formula(formula, _) = &step.what
                && !found.contains(&formula)
            {
                found.push(formula);
            }
        }
        found
    }

    /// The names of the parameters, in the order of [`Fusion::params`].
    pub fn param_names(&self) -> Vec<String> {
        let p = self.prefix;
        // Dimensions that are not the first of their variable: their extents divide it.
        let inner = (1..self.groups.len()).filter(|&dim| self.groups[dim] == self.groups[dim - 1]);
        let mut names: Vec<String> = inner.map(|dim| format!("{p}extent{dim}")).collect();
        let placed = self.arrays.iter().enumerate();
        for (nth, array) in placed.filter(|(_, array)| matches!(array.place, Place::Memory | Place::Index)) {
            names.push(format!("{p}offset{nth}"));
            let strides = array.strides.iter().enumerate().filter(|(_, stride)| **stride == Stride::Param);
            names.extend(strides.map(|(dim, _)| format!("{p}stride{nth}_{dim}")));
        }
        for (nth, dtype) in self.scalars.iter().enumerate() {
            names.extend(word_suffixes(*dtype).map(|end| format!("{p}scalar{nth}{end}")));
        }
        names
    }

    /// How each binding is used, in order.
    pub fn access(&self) -> Vec<Access> {
        let access = |array| if array < self.leaves().len() { Access::Read } else { Access::Write };
        (0..self.arrays.len()).filter(|&array| self.in_memory(array)).map(access).collect()
    }

    /// Whether 16-bit floats occur.
    pub fn uses_f16(&self) -> bool {
        self.arrays.iter().any(|array| array.dtype == DType::F16)
            || self.steps.iter().any(|step| step.dtype == DType::F16)
            || self.formulas().iter().any(|formula| formula.features().contains(&Feature::F16))
    }

    /// Whether nothing in it can go wrong without run-time checks.
    pub fn is_safe(&self) -> bool {
        self.formulas().iter().all(|formula| formula.safe())
    }
}

/// Specifications of several fusions in one kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SeveralSpec(pub Vec<FusionSpec>);

impl SeveralSpec {
    /// Elements that a call of `value` returns.
    pub fn width(&self) -> u32 {
        self.0[0].width
    }

    /// Bindings from the first on, and the functions.
    pub fn text(&self) -> String {
        let mut first = 0;
        let mut text = String::new();
        for fusion in &self.0 {
            text += &fusion.text(first);
            first += fusion.access().len();
        }
        text
    }

    /// The names of the parameters.
    pub fn param_names(&self) -> Vec<String> {
        self.0.iter().flat_map(|fusion| fusion.param_names()).collect()
    }

    /// How each binding is used, in order.
    pub fn access(&self) -> Vec<Access> {
        self.0.iter().flat_map(|fusion| fusion.access()).collect()
    }

    /// Whether 16-bit floats occur.
    pub fn uses_f16(&self) -> bool {
        self.0.iter().any(|fusion| fusion.uses_f16())
    }

    /// Whether nothing in it can go wrong without run-time checks.
    pub fn is_safe(&self) -> bool {
        self.0.iter().all(|fusion| fusion.is_safe())
    }
}
