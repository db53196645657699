// The part of NVRTC that the compile child opens at run time (libnvrtc.so.13 or .12), declared by
// us so that everything builds without a toolkit. nvrtc_api_check.cc compares it with nvrtc.h where
// that is installed. A fake libnvrtc exports exactly the entry points of CAKE_NVRTC_ENTRIES.
#pragma once

#include <cstddef>

namespace runner::compile {

using nvrtcResult = int;
using nvrtcProgram = struct _nvrtcProgram*;

inline constexpr nvrtcResult kNvrtcSuccess = 0;
inline constexpr nvrtcResult kNvrtcErrorOutOfMemory = 1;
inline constexpr nvrtcResult kNvrtcErrorInvalidOption = 5;
inline constexpr nvrtcResult kNvrtcErrorCompilation = 6;
inline constexpr nvrtcResult kNvrtcErrorBuiltinOperationFailure = 7;
inline constexpr nvrtcResult kNvrtcErrorInternal = 11;
inline constexpr nvrtcResult kNvrtcErrorCancelled = 16;

// X(member of NvrtcApi, exported name, parameters): every entry point returns nvrtcResult.
#define CAKE_NVRTC_ENTRIES(X)                                                        \
  X(version, nvrtcVersion, (int* major, int* minor))                                 \
  X(get_num_supported_archs, nvrtcGetNumSupportedArchs, (int* count))                \
  X(get_supported_archs, nvrtcGetSupportedArchs, (int* archs))                       \
  X(create_program, nvrtcCreateProgram,                                              \
    (nvrtcProgram * program, const char* source, const char* name, int header_count, \
     const char* const* headers, const char* const* include_names))                  \
  X(destroy_program, nvrtcDestroyProgram, (nvrtcProgram * program))                  \
  X(compile_program, nvrtcCompileProgram,                                            \
    (nvrtcProgram program, int option_count, const char* const* options))            \
  X(get_ptx_size, nvrtcGetPTXSize, (nvrtcProgram program, size_t * bytes))           \
  X(get_ptx, nvrtcGetPTX, (nvrtcProgram program, char* ptx))                         \
  X(get_cubin_size, nvrtcGetCUBINSize, (nvrtcProgram program, size_t * bytes))       \
  X(get_cubin, nvrtcGetCUBIN, (nvrtcProgram program, char* cubin))                   \
  X(get_log_size, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * bytes))    \
  X(get_log, nvrtcGetProgramLog, (nvrtcProgram program, char* log))

struct NvrtcApi {
#define CAKE_NVRTC_MEMBER(member, name, parameters) nvrtcResult(*member) parameters = nullptr;
  CAKE_NVRTC_ENTRIES(CAKE_NVRTC_MEMBER)
#undef CAKE_NVRTC_MEMBER
};

}  // namespace runner::compile
