// run
// Every statement: branches, loops with continuing blocks, switches, early returns, pointers, nested calls.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

const LIMIT = 12u;
const TABLE = array<i32, 5>(3, -1, 4, -1, 5);
var<private> steps: u32;

fn collatz(start: u32) -> u32 {
    var n = start;
    var count = 0u;
    loop {
        if n <= 1u || count > 200u { break; }
        if n % 2u == 0u { n /= 2u; continue; }
        n = n * 3u + 1u;
        continuing {
            count += 1u;
            steps += 1u;
        }
    }
    return count;
}

fn until(start: u32) -> u32 {
    var n = start;
    loop {
        n = n * 1664525u + 1013904223u;
        continuing {
            let high = n >> 28u;
            break if high == 3u || steps > 400u;
        }
    }
    return n;
}

fn choose(x: i32) -> i32 {
    switch x % 7 {
        case 0: { return 1; }
        case 1, -1: { return TABLE[u32(abs(x)) % 5u]; }
        case 2: {
            for (var i = 0; i < 5; i++) {
                if i == x % 5 { continue; }
                switch i { case 3: { break; } default: { if TABLE[i] == x { return i; } } }
                while true { break; }
            }
        }
        default: {}
        case 5: { if x > 100 { return 9; } else if x > 50 { return 8; } else { break; } }
    }
    return -x;
}

fn only_default(x: u32) -> u32 {
    var r = x;
    switch x { default: { r += 1u; if r > 5u { break; } r += 10u; } }
    return r;
}

fn swap(a: ptr<function, u32>, b: ptr<function, u32>) {
    let t = *a;
    *a = *b;
    *b = t;
}

fn fill(list: ptr<function, array<u32, 6>>, by: u32) {
    for (var i = 0u; i < 6u; i++) { (*list)[i] = by * i; }
    let third = &(*list)[3];
    *third += 100u;
}

fn bump(counter: ptr<private, u32>) { *counter += 1000u; }

fn nothing() {}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = input[id.x % 509u];
    var a = collatz(x % 1000u);
    var b = until(x);
    swap(&a, &b);
    var list: array<u32, 6>;
    fill(&list, x % 9u);
    bump(&steps);
    nothing();
    var sum = 0u;
    for (var i = 0u; i < LIMIT; i++) {
        if i % 3u == 0u { continue; }
        for (var k = 0u; ; k++) {
            if k > i { break; }
            sum += list[k % 6u] ^ i;
        }
        if sum > 0x1000000u { break; }
    }
    {
        let x = choose(bitcast<i32>(input[(id.x + 7u) % 509u]));
        sum ^= bitcast<u32>(x);
    }
    _ = only_default(x);
    let at = id.x * 8u;
    output[at] = a;
    output[at + 1u] = b;
    output[at + 2u] = sum;
    output[at + 3u] = steps;
    output[at + 4u] = only_default(x % 9u);
    if id.x % 5u == 4u { return; }
    output[at + 5u] = list[3];
}
