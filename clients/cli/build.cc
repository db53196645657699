#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/member.h"
#include "clients/cli/next.h"
#include "clients/cli/place.h"
#include "clients/cli/terminal.h"
#include "compiler/arch/hardware.h"
#include "compiler/diag/render.h"
#include "runner/child/sandbox.h"
#include "runner/compile/compiler.h"
#include "runner/compile/ptxas_findings.h"

namespace clients::cli {
namespace {

using compiler::ir::Symbol;
using compiler::ir::SymbolKind;
using runner::compile::Build;
using runner::compile::KernelBuild;
using runner::compile::Outcome;

absl::StatusOr<runner::compile::Build> Compile(const BuildOptions& options, const Loaded& loaded) {
  runner::compile::CompilerOptions compiler_options;
  compiler_options.worker = FolderOfThisProgram() + "/cake-worker";
  compiler_options.sandbox =
      runner::child::Establish(compiler_options.worker, runner::child::Level::kL3);
  compiler_options.cache = options.cache.empty() ? DataFolder() + "/cache" : options.cache;
  auto compiler = runner::compile::Compiler::Start(compiler_options);
  if (!compiler.ok()) return absl::UnavailableError(compiler.status().message());
  const auto& cuda = *loaded.member.cuda;
  return (*compiler)->Compile({.cuda = cuda.cuda,
                               .file_name = loaded.file.path,
                               .arch = loaded.member.device->arch,
                               .options = cuda.options});
}

nlohmann::ordered_json ToJson(const Build& build, const Loaded& loaded) {
  nlohmann::ordered_json out{{"outcome", ToString(build.outcome)},
                             {"arch", loaded.member.device->arch},
                             {"compiler", build.compiler},
                             {"key", build.key},
                             {"cached", build.cached},
                             {"canonical_hash", loaded.member.canonical_hash},
                             {"cubin_bytes", build.cubin.size()}};
  for (const KernelBuild& k : build.kernels) {
    out["kernels"].push_back({{"name", k.name},
                              {"registers", k.registers},
                              {"spill_store_bytes", k.spill_store_bytes},
                              {"spill_load_bytes", k.spill_load_bytes},
                              {"stack_bytes", k.stack_bytes},
                              {"static_shared_bytes", k.static_shared_bytes},
                              {"barriers", k.barriers}});
  }
  const std::string_view note = compiler::arch::HardwareNote(loaded.member.device->arch);
  if (!note.empty()) out["hardware"] = note;
  if (build.outcome != Outcome::kBuilt) out["log"] = build.log;
  return out;
}

// What the launch adds to the cubin's own; the compiler lists kernels in an order of its own.
int64_t DynamicSharedBytes(const server::pipeline::Member& member, const std::string& function) {
  for (size_t i = 0; i < member.program->kernels.size(); ++i) {
    if (compiler::facts::EmittedName(*member.program, member.program->kernels[i]) == function)
      return member.facts.kernels[i].shared_bytes;
  }
  return 0;
}

// One number of the launch: an f32 arg by the bits of its value, all else as integers.
absl::StatusOr<int64_t> LaunchNumber(const Symbol& symbol, const std::string& word) {
  if (symbol.dtype == compiler::ir::DType::kF32) {
    float value = 0;
    if (absl::SimpleAtof(word, &value)) return std::bit_cast<uint32_t>(value);
  } else if (int64_t value = 0; absl::SimpleAtoi(word, &value)) {
    return value;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--dim ", symbol.name, "=", word, ": not a ",
                   std::string(compiler::ir::ToString(symbol.dtype))));
}

// Where no number is given: SMS is the device's, and strides follow from the shapes.
absl::StatusOr<std::map<std::string, int64_t>> LaunchNumbers(const BuildOptions& options,
                                                             const Loaded& loaded) {
  const auto& symbols = loaded.member.program->symbols;
  std::map<std::string, int64_t> values;
  for (const Symbol& symbol : symbols) {
    if (symbol.kind == SymbolKind::kSms) values[symbol.name] = loaded.member.device->sm_count;
  }
  for (const std::string& word : options.dims) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string array = name.substr(0, name.find('['));  // w[2]: one element of an arg array
    const auto symbol = std::find_if(symbols.begin(), symbols.end(),
                                     [&](const Symbol& s) { return s.name == array; });
    if (equals == std::string::npos || symbol == symbols.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--dim ", word, ": NAME=VALUE with a dim, an arg or a stride of the program"));
    }
    auto value = LaunchNumber(*symbol, word.substr(equals + 1));
    if (!value.ok()) return value.status();
    values[name] = *value;
  }
  return values;
}

absl::Status WritePlan(const BuildOptions& options, const Loaded& loaded) {
  const auto numbers = LaunchNumbers(options, loaded);
  if (!numbers.ok()) return numbers.status();
  const auto& member = loaded.member;
  const auto refused = [&](const absl::Status& status) {
    std::string given;
    for (const std::string& word : options.dims) absl::StrAppend(&given, " --dim ", word);
    return absl::InvalidArgumentError(absl::StrCat(
        "--plan", given,
        ": the program is not launched at this shape: ", std::string(status.message())));
  };
  const auto values = compiler::facts::BindLaunch(*member.program, *numbers);
  if (!values.ok()) return refused(values.status());
  const auto plan =
      compiler::facts::PlanLaunch(*member.program, member.facts, *values, member.canonical_hash);
  if (!plan.ok()) return refused(plan.status());
  return WriteWholeFile(options.plan, compiler::facts::ToJson(*plan));
}

void PrintBuild(const Build& build, const Loaded& loaded) {
  const std::string note(compiler::arch::HardwareNote(loaded.member.device->arch));
  std::printf("%s for %s%s by %s%s, %zu bytes\n", std::string(ToString(build.outcome)).c_str(),
              loaded.member.device->arch.c_str(),
              note.empty() ? "" : absl::StrCat(" (", note, ")").c_str(), build.compiler.c_str(),
              build.cached ? " (cached)" : "", build.cubin.size());
  Table table({"kernel", "registers", "spills B", "stack B", "shared B", "barriers"});
  for (const KernelBuild& k : build.kernels) {
    const int64_t dynamic_shared = DynamicSharedBytes(loaded.member, k.name);
    table.Add({k.name, absl::StrCat(k.registers),
               absl::StrCat(k.spill_store_bytes + k.spill_load_bytes), absl::StrCat(k.stack_bytes),
               absl::StrCat(k.static_shared_bytes + dynamic_shared), absl::StrCat(k.barriers)});
  }
  if (!build.kernels.empty()) std::fputs(table.Text().c_str(), stdout);
}

}  // namespace

int Build(const BuildOptions& options) {
  absl::StatusOr<Loaded> loaded = Load(options, {});
  if (!loaded.ok()) return Fail(loaded.status());
  if (loaded->member.verdict != server::pipeline::Verdict::kPassed) {
    return PrintRejected(*loaded, options);
  }
  if (!options.plan.empty()) {
    if (absl::Status written = WritePlan(options, *loaded); !written.ok()) return Fail(written);
  }
  absl::StatusOr<runner::compile::Build> build = Compile(options, *loaded);
  if (!build.ok()) return Fail(absl::UnavailableError(build.status().message()));
  compiler::diag::Report notes;
  runner::compile::AddPtxasFindings(build->log, build->ptx, notes);
  if (options.json) {
    nlohmann::ordered_json json = ToJson(*build, *loaded);
    json["notes"] = nlohmann::ordered_json::parse(compiler::diag::RenderJson(
        notes, loaded->file.path, loaded->member.program->source))["diagnostics"];
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    std::fputs(compiler::diag::RenderText(notes, loaded->file.path, loaded->member.program->source)
                   .c_str(),
               stdout);
    PrintBuild(*build, *loaded);
  }
  if (build->outcome != Outcome::kBuilt) {
    // The gates passed, so a refusal is our lowering's fault or a limit of this machine.
    return Fail(absl::InternalError(
        absl::StrCat("not built: ", build->reason, "\n", runner::compile::ErrorLines(build->log))));
  }
  if (!options.output.empty()) {
    if (absl::Status written = WriteWholeFile(options.output, build->cubin); !written.ok()) {
      return Fail(written);
    }
  }
  if (!options.json) {
    PrintNext(NextRun(*loaded, options));
  }
  return kFine;
}

}  // namespace clients::cli
