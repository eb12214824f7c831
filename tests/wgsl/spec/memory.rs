//! How values lie in memory, and what accesses out of bounds may do.

use crate::judge::judges;

/// Reads members at the offsets that the layout rules give them, and writes them back elsewhere.
#[test]
fn layout() {
    // Each pair: a struct, and the word offset of each scalar of it in order, with the words of the whole.
    const STRUCTS: &[(&str, &[&str], &[usize], usize)] = &[
        ("a: vec3<u32>, b: u32, c: u32", &["a.x", "a.y", "a.z", "b", "c"], &[0, 1, 2, 3, 4], 8),
        ("a: u32, b: vec3<u32>", &["a", "b.x", "b.z"], &[0, 4, 6], 8),
        ("a: u32, b: vec2<u32>, c: u32", &["a", "b.x", "b.y", "c"], &[0, 2, 3, 4], 6),
        ("a: array<vec3<u32>, 2>, b: u32", &["a[0].z", "a[1].x", "a[1].z", "b"], &[2, 4, 6, 8], 12),
        ("a: u32, b: Inner, c: u32", &["a", "b.x", "b.y.x", "c"], &[0, 4, 8, 12], 16),
        ("a: array<Inner, 2>", &["a[1].x", "a[1].y.z"], &[8, 14], 16),
        ("@size(16) a: u32, @align(32) b: u32, c: u32", &["a", "b", "c"], &[0, 8, 9], 16),
        ("a: array<u32, 3>, b: vec2<u32>", &["a[2]", "b.x"], &[2, 4], 6),
    ];
    for judge in judges() {
        for (members, paths, offsets, words) in STRUCTS {
            let copies: String = paths
                .iter()
                .enumerate()
                .map(|(n, path)| format!("output[{n}] = data[1].{path}; data[0].{path} = {n}u + 500u;\n"))
                .collect();
            let source = format!(
                "struct Inner {{ x: u32, y: vec3<u32> }} struct Outer {{ {members} }}
@group(0) @binding(0) var<storage, read_write> data: array<Outer>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {{ {copies} output[{}] = arrayLength(&data); }}",
                paths.len()
            );
            let input: Vec<u32> = (0..*words as u32 * 3).collect();
            let results = judge.run(&source, [1, 1, 1], &[input.clone(), vec![0; paths.len() + 1]]).unwrap();
            let mut wanted: Vec<u32> = offsets.iter().map(|&offset| (offset + words) as u32).collect();
            wanted.push(3);
            assert_eq!(results[1], wanted, "{members} on {}", judge.name());
            let mut data = input;
            offsets.iter().zip(500..).for_each(|(&offset, value)| data[offset] = value);
            assert_eq!(results[0], data, "{members} on {}", judge.name());
        }
    }
}

/// Matrices in memory: columns of three rows take four words. And the length of an array behind a head.
#[test]
fn matrices_and_heads_in_memory() {
    let source =
        "struct Head { count: u32, scale: mat3x3<f32>, small: mat2x2<f32>, tall: mat2x4<f32>, tail: array<vec3<f32>> }
@group(0) @binding(0) var<storage, read_write> data: Head;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(num_workgroups) groups: vec3<u32>) {
    let v = data.scale * vec3<f32>(1.0, 10.0, 100.0);
    output[0] = v.x; output[1] = v.y; output[2] = v.z;
    output[3] = data.small[groups.x][1]; output[4] = data.tall[1].w; output[5] = data.tail[1].z;
    output[6] = f32(arrayLength(&data.tail));
    data.scale[2] = vec3<f32>(-1.0, -2.0, -3.0); data.tail[0].y = -4.0;
}";
    // Words: count 0, scale 4..16, small 16..20, tall 20..28, tail from 28 in steps of 4.
    let words: Vec<u32> = (0..28 + 11).map(|i| (i as f32).to_bits()).collect();
    for judge in judges() {
        let results = judge.run(source, [1, 1, 1], &[words.clone(), vec![0; 7]]).unwrap();
        let got: Vec<f32> = results[1].iter().map(|&x| f32::from_bits(x)).collect();
        let column = |row: u32| (4 + row) as f32 + 10.0 * (8 + row) as f32 + 100.0 * (12 + row) as f32;
        assert_eq!(got, [column(0), column(1), column(2), 19.0, 27.0, 34.0, 2.0], "{}", judge.name());
        let mut wanted = words.clone();
        for (at, value) in [(12, -1.0f32), (13, -2.0), (14, -3.0), (29, -4.0)] {
            wanted[at] = value.to_bits();
        }
        assert_eq!(results[0], wanted, "{}", judge.name());
    }
}

/// Out of bounds: a read gives some value of the same variable or zero, and a write goes nowhere else than there. It may
/// leave an array inside a struct: Vulkan's robust access, which naga relies on, knows only the binding.
#[test]
fn out_of_bounds() {
    let source = "struct S { before: u32, list: array<u32, 4>, after: u32 }
@group(0) @binding(0) var<storage, read_write> fixed: S;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<storage, read> at: array<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
    var local = array<u32, 3>(7u, 7u, 7u);
    for (var i = 0u; i < arrayLength(&at); i++) {
        output[i * 3u] = list[at[i]];
        output[i * 3u + 1u] = fixed.list[at[i]];
        output[i * 3u + 2u] = local[at[i]];
    }
    for (var i = 0u; i < arrayLength(&at); i++) { fixed.list[at[i]] = 900u; local[at[i]] = 1u; list[at[i]] = 800u; }
}";
    let at = vec![4, 5, 100, 0x3fff_ffff, 0x8000_0000, u32::MAX];
    for judge in judges() {
        let buffers = [vec![10, 11, 12, 13, 14, 15], vec![20, 21, 22, 23], at.clone(), vec![0xcdcd_cdcd; at.len() * 3]];
        let results = judge.run(source, [1, 1, 1], &buffers).unwrap();
        for row in results[3].chunks(3) {
            assert!(row[0] == 0 || (20..24).contains(&row[0]), "{row:?} on {}", judge.name());
            assert!(row[1] == 0 || (10..16).contains(&row[1]), "{row:?} on {}", judge.name());
            assert!(row[2] == 0 || row[2] == 7, "{row:?} on {}", judge.name());
        }
        assert!(results[0].iter().zip(10..).all(|(&x, was)| x == was || x == 900), "{:?}", results[0]);
        assert_eq!(results[2], at, "{}", judge.name());
        assert!(results[1].iter().zip(20..).all(|(&x, was)| x == was || x == 800), "{:?}", results[1]);
    }
}
