//! The text of a resampling.

use crate::fuse::FusionSpec;
use crate::pixels::{Lanes, finish_text};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Draft, Spec};

/// How windows are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Each alone.
    Direct,
    /// Down the rows: sums along rows are kept for the next rows.
    Sliding,
    /// Along rows, of any length.
    LongAlong,
    /// Down columns, of any length.
    LongDown,
}

/// What a kernel's text depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct ResampleSpec {
    pub pixels: FusionSpec,
    pub tables: FusionSpec,
    pub epilogue: FusionSpec,
    /// Whether there is a table of rows, and of columns, and whether it has weights.
    pub tabled: [bool; 2],
    pub weighed: [bool; 2],
    /// Pixels of a window down and along, if few.
    pub fixed: [usize; 2],
    pub interleaved: bool,
    pub lanes: Lanes,
    pub kind: Kind,
    /// Whether zeros come after the last result.
    pub padded: bool,
}

/// The parameters before those of the expressions.
pub(super) const PARAMS: [&str; 12] = [
    "images",
    "blocks_along",
    "blocks_down",
    "rows",
    "height",
    "width",
    "channels",
    "base_down",
    "base_along",
    "taps_down",
    "taps_along",
    "padding",
];

impl ResampleSpec {
    fn constants(&self) -> Vec<(&'static str, u32)> {
        let (lanes, [down, along]) = (&self.lanes, self.fixed.map(|taps| taps.max(1)));
        let all = [
            ("WORKGROUP", lanes.workgroup),
            ("LANES", lanes.along),
            ("PER", lanes.per),
            ("COLUMNS", lanes.columns),
            ("ITEMS", lanes.items()),
            ("ROWS", lanes.rows),
            ("SUMS", lanes.rows * lanes.items()),
            ("TAPS_DOWN", down),
            ("TAPS_ALONG", along),
            ("HELD", down * lanes.items()),
            ("WEIGHTS", along * lanes.items()),
            ("KIND", self.kind as usize),
            ("DIRECT", Kind::Direct as usize),
            ("SLIDING", Kind::Sliding as usize),
            ("LONG_ALONG", Kind::LongAlong as usize),
        ];
        all.map(|(name, value)| (name, value as u32)).to_vec()
    }

    /// `first_NAME(i)`, where a window begins, and `weight_NAME(i, t)`.
    fn table_text(&self, axis: usize) -> String {
        let (name, count) = [("down", "height"), ("along", "width")][axis];
        let held = |place: &str| format!("t_value(params.base_{name} + {place})");
        let first = if self.tabled[axis] { format!("u32({})", held("i")) } else { "i".into() };
        let weight = held(&format!("(t + 1u) * params.{count} + i"));
        let weight = match (self.weighed[axis], self.pixels.dtype()) {
            (false, _) => "Real(1)".into(),
            (true, DType::F64) => weight,
            (true, _) => format!("bitcast<f32>({weight})"),
        };
        format!(
            "fn first_{name}(i: u32) -> u32 {{\n    return {first};\n}}\n\
             fn weight_{name}(i: u32, t: u32) -> Real {{\n    return {weight};\n}}\n"
        )
    }

    fn text(&self) -> String {
        let [down, along] = self.weighed;
        let sum = |weighed: bool| if weighed { "multiply_add(weight, pixel, sum)" } else { "pixel" };
        let channel = if self.interleaved { ["j / params.channels", "j % params.channels"] } else { ["j", "0u"] };
        let arguments = "sum: Real, weight: Real, pixel: Real";
        self.table_text(0)
            + &self.table_text(1)
            + &format!(
                "fn add_down({arguments}) -> Real {{\n    return {};\n}}\nfn add_along({arguments}) -> Real {{\n    return {};\n}}\n",
                sum(down),
                sum(along)
            )
            + &format!(
                "fn column(j: u32) -> u32 {{\n    return {};\n}}\nfn channel(j: u32) -> u32 {{\n    return {};\n}}\n",
                channel[0], channel[1]
            )
            + &finish_text(self.pixels.dtype(), &self.epilogue, self.padded)
    }
}

impl Spec for ResampleSpec {
    fn draft(&self, _: &Caps) -> Draft {
        let (pixels, tables, epilogue) = (&self.pixels, &self.tables, &self.epilogue);
        let bound = [0, pixels.access().len(), pixels.access().len() + tables.access().len()];
        let access: Vec<Access> = [pixels.access(), tables.access(), epilogue.access()].concat();
        let own = PARAMS.map(String::from).to_vec();
        Draft {
            constants: self.constants(),
            params: [own, pixels.param_names(), tables.param_names(), epilogue.param_names()].concat(),
            access,
            text: pixels.text(bound[0]) + &tables.text(bound[1]) + &epilogue.text(bound[2]) + &self.text(),
            f16: pixels.uses_f16() || epilogue.uses_f16(),
            trusted: pixels.is_safe() && epilogue.is_safe(),
            ..Draft::new(format!("resample, {:?}", self.kind), shader("resample"))
        }
    }
}
