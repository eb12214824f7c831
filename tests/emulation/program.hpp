// Reads a launch from a file, holds its buffers where an access past their end is found, and writes them back.
// No header of the C++ library, as in fibers.hpp.
#pragma once

namespace program {

using u64 = unsigned long long;
using byte = unsigned char;

[[noreturn]] inline void fail(const char* what, u64 n = 0) {
    fprintf(stderr, what, n);
    fputc('\n', stderr);
    fflush(nullptr);
    __builtin_exit(4);
}

// Memory that ends where a page begins that nobody may touch. Vectors of four want an alignment of 16 bytes, so up to
// 15 lie between; they and the 64 before the start are marked, and must be so afterwards.
struct Buffer {
    static constexpr byte MARK = 0xa5;
    static constexpr u64 PAGE = 4096, FRONT = 64;
    byte* start;
    u64 bytes, slack;

    void make(u64 size) {
        bytes = size;
        slack = (16 - bytes % 16) % 16;
        u64 room = (FRONT + bytes + slack + PAGE - 1) / PAGE * PAGE;
        void* map = mmap(nullptr, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) fail("no memory for %llu bytes", bytes);
        mprotect(static_cast<byte*>(map) + room, PAGE, PROT_NONE);
        start = static_cast<byte*>(map) + room - slack - bytes;
        __builtin_memset(start - FRONT, MARK, FRONT);
        __builtin_memset(start + bytes, MARK, slack);
    }

    bool intact() const {
        for (const byte* p = start - FRONT; p < start; p++)
            if (*p != MARK) return false;
        for (const byte* p = start + bytes; p < start + bytes + slack; p++)
            if (*p != MARK) return false;
        return true;
    }
};

// What becomes a structure of any type: the immediates. A structure's end may be padded to its alignment.
struct Bytes {
    const byte* at;
    u64 bytes;
    template <class T> operator T() const {
        if (bytes > sizeof(T)) fail("immediates of %llu bytes are too many", bytes);
        T value;
        __builtin_memset(static_cast<void*>(&value), 0, sizeof(T));
        __builtin_memcpy(static_cast<void*>(&value), at, bytes);
        return value;
    }
};

// A buffer, as what any kernel's parameter refers to.
struct Reference {
    void* at;
    template <class T> operator T&() const { return *static_cast<T*>(at); }
};

struct Window {
    u64 buffer, offset, bytes;
};

struct Head {
    u64 entry, grid[3], block[3], dynamic_bytes, immediates, buffers, windows;
};

template <class T> T* room(u64 n) { return static_cast<T*>(memalign(64, n * sizeof(T) + 64)); }

struct Launch {
    const char* path;
    emulation::Extent grid, block;
    unsigned dynamic_bytes;
    Head head;
    byte* constants;
    Buffer* buffers;
    Window* windows;

    explicit Launch(const char* path) : path(path) {
        FILE* file = fopen(path, "rb");
        if (!file) fail("no launch");
        auto read = [&](void* to, u64 bytes) {
            if (bytes && fread(to, 1, bytes, file) != bytes) fail("the launch ends where %llu bytes should be", bytes);
        };
        read(&head, sizeof head);
        grid = emulation::Extent(head.grid[0], head.grid[1], head.grid[2]);
        block = emulation::Extent(head.block[0], head.block[1], head.block[2]);
        dynamic_bytes = unsigned(head.dynamic_bytes);
        constants = room<byte>(head.immediates);
        buffers = room<Buffer>(head.buffers);
        windows = room<Window>(head.windows);
        for (u64 n = 0; n < head.buffers; n++) {
            u64 size;
            read(&size, sizeof size);
            buffers[n].make(size);
        }
        read(windows, head.windows * sizeof(Window));
        read(constants, head.immediates);
        for (u64 n = 0; n < head.buffers; n++) read(buffers[n].start, buffers[n].bytes);
        fclose(file);
    }

    emulation::Pointer pointer(int n) const { return {buffers[windows[n].buffer].start + windows[n].offset}; }
    Reference reference(int n) const { return {buffers[windows[n].buffer].start + windows[n].offset}; }
    u64 bytes(int n) const { return windows[n].bytes; }
    Bytes immediates() const { return {constants, head.immediates}; }

    int finish() const {
        for (u64 n = 0; n < head.buffers; n++)
            if (!buffers[n].intact()) fail("the kernel wrote outside of buffer %llu", n);
        FILE* file = fopen(path, "wb");
        if (!file) fail("the launch cannot be written");
        for (u64 n = 0; n < head.buffers; n++)
            if (fwrite(buffers[n].start, 1, buffers[n].bytes, file) != buffers[n].bytes) fail("the disk is full");
        return fclose(file) ? 4 : 0;
    }
};

} // namespace program
