//! Internal to `crosslane`, and of its version: element types, kernels, the interface between operations and engines, memory,
//! and the traits of engines. Programs name the crate `crosslane` alone.

pub mod advice;
pub mod cache;
pub mod caps;
pub mod countdown;
pub mod element;
pub mod engine;
pub mod error;
pub mod files;
pub mod kernel;
pub mod layout;
pub mod memory;
pub mod occupancy;
pub mod op;
pub mod platform;
pub mod properties;
pub mod recent;
pub mod report;
pub mod threads;
pub mod trace;
pub mod tuning;
pub mod work;
