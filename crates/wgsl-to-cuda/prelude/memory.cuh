// Part 4, always (after vector): arrays, and access to memory that invocations share.

// Where a member lies. NVRTC 13.0 cannot say; the sizes of structures are asserted for all.
#if defined(CROSSLANE_EMULATION) || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1303
#define WGSL_OFFSET(type, member, offset) static_assert(__builtin_offsetof(type, member) == offset, "")
#else
#define WGSL_OFFSET(type, member, offset) static_assert(sizeof(type::member) + offset <= sizeof(type), "")
#endif

namespace wgsl {

template <class T, u32 N> struct array {
    T elements[N];
    WGSL_FN T& operator[](u32 i) { return elements[i]; }
    WGSL_FN const T& operator[](u32 i) const { return elements[i]; }
};

// An element of a value.
template <class T, u32 N> WGSL_FN const T& component(const array<T, N>& a, u32 i) { return a.elements[i]; }

// An array of which the binding tells the length.
template <class T> struct span {
    T* elements;
    u64 bytes;
    WGSL_FN T& operator[](u32 i) const { return elements[i]; }
    // WGSL counts with 32 bits: of an array with more elements it sees as many as it can count. A binding has 2^34 bytes at
    // most, so that elements of eight bytes are never too many.
    WGSL_FN u32 length() const {
        u64 count = bytes / sizeof(T);
        return sizeof(T) < 8 && count > 0xffffffffu ? 0xffffffffu : u32(count);
    }
};

template <class T> WGSL_FN T load(const T& place) { return place; }
template <class T> WGSL_FN vec<T, 3> load(const padded_vec3<T>& place) { return place; }

// In CUDA a barrier of the block orders global memory too, for the block.
WGSL_FN void workgroupBarrier() { __syncthreads(); }
WGSL_FN void storageBarrier() { __syncthreads(); }
WGSL_FN void subgroupBarrier(u32 lanes) { __syncwarp(lanes); }

template <class T> WGSL_FN T workgroupUniformLoad(const T* place) {
    __syncthreads();
    T value = *place;
    __syncthreads();
    return value;
}

} // namespace wgsl
