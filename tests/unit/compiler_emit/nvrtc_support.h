// The real NVRTC where the toolkit is installed, opened at run time.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

namespace compiler::emit {

struct Compiled {
  int status = -1;
  std::string log, ptx;
  size_t cubin_bytes = 0;
  std::string cubin;
};

// Signatures: NVRTC documentation, nvrtc.h of CUDA 13.
class Nvrtc {
 public:
  Nvrtc() {
    library_ = dlopen("/usr/local/cuda/lib64/libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return;
    create_ = Symbol<Create>("nvrtcCreateProgram");
    compile_ = Symbol<CompileFn>("nvrtcCompileProgram");
    destroy_ = Symbol<Destroy>("nvrtcDestroyProgram");
    log_size_ = Symbol<Size>("nvrtcGetProgramLogSize");
    log_ = Symbol<Get>("nvrtcGetProgramLog");
    ptx_size_ = Symbol<Size>("nvrtcGetPTXSize");
    ptx_ = Symbol<Get>("nvrtcGetPTX");
    cubin_size_ = Symbol<Size>("nvrtcGetCUBINSize");
    cubin_ = Symbol<Get>("nvrtcGetCUBIN");
  }
  bool available() const { return library_ != nullptr && cubin_size_ != nullptr; }

  Compiled Compile(const std::string& cuda, std::vector<std::string> options,
                   const std::string& arch) const {
    options.push_back("--gpu-architecture=" + arch);
    options.push_back("--ptxas-options=-v");
    std::vector<const char*> raw;
    for (const std::string& option : options) raw.push_back(option.c_str());
    void* program = nullptr;
    Compiled result;
    create_(&program, cuda.c_str(), "kernel.cu", 0, nullptr, nullptr);
    result.status = compile_(program, static_cast<int>(raw.size()), raw.data());
    result.log = Text(program, log_size_, log_);
    if (result.status == 0) {
      result.ptx = Text(program, ptx_size_, ptx_);
      cubin_size_(program, &result.cubin_bytes);
      result.cubin.resize(result.cubin_bytes);
      cubin_(program, result.cubin.data());
    }
    destroy_(&program);
    return result;
  }

 private:
  using Create = int (*)(void**, const char*, const char*, int, const char* const*,
                         const char* const*);
  using CompileFn = int (*)(void*, int, const char* const*);
  using Destroy = int (*)(void**);
  using Size = int (*)(void*, size_t*);
  using Get = int (*)(void*, char*);

  template <typename F>
  F Symbol(const char* name) const {
    return reinterpret_cast<F>(dlsym(library_, name));
  }
  static std::string Text(void* program, Size size_of, Get get) {
    size_t size = 0;
    size_of(program, &size);
    std::string text(size, '\0');
    get(program, text.data());
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  void* library_ = nullptr;
  Create create_ = nullptr;
  CompileFn compile_ = nullptr;
  Destroy destroy_ = nullptr;
  Size log_size_ = nullptr, ptx_size_ = nullptr, cubin_size_ = nullptr;
  Get log_ = nullptr, ptx_ = nullptr, cubin_ = nullptr;
};

inline const Nvrtc& RealNvrtc() {
  static const Nvrtc nvrtc;
  return nvrtc;
}

}  // namespace compiler::emit
