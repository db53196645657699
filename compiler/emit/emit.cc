#include "compiler/emit/emit.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/device/device.h"
#include "compiler/emit/event_log.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"
#include "compiler/facts/launch.h"

namespace compiler::emit {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

constexpr size_t kHashDigits = 64;

// What the loader compares with the launch plan: a cubin of another program is refused.
std::string ProgramId(std::string_view hash) {
  Require(hash.size() == kHashDigits, "canonical hash of 64 digits");
  std::string text = "__device__ __constant__ unsigned char cake_program_id[32] = {";
  for (size_t i = 0; i < kHashDigits; i += 2) {
    absl::StrAppend(&text,
                    i == 0        ? "\n    "
                    : i % 32 == 0 ? ",\n    "
                                  : ", ",
                    "0x", Absl(hash.substr(i, 2)));
  }
  return text + "};\n";
}

std::string Heading(const ir::Program& program, std::string_view file_name) {
  std::string text = absl::StrCat("// Program `", program.name, "` for ", program.target, ", from ",
                                  Absl(file_name), ".\n");
  std::vector<std::string> params;
  for (const ir::BoundParam& param : program.params) {
    params.push_back(absl::StrCat(param.name, " = ", param.value));
  }
  if (!params.empty()) absl::StrAppend(&text, "// ", absl::StrJoin(params, ", "), "\n");
  return text;
}

// The name inside `#line`: a quote or a newline in a file's name must not end it.
std::string SafeFileName(std::string_view name) {
  std::string safe;
  for (const char c : name) safe += c == '"' || c == '\\' || c < ' ' ? '_' : c;
  return safe;
}

}  // namespace

Source Emit(const ir::Program& program, const facts::Facts& facts, std::string_view canonical_hash,
            std::string_view file_name, const EmitOptions& options) {
  Require(facts.kernels.size() == program.kernels.size(), "facts of every kernel");
  const std::string file = SafeFileName(file_name);
  Source source;
  // Sums and products stay apart, division and roots are IEEE, subnormals are kept; C++20 defines
  // shifts of negative values.
  source.options = {
      "--std=c++20", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true",
      // The author may leave a value unused, and bounds of unsigned indices compare with 0.
      "--diag-suppress=177,186,550"};
  std::string kernels;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    source.kernels.push_back(facts::EmittedName(program, program.kernels[i]));
    KernelEmitter emitter(program, program.kernels[i], facts.kernels[i], facts.copies,
                          source.kernels.back(), file, options);
    absl::StrAppend(&kernels, "\n", emitter.Run());
  }
  if (options.progress || options.log_events) {
    const char* symbol = options.progress ? kProgressSymbol : kEventLogSymbol;
    kernels = absl::StrCat("__device__ __constant__ unsigned int ", symbol, " = ",
                           sizeof(EventLogRecord), ";\n", kernels);
  }
  const std::string device = device::PartsFor(kernels);
  source.cuda =
      absl::StrCat(Heading(program, file), "\n", device, ProgramId(canonical_hash), kernels);
  return source;
}

}  // namespace compiler::emit
