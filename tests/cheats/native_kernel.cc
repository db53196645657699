// One kernel of this folder as a library of the fake device; compiled once for each, with its name.
#include "tests/fakecuda/cuda_as_cpp.h"
// The kernel's source.
#include CAKE_KERNEL_FILE

CAKE_NATIVE_KERNEL(CAKE_KERNEL)
