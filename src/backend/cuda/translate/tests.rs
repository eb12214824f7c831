//! The text's shape, and what is refused.
