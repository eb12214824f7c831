//! The text of a sampling.

use super::{Boundary, KEYS, taps};
use crate::fuse::{FusionSpec, param};
use crate::pixels::{Lanes, finish_text};
use crate::resample::Resampling;
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::{DType, word_suffixes};
use crosslane_core::kernel::{Draft, Spec};

/// What a kernel's text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct SampleSpec {
    pub pixels: FusionSpec,
    pub coordinates: [FusionSpec; 2],
    pub images: Option<FusionSpec>,
    pub epilogue: FusionSpec,
    pub by: Resampling,
    /// Without its number.
    pub boundary: Boundary,
    pub interleaved: bool,
    pub lanes: Lanes,
    /// Whether zeros come after the last result.
    pub padded: bool,
}

/// The parameters before those of the expressions.
const PARAMS: [&str; 11] = [
    "images",
    "blocks_along",
    "blocks_down",
    "tall",
    "height",
    "width",
    "channels",
    "images_in",
    "rows",
    "columns",
    "padding",
];

impl SampleSpec {
    fn constants(&self) -> Vec<(&'static str, u32)> {
        let ([taps, before], boundary) = (taps(self.by), self.boundary);
        let boundaries =
            [Boundary::Constant(0), Boundary::Edge, Boundary::Reflect, Boundary::Symmetric, Boundary::Wrap];
        let names = ["CONSTANT", "EDGE", "REFLECT", "SYMMETRIC", "WRAP"];
        let place = boundaries.iter().position(|other| *other == boundary).expect("all are listed");
        let own = [
            ("WORKGROUP", self.lanes.workgroup),
            ("LANES", self.lanes.along),
            ("PER", self.lanes.per),
            ("TAPS", taps),
            ("BEFORE", before),
            ("BOUNDARY", place),
        ];
        let numbered = names.into_iter().zip(0..);
        own.into_iter().map(|(name, value)| (name, value as u32)).chain(numbered).collect()
    }

    /// `weights(at)`, by a coordinate's fraction.
    fn weights_text(&self) -> String {
        let (near, far) = (
            format!("{:?} * x - {:?}) * x * x + 1.0", KEYS + 2.0, KEYS + 3.0),
            format!("({KEYS:?} * x - {:?}) * x + {:?}) * x - {:?}", 5.0 * KEYS, 8.0 * KEYS, 4.0 * KEYS),
        );
        match self.by {
            Resampling::Nearest => {
                "fn weights(at: Real) -> array<Real, TAPS> {\n    return array<Real, TAPS>(1.0);\n}\n".into()
            }
            Resampling::Bicubic => format!(
                "fn near(x: Real) -> Real {{\n    return ({near};\n}}\nfn far(x: Real) -> Real {{\n    return ({far};\n}}\n\
                 fn weights(at: Real) -> array<Real, TAPS> {{\n    \
                 return array<Real, TAPS>(far(1.0 + at), near(at), near(1.0 - at), far(2.0 - at));\n}}\n"
            ),
            _ => "fn weights(at: Real) -> array<Real, TAPS> {\n    return array<Real, TAPS>(1.0 - at, at);\n}\n".into(),
        }
    }

    fn text(&self) -> String {
        let sums = self.pixels.dtype();
        // In the bits: a compiler may assume that there is no NaN.
        let no_number = match sums {
            DType::F64 => "(bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu",
            _ => "(bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u",
        };
        let channel = if self.interleaved { "j % params.channels" } else { "0u" };
        let rounded = if self.by == Resampling::Nearest { "floor(at + 0.5)" } else { "at" };
        let image = if self.images.is_some() { "min(k_value(k, y, j), params.images_in - 1u)" } else { "k" };
        self.weights_text()
            + &format!(
                "fn channel(j: u32) -> u32 {{\n    return {channel};\n}}\n\
                 fn image(k: u32, y: u32, j: u32) -> u32 {{\n    return {image};\n}}\n\
                 fn met(at: Real) -> Real {{\n    return {rounded};\n}}\n\
                 fn is_no_number(x: Real) -> bool {{\n    return {no_number};\n}}\n\
                 fn outside() -> Real {{\n    return {};\n}}\n",
                param("outside", sums)
            )
            + &finish_text(sums, &self.epilogue, self.padded)
    }
}

impl Spec for SampleSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let inputs = [&self.pixels].into_iter().chain(&self.coordinates).chain(&self.images);
        let fusions: Vec<&FusionSpec> = inputs.chain([&self.epilogue]).collect();
        let (mut text, mut access) = (String::new(), vec![]);
        for fusion in &fusions {
            text += &fusion.text(access.len());
            access.extend(fusion.access());
        }
        let outside = word_suffixes(self.pixels.dtype()).map(|suffix| format!("outside{suffix}"));
        let own = PARAMS.into_iter().map(String::from).chain(outside);
        Draft {
            constants: self.constants(),
            params: own.chain(fusions.iter().flat_map(|fusion| fusion.param_names())).collect(),
            access,
            text: text + &self.text(),
            f16: fusions.iter().any(|fusion| fusion.uses_f16()),
            trusted: fusions.iter().all(|fusion| fusion.is_safe()),
            ..Draft::new(format!("sample, {:?}", self.by), shader("sample"))
        }
    }
}
