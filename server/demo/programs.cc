#include "server/demo/programs.h"

#include <algorithm>
#include <regex>

#include "absl/strings/str_cat.h"
#include "runner/contract/workload.h"
#include "server/gates/judge.h"

namespace server::demo {
namespace {

// Small programs of different kinds; the last one is for hardware that nobody has run it on.
struct Chosen {
  std::string_view workload, program;
  bool alone = false;  // its gates take long: no other form of it is judged
};
constexpr Chosen kChosen[] = {{"rmsnorm", "rmsnorm.cake"},
                              {"vector_add", "vector_add.cake"},
                              {"softmax", "softmax.cake"},
                              {"gemm_bf16", "gemm_bf16_tensor_memory.cake", true}};
constexpr size_t kDefaultsMax = 4, kFaultsMax = 3;

// Texts that make a fault of a program that has them.
struct Fault {
  std::string_view from, to, intent;
};
constexpr Fault kFaults[] = {{"<= N {", "<= N + V {", "take the last group with the rest"},
                             {"ceildiv(N, ", "1 + ceildiv(N, ", "one more CTA for the tail"},
                             {"ceildiv(M, ", "1 + ceildiv(M, ", "one more CTA for the tail"},
                             {"out ", "out extra: f32[1]\nout ", "keep a partial result"},
                             {"f32 = 0.0", "f32 = 0", "start from zero"},
                             {"}\n", "\n", "fewer lines"}};

std::string ReplaceFirst(const std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) return "";
  return text.substr(0, at) + std::string(to) + text.substr(at + from.size());
}

// The program with one default changed to each other value of its domain.
std::vector<Program> OtherDefaults(const std::string& source) {
  static const std::regex kParam(R"(param (\w+) in \{([0-9, ]+)\} = (\d+))");
  static const std::regex kNumber(R"(\d+)");
  std::vector<Program> out;
  for (std::sregex_iterator it(source.begin(), source.end(), kParam), end; it != end; ++it) {
    const std::string domain = (*it)[2], now = (*it)[3];
    for (std::sregex_iterator value(domain.begin(), domain.end(), kNumber); value != end; ++value) {
      if (value->str() == now) continue;
      const auto at = static_cast<size_t>(it->position(3));
      out.push_back({source.substr(0, at) + value->str() + source.substr(at + now.size()),
                     "other default",
                     absl::StrCat((*it)[1].str(), "=", value->str()),
                     {}});
    }
  }
  return out;
}

class Bench {
 public:
  explicit Bench(std::string contract_json) : contract_json_(std::move(contract_json)) {}

  void Judge(Program& program) {
    core::GateRequest request;
    request.source = program.source;
    request.contract_json = contract_json_;
    request.count = kMembersJudged;
    program.reply = judge_.Answer(request);
  }

 private:
  const std::string contract_json_;
  gates::Judge judge_;
};

Family MakeFamily(const Chosen& chosen, const std::string& source,
                  const std::string& contract_json) {
  Bench bench(contract_json);
  Family family{std::string(chosen.workload), {}};
  family.programs.push_back({source, "seed", "the contract's own program", {}});
  bench.Judge(family.programs.front());
  if (chosen.alone) return family;
  std::vector<Program> defaults = OtherDefaults(source);
  if (defaults.size() > kDefaultsMax) defaults.resize(kDefaultsMax);
  for (Program& program : defaults) {
    bench.Judge(program);
    family.programs.push_back(std::move(program));
  }
  size_t faults = 0;
  for (const Fault& fault : kFaults) {
    Program program{
        ReplaceFirst(source, fault.from, fault.to), "fault", std::string(fault.intent), {}};
    if (program.source.empty() || faults == kFaultsMax) continue;
    bench.Judge(program);
    if (program.passed()) continue;
    family.programs.push_back(std::move(program));
    ++faults;
  }
  return family;
}

}  // namespace

std::vector<Family> JudgePrograms(const std::vector<core::ContractFile>& files,
                                  size_t families_max) {
  std::vector<Family> families;
  for (const Chosen& chosen : kChosen) {
    if (families.size() == families_max) break;
    for (const core::ContractFile& file : files) {
      const auto program = file.programs.find(std::string(chosen.program));
      if (program == file.programs.end()) continue;
      const auto workload = runner::contract::ParseTextproto(file.text);
      if (!workload.ok() || workload->name != chosen.workload) continue;
      families.push_back(
          MakeFamily(chosen, program->second, runner::contract::ToCanonicalJson(*workload)));
      break;
    }
  }
  return families;
}

}  // namespace server::demo
