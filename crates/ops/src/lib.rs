//! Internal to `crosslane`, and of its version. The operations: a folder each, with meaning, cost, plan and cases. They do not
//! depend on engines.

/// The one list of operations, given to a macro: each with its shaders, by their names in `shaders/`, and what it makes public.
///
/// An operation's line makes its module, finds its shaders, and has its cases driven. After `_` stand shaders that several
/// operations use, or none does.
#[cfg_attr(feature = "cases", macro_export)]
#[doc(hidden)]
macro_rules! operations {
    ($given:ident) => {
        $given! {
            components ["components_start" "components_join" "components_flatten"] {Components};
            concatenate [] {Concatenate};
            correlate ["correlate" "correlate_sliding"] {Correlate};
            envelope ["envelope"] {Envelope};
            fft ["fft"] {Fft};
            gather ["gather"] {Gather};
            histogram ["histogram"] {Binning, Histogram, Rule};
            map ["map" "map_blocks" "map_tiled"] {Map};
            matmul ["matmul" "matmul_each" "matmul_tensor"] {Matmul, Precision};
            neighbours ["neighbours" "neighbours_rows"] {Neighbours};
            normalise ["normalise" "normalise_held" "softmax_kept"] {Normalisation, Normalise};
            nothing ["nothing"] {EmptyKernel};
            nth ["nth_count" "nth_find"] {Nth};
            pad [] {Pad};
            recurrence ["recurrence" "recurrence_carry"] {Recurrence};
            reduce ["reduce_rows" "reduce_columns" "reduce_lines"] {Operator, Reduce};
            resample ["resample"] {Resample, Resampling};
            runs ["runs"] {Runs};
            sample ["sample"] {Sample};
            scan ["scan" "scan_columns" "scan_spans"] {ByKey, PrefixScan, Select};
            scatter ["scatter"] {Combine, Scatter};
            searchsorted ["searchsorted"] {SearchSorted};
            sort [
                "sort_clear" "sort_histogram" "sort_merge" "sort_pack" "sort_rows" "sort_scatter" "sort_seed"
            ] {Payload, Sort};
            stencil ["stencil" "stencil_tiled"] {Stencil};
            suppress ["suppress"] {Suppress};
            top_k ["top_k"] {TopK};
            _ ["clear" "tail"]
        }
    };
}

macro_rules! modules {
    ($($name:ident [$($shader:literal)*] {$($public:ident),*};)* _ [$($other:literal)*]) => {
        $(pub mod $name;)*

        /// Types that programs name: `crosslane::ops`.
        pub mod public {
            pub use crate::indexing::{Indexing, OutOfRange};
            pub use crosslane_core::kernel::Boundary;
            $(pub use crate::$name::{$($public),*};)*
        }
    };
}

operations!(modules);

macro_rules! files {
    ($($name:ident [$($shader:literal)*] {$($public:ident),*};)* _ [$($other:literal)*]) => {
        /// The files of `shaders/` that the list names.
        const FILES: &[Shader] = &[
            $($(Shader { name: $shader, text: include_str!(concat!("../shaders/", $shader, ".wgsl")) },)*)*
            $(Shader { name: $other, text: include_str!(concat!("../shaders/", $other, ".wgsl")) },)*
        ];
    };
}

operations!(files);

/// The file `shaders/NAME.wgsl`.
///
/// # Panics
///
/// For a file that no line of `operations!` names.
pub fn shader(name: &str) -> Shader {
    *FILES.iter().find(|file| file.name == name).expect("an operation's line in this file names the shader")
}

#[cfg(feature = "cases")]
pub mod cases;
mod cells;
mod clear;
mod counted;
mod dense;
mod fuse;
mod indexing;
mod lanes;
pub mod order;
mod pixels;
pub mod random;
mod tunables;

pub use public::*;

use crosslane_core::kernel::Shader;
pub use histogram::{compared, even_edges, thresholds};
pub use map::buffer_bytes;
pub use order::number as order_number;
pub use pixels::Extents;
pub use resample::Table;
pub use tunables::{save_tuning, saved_tuning, tunable, tunables};
