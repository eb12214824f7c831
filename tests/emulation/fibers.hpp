// A workgroup on the processor: its threads are fibers on one processor thread, workgroups ("blocks") run one after the other, and
// 32 threads in a row are a subgroup ("warp").
//
// A thread runs until it waits: at a barrier, at a warp operation, at its end. When no thread can run, what is waited
// for is looked at: a warp operation is done when all lanes of its mask wait at it, a barrier when all threads do.
// ACTIVE has no mask to complete: it is done last, for the lanes that wait at its first occurrence in the
// text where any do, so that lanes in a branch or a loop catch up with each other as they do on a device. What can
// never be completed ends the program with a message and exit status 3.
//
// Under -fsanitize=address the fibers are announced, and variables of WORKGROUP_MEMORY and dynamic memory have red zones;
// without it both hold 0xcd at the start of each block.
//
// No header of the C++ library: they declare `::div` and more, and cost a test more time than its kernel.
#pragma once

#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#ifdef __SANITIZE_ADDRESS__
#define WORKGROUP_MEMORY static
#else
#define WORKGROUP_MEMORY static __attribute__((section("crosslane_shared")))
extern "C" __attribute__((weak)) char __start_crosslane_shared[], __stop_crosslane_shared[];
#endif

#ifdef __SANITIZE_ADDRESS__
extern "C" void __sanitizer_start_switch_fiber(void** fake, const void* bottom, unsigned long size);
extern "C" void __sanitizer_finish_switch_fiber(void* fake, const void** bottom, unsigned long* size);
#endif

#ifdef __x86_64__
// Pushes what a call must keep, leaves the stack in *from and goes on with the one of `to`.
extern "C" void emulation_switch(void** from, void* to);
asm(R"(
.text
.p2align 4
emulation_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
#endif

namespace emulation {

using u32 = unsigned;
using u64 = unsigned long long;

struct Place {
    u32 x, y, z;
};
struct Extent {
    u32 x, y, z;
    Extent(u32 x = 1, u32 y = 1, u32 z = 1) : x(x), y(y), z(z) {}
};
inline Place thread_index, block_index;
inline Extent block_size, grid_size;

// ---- Fibers

constexpr unsigned long STACK = 256 << 10; // touched as far as it is used
constexpr unsigned long PAGE = 4096;

struct Fiber {
    char* stack = nullptr;
#ifdef __x86_64__
    void* top = nullptr;
#else
    ucontext_t context;
#endif
    void* fake = nullptr; // the address sanitizer's
};

inline Fiber scheduler;
inline const void* scheduler_bottom;
inline unsigned long scheduler_size;

// Goes from one fiber to another, and comes back when something goes to the first one.
inline void go(Fiber& from, Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
    bool home = &to == &scheduler;
    __sanitizer_start_switch_fiber(&from.fake, home ? scheduler_bottom : to.stack, home ? scheduler_size : STACK);
#endif
#ifdef __x86_64__
    emulation_switch(&from.top, to.top);
#else
    swapcontext(&from.context, &to.context);
#endif
#ifdef __SANITIZE_ADDRESS__
    bool inside = &from != &scheduler;
    if (inside) __sanitizer_finish_switch_fiber(from.fake, &scheduler_bottom, &scheduler_size);
    else __sanitizer_finish_switch_fiber(from.fake, nullptr, nullptr);
#endif
}

inline void prepare(Fiber& fiber, void (*entry)()) {
    void* memory = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE) != 0) {
        perror("emulation: a stack");
        __builtin_exit(2);
    }
    fiber.stack = static_cast<char*>(memory);
#ifdef __x86_64__
    // As emulation_switch leaves it: six registers, then where to return to; the entry finds the alignment of a call.
    void** top = reinterpret_cast<void**>(fiber.stack + STACK) - 1;
    *top = nullptr;
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    fiber.top = top;
#else
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = STACK;
    makecontext(&fiber.context, entry, 0);
#endif
}

// ---- Threads of a block

enum Wait { READY, ENDED, BARRIER, ACTIVE, SYNC, BALLOT, ALL, ANY, SHUFFLE, UP, DOWN, XOR_LANE,
            ADD, MIN, MAX, MIN_SIGNED, MAX_SIGNED, AND, OR, XOR };

struct Thread {
    Wait wait;
    u32 mask;     // lanes of the operation
    u32 argument; // lane or distance of a shuffle; occurrence of ACTIVE
    u64 value;    // the operand, then the result
    Place index;
    Fiber* fiber;
};

constexpr u32 MOST = 1024;
inline Thread threads[MOST];
inline u64 exchanged[MOST]; // what each thread brought to its last ACTIVE
inline Fiber fibers[MOST];
inline Fiber* idle[MOST];
inline u32 prepared, idles, count, started, ended;
inline Thread* current;
inline void (*body)(void*);
inline void* body_data;
inline unsigned char* dynamic;

inline u32 linear() { return u32(current - threads); }
inline u32 lane() { return linear() % 32; }
inline unsigned char* dynamic_memory() { return dynamic; }

// Lanes of this thread's warp that there are.
inline u32 lanes() {
    u32 rest = count - linear() / 32 * 32;
    return rest >= 32 ? ~0u : (1u << rest) - 1;
}

// What a fiber does: threads, one after the other while they do not wait; else another fiber starts the next one.
inline void work() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom, &scheduler_size);
#endif
    for (;;) {
        Fiber* fiber = idle[--idles];
        while (started < count) {
            current = &threads[started];
            u32 n = started++;
            current->fiber = fiber;
            thread_index = current->index = {n % block_size.x, n / block_size.x % block_size.y, n / block_size.x / block_size.y};
            body(body_data);
            current->wait = ENDED;
            ended++;
        }
        idle[idles++] = fiber;
        go(*fiber, scheduler);
    }
}

inline u64 wait(Wait what, u32 mask = 0, u64 value = 0, u32 argument = 0) {
    Thread& thread = *current;
    thread.wait = what;
    thread.mask = mask;
    thread.value = value;
    thread.argument = argument;
    go(*thread.fiber, scheduler);
    return thread.value;
}

[[noreturn]] inline void fail(const Thread& thread) {
    u32 n = u32(&thread - threads);
    const char* what = thread.wait == BARRIER ? "a barrier" : "a warp operation";
    fprintf(stderr, "emulation: block (%u, %u, %u): ", block_index.x, block_index.y, block_index.z);
    fprintf(stderr, "thread %u waits at %s", n, what);
    if (thread.wait != BARRIER) fprintf(stderr, " of kind %d with lanes %08x", thread.wait, thread.mask);
    fprintf(stderr, " that others never reach; %u of %u threads have ended\n", ended, count);
    fflush(nullptr);
    __builtin_exit(3);
}

// ---- Warp operations

inline u64 fold(Wait what, u64 a, u64 b) {
    u32 x = u32(a), y = u32(b);
    switch (what) {
    case ADD: return x + y;
    case MIN: return x < y ? x : y;
    case MAX: return x < y ? y : x;
    case MIN_SIGNED: return int(x) < int(y) ? x : y;
    case MAX_SIGNED: return int(x) < int(y) ? y : x;
    case AND: return x & y;
    case OR: return x | y;
    default: return x ^ y;
    }
}

// The value of another lane; of one that is not in the mask anything, here a value that looks wrong.
inline u64 shuffled(const Thread& me, u32 lane, const u64* values) {
    u32 from = me.wait == SHUFFLE    ? me.argument % 32
               : me.wait == UP       ? lane - me.argument
               : me.wait == DOWN     ? lane + me.argument
                                     : lane ^ me.argument;
    if (from >= 32) return values[lane];
    return me.mask >> from & 1 ? values[from] : 0xbadbadbadbadbadbull;
}

inline void perform(Thread* warp, u32 mask) {
    u64 values[32] = {}, all = ~0ull, folded = 0;
    u32 ballot = 0;
    bool first = true;
    Wait what = warp[__builtin_ctz(mask)].wait;
    for (u32 m = mask; m; m &= m - 1) {
        u32 i = u32(__builtin_ctz(m));
        values[i] = warp[i].value;
        ballot |= u32(warp[i].value != 0) << i;
        folded = first ? values[i] : fold(what, folded, values[i]);
        first = false;
    }
    all = ballot == mask;
    for (u32 m = mask; m; m &= m - 1) {
        u32 i = u32(__builtin_ctz(m));
        Thread& me = warp[i];
        switch (what) {
        case ACTIVE:
            exchanged[warp - threads + i] = values[i];
            me.value = mask;
            break;
        case SYNC: break;
        case BALLOT: me.value = ballot; break;
        case ALL: me.value = all; break;
        case ANY: me.value = ballot != 0; break;
        case SHUFFLE:
        case UP:
        case DOWN:
        case XOR_LANE: me.value = shuffled(me, i, values); break;
        default: me.value = folded;
        }
    }
    for (u32 m = mask; m; m &= m - 1) warp[__builtin_ctz(m)].wait = READY;
}

// Performs the operations of a warp that all their lanes have reached.
inline bool complete(Thread* warp, u32 size) {
    bool some = false;
    for (u32 i = 0; i < size; i++) {
        u32 mask = warp[i].mask;
        if (warp[i].wait < SYNC) continue;
        if (!(mask >> i & 1) || (size < 32 && mask >> size)) fail(warp[i]);
        bool there = true;
        for (u32 m = mask; m; m &= m - 1) {
            const Thread& other = warp[__builtin_ctz(m)];
            there &= other.wait == warp[i].wait && other.mask == mask;
        }
        if (there) perform(warp, mask);
        some |= there;
    }
    return some;
}

inline bool activate(Thread* warp, u32 size) {
    u32 at = ~0u, mask = 0;
    for (u32 i = 0; i < size; i++)
        if (warp[i].wait == ACTIVE && warp[i].argument < at) at = warp[i].argument;
    for (u32 i = 0; i < size; i++)
        if (warp[i].wait == ACTIVE && warp[i].argument == at) mask |= 1u << i;
    if (mask) perform(warp, mask);
    return mask != 0;
}

// ---- Blocks

inline void resume() {
    for (u32 i = 0; i < count; i++) {
        if (threads[i].wait != READY) continue;
        current = &threads[i];
        thread_index = current->index;
        go(scheduler, *current->fiber);
    }
}

// Lets those go on that wait for each other.
inline void release() {
    bool some = false;
    for (u32 first = 0; first < count; first += 32) {
        u32 size = count - first < 32 ? count - first : 32;
        some |= complete(threads + first, size) || activate(threads + first, size);
    }
    if (some) return;
    const Thread* stuck = nullptr;
    for (u32 i = 0; i < count; i++)
        if (threads[i].wait > BARRIER || (ended && threads[i].wait == BARRIER)) stuck = &threads[i];
    if (stuck) fail(*stuck);
    for (u32 i = 0; i < count; i++) threads[i].wait = READY;
}

inline void run_block() {
    started = ended = 0;
    while (started < count) {
        if (idles == 0) {
            prepare(fibers[prepared], work);
            idle[idles++] = &fibers[prepared++];
        }
        go(scheduler, *idle[idles - 1]);
    }
    while (ended < count) {
        release();
        resume();
    }
}

// A block's memory holds nothing useful when the block begins.
inline void spoil(unsigned dynamic_bytes) {
    __builtin_memset(dynamic, 0xcd, dynamic_bytes);
#ifndef __SANITIZE_ADDRESS__
    char* volatile start = __start_crosslane_shared;
    if (start) __builtin_memset(start, 0xcd, static_cast<unsigned long>(__stop_crosslane_shared - start));
#endif
}

template <class Kernel> void launch(Extent grid, Extent block, unsigned dynamic_bytes, Kernel kernel) {
    grid_size = grid;
    block_size = block;
    count = block.x * block.y * block.z;
    if (count == 0 || count > MOST) {
        fprintf(stderr, "emulation: %u threads in a block\n", count);
        __builtin_exit(2);
    }
    body = [](void* data) { (*static_cast<Kernel*>(data))(); };
    body_data = &kernel;
    dynamic = static_cast<unsigned char*>(memalign(128, dynamic_bytes ? dynamic_bytes : 1));
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                block_index = {x, y, z};
                spoil(dynamic_bytes);
                run_block();
            }
    __builtin_free(dynamic);
}

// A buffer, as any kernel's parameter.
struct Pointer {
    void* at;
    template <class T> operator T*() const { return static_cast<T*>(at); }
};

template <class To, class From> To bits(From x) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &x, sizeof(to));
    return to;
}

} // namespace emulation
