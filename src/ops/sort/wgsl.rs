//! The text of a sort's kernels: what the files in `shaders/` leave open.

use super::Sort;
use super::order::{digit_text, words};
use super::shape::Shape;
use crate::caps::Caps;
use crate::element::DType;
use crate::kernel::{Draft, Kernel};
use crate::op::Access;

/// How the elements of an array lie in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// So many in a word.
    Packed(u32),
    /// So many words each.
    Words(u32),
}

impl Form {
    /// As arrays hold them.
    pub fn held(dtype: DType) -> Form {
        if dtype.size() < 4 { Form::Packed(4 / dtype.size() as u32) } else { Form::Words(words(dtype)) }
    }

    /// As a sort moves them: none smaller than a word.
    pub fn carried(dtype: DType) -> Form {
        Form::Words(words(dtype))
    }

    /// Bytes of an element.
    pub fn size(self) -> u64 {
        match self {
            Form::Packed(per_word) => 4 / per_word as u64,
            Form::Words(words) => 4 * words as u64,
        }
    }

    /// The type of an element in a kernel.
    fn wgsl(self) -> &'static str {
        if self == Form::Words(2) { "vec2<u32>" } else { "u32" }
    }

    fn declare(self, binding: usize, name: &str, access: &str) -> String {
        format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{}>;\n", self.wgsl())
    }

    /// Element `i` of an array.
    fn load(self, array: &str) -> String {
        match self {
            Form::Packed(4) => format!("({array}[i >> 2u] >> ((i & 3u) * 8u)) & 0xffu"),
            Form::Packed(_) => format!("({array}[i >> 1u] >> ((i & 1u) * 16u)) & 0xffffu"),
            Form::Words(_) => format!("{array}[i]"),
        }
    }
}

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
pub(super) const SCATTER: [&str; 14] = [
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
];
pub(super) const ROWS: [&str; 13] = [
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
    "reserved",
];
pub(super) const HISTOGRAM: [&str; 8] =
    ["groups", "chunks", "span", "length", "stride", "keys_first", "begin", "last_mask"];
pub(super) const SEED: [&str; 4] = ["groups", "rows", "first_place", "chain"];

/// A line for each item of an invocation: `#` is its number.
fn each(items: u32, line: &str) -> String {
    (0..items).map(|item| format!("    {}\n", line.replace('#', &item.to_string()))).collect()
}

impl Sort {
    fn key_text(&self) -> String {
        digit_text(self.key_type(), self.descending)
    }

    fn draft(&self, name: &str, file: &'static str, params: &[&str], access: Vec<Access>, text: String) -> Draft {
        Draft {
            name: name.into(),
            file,
            entry: file.strip_prefix("sort_").expect("so the files are named"),
            constants: vec![],
            params: params.iter().map(|name| name.to_string()).collect(),
            access,
            text,
            width: 1,
            f16: false,
            trusted: true,
            native: None,
        }
    }

    fn cached(&self, what: impl std::fmt::Debug, shape: &Shape, caps: &Caps, draft: impl FnOnce() -> Draft) -> Kernel {
        let key = format!("sort{:?}{}{}{what:?}{shape:?}", self.key_type(), self.descending, self.places());
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
                + &self.key_text()
                + &format!("fn load_key(i: u32) -> Key {{ return {}; }}\n", keys.load("keys"))
                + &format!("fn tally_keys(at: u32) {{\n{loads}{tallies}}}\n");
            let access = vec![Access::Read, Access::Write];
            let draft = self.draft("sort: histogram", "sort_histogram", &HISTOGRAM, access, text);
            let constants = vec![("WORKGROUP", caps.workgroup()), ("UNROLL", shape.unroll), ("PLACES", self.places())];
            Draft { constants, ..draft }
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
            let text = arrays + &self.key_text() + &team_text(shape) + &scatter_text(flow, shape);
            let draft = self.draft("sort: scatter by one digit", "sort_scatter", &SCATTER, access, text);
            Draft { constants: [team_constants(shape), vec![("SPINS", shape.spins)]].concat(), ..draft }
        })
    }

    pub(super) fn rows_kernel(&self, flow: &Flow, shape: &Shape, caps: &Caps) -> Kernel {
        self.cached(("rows", flow), shape, caps, || {
            let (arrays, access) = self.arrays(flow, false);
            let text = arrays + &self.key_text() + &team_text(shape) + &rows_text(flow, shape);
            let draft = self.draft("sort: short rows", "sort_rows", &ROWS, access, text);
            Draft { constants: team_constants(shape), ..draft }
        })
    }

    pub(super) fn pack_kernel(&self, per_word: u32, caps: &Caps) -> Kernel {
        Kernel::cached(format!("sort pack{per_word}.{}", caps.workgroup()).into_bytes(), caps, || {
            let text = Form::Words(1).declare(0, "loose", "read") + &Form::Words(1).declare(1, "packed", "read_write");
            let draft = self.draft("sort: pack", "sort_pack", &["count"], vec![Access::Read, Access::Write], text);
            Draft { constants: vec![("WORKGROUP", caps.workgroup()), ("PER_WORD", per_word)], ..draft }
        })
    }

    /// The bindings of a flow and their loads and stores; `state` before the outputs if it is wanted.
    fn arrays(&self, flow: &Flow, state: bool) -> (String, Vec<Access>) {
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

fn team_constants(shape: &Shape) -> Vec<(&'static str, u32)> {
    vec![
        ("WORKGROUP", shape.workgroup),
        ("ITEMS", shape.items),
        ("TILE", shape.tile() as u32),
        ("TEAMS", shape.teams()),
        ("STRIPS", shape.strips()),
        ("POOL", shape.pool()),
        ("PREFIX", shape.prefix()),
    ]
}

/// `Who`, `At`, `who_is`, `rank` and `scan`.
fn team_text(shape: &Shape) -> String {
    let who = "// An invocation: its number in the workgroup, its team, its place in that, and the team's size.\n\
               struct Who { lane: u32, team: u32, place: u32, size: u32 }\n";
    let file = match shape.subgroups {
        Some(_) => include_str!("../../../shaders/shared/sort_subgroup.wgsl"),
        None => include_str!("../../../shaders/shared/sort_portable.wgsl"),
    };
    who.to_string() + file + &shape.subgroups.map_or(String::new(), ballot_text)
}

/// Which lanes have a digit, as bits: a word of them for each 32 lanes that a subgroup may have.
fn ballot_text((least, most): (u32, u32)) -> String {
    let size = if least == most { format!("{least}u") } else { "size".into() };
    let (lanes, part) = match most.div_ceil(32) {
        1 => ("u32", ".x"),
        2 => ("vec2<u32>", ".xy"),
        _ => ("vec4<u32>", ""),
    };
    let splat = |v: &str| if lanes == "u32" { v.to_string() } else { format!("{lanes}({v})") };
    let (all, none) = (splat("0xffffffffu"), splat("0u"));
    let first = if (least, most) == (32, 32) { all.clone() } else { format!("subgroupBallot(true){part}") };
    let mut with = format!("    var same = {first};\n");
    // Each bit as a sign: `digit & bit != 0` becomes seven instructions by NVRTC 13.0, which makes the condition twice.
    for bit in 0..8 {
        with += &format!(
            "    let set{bit} = bitcast<i32>(digit << {}u) < 0;\n    \
             same &= subgroupBallot(set{bit}){part} ^ select({all}, {none}, set{bit});\n",
            31 - bit
        );
    }
    let (below, count) = match lanes {
        "u32" => ("countOneBits(same & ((1u << place) - 1u))".to_string(), "countOneBits(same)".to_string()),
        _ => {
            let names = &["x", "y", "z", "w"][..if lanes == "vec2<u32>" { 2 } else { 4 }];
            let word = |(nth, name): (usize, &&str)| {
                // All lanes of the words before, those below in its own, none of the words after.
                let low = "((1u << (place & 31u)) - 1u)";
                format!(
                    "countOneBits(same.{name} & select(select(0u, {low}, place >> 5u == {nth}u), 0xffffffffu, place >> 5u > {nth}u))"
                )
            };
            let below = names.iter().enumerate().map(word).collect::<Vec<_>>().join(" + ");
            let count = names.iter().map(|name| format!("countOneBits(same.{name})")).collect::<Vec<_>>().join(" + ");
            (below, count)
        }
    };
    format!(
        "fn lanes_of(size: u32) -> u32 {{ return {size}; }}\n\
         fn lanes_with(digit: u32) -> {lanes} {{\n{with}    return same;\n}}\n\
         fn count_below(same: {lanes}, place: u32) -> u32 {{ return {below}; }}\n\
         fn count_all(same: {lanes}) -> u32 {{ return {count}; }}\n"
    )
}

/// The counters of the teams: cleared, added up over the teams, and turned into where each team's keys begin.
fn counter_text(shape: &Shape) -> String {
    let teams = shape.teams();
    let sums = each(teams, "(*before)[#] = sum;\n    sum += atomicLoad(&pool[#u * 256u + bin]);");
    let starts = each(teams, "atomicStore(&pool[#u * 256u + bin], start + (*before)[#]);");
    let sets = if shape.subgroups.is_some() { 1 } else { 3 };
    format!(
        "fn clear_pool(who: Who) {{\n    for (var word = who.lane; word < {}u; word += WORKGROUP) {{\n        \
         atomicStore(&pool[word], 0u);\n    }}\n}}\n\
         fn sum_teams(bin: u32, before: ptr<function, array<u32, TEAMS>>) -> u32 {{\n    var sum = 0u;\n{sums}    return sum;\n}}\n\
         fn start_teams(bin: u32, start: u32, before: ptr<function, array<u32, TEAMS>>) {{\n{starts}}}\n",
        teams * sets * 256
    )
}

/// Item `#` of an invocation lies here in the tile: a team's items are side by side.
const ITEM: &str = "who.team * who.size * ITEMS + #u * who.size + who.place";

/// The lines that bring a register of each item into the order of `places`.
fn exchange_lines(items: u32, from: &str, to: &str) -> String {
    "    workgroupBarrier();\n".to_string()
        + &each(items, &format!("atomicStore(&pool[(*places)[#]], {from});"))
        + "    workgroupBarrier();\n"
        + &each(items, &format!("{to} = atomicLoad(&pool[#u * WORKGROUP + who.lane]);"))
}

/// The parts of an element of one or two words.
fn parts(form: Form) -> &'static [&'static str] {
    if form == Form::Words(2) { &[".x", ".y"] } else { &[""] }
}

fn scatter_text(flow: &Flow, shape: &Shape) -> String {
    let items = shape.items;
    let keys = "keys: ptr<function, array<Key, ITEMS>>";
    let places = "places: ptr<function, array<u32, ITEMS>>";
    let targets = "targets: ptr<function, array<u32, ITEMS>>";
    let bin = "digit((*keys)[#], params.shift, params.mask)";
    let at = format!("params.keys_first + first + {ITEM}");
    let load = whole_or_part(
        &each(items, &format!("(*keys)[#] = load_key({at});")),
        &each(items, &format!("(*keys)[#] = LAST;\n    if ({ITEM} < count) {{ (*keys)[#] = load_key({at}); }}")),
    );
    let mut text = counter_text(shape);
    text += &format!("fn load_keys({keys}, first: u32, count: u32, who: Who) {{\n{load}}}\n");
    text += &format!(
        "fn rank_keys({keys}, {places}, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] = rank({bin}, #u, who);"))
    );
    text += &format!(
        "fn place_keys({keys}, {places}, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] += atomicLoad(&pool[who.team * 256u + {bin}]);"))
    );
    let key = Form::Words(if matches!(flow.keys, Form::Words(2)) { 2 } else { 1 });
    let first_part = parts(key)[0];
    text += &format!(
        "fn put_keys({keys}, {places}) {{\n{}}}\n",
        each(items, &format!("atomicStore(&pool[(*places)[#]], (*keys)[#]{first_part});"))
    );
    // The first word has been put; the second follows through the same memory.
    let mut body = String::new();
    if parts(key).len() == 1 {
        body += &each(items, "let key# = atomicLoad(&pool[#u * WORKGROUP + who.lane]);");
    } else {
        body += &each(items, "let low# = atomicLoad(&pool[#u * WORKGROUP + who.lane]);");
        body += "    workgroupBarrier();\n";
        body += &each(items, "atomicStore(&pool[(*places)[#]], (*keys)[#].y);");
        body += "    workgroupBarrier();\n";
        body += &each(items, "let key# = vec2<u32>(low#, atomicLoad(&pool[#u * WORKGROUP + who.lane]));");
    }
    let target = "offsets[digit(key#, params.shift, params.mask)] + #u * WORKGROUP + who.lane";
    body += &each(items, &format!("(*targets)[#] = {target};"));
    if flow.stores[0] > 0 {
        body += &whole_or_part(
            &each(items, "store_key((*targets)[#], key#);"),
            &each(items, "if (#u * WORKGROUP + who.lane < count) { store_key((*targets)[#], key#); }"),
        );
    }
    text += &format!("fn store_keys({keys}, {places}, {targets}, count: u32, who: Who) {{\n{body}}}\n");
    text + &format!(
        "fn store_values({places}, {targets}, first: u32, at: u32, count: u32, who: Who) {{\n{}}}\n",
        value_lines(flow, items)
    )
}

/// The lines for a tile that is full, as all but the last of a row are, and for one that is not.
fn whole_or_part(whole: &str, part: &str) -> String {
    format!("    if (count == TILE) {{\n{whole}    }} else {{\n{part}    }}\n")
}

/// The lines that load the values, bring them into the order of the keys and store them beside.
fn value_lines(flow: &Flow, items: u32) -> String {
    let form = match flow.values {
        Values::Of(Form::Words(2)) => Form::Words(2),
        _ => Form::Words(1),
    };
    if flow.stores[1] == 0 {
        return String::new();
    }
    let mut body = each(items, &format!("var value#: {};", form.wgsl()));
    body += &match flow.values {
        Values::Of(_) => {
            let load = format!("value# = load_value(params.values_first + first + {ITEM});");
            whole_or_part(&each(items, &load), &each(items, &format!("if ({ITEM} < count) {{ {load} }}")))
        }
        _ => each(items, &format!("value# = params.index_first + at + {ITEM};")),
    };
    body += &each(items, &format!("var sorted#: {};", form.wgsl()));
    for part in parts(form) {
        body += &exchange_lines(items, &format!("value#{part}"), &format!("sorted#{part}"));
    }
    body + &whole_or_part(
        &each(items, "store_value((*targets)[#], sorted#);"),
        &each(items, "if (#u * WORKGROUP + who.lane < count) { store_value((*targets)[#], sorted#); }"),
    )
}

fn rows_text(flow: &Flow, shape: &Shape) -> String {
    let items = shape.items;
    let keys = "keys: ptr<function, array<Key, ITEMS>>";
    let origins = "origins: ptr<function, array<u32, ITEMS>>";
    let places = "places: ptr<function, array<u32, ITEMS>>";
    let bin = "digit_of((*keys)[#], (*origins)[#], pass_, count)";
    let key = Form::Words(if matches!(flow.keys, Form::Words(2)) { 2 } else { 1 });
    let load = format!(
        "(*origins)[#] = {ITEM};\n    \
         if ({ITEM} < count) {{ (*keys)[#] = load_key(params.keys_first + first + {ITEM}); }}"
    );
    let mut text = counter_text(shape);
    text +=
        &format!("fn load_keys({keys}, {origins}, first: u32, count: u32, who: Who) {{\n{}}}\n", each(items, &load));
    text += &format!(
        "fn rank_keys({keys}, {origins}, {places}, pass_: u32, count: u32, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] = rank({bin}, #u, who);"))
    );
    text += &format!(
        "fn place_keys({keys}, {origins}, {places}, pass_: u32, count: u32, who: Who) {{\n{}}}\n",
        each(items, &format!("(*places)[#] += atomicLoad(&pool[who.team * 256u + {bin}]);"))
    );
    // The next pass takes them in the order of the teams.
    let exchange = |register: &str| {
        "    workgroupBarrier();\n".to_string()
            + &each(items, &format!("atomicStore(&pool[(*places)[#]], {register});"))
            + "    workgroupBarrier();\n"
            + &each(items, &format!("{register} = atomicLoad(&pool[{ITEM}]);"))
    };
    let mut body = exchange("(*origins)[#]");
    for part in parts(key) {
        body += &exchange(&format!("(*keys)[#]{part}"));
    }
    text += &format!("fn exchange({keys}, {origins}, {places}, who: Who) {{\n{body}}}\n");
    let mut body = String::new();
    if flow.stores[0] > 0 {
        let store = format!("store_key(first + {ITEM}, (*keys)[#]);");
        body += &each(items, &format!("if ({ITEM} < count) {{ {store} }}"));
    }
    if flow.stores[1] > 0 {
        let value = match flow.values {
            Values::Of(_) => "load_value(params.values_first + first + (*origins)[#])",
            _ => "(*origins)[#] % params.length",
        };
        body += &each(items, &format!("if ({ITEM} < count) {{ store_value(first + {ITEM}, {value}); }}"));
    }
    text + &format!("fn store_items({keys}, {origins}, first: u32, count: u32, who: Who) {{\n{body}}}\n")
}
