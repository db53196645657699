// Compares our declarations with the toolkit's, at build time, where the toolkit is installed.
#include "runner/compile/nvrtc_api.h"

#ifdef CAKE_HAVE_NVRTC_H
#include <nvrtc.h>

namespace runner::compile {

static_assert(kNvrtcErrorOutOfMemory == NVRTC_ERROR_OUT_OF_MEMORY);
static_assert(kNvrtcErrorInvalidOption == NVRTC_ERROR_INVALID_OPTION);
static_assert(kNvrtcErrorCompilation == NVRTC_ERROR_COMPILATION);
static_assert(kNvrtcErrorBuiltinOperationFailure == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
static_assert(kNvrtcErrorInternal == NVRTC_ERROR_INTERNAL_ERROR);
static_assert(sizeof(nvrtcResult) == sizeof(::nvrtcResult));
static_assert(sizeof(nvrtcProgram) == sizeof(::nvrtcProgram));

}  // namespace runner::compile
#endif
