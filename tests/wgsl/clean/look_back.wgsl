// Inclusive sums of 16-bit words in one pass: each workgroup publishes its sum, then looks back over its
// predecessors'. It waits a bounded number of turns for one, then adds up that part itself: no forward progress of
// other workgroups is needed.
//
// A state holds its kind in the two upper bits, so that kind and value are published at once.
const PART = 64u;
const AGGREGATE = 0x40000000u;
const PREFIX = 0x80000000u;
const VALUE = 0x3fffffffu;

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> states: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> ticket: atomic<u32>;

var<workgroup> part: u32;
var<workgroup> sums: array<u32, PART>;
var<workgroup> before: u32;

fn recompute(index: u32) -> u32 {
    var sum = 0u;
    for (var i = 0u; i < PART; i++) {
        sum += input[index * PART + i];
    }
    return sum;
}

@compute @workgroup_size(PART)
fn main(@builtin(local_invocation_index) local: u32) {
    // Parts in the order in which workgroups start.
    if local == 0u {
        part = atomicAdd(&ticket, 1u);
    }
    let mine = workgroupUniformLoad(&part);
    sums[local] = input[mine * PART + local];
    workgroupBarrier();
    for (var step = 1u; step < PART; step *= 2u) {
        var left = 0u;
        if local >= step {
            left = sums[local - step];
        }
        workgroupBarrier();
        sums[local] += left;
        workgroupBarrier();
    }
    if local == 0u {
        let sum = sums[PART - 1u];
        if mine > 0u {
            atomicStore(&states[mine], AGGREGATE | sum);
        }
        var prefix = 0u;
        var at = mine;
        while at > 0u {
            at--;
            var state = 0u;
            for (var turn = 0u; turn < 4u && state == 0u; turn++) {
                state = atomicLoad(&states[at]);
            }
            if state == 0u {
                state = AGGREGATE | recompute(at);
            }
            prefix += state & VALUE;
            if (state & PREFIX) != 0u {
                break;
            }
        }
        atomicStore(&states[mine], PREFIX | (prefix + sum));
        before = prefix;
    }
    output[mine * PART + local] = workgroupUniformLoad(&before) + sums[local];
}
