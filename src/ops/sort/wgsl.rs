//! The text of a sort's kernels: what the files in `shaders/` leave open.

use super::Sort;
use super::shape::Shape;
use super::steps::{rows_text, scatter_text, team_constants, team_text};
use crate::caps::Caps;
use crate::kernel::{Access, Carried, Contract, Draft, Kernel, SortByDigit};
use crate::ops::counted::bounded;
use crate::ops::dense::{Form, each};
use crate::ops::order::{digit_text, last};

/// Where the values of a pass come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Values {
    None,
    /// The key's index in its row.
    Index,
    Of(Form),
}

/// What a pass over the keys reads and writes.
#[derive(Clone, Copy, Debug, PartialEq)]
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

impl Sort {
    fn digit_text(&self) -> String {
        digit_text(self.key_type(), self.descending)
    }

    pub(super) fn draft(
        &self,
        name: &str,
        file: &'static str,
        params: &[&str],
        access: Vec<Access>,
        text: String,
    ) -> Draft {
        Draft {
            entry: file.strip_prefix("sort_").expect("so the files are named"),
            params: params.iter().map(|name| name.to_string()).collect(),
            access,
            text,
            ..Draft::new(name, file)
        }
    }

    /// With the number of keys from the device, if the sort has one: the parameter `name` is no more than that.
    pub(super) fn bounded(&self, draft: Draft, name: &str) -> Draft {
        bounded(draft, &[(name, 1)], self.count.is_some())
    }

    fn cached(&self, what: impl std::fmt::Debug, shape: &Shape, caps: &Caps, draft: impl FnOnce() -> Draft) -> Kernel {
        let key = format!(
            "sort{:?}{}{}{}{what:?}{shape:?}",
            self.key_type(),
            self.descending,
            self.places(),
            self.count.is_some()
        );
        Kernel::cached(key.into_bytes(), caps, draft)
    }

    pub(super) fn clear_kernel(&self, caps: &Caps) -> Kernel {
        Kernel::cached(format!("sort clear{}", caps.workgroup()).into_bytes(), caps, || {
            let array = |binding, name| {
                format!("@group(0) @binding({binding}) var<storage, read_write> {name}: array<vec4<u32>>;\n")
            };
            let text = array(0, "state") + &array(1, "counts");
            let draft = self.draft(
                "sort: clear",
                "sort_clear",
                &["state_units", "count_units"],
                vec![Access::Write, Access::Write],
                text,
            );
            Draft { constants: vec![("WORKGROUP", caps.workgroup())], ..draft }
        })
    }

    pub(super) fn histogram_kernel(&self, keys: Form, shape: &Shape, caps: &Caps) -> Kernel {
        self.cached(("histogram", keys), shape, caps, || {
            let loads = each(shape.unroll, "let key# = load_key(at + #u * WORKGROUP);");
            let tallies = each(shape.unroll, "tally_key(key#);");
            let text = keys.declare(0, "keys", "read")
                + "@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;\n"
                + &self.digit_text()
                + &format!("fn load_key(i: u32) -> Key {{ return {}; }}\n", keys.load("keys"))
                + &format!("fn tally_keys(at: u32) {{\n{loads}{tallies}}}\n");
            let access = vec![Access::Read, Access::Write];
            let draft = self.draft("sort: histogram", "sort_histogram", &HISTOGRAM, access, text);
            let constants = vec![("WORKGROUP", caps.workgroup()), ("UNROLL", shape.unroll), ("PLACES", self.places())];
            self.bounded(Draft { constants, ..draft }, "length")
        })
    }

    pub(super) fn seed_kernel(&self, shape: &Shape, caps: &Caps) -> Kernel {
        Kernel::cached(format!("sort seed{}{shape:?}", self.places()).into_bytes(), caps, || {
            let text = Form::Words(1).declare(0, "counts", "read")
                + &Form::Words(1).declare(1, "state", "read_write")
                + &team_text(shape)
                + "var<workgroup> pool: array<atomic<u32>, POOL>;\n";
            let draft = self.draft("sort: seed", "sort_seed", &SEED, vec![Access::Read, Access::Write], text);
            Draft { constants: [team_constants(shape), vec![("PLACES", self.places())]].concat(), ..draft }
        })
    }

    pub(super) fn scatter_kernel(&self, flow: &Flow, shape: &Shape, caps: &Caps) -> Kernel {
        self.cached(("scatter", flow), shape, caps, || {
            let (arrays, access) = self.arrays(flow, true);
            let text = arrays + &self.digit_text() + &team_text(shape) + &scatter_text(flow, shape);
            let draft = self.draft("sort: scatter by one digit", "sort_scatter", &SCATTER, access, text);
            let contract = self.contract(flow, shape).filter(|_| self.count.is_none());
            let constants = [team_constants(shape), vec![("SPINS", shape.spins)]].concat();
            self.bounded(Draft { constants, contract, ..draft }, "length")
        })
    }

    /// Keys of 32 bits, alone or with values of as many, in one window.
    fn contract(&self, flow: &Flow, shape: &Shape) -> Option<Contract> {
        let word = Form::Words(1);
        let values = match flow.values {
            _ if flow.stores[1] == 0 => Carried::Nothing,
            Values::None => return None,
            Values::Index => Carried::Index,
            Values::Of(form) if form == word && self.carried_value() == word => Carried::Word,
            Values::Of(_) => return None,
        };
        let one_window = !flow.cut && flow.stores.iter().all(|&windows| windows <= 1);
        let fits = one_window && shape.subgroups.is_some() && self.key_type().size() == 4;
        fits.then(|| {
            Contract::SortByDigit(SortByDigit {
                key: self.key_type(),
                descending: self.descending,
                values,
                stores_keys: flow.stores[0] > 0,
                tile: shape.tile() as u32,
                prefix: shape.prefix(),
                spins: shape.spins,
                last: last(self.key_type(), self.descending) as u32,
            })
        })
    }

    pub(super) fn rows_kernel(&self, flow: &Flow, shape: &Shape, caps: &Caps) -> Kernel {
        self.cached(("rows", flow), shape, caps, || {
            let (arrays, access) = self.arrays(flow, false);
            let text = arrays + &self.digit_text() + &team_text(shape) + &rows_text(flow, shape);
            let draft = self.draft("sort: short rows", "sort_rows", &ROWS, access, text);
            self.bounded(Draft { constants: team_constants(shape), ..draft }, "count")
        })
    }

    pub(super) fn pack_kernel(&self, per_word: u32, caps: &Caps) -> Kernel {
        let key = format!("sort pack{per_word}.{}{}", caps.workgroup(), self.count.is_some());
        Kernel::cached(key.into_bytes(), caps, || {
            let text = Form::Words(1).declare(0, "loose", "read") + &Form::Words(1).declare(1, "packed", "read_write");
            let draft = self.draft("sort: pack", "sort_pack", &["count"], vec![Access::Read, Access::Write], text);
            let constants = vec![("WORKGROUP", caps.workgroup()), ("PER_WORD", per_word)];
            self.bounded(Draft { constants, ..draft }, "count")
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
        let forms = [Form::carried(self.key_type()), self.carried_value()];
        for ((name, form), windows) in ["key", "value"].into_iter().zip(forms).zip(flow.stores) {
            for window in 0..windows {
                text += &form.declare(access.len(), &format!("{name}s_out{window}"), "read_write");
                access.push(Access::Write);
            }
            if windows > 0 {
                text += &store_text(name, form, windows, flow.cut);
            }
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
