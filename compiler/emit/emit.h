// Elaborated program to CUDA C++: author's names, `#line` back to the IR, one small device header.
#pragma once

#include <string>

#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"

namespace compiler::emit {

struct Source {
  std::string cuda;                  // self-contained: the device header is inlined at the top
  std::vector<std::string> kernels;  // emitted function names, in program order
  std::vector<std::string>
      options;  // NVRTC options the meaning depends on (--fmad=false ..), without the arch
};

struct EmitOptions {
  // An instrumented build: kernels log what they pass to the instructions of rings, events and
  // barriers, and delay them by a seed (event_log.h). It computes the same; its times mean nothing.
  bool log_events = false;
  // A build for autopsies instead: each lane has a word that says what it waits for, which is read
  // while the kernel hangs (event_log.h).
  bool progress = false;
};

// `canonical_hash` (64 hex digits) becomes `__device__ __constant__ unsigned char
// cake_program_id[32]`. CHECKs what the gates have shown; never called on a program that did not
// pass them.
Source Emit(const ir::Program& program, const facts::Facts& facts, std::string_view canonical_hash,
            std::string_view file_name, const EmitOptions& options = {});

}  // namespace compiler::emit
