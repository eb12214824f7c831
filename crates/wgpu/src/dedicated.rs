//! Buffers larger than wgpu's largest: allocated through Vulkan itself, each with device memory of its own.
//!
//! wgpu 30 bounds a buffer by `maxMemoryAllocationSize`, which only says what surely succeeds: NVIDIA states 4 GiB, and gave
//! 70 GiB of 80 in one allocation (H100, driver 580, 2026-11-26). Off NVIDIA, wgpu on Linux bounds it by 2 GiB. What bounds it
//! here are `maxBufferSize` and the heap. Other APIs have wgpu's bound.

use super::Wgpu;
use crosslane_core::error::Result;

#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod vulkan {
    use super::*;
    use ash::vk;
    use crosslane_core::error::Error;
    use wgpu::BufferUsages;
    use wgpu::hal::{api::Vulkan, vulkan};

    /// The most bytes of a buffer that this adapter's driver may give; `None` if it is not reached through Vulkan, or is older
    /// than Vulkan 1.3, which first says it.
    pub fn most(adapter: &wgpu::Adapter) -> Option<u64> {
        // SAFETY: the handles are asked for properties only, while the guard keeps the adapter.
        unsafe {
            let adapter = adapter.as_hal::<Vulkan>()?;
            let (instance, physical) = (adapter.shared_instance().raw_instance(), adapter.raw_physical_device());
            let version = instance.get_physical_device_properties(physical).api_version;
            if adapter.shared_instance().instance_api_version().min(version) < vk::API_VERSION_1_3 {
                return None;
            }
            let mut limits = vk::PhysicalDeviceMaintenance4Properties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
            instance.get_physical_device_properties2(physical, &mut properties);
            let memory = instance.get_physical_device_memory_properties(physical);
            let heaps = memory.memory_heaps_as_slice().iter();
            let local = heaps.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
            local.map(|heap| heap.size.min(limits.max_buffer_size)).max()
        }
    }

    /// Why there is no buffer: Vulkan's own words.
    type Refusal = vk::Result;

    /// Makes the buffer, and memory behind it; nothing stays if that fails.
    ///
    /// SAFETY: `device` is the device that the buffer is used with.
    unsafe fn allocate(device: &vulkan::Device, bytes: u64) -> Result<vulkan::Buffer, Refusal> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let raw = device.raw_device();
        // SAFETY: the structures are whole, the handles the device's; a buffer without memory is destroyed before anyone
        // sees it.
        unsafe {
            let buffer = raw.create_buffer(&vk::BufferCreateInfo::default().size(bytes).usage(usage), None)?;
            let memory = memory_for(device, buffer).inspect_err(|_| raw.destroy_buffer(buffer, None))?;
            if let Err(refusal) = raw.bind_buffer_memory(buffer, memory, 0) {
                raw.destroy_buffer(buffer, None);
                raw.free_memory(memory, None);
                return Err(refusal);
            }
            // wgpu destroys the buffer and frees the memory when the last submission that uses them is done.
            Ok(vulkan::Buffer::from_raw_managed(buffer, memory, 0, bytes))
        }
    }

    /// Device memory that the buffer can have.
    ///
    /// SAFETY: the buffer is the device's, and has no memory.
    unsafe fn memory_for(device: &vulkan::Device, buffer: vk::Buffer) -> Result<vk::DeviceMemory, Refusal> {
        // SAFETY: as above; the physical device is the one that the device was made of.
        unsafe {
            let wanted = device.raw_device().get_buffer_memory_requirements(buffer);
            let instance = device.shared_instance().raw_instance();
            let memory = instance.get_physical_device_memory_properties(device.raw_physical_device());
            let fits = |(index, kind): &(u32, &vk::MemoryType)| {
                wanted.memory_type_bits >> index & 1 == 1
                    && kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
            };
            let mut kinds = (0..).zip(memory.memory_types_as_slice());
            let (index, _) = kinds.find(fits).ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(wanted.size).memory_type_index(index);
            device.raw_device().allocate_memory(&info, None)
        }
    }

    impl Wgpu {
        /// A buffer for arrays with memory of its own.
        pub(in super::super) fn create_dedicated(&self, bytes: u64) -> Result<wgpu::Buffer> {
            self.alive()?;
            let usage = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            // SAFETY: the guard keeps the device; nothing is destroyed by hand.
            let made = match unsafe { self.device.as_hal::<Vulkan>() } {
                None => Err(vk::Result::ERROR_FEATURE_NOT_PRESENT),
                // SAFETY: it is the device of the buffer's later users.
                Some(device) => unsafe { allocate(&device, bytes) },
            };
            let raw = made.map_err(|refusal| self.refused(bytes, refusal))?;
            let descriptor =
                wgpu::BufferDescriptor { label: Some("array"), size: bytes, usage, mapped_at_creation: false };
            // SAFETY: the buffer was made of this device a moment ago, with this size and usage. Its contents are whatever lies
            // there, as in all memory of the pool.
            self.guarded("array", || unsafe { self.device.create_buffer_from_hal::<Vulkan>(raw, &descriptor) })
        }

        fn refused(&self, requested: u64, refusal: Refusal) -> Error {
            match refusal {
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                    Error::out_of_memory("array", requested, None, self.properties.label())
                }
                other => self.backend_error("array", other.to_string()),
            }
        }
    }
}

#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(super) use vulkan::most;

/// There is none: wgpu's bound holds.
#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
pub(super) fn most(_: &wgpu::Adapter) -> Option<u64> {
    None
}

#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
impl Wgpu {
    /// Asked for nowhere: [`most`] is none.
    pub(super) fn create_dedicated(&self, bytes: u64) -> Result<wgpu::Buffer> {
        Err(self.backend_error("array", format!("{bytes} bytes are more than a buffer of wgpu's")))
    }
}
