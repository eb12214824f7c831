// Nothing: an empty kernel, to measure what a launch costs.

@compute @workgroup_size(1)
fn nothing() {}
