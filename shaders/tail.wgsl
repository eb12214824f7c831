// Fills what lies past an array's end with zeros: the first `words` words from `first` on, of the very first only the bytes
// that `keep` leaves out. By `and`, which leaves the array's own bytes as they are, written or not.

@compute @workgroup_size(WORKGROUP)
fn tail(@builtin(local_invocation_index) lane: u32) {
    if (lane < params.words) {
        atomicAnd(&end[params.first + lane], select(0u, params.keep, lane == 0u));
    }
}
