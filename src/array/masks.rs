//! `& | ^ !` of masks: by reference and by value, with `true` and `false`, and in place.

use crate::array::Array;
use crosslane_core::op::Function;
use std::ops::*;

/// An operator over every pairing of references, values and truth values.
macro_rules! masks {
    ($($trait:ident $method:ident $assign_trait:ident $assign:ident $function:ident;)*) => {$(
        masks!(impl $trait $method $function; &Array<bool>, &Array<bool>);
        masks!(impl $trait $method $function; &Array<bool>, Array<bool>);
        masks!(impl $trait $method $function; Array<bool>, &Array<bool>);
        masks!(impl $trait $method $function; Array<bool>, Array<bool>);
        masks!(impl $trait $method $function; &Array<bool>, bool);
        masks!(impl $trait $method $function; Array<bool>, bool);
        masks!(assign $assign_trait $assign $function; &Array<bool>);
        masks!(assign $assign_trait $assign $function; Array<bool>);
        masks!(assign $assign_trait $assign $function; bool);
    )*};
    (impl $trait:ident $method:ident $function:ident; $left:ty, $right:ty) => {
        impl $trait<$right> for $left {
            type Output = Array<bool>;
            #[track_caller]
            fn $method(self, other: $right) -> Array<bool> {
                self.apply2(Function::$function, other)
            }
        }
    };
    (assign $trait:ident $method:ident $function:ident; $right:ty) => {
        impl $trait<$right> for Array<bool> {
            #[track_caller]
            fn $method(&mut self, other: $right) {
                self.assign2(Function::$function, other);
            }
        }
    };
}

masks! {
    BitAnd bitand BitAndAssign bitand_assign And;
    BitOr bitor BitOrAssign bitor_assign Or;
    BitXor bitxor BitXorAssign bitxor_assign Xor;
}

impl Not for &Array<bool> {
    type Output = Array<bool>;
    #[track_caller]
    fn not(self) -> Array<bool> {
        self.apply(Function::Not)
    }
}

impl Not for Array<bool> {
    type Output = Array<bool>;
    #[track_caller]
    fn not(self) -> Array<bool> {
        self.apply(Function::Not)
    }
}
