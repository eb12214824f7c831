// CUDA's driver and NVRTC on the processor, as much of both as the engine calls: it is loaded in their place, so that the
// engine runs whole where there is no card. Streams are threads, so that order is what the engine asks for and no more;
// kernels are their texts, compiled by g++ with `emulation.hpp`, one after the other.
//
// It is as strict as the driver may be: copies from registered memory read it when the stream comes to them, calls without
// the context are refused, memory is never used twice and holds 0xcd, and what is freed holds 0xdd. What tests ask of it
// begins with `emulated_`.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using std::string;
using std::vector;
using u64 = unsigned long long;
using Lock = std::unique_lock<std::mutex>;
using Clock = std::chrono::steady_clock;
enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_PTX = 218, INVALID_CONTEXT = 201, NOT_READY = 600 };

// ---- Counted calls

struct Counter;
static Counter* counters; // made while the library is loaded, by one thread
struct Counter {
    const char* name;
    std::atomic<u64> calls{0};
    Counter* next = counters;
    explicit Counter(const char* name) : name(name) { counters = this; }
};
#define CUDA(name, ...)                                                                                                \
    static Counter counter_##name(#name);                                                                              \
    extern "C" int name(__VA_ARGS__) {                                                                                 \
        counter_##name.calls++;
#define END }

extern "C" u64 emulated_calls(const char* name) {
    u64 sum = 0;
    for (Counter* c = counters; c; c = c->next)
        if (!*name || string(name) == c->name) sum += c->calls;
    return sum;
}

// ---- Contexts: one card with one context

static int primary, elsewhere;
static thread_local vector<void*> contexts;
static void* current() { return contexts.empty() ? nullptr : contexts.back(); }
#define HERE                                                                                                           \
    if (current() != &primary) return INVALID_CONTEXT;

// A context of the program's own, which calls that need the card's refuse.
extern "C" void* emulated_other_context() { return &elsewhere; }

CUDA(cuInit, unsigned) return SUCCESS; END
CUDA(cuDeviceGetCount, int* n) *n = 1; return SUCCESS; END
CUDA(cuDeviceGet, int* device, int) *device = 0; return SUCCESS; END
CUDA(cuDriverGetVersion, int* version) *version = 13000; return SUCCESS; END
CUDA(cuDeviceGetName, char* text, int len, int) snprintf(text, len, "emulated card"); return SUCCESS; END
CUDA(cuDeviceGetPCIBusId, char* text, int len, int) snprintf(text, len, "0000:00:00.0"); return SUCCESS; END
CUDA(cuDeviceTotalMem_v2, size_t* bytes, int) *bytes = 8ull << 30; return SUCCESS; END
CUDA(cuMemGetInfo_v2, size_t* free, size_t* total) *free = *total = 8ull << 30; return SUCCESS; END
CUDA(cuGetErrorString, int, const char** text) *text = "as the emulated driver says"; return SUCCESS; END
CUDA(cuDeviceGetAttribute, int* value, int which, int)
    static const std::map<int, int> known = {{1, 1024}, {16, 4}, {75, 9}, {97, 232448}, {115, 1}};
    auto found = known.find(which);
    *value = found == known.end() ? 0 : found->second;
    return SUCCESS;
END
CUDA(cuDevicePrimaryCtxGetState, int, unsigned* flags, int* active) *flags = 0; *active = 0; return SUCCESS; END
CUDA(cuDevicePrimaryCtxSetFlags_v2, int, unsigned) return SUCCESS; END
CUDA(cuDevicePrimaryCtxRetain, void** context, int) *context = &primary; return SUCCESS; END
CUDA(cuDevicePrimaryCtxRelease_v2, int) return SUCCESS; END
CUDA(cuCtxGetCurrent, void** context) *context = current(); return SUCCESS; END
CUDA(cuCtxPushCurrent_v2, void* context) contexts.push_back(context); return SUCCESS; END
CUDA(cuCtxPopCurrent_v2, void** context)
    if (contexts.empty()) return INVALID_CONTEXT;
    *context = contexts.back();
    contexts.pop_back();
    return SUCCESS;
END
CUDA(cuCtxSetCurrent, void* context)
    if (!contexts.empty()) contexts.pop_back();
    if (context) contexts.push_back(context);
    return SUCCESS;
END

// ---- Streams and events

struct Stream {
    std::mutex mutex;
    std::condition_variable change;
    std::deque<std::function<void()>> jobs;
    u64 asked = 0, done = 0;

    Stream() {
        std::thread([this] {
            for (;;) {
                Lock lock(mutex);
                change.wait(lock, [&] { return !jobs.empty(); });
                auto job = std::move(jobs.front());
                jobs.pop_front();
                lock.unlock();
                job();
                lock.lock();
                done++;
                change.notify_all();
            }
        }).detach();
    }
    void ask(std::function<void()> job) {
        Lock lock(mutex);
        jobs.push_back(std::move(job));
        asked++;
        change.notify_all();
    }
    void wait() {
        Lock lock(mutex);
        u64 until = asked;
        change.wait(lock, [&] { return done >= until; });
    }
    bool idle() {
        Lock lock(mutex);
        return done == asked;
    }
};

static std::mutex points;
static std::condition_variable passed;
struct Point {
    bool done = false;
    Clock::time_point time;
};
struct Event {
    std::shared_ptr<Point> point;
};

CUDA(cuStreamCreate, Stream** stream, unsigned) HERE *stream = new Stream; return SUCCESS; END
CUDA(cuStreamDestroy_v2, Stream* stream) HERE stream->wait(); return SUCCESS; END
CUDA(cuStreamSynchronize, Stream* stream) HERE stream->wait(); return SUCCESS; END
CUDA(cuStreamQuery, Stream* stream) HERE return stream->idle() ? SUCCESS : NOT_READY; END
CUDA(cuEventCreate, Event** event, unsigned) HERE *event = new Event{}; return SUCCESS; END
CUDA(cuEventDestroy_v2, Event*) HERE return SUCCESS; END
CUDA(cuEventRecord, Event* event, Stream* stream) HERE
    auto point = std::make_shared<Point>();
    {
        Lock lock(points);
        event->point = point;
    }
    stream->ask([point] {
        Lock lock(points);
        point->done = true;
        point->time = Clock::now();
        passed.notify_all();
    });
    return SUCCESS;
END
CUDA(cuEventQuery, Event* event) HERE
    Lock lock(points);
    return !event->point || event->point->done ? SUCCESS : NOT_READY;
END
static void await(const std::shared_ptr<Point>& point) {
    Lock lock(points);
    passed.wait(lock, [&] { return !point || point->done; });
}
static std::shared_ptr<Point> point_of(Event* event) {
    Lock lock(points);
    return event->point;
}
CUDA(cuEventSynchronize, Event* event) HERE await(point_of(event)); return SUCCESS; END
CUDA(cuStreamWaitEvent, Stream* stream, Event* event, unsigned) HERE
    auto point = point_of(event);
    stream->ask([point] { await(point); });
    return SUCCESS;
END
CUDA(cuEventElapsedTime, float* ms, Event* start, Event* end) HERE
    Lock lock(points);
    *ms = std::chrono::duration<float, std::milli>(end->point->time - start->point->time).count();
    return SUCCESS;
END

// ---- Memory

static std::mutex ranges_mutex;
static std::map<u64, u64> registered; // starts and lengths of host memory that the card reaches
static bool is_registered(const void* pointer) {
    Lock lock(ranges_mutex);
    auto after = registered.upper_bound(u64(pointer));
    if (after == registered.begin()) return false;
    auto range = std::prev(after);
    return u64(pointer) < range->first + range->second;
}
static std::map<u64, size_t> allocated;
static u64 allocate(size_t bytes) {
    void* memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    memset(memory, 0xcd, bytes);
    Lock lock(ranges_mutex);
    allocated[u64(memory)] = bytes;
    return u64(memory);
}
static size_t release(u64 address) {
    Lock lock(ranges_mutex);
    auto found = allocated.find(address);
    if (found == allocated.end()) {
        fprintf(stderr, "emulated driver: memory is freed that is not there\n");
        abort();
    }
    size_t bytes = found->second;
    allocated.erase(found);
    return bytes;
}

static int default_pool;
struct Pool {
    u64 threshold = 0;
};
static std::atomic<u64> default_pool_changes{0};
extern "C" u64 emulated_default_pool_changes() { return default_pool_changes; }
CUDA(cuDeviceGetDefaultMemPool, void** pool, int) *pool = &default_pool; return SUCCESS; END
CUDA(cuMemPoolCreate, void** pool, const void*) *pool = new Pool; return SUCCESS; END
CUDA(cuMemPoolDestroy, void* pool) if (pool == &default_pool) return INVALID_VALUE; return SUCCESS; END
CUDA(cuMemPoolSetAttribute, void* pool, int, void*) default_pool_changes += pool == &default_pool; return SUCCESS; END
CUDA(cuMemPoolTrimTo, void* pool, size_t) default_pool_changes += pool == &default_pool; return SUCCESS; END
CUDA(cuMemAllocAsync, u64* address, size_t bytes, Stream*) HERE
    default_pool_changes++;
    *address = allocate(bytes);
    return SUCCESS;
END
CUDA(cuMemAllocFromPoolAsync, u64* address, size_t bytes, void*, Stream*) HERE
    *address = allocate(bytes);
    return SUCCESS;
END
CUDA(cuMemFreeAsync, u64 address, Stream* stream) HERE
    size_t bytes = release(address);
    stream->ask([=] { memset((void*)address, 0xdd, bytes); });
    return SUCCESS;
END
CUDA(cuMemAlloc_v2, u64* address, size_t bytes) HERE *address = allocate(bytes); return SUCCESS; END
CUDA(cuMemFree_v2, u64 address) HERE release(address); return SUCCESS; END
CUDA(cuMemHostAlloc, void** pointer, size_t bytes, unsigned) HERE
    *pointer = (void*)allocate(bytes);
    Lock lock(ranges_mutex);
    registered[u64(*pointer)] = bytes;
    return SUCCESS;
END
CUDA(cuMemHostGetDevicePointer_v2, u64* address, void* pointer, unsigned) HERE *address = u64(pointer); return SUCCESS; END
CUDA(cuMemFreeHost, void* pointer) HERE
    memset(pointer, 0xdd, release(u64(pointer)));
    Lock lock(ranges_mutex);
    registered.erase(u64(pointer));
    return SUCCESS;
END
CUDA(cuMemHostRegister_v2, void* pointer, size_t bytes, unsigned) HERE
    Lock lock(ranges_mutex);
    registered[u64(pointer)] = bytes;
    return SUCCESS;
END
CUDA(cuMemHostUnregister, void* pointer) HERE
    Lock lock(ranges_mutex);
    return registered.erase(u64(pointer)) ? SUCCESS : INVALID_VALUE;
END
CUDA(cuPointerGetAttribute, void* value, int, u64 pointer) HERE
    if (!is_registered((void*)pointer)) return INVALID_VALUE;
    *static_cast<unsigned*>(value) = 1;
    return SUCCESS;
END
CUDA(cuMemcpyHtoDAsync_v2, u64 to, const void* from, size_t bytes, Stream* stream) HERE
    if (is_registered(from)) {
        stream->ask([=] { memcpy((void*)to, from, bytes); });
        return SUCCESS;
    }
    auto copy = std::make_shared<vector<char>>((const char*)from, (const char*)from + bytes);
    stream->ask([=] { memcpy((void*)to, copy->data(), bytes); });
    return SUCCESS;
END
CUDA(cuMemcpyDtoHAsync_v2, void* to, u64 from, size_t bytes, Stream* stream) HERE
    stream->ask([=] { memcpy(to, (void*)from, bytes); });
    if (!is_registered(to)) stream->wait();
    return SUCCESS;
END
CUDA(cuMemcpyDtoDAsync_v2, u64 to, u64 from, size_t bytes, Stream* stream) HERE
    stream->ask([=] { memcpy((void*)to, (void*)from, bytes); });
    return SUCCESS;
END
CUDA(cuMemsetD8Async, u64 to, unsigned char value, size_t bytes, Stream* stream) HERE
    stream->ask([=] { memset((void*)to, value, bytes); });
    return SUCCESS;
END

// ---- Kernels: their texts, which stand in for machine code

// Kernels do not begin while they are held.
static std::mutex gate;
static std::condition_variable opened;
static bool held;
extern "C" void emulated_hold(int on) {
    Lock lock(gate);
    held = on != 0;
    opened.notify_all();
}

// Something that stays in a stream until it is let go.
static bool staying;
extern "C" void emulated_stay(Stream* stream) {
    Lock lock(points);
    staying = true;
    stream->ask([] {
        Lock lock(points);
        passed.wait(lock, [] { return !staying; });
    });
}
extern "C" void emulated_leave() {
    Lock lock(points);
    staying = false;
    passed.notify_all();
}

using Run = void (*)(const unsigned* grid, const unsigned* block, unsigned dynamic, void** arguments);
struct Function {
    Run run;
    vector<unsigned> sizes;
};
struct Module {
    string text;
    std::map<string, Function*> functions;
};
static const char* const CALLER = R"(
template <unsigned... I> struct Places {};
template <class F> struct Kernel;
template <class... A> struct Kernel<void (*)(A...)> {
    static inline const unsigned sizes[] = {unsigned(sizeof(A))..., 0};
    template <unsigned... I> static void call(void (*f)(A...), void** p, Places<I...>) { f(*static_cast<A*>(p[I])...); }
    static void call(void (*f)(A...), void** p) { call(f, p, Places<__integer_pack(sizeof...(A))...>{}); }
};
#define VISIBLE extern "C" __attribute__((visibility("default")))
VISIBLE const unsigned* emulated_sizes() { return Kernel<decltype(&SYMBOL)>::sizes; }
VISIBLE void emulated_run(const unsigned* g, const unsigned* b, unsigned dynamic, void** p) {
    emulation::launch({g[0], g[1], g[2]}, {b[0], b[1], b[2]}, dynamic, [&] { Kernel<decltype(&SYMBOL)>::call(&SYMBOL, p); });
}
)";

static Function* compile(const string& text, const string& symbol) {
    static std::atomic<unsigned> count{0};
    string base = string(getenv("CROSSLANE_EMULATION_FOLDER")) + "/kernel" + std::to_string(count++);
    std::ofstream(base + ".cpp") << "#include \"emulation.hpp\"\n#include \"native.hpp\"\n"
                                 << text << "\n#define SYMBOL " << symbol << "\n" << CALLER;
    string command = "g++ -std=c++17 -O1 -w -pipe -fno-strict-aliasing -ffp-contract=off -shared -fPIC -fvisibility=hidden "
                     "-fno-gnu-unique -I '" + string(getenv("CROSSLANE_EMULATION")) + "' " + base + ".cpp -o " + base + ".so";
    void* library = system(command.c_str()) == 0 ? dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) return nullptr;
    auto sizes = (const unsigned* (*)())dlsym(library, "emulated_sizes");
    auto* function = new Function{(Run)dlsym(library, "emulated_run"), {}};
    for (const unsigned* size = sizes(); *size; size++) function->sizes.push_back(*size);
    return function;
}

struct Launch {
    Function* function;
    vector<vector<char>> arguments;
    unsigned grid[3], block[3], dynamic;
    void run() {
        Lock lock(gate); // kernels share what the emulation keeps
        opened.wait(lock, [] { return !held; });
        vector<void*> places;
        for (auto& argument : arguments) places.push_back(argument.data());
        function->run(grid, block, dynamic, places.data());
    }
};
static std::shared_ptr<Launch> launch(Function* f, const unsigned (&g)[3], const unsigned (&b)[3], unsigned dynamic, void** p) {
    auto made = std::make_shared<Launch>(Launch{f, {}, {g[0], g[1], g[2]}, {b[0], b[1], b[2]}, dynamic});
    for (size_t i = 0; i < f->sizes.size(); i++) made->arguments.emplace_back((char*)p[i], (char*)p[i] + f->sizes[i]);
    return made;
}

CUDA(cuModuleLoadData, Module** module, const char* text) HERE *module = new Module{text, {}}; return SUCCESS; END
CUDA(cuModuleUnload, Module*) HERE return SUCCESS; END
CUDA(cuModuleGetFunction, Function** function, Module* module, const char* name) HERE
    *function = compile(module->text, name);
    return *function ? SUCCESS : INVALID_PTX;
END
CUDA(cuFuncGetAttribute, int* value, int, Function*) *value = 1024; return SUCCESS; END
CUDA(cuFuncSetAttribute, Function*, int, int) return SUCCESS; END
CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, Function*, int, size_t) *blocks = 2; return SUCCESS; END
CUDA(cuLaunchKernel, Function* f, unsigned x, unsigned y, unsigned z, unsigned w, unsigned h, unsigned d, unsigned dynamic,
     Stream* stream, void** arguments, void**) HERE
    auto made = launch(f, {x, y, z}, {w, h, d}, dynamic, arguments);
    stream->ask([made] { made->run(); });
    return SUCCESS;
END

struct NodeParams {
    Function* function;
    unsigned grid[3], block[3], dynamic;
    void** arguments;
};
struct Graph {
    vector<std::shared_ptr<Launch>> nodes; // each after those that it waits for
};
static std::shared_ptr<Launch> launch(const NodeParams* p) {
    return launch(p->function, p->grid, p->block, p->dynamic, p->arguments);
}
CUDA(cuGraphCreate, Graph** graph, unsigned) *graph = new Graph; return SUCCESS; END
CUDA(cuGraphDestroy, Graph*) return SUCCESS; END
CUDA(cuGraphExecDestroy, Graph*) return SUCCESS; END
CUDA(cuGraphInstantiateWithFlags, Graph** exec, Graph* graph, u64) HERE *exec = new Graph(*graph); return SUCCESS; END
CUDA(cuGraphAddKernelNode_v2, u64* node, Graph* graph, const u64*, size_t, const NodeParams* params)
    graph->nodes.push_back(launch(params));
    *node = graph->nodes.size();
    return SUCCESS;
END
CUDA(cuGraphExecKernelNodeSetParams_v2, Graph* exec, u64 node, const NodeParams* params)
    exec->nodes[node - 1] = launch(params);
    return SUCCESS;
END
CUDA(cuGraphLaunch, Graph* exec, Stream* stream) HERE
    auto nodes = exec->nodes;
    stream->ask([nodes] { for (auto& node : nodes) node->run(); });
    return SUCCESS;
END

// ---- NVRTC: the text is the code

struct Text {
    string text;
};
CUDA(nvrtcVersion, int* major, int* minor) *major = 13; *minor = 0; return SUCCESS; END
CUDA(nvrtcGetNumSupportedArchs, int* n) *n = 1; return SUCCESS; END
CUDA(nvrtcGetSupportedArchs, int* list) *list = 90; return SUCCESS; END
CUDA(nvrtcCreateProgram, Text** p, const char* text, const char*, int, void*, void*) *p = new Text{text}; return SUCCESS; END
CUDA(nvrtcDestroyProgram, Text** p) delete *p; return SUCCESS; END
CUDA(nvrtcCompileProgram, Text*, int, void*) return SUCCESS; END
CUDA(nvrtcGetCUBINSize, Text* p, size_t* size) *size = p->text.size() + 1; return SUCCESS; END
CUDA(nvrtcGetCUBIN, Text* p, char* to) memcpy(to, p->text.c_str(), p->text.size() + 1); return SUCCESS; END
CUDA(nvrtcGetPTXSize, Text*, size_t* size) *size = 1; return SUCCESS; END
CUDA(nvrtcGetPTX, Text*, char* to) *to = 0; return SUCCESS; END
CUDA(nvrtcGetProgramLogSize, Text*, size_t* size) *size = 1; return SUCCESS; END
CUDA(nvrtcGetProgramLog, Text*, char* to) *to = 0; return SUCCESS; END
