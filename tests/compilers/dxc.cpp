// Compiles files of HLSL by DXC's library. Its interfaces are declared here as libdxcompiler.so has them: with destructors behind
// IUnknown's methods, which `hassle-rs` 0.12 does not expect.
//
// dxc LIBRARY: reads lines `ENTRY FILE` from stdin, and prints `ok FILE`, or `refused FILE` and what the compiler says.

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

static const Guid DXC_COMPILER = {0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
static const Guid COMPILER_3 = {0x228b4687, 0x5a6a, 0x4730, {0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54}};
static const Guid OPERATION_RESULT = {0xcedb484a, 0xd4e9, 0x445a, {0xb9, 0x91, 0xca, 0x21, 0xca, 0x15, 0x7d, 0xc2}};
static const unsigned UTF_8 = 65001;

struct Unknown {
    virtual int query_interface(const Guid &, void **) = 0;
    virtual unsigned long add_ref() = 0;
    virtual unsigned long release() = 0;
    virtual ~Unknown() {}
};

struct Blob : Unknown {
    virtual void *pointer() = 0;
    virtual size_t size() = 0;
};

struct Result : Unknown {
    virtual int status(int *) = 0;
    virtual int result(Blob **) = 0;
    virtual int errors(Blob **) = 0;
};

struct Buffer {
    const void *pointer;
    size_t size;
    unsigned encoding;
};

struct Compiler : Unknown {
    virtual int compile(const Buffer *, const wchar_t **, unsigned, void *include_handler, const Guid &, Result **) = 0;
};

static std::string text(Blob *blob) {
    return blob ? std::string(static_cast<const char *>(blob->pointer()), blob->size()) : std::string();
}

// What the compiler says if it refuses; empty if there is code.
static std::string compile(Compiler *compiler, const std::string &entry, const std::string &source) {
    const std::wstring name(entry.begin(), entry.end());
    std::vector<const wchar_t *> arguments = {L"-E",   name.c_str(),     L"-T", L"cs_6_6", L"-HV",
                                              L"2018", L"-no-warnings", L"-enable-16bit-types"};
    const Buffer buffer = {source.data(), source.size(), UTF_8};
    Result *result = nullptr;
    int status = compiler->compile(&buffer, arguments.data(), arguments.size(), nullptr, OPERATION_RESULT, &result);
    if (status < 0 || !result) return "the call fails";
    Blob *code = nullptr, *errors = nullptr;
    result->status(&status);
    result->errors(&errors);
    result->result(&code);
    const bool compiled = status >= 0 && code && code->size() > 0;
    const std::string said = compiled ? "" : "no code: " + text(errors);
    for (Unknown *used : {static_cast<Unknown *>(code), static_cast<Unknown *>(errors), static_cast<Unknown *>(result)})
        if (used) used->release();
    return said;
}

int main(int, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    using Create = int (*)(const Guid &, const Guid &, void **);
    const auto create = reinterpret_cast<Create>(dlsym(library, "DxcCreateInstance"));
    Compiler *compiler = nullptr;
    if (!create || create(DXC_COMPILER, COMPILER_3, reinterpret_cast<void **>(&compiler)) < 0)
        return fprintf(stderr, "%s has no compiler\n", argv[1]), 1;
    std::string entry, file;
    while (std::cin >> entry >> file) {
        std::stringstream source;
        source << std::ifstream(file).rdbuf();
        const std::string said = compile(compiler, entry, source.str());
        printf("%s %s\n%s", said.empty() ? "ok" : "refused", file.c_str(), said.c_str());
    }
    fflush(stdout);
    _Exit(0); // the library's own cleaning at exit is not what is tested
}
