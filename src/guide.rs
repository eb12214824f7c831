//! The guide: a chapter for each topic, with snippets that are tests.
//!
//! | chapter | answers |
//! |---|---|
//! | [`arrays`] | What is an array, when is it computed, what fuses? |
//! | [`kernels`] | How is a WGSL kernel written, launched, and given arguments? |
//! | [`memory`] | What does a copy cost, and how is it avoided or hidden? |
//! | [`streams`] | What work overlaps, and what waits for what? |
//! | [`debugging`] | How are races, bad indices and endless loops found? |
//! | [`faults`] | What happens when a device, memory, a text or a file fails? |
//! | [`profiling`] | Where does the time go? |
//! | [`portability`] | What differs between devices, and how is that tested without them? |
//! | [`drivers`] | Which limits does each engine have, and what do drivers get wrong? |
//! | [`random`] | How are random numbers drawn, and why are they the same everywhere? |
//! | [`spectra`] | What can be transformed, what fuses, and how exact is it? |
//! | [`filters`] | How are signals and images convolved, smoothed, pooled? |
//! | [`signals`] | How are signals filtered recursively, resampled, searched for peaks? |
//! | [`images`] | How are images resized, warped, recoloured, and which library do results agree with? |
//! | [`accuracy`] | How exact are results, and are they the same each time? |
//! | [`command_line`] | How is a WGSL file checked, run and timed without a program? |
//! | [`cuda`] | What does the CUDA engine do, and what is written by hand? |
//! | [`exercises`] | Which program shows what the usual tutorials teach, and what is to be seen in it? |
//! | [`coming_from`] | What are the terms here, for users of CUDA, CuPy, Numba, PyCUDA, HIP, OpenCL, SYCL or Metal? |
//!
//! The texts are in `docs/guide`.

macro_rules! chapters {
    ($($name:ident)*) => {$(
        #[doc = include_str!(concat!("../docs/guide/", stringify!($name), ".md"))]
        pub mod $name {}
    )*};
}

chapters! {
    arrays kernels memory streams debugging faults profiling portability drivers random spectra filters signals images exercises accuracy
    command_line cuda coming_from
}
