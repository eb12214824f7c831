//! How many workgroups of a kernel a multiprocessor holds: the driver's own figure, and what limits it.

use super::card;
use super::context::Context;
use super::kernels::Function;
use crosslane_core::error::Result;
use crosslane_core::occupancy::{Limiter, Occupancy};
use cudarc::driver::sys::{self, CUdevice_attribute as Of, CUfunction_attribute as Attribute};

/// Registers are allocated to a warp in units of this many.
const REGISTERS: u32 = 256;

pub(super) fn of(context: &Context, function: &Function) -> Result<Occupancy> {
    let size: u32 = function.block.iter().product();
    let mut workgroups = 0;
    // SAFETY: the function is loaded, its context is this thread's, and the pointer is to a variable that lives.
    let result = unsafe {
        let shared = function.dynamic as usize;
        sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut workgroups, function.raw, size as i32, shared)
    };
    context.check("occupancy", result)?;
    let attribute = |which| -> Result<u32> {
        let mut value = 0;
        // SAFETY: as above.
        context.check("occupancy", unsafe { sys::cuFuncGetAttribute(&mut value, which, function.raw) })?;
        Ok(value.max(0) as u32)
    };
    let device = |which| card::attribute(context.card.raw, which).map(|value| value.max(0) as u32);
    let most = device(Of::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?;
    let warps = size.div_ceil(32);
    let registers = (attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)? * 32).next_multiple_of(REGISTERS) * warps;
    let reserved = device(Of::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK).unwrap_or(0);
    let memory = attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? + function.dynamic + reserved;
    let fits = |all: u32, each: u32| all.checked_div(each).unwrap_or(u32::MAX);
    // Drivers of before the attribute: since compute capability 5 it is 16 or more.
    let groups = device(Of::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR).unwrap_or(16);
    // Which limit is the nearest is computed as the driver does; how many fit is what the driver says.
    let limits = [
        (Limiter::Invocations, fits(most, warps * 32)),
        (Limiter::Registers, fits(device(Of::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?, registers)),
        (Limiter::WorkgroupMemory, fits(device(Of::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?, memory)),
        (Limiter::Workgroups, groups),
    ];
    let (limited_by, _) = limits.into_iter().min_by_key(|limit| limit.1).expect("there are limits");
    let workgroups_per_unit = workgroups.max(0) as u32;
    let invocations_per_unit = workgroups_per_unit * size;
    let fraction = invocations_per_unit as f64 / most.max(1) as f64;
    let mut occupancy = Occupancy::new(workgroups_per_unit, invocations_per_unit, fraction, limited_by);
    (occupancy.units, occupancy.estimated) = (Some(context.card.units), false);
    Ok(occupancy)
}
