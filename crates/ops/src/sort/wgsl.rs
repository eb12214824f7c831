//! The text of a sort's kernels: what the files in `shaders/` leave open.

use super::Sort;
use super::merge::{MergeTile, merge_text};
use super::shape::Shape;
use super::steps::{flow_constants, rows_text, scatter_text, team_constants, team_text};
use crate::counted::bounded;
use crate::dense::Form;
use crate::order::{digit_text, last};
use crate::shader;
use crosslane_core::caps::Caps;
use crosslane_core::element::DType;
use crosslane_core::kernel::{Access, Carried, Contract, Draft, SortByDigit, SortRows, Spec};

/// Where the values of a pass come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Values {
    None,
    /// The key's index in its row.
    Index,
    Of(Form),
}

/// What a pass over the keys reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flow {
    pub keys: Form,
    pub values: Values,
    /// Windows of the sorted keys that are bound, and of the values: 0 if they are not stored.
    pub stores: [u32; 2],
    /// Whether what is stored lies in those windows only in part.
    pub cut: bool,
}

/// The parameters of `scatter`.
pub(super) const SCATTER: [&str; 15] = [
    "groups",
    "row_tiles",
    "length",
    "stride",
    "shift",
    "mask",
    "keys_first",
    "values_first",
    "index_first",
    "keys_out_first",
    "values_out_first",
    "out_base",
    "out_limit",
    "window",
    "ticket",
];
pub(super) const ROWS: [&str; 12] = [
    "groups",
    "group_rows",
    "length",
    "count",
    "begin",
    "places",
    "last_mask",
    "row_places",
    "keys_first",
    "values_first",
    "keys_out_first",
    "values_out_first",
];
pub(super) const MERGE: [&str; 12] = [
    "groups",
    "group_rows",
    "rows",
    "row_lanes",
    "length",
    "count",
    "mask_low",
    "mask_high",
    "keys_first",
    "values_first",
    "keys_out_first",
    "values_out_first",
];
pub(super) const HISTOGRAM: [&str; 8] =
    ["groups", "chunks", "span", "length", "stride", "keys_first", "begin", "last_mask"];
pub(super) const SEED: [&str; 4] = ["groups", "rows", "first_place", "chain"];

/// What the text of a kernel depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum SortSpec {
    Clear,
    Histogram { keys: Keys, form: Form, places: u32, shape: Shape },
    Seed { places: u32, shape: Shape },
    Scatter { keys: Keys, flow: Flow, shape: Shape },
    Rows { keys: Keys, flow: Flow, shape: Shape },
    Merge { keys: Keys, flow: Flow, tile: MergeTile },
    Pack { per_word: u32, counted: bool },
}

/// The keys of a sort, and what moves with them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Keys {
    pub dtype: DType,
    pub descending: bool,
    /// Whether the device alone knows how many there are.
    pub counted: bool,
    /// The form in which values move.
    pub value: Form,
}

impl Sort {
    pub(super) fn keys(&self) -> Keys {
        let (dtype, descending, counted) = (self.key_type(), self.descending, self.count.is_some());
        Keys { dtype, descending, counted, value: self.carried_value() }
    }
}

impl Spec for SortSpec {
    fn draft(&self, caps: &Caps) -> Draft {
        let workgroup = ("WORKGROUP", caps.workgroup());
        match self {
            SortSpec::Clear => {
                let array = |binding, name| {
                    format!("@group(0) @binding({binding}) var<storage, read_write> {name}: array<vec4<u32>>;\n")
                };
                let text = array(0, "state") + &array(1, "counts");
                let params = &["state_units", "count_units"];
                let draft = draft("sort: clear", "sort_clear", params, vec![Access::Write; 2], text);
                Draft { constants: vec![workgroup], ..draft }
            }
            SortSpec::Histogram { keys, form, places, shape } => {
                let text = form.declare(0, "keys", "read")
                    + "@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;\n"
                    + &keys.digit_text()
                    + &format!("fn load_key(i: u32) -> Key {{ return {}; }}\n", form.load("keys"));
                let access = vec![Access::Read, Access::Write];
                let draft = draft("sort: histogram", "sort_histogram", &HISTOGRAM, access, text);
                let constants = vec![workgroup, ("UNROLL", shape.unroll), ("PLACES", *places)];
                bounded(Draft { constants, ..draft }, &[("length", 1)], keys.counted)
            }
            SortSpec::Seed { places, shape } => {
                let text = Form::Words(1).declare(0, "counts", "read")
                    + &Form::Words(1).declare(1, "state", "read_write")
                    + &team_text(shape)
                    + "var<workgroup> pool: array<atomic<u32>, POOL>;\n";
                let draft = draft("sort: seed", "sort_seed", &SEED, vec![Access::Read, Access::Write], text);
                Draft { constants: [team_constants(shape), vec![("PLACES", *places)]].concat(), ..draft }
            }
            SortSpec::Scatter { keys, flow, shape } => {
                let (arrays, access) = keys.arrays(flow, true);
                let text = arrays + &keys.digit_text() + &team_text(shape) + &scatter_text(flow);
                let draft = draft("sort: scatter by one digit", "sort_scatter", &SCATTER, access, text);
                let contract = keys.contract(flow, shape);
                let own = vec![("SPINS", shape.spins), ("TURNS", shape.turns)];
                let constants = [team_constants(shape), own, flow_constants(flow)].concat();
                bounded(Draft { constants, contract, ..draft }, &[("length", 1)], keys.counted)
            }
            SortSpec::Rows { keys, flow, shape } => {
                let (arrays, access) = keys.arrays(flow, false);
                let text = arrays + &keys.digit_text() + &team_text(shape) + &rows_text(flow);
                let draft = draft("sort: short rows", "sort_rows", &ROWS, access, text);
                let constants = [team_constants(shape), flow_constants(flow)].concat();
                let contract = keys.contract_of_rows(flow, false);
                bounded(Draft { constants, contract, ..draft }, &[("count", 1)], keys.counted)
            }
            SortSpec::Merge { keys, flow, tile } => {
                let (arrays, access) = keys.arrays(flow, false);
                let text = arrays + &merge_text(keys, flow, *tile);
                let constants = [tile.constants(), flow_constants(flow)].concat();
                let draft = draft("sort: merge short rows", "sort_merge", &MERGE, access, text);
                let contract = keys.contract_of_rows(flow, true);
                bounded(Draft { constants, contract, ..draft }, &[("count", 1)], keys.counted)
            }
            SortSpec::Pack { per_word, counted } => {
                let word = Form::Words(1);
                let text = word.declare(0, "loose", "read") + &word.declare(1, "packed", "read_write");
                let draft = draft("sort: pack", "sort_pack", &["count"], vec![Access::Read, Access::Write], text);
                bounded(
                    Draft { constants: vec![workgroup, ("PER_WORD", *per_word)], ..draft },
                    &[("count", 1)],
                    *counted,
                )
            }
        }
    }
}

fn draft(name: &str, file: &'static str, params: &[&str], access: Vec<Access>, text: String) -> Draft {
    let entry = file.strip_prefix("sort_").expect("so the files are named");
    let params = params.iter().map(|name| name.to_string()).collect();
    Draft { entry, params, access, text, ..Draft::new(name, shader(file)) }
}

impl Keys {
    fn digit_text(&self) -> String {
        digit_text(self.dtype, self.descending)
    }

    /// What goes with keys of 32 bits that nobody counts, alone or with values of as many, in one window.
    fn carried(&self, flow: &Flow) -> Option<Carried> {
        let word = Form::Words(1);
        let one_window = !flow.cut && flow.stores.iter().all(|&windows| windows <= 1);
        if self.counted || !one_window || self.dtype.size() != 4 {
            return None;
        }
        match flow.values {
            _ if flow.stores[1] == 0 => Some(Carried::Nothing),
            Values::Index => Some(Carried::Index),
            Values::Of(form) if form == word && self.value == word => Some(Carried::Word),
            Values::None | Values::Of(_) => None,
        }
    }

    fn contract_of_rows(&self, flow: &Flow, merges: bool) -> Option<Contract> {
        let (key, descending, stores_keys) = (self.dtype, self.descending, flow.stores[0] > 0);
        let values = self.carried(flow)?;
        Some(Contract::SortRows(SortRows { key, descending, values, stores_keys, merges }))
    }

    fn contract(&self, flow: &Flow, shape: &Shape) -> Option<Contract> {
        let values = self.carried(flow)?;
        shape.subgroups.is_some().then(|| {
            Contract::SortByDigit(SortByDigit {
                key: self.dtype,
                descending: self.descending,
                values,
                stores_keys: flow.stores[0] > 0,
                tile: shape.tile() as u32,
                prefix: shape.prefix(),
                spins: shape.spins,
                last: last(self.dtype, self.descending) as u32,
            })
        })
    }

    /// The bindings of a flow and their loads and stores; `state` before the outputs if it is wanted.
    pub(super) fn arrays(&self, flow: &Flow, state: bool) -> (String, Vec<Access>) {
        let mut access = vec![Access::Read];
        let mut text = flow.keys.declare(0, "keys_in", "read");
        text += &format!("fn load_key(i: u32) -> Key {{ return {}; }}\n", flow.keys.load("keys_in"));
        if let Values::Of(form) = flow.values {
            text += &form.declare(access.len(), "values_in", "read");
            text += &format!("fn load_value(i: u32) -> {} {{ return {}; }}\n", form.wgsl(), form.load("values_in"));
            access.push(Access::Read);
        }
        if state {
            let binding = access.len();
            text += &format!("@group(0) @binding({binding}) var<storage, read_write> state: array<atomic<u32>>;\n");
            access.push(Access::Write);
        }
        let forms = [Form::carried(self.dtype), if flow.stores[1] > 0 { self.value } else { flow.values.form() }];
        for ((name, form), windows) in ["key", "value"].into_iter().zip(forms).zip(flow.stores) {
            for window in 0..windows {
                text += &form.declare(access.len(), &format!("{name}s_out{window}"), "read_write");
                access.push(Access::Write);
            }
            text += &match windows {
                0 => format!("fn store_{name}(at: u32, v: {}) {{ }}\n", form.wgsl()),
                _ => store_text(name, form, windows, flow.cut),
            };
        }
        (text, access)
    }
}

/// `store_key(at, v)` or `store_value(at, v)`: into the window that `at` lies in.
fn store_text(name: &str, form: Form, windows: u32, cut: bool) -> String {
    let first = format!("params.{name}s_out_first");
    let mut body = String::new();
    if cut {
        body += "    if (at >= params.out_limit) {\n        return;\n    }\n";
        for window in 0..windows - 1 {
            body += &format!("    if (at < {}u * params.window) {{\n", window + 1);
            body += &format!("        {name}s_out{window}[{first} + at - {window}u * params.window] = v;\n");
            body += "        return;\n    }\n";
        }
    }
    let (last, less) = (windows - 1, if cut { format!(" - {}u * params.window", windows - 1) } else { String::new() });
    body += &format!("    {name}s_out{last}[{first} + at{less}] = v;\n");
    format!("fn store_{name}(at: u32, v: {}) {{\n{body}}}\n", form.wgsl())
}
