// Compiles files of HLSL by FXC, Microsoft's compiler up to shader model 5.1: a Windows program, for Wine.
//
// fxc.exe LIBRARY: reads lines `ENTRY FILE` from stdin, and prints `ok FILE`, or `refused FILE` and what the compiler says, without
// its warnings.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <windows.h>

#include <d3dcommon.h>

using Compile = HRESULT(WINAPI *)(const void *, SIZE_T, const char *, const void *, void *, const char *, const char *, UINT, UINT,
                                  ID3DBlob **, ID3DBlob **);

// As wgpu sets it.
static const UINT ENABLE_STRICTNESS = 1 << 11;

// What the compiler says if it refuses; empty if there is code.
static std::string compile(Compile call, const std::string &entry, const std::string &source) {
    ID3DBlob *code = nullptr, *errors = nullptr;
    const HRESULT status = call(source.data(), source.size(), nullptr, nullptr, nullptr, entry.c_str(), "cs_5_1", ENABLE_STRICTNESS, 0,
                                &code, &errors);
    std::string said;
    if (status < 0 || !code) {
        said = "no code\n";
        std::istringstream lines(errors ? static_cast<const char *>(errors->GetBufferPointer()) : "");
        for (std::string line; std::getline(lines, line);)
            if (line.find(": warning ") == std::string::npos) said += line + "\n";
    }
    for (ID3DBlob *used : {code, errors})
        if (used) used->Release();
    return said;
}

int main(int, char **argv) {
    const HMODULE library = LoadLibraryA(argv[1]);
    if (!library) return fprintf(stderr, "%s cannot be loaded: error %lu\n", argv[1], GetLastError()), 1;
    const auto call = reinterpret_cast<Compile>(reinterpret_cast<void *>(GetProcAddress(library, "D3DCompile")));
    if (!call) return fprintf(stderr, "%s has no compiler\n", argv[1]), 1;
    std::string entry, file;
    while (std::cin >> entry >> file) {
        std::stringstream source;
        source << std::ifstream(file).rdbuf();
        const std::string said = compile(call, entry, source.str());
        printf("%s %s\n%s", said.empty() ? "ok" : "refused", file.c_str(), said.c_str());
        fflush(stdout);
    }
    return 0;
}
