// Reads a launch from a file, holds its buffers where an access past their end is found, and writes them back.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace program {

[[noreturn]] inline void fail(const char* what, unsigned long long n) {
    std::fprintf(stderr, what, n);
    std::fputc('\n', stderr);
    std::_Exit(4);
}

// Memory whose last byte lies before a page that nobody may touch. Vectors of four want 16 bytes of alignment, so up to
// 15 bytes lie between; they and the 64 bytes before the start are marked, and must be so afterwards.
struct Buffer {
    static constexpr unsigned char mark = 0xa5;
    static constexpr size_t page = 4096, front = 64;
    unsigned char* start;
    size_t bytes, slack;

    explicit Buffer(size_t bytes) : bytes(bytes), slack((16 - bytes % 16) % 16) {
        size_t room = (front + bytes + slack + page - 1) / page * page;
        auto* map = static_cast<unsigned char*>(
            mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (map == MAP_FAILED) fail("no memory for %llu bytes", bytes);
        mprotect(map + room, page, PROT_NONE);
        start = map + room - slack - bytes;
        std::memset(start - front, mark, front);
        std::memset(start + bytes, mark, slack);
    }

    bool intact() const {
        for (size_t i = 0; i < front; i++)
            if (start[-1 - long(i)] != mark) return false;
        for (size_t i = 0; i < slack; i++)
            if (start[bytes + i] != mark) return false;
        return true;
    }
};

// What becomes a structure of any type: the immediates.
struct Bytes {
    const std::vector<unsigned char>& bytes;
    template <class T> operator T() const {
        T value;
        std::memset(static_cast<void*>(&value), 0, sizeof(T));
        // A structure's end may be padded to its alignment.
        if (bytes.size() > sizeof(T)) fail("immediates of %llu bytes are too many", bytes.size());
        std::memcpy(static_cast<void*>(&value), bytes.data(), bytes.size());
        return value;
    }
};

struct Window {
    uint64_t buffer, offset, bytes;
};

struct Launch {
    dim3 grid, block;
    uint32_t dynamic_bytes;
    std::vector<unsigned char> constants;
    std::vector<Buffer> buffers;
    std::vector<Window> windows;
    const char* path;

    explicit Launch(const char* path) : path(path) {
        std::FILE* file = std::fopen(path, "rb");
        if (!file) fail("no launch", 0);
        auto read = [&](void* to, size_t bytes) {
            if (bytes && std::fread(to, 1, bytes, file) != bytes) fail("the launch is too short by up to %llu", bytes);
        };
        uint64_t head[10];
        read(head, sizeof head);
        grid = dim3(head[0], head[1], head[2]);
        block = dim3(head[3], head[4], head[5]);
        dynamic_bytes = uint32_t(head[6]);
        constants.resize(head[7]);
        std::vector<uint64_t> sizes(head[8]);
        windows.resize(head[9]);
        read(sizes.data(), sizes.size() * 8);
        read(windows.data(), windows.size() * sizeof(Window));
        read(constants.data(), constants.size());
        for (uint64_t size : sizes) {
            buffers.emplace_back(size);
            read(buffers.back().start, size);
        }
        std::fclose(file);
    }

    emulation::Pointer pointer(int n) { return {buffers[windows[n].buffer].start + windows[n].offset}; }
    unsigned long long bytes(int n) const { return windows[n].bytes; }
    Bytes immediates() const { return {constants}; }

    int finish() const {
        for (size_t n = 0; n < buffers.size(); n++)
            if (!buffers[n].intact()) fail("written outside of buffer %llu", n);
        std::FILE* file = std::fopen(path, "wb");
        if (!file) fail("the launch cannot be written", 0);
        for (const Buffer& buffer : buffers)
            if (std::fwrite(buffer.start, 1, buffer.bytes, file) != buffer.bytes) fail("the disk is full", 0);
        return std::fclose(file) ? 4 : 0;
    }
};

}  // namespace program
