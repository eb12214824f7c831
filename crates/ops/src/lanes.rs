//! Which lane of its workgroup an invocation is: `At`, what an entry point is given, and `lane_of`.

/// The text, with the constant `SUBGROUP` where there are subgroups.
pub(super) fn text(subgroups: bool) -> &'static str {
    match subgroups {
        true => include_str!("../shaders/shared/lanes_subgroup.wgsl"),
        false => include_str!("../shaders/shared/lanes_portable.wgsl"),
    }
}
