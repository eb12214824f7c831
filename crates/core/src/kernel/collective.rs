//! `workgroup_sum_f32`, `workgroup_scan_sum_f32` and the like: the values of a workgroup's invocations combined.

/// A function that combines.
pub(super) struct Collective<'a> {
    name: &'a str,
    scan: bool,
    ty: &'a str,
    /// What combines `a` and `b`, what that begins with, and the subgroup's form.
    combine: &'static str,
    identity: &'static str,
    subgroup: &'static str,
}

impl<'a> Collective<'a> {
    pub fn named(name: &'a str) -> Option<Collective<'a>> {
        let rest = name.strip_prefix("workgroup_")?;
        let (scan, rest) = rest.strip_prefix("scan_").map_or((false, rest), |rest| (true, rest));
        let (operator, ty) = rest.split_once('_')?;
        let (combine, subgroup) = match operator {
            "sum" => ("a + b", "subgroupAdd"),
            "min" => ("min(a, b)", "subgroupMin"),
            "max" => ("max(a, b)", "subgroupMax"),
            _ => return None,
        };
        let identity = match (operator, ty) {
            ("sum", "f32" | "i32" | "u32") => "0",
            ("min", "f32") => "bitcast<f32>(0x7f800000u + nothing)",
            ("max", "f32") => "bitcast<f32>(0xff800000u + nothing)",
            ("min", "i32") => "2147483647",
            ("max", "i32") => "-2147483648",
            ("min", "u32") => "4294967295",
            ("max", "u32") => "0",
            _ => return None,
        };
        Some(Collective { name, scan, ty, combine, identity, subgroup })
    }

    /// Its text, for a workgroup of this many invocations; by subgroups where the device has them.
    pub fn text(&self, size: &str, subgroups: bool) -> String {
        let Collective { name, ty, .. } = self;
        let body = match (self.scan, subgroups) {
            (true, _) => self.scanned(size),
            (false, true) => self.reduced_by_subgroups(size),
            (false, false) => self.reduced(size),
        };
        format!(
            "\nvar<workgroup> crosslane_scratch_{name}: array<{ty}, {size}>;\n\
             fn {name}(value: {ty}, local_index: u32) -> {ty} {{\n{body}    return result;\n}}\n"
        )
    }

    /// In the order of a tree; all get the result.
    fn reduced(&self, size: &str) -> String {
        let Collective { name, combine, .. } = self;
        format!(
            "    let scratch = &crosslane_scratch_{name};
    (*scratch)[local_index] = value;
    workgroupBarrier();
    for (var width = {size}; width > 1u; width = (width + 1u) / 2u) {{
        let half = (width + 1u) / 2u;
        if local_index + half < width {{
            let a = (*scratch)[local_index];
            let b = (*scratch)[local_index + half];
            (*scratch)[local_index] = {combine};
        }}
        workgroupBarrier();
    }}
    let result = (*scratch)[0];
    workgroupBarrier();
"
        )
    }

    /// The same by subgroups, of any size and wherever their invocations are: each leaves what it has in the place of its
    /// first invocation, and then all subgroups combine all places. Infinity is no constant in WGSL: its bits come out of
    /// a sum with a variable.
    fn reduced_by_subgroups(&self, size: &str) -> String {
        let Collective { name, ty, combine, identity, subgroup, .. } = self;
        format!(
            "    let scratch = &crosslane_scratch_{name};
    var nothing = 0u;
    let lanes = subgroupAdd(1u);
    let lane = subgroupExclusiveAdd(1u);
    let part = {subgroup}(value);
    let first = subgroupMin(local_index);
    (*scratch)[local_index] = select({ty}({identity}), part, local_index == first);
    workgroupBarrier();
    var a = {ty}({identity});
    for (var i = lane; i < {size}; i += lanes) {{
        let b = (*scratch)[i];
        a = {combine};
    }}
    let result = {subgroup}(a);
    workgroupBarrier();
"
        )
    }

    /// Each invocation's value with those before it (Hillis and Steele, 1986).
    fn scanned(&self, size: &str) -> String {
        let Collective { name, combine, .. } = self;
        format!(
            "    let scratch = &crosslane_scratch_{name};
    (*scratch)[local_index] = value;
    workgroupBarrier();
    for (var reach = 1u; reach < {size}; reach *= 2u) {{
        let b = (*scratch)[local_index];
        var combined = b;
        if local_index >= reach {{
            let a = (*scratch)[local_index - reach];
            combined = {combine};
        }}
        workgroupBarrier();
        (*scratch)[local_index] = combined;
        workgroupBarrier();
    }}
    let result = (*scratch)[local_index];
    workgroupBarrier();
"
        )
    }
}
