//! NVIDIA's libraries: cuBLASLt for products of matrices, cuDNN for those that are convolutions.

use super::{cublaslt, cudnn};
use crate::context::Context;
use crosslane_core::error::Result;
use crosslane_core::work::Launch;
use cudarc::driver::sys::CUstream;

/// What the libraries know of this card.
#[derive(Default)]
pub(crate) struct Libraries {
    products: cublaslt::Products,
    convolutions: cudnn::Convolutions,
}

/// A call of a library that is ready to run.
pub enum Call {
    Product(cublaslt::Call),
    Convolution(cudnn::Call),
}

impl Libraries {
    /// The launch as a call of the library that does it, if one does and is there.
    pub fn call(&self, launch: &Launch, context: &Context) -> Option<Call> {
        let convolution = || self.convolutions.call(launch, context.pool.is_some()).map(Call::Convolution);
        self.products.call(launch).map(Call::Product).or_else(convolution)
    }
}

impl Call {
    pub fn name(&self) -> &'static str {
        match self {
            Call::Product(_) => "cuBLASLt",
            Call::Convolution(_) => "cuDNN",
        }
    }

    /// The same call into another output.
    pub fn into(self, output: u64) -> Call {
        match self {
            Call::Product(product) => Call::Product(product.into(output)),
            Call::Convolution(convolution) => Call::Convolution(convolution.into(output)),
        }
    }

    /// Runs it in a stream that has been put in order.
    pub fn run(&self, context: &Context, stream: CUstream) -> Result<()> {
        match self {
            Call::Product(product) => product.run(context, stream),
            Call::Convolution(convolution) => convolution.run(context, stream),
        }
    }
}
