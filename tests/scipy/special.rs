//! Functions of `scipy.special`.

use crate::row::{Answer, Row, one};
use crosslane::{Device, Transcendental};

macro_rules! call {
    ($row:expr, $x:expr, $($name:ident)*) => {
        match $row.text("what") {
            $(stringify!($name) => one($x().$name()),)*
            _ => None,
        }
    };
}

pub fn function<T: Transcendental>(row: &Row, device: &Device) -> Answer {
    let array = |name: &str| row.array::<T>(device, name);
    if row.text("what") == "betainc" {
        return one(array("x").betainc(array("a"), array("b")));
    }
    let x = || array("x");
    call!(row, x, erf erfc erfinv erfcinv gamma lgamma digamma i0 i1 j0 j1 sigmoid exp_m1 ln_1p cbrt sinc softplus)
}
