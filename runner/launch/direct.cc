#include "runner/launch/direct.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compiler/arch/device.h"

namespace runner::launch {
namespace {

namespace facts = compiler::facts;
namespace ir = compiler::ir;

constexpr std::string_view kMark = "//@";
constexpr int64_t kThreadsMax = 1024, kGridMax = (int64_t{1} << 31) - 1;

absl::Status Fault(int line, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(line, ": ", std::string(what)));
}

class Parser {
 public:
  absl::Status Line(int number, const std::vector<std::string>& words) {
    number_ = number;
    if (words.empty()) return Fault(number_, "says nothing behind //@");
    if (words[0] == "arguments") return Arguments(words);
    if (words[0] == "workspace") return Workspace(words);
    if (words[0] == "launch") return Launch(words);
    if (words[0] == "target") return Target(words);
    return Fault(number_,
                 absl::StrCat("`", words[0], "` is not arguments, workspace, launch or target"));
  }

  DirectProgram program;

 private:
  absl::Status Arguments(const std::vector<std::string>& words) {
    if (!program.arguments.empty()) return Fault(number_, "arguments are given twice");
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t colon = words[i].find(':');
      DirectArgument argument{.name = words[i].substr(0, colon)};
      if (colon != std::string::npos) {
        const auto dtype = ir::ParseDType(words[i].substr(colon + 1));
        if (!dtype || (*dtype != ir::DType::kI32 && *dtype != ir::DType::kI64)) {
          return Fault(number_, absl::StrCat("`", words[i], "`: a dim is an i32 or an i64"));
        }
        argument.dtype = *dtype;
      }
      program.arguments.push_back(std::move(argument));
    }
    return absl::OkStatus();
  }

  absl::Status Target(const std::vector<std::string>& words) {
    if (words.size() != 2) return Fault(number_, "is not `target ARCH`");
    if (!compiler::arch::DeviceOfTarget(words[1]).ok())
      return Fault(number_, absl::StrCat("`", words[1], "` is no known architecture"));
    program.target = words[1];
    return absl::OkStatus();
  }

  absl::Status Workspace(const std::vector<std::string>& words) {
    const bool zero = words.size() == 4 && words[3] == "zero";
    if (words.size() != 3 && !zero) return Fault(number_, "is not `workspace NAME BYTES [zero]`");
    if (program.workspaces.size() == kDirectWorkspacesMax) {
      return Fault(number_, absl::StrCat("more than ", kDirectWorkspacesMax, " workspaces"));
    }
    program.workspaces.push_back({words[1], words[2], zero});
    return absl::OkStatus();
  }

  absl::Status Launch(const std::vector<std::string>& words) {
    if (program.launches.size() == kDirectKernelsMax) {
      return Fault(number_, absl::StrCat("more than ", kDirectKernelsMax, " launches"));
    }
    if (words.size() < 2) return Fault(number_, "names no kernel");
    DirectLaunch launch{.kernel = words[1]};
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i] == "cooperative") {
        launch.cooperative = true;
        continue;
      }
      const std::string& word = words[i];
      if (i + 1 == words.size()) return Fault(number_, absl::StrCat("`", word, "` has no value"));
      const std::string& value = words[++i];
      if (word == "grid") {
        launch.grid = absl::StrSplit(value, ',');
      } else if (word == "block" || word == "shared" || word == "cluster") {
        (word == "block"    ? launch.block
         : word == "shared" ? launch.shared
                            : launch.cluster) = value;
      } else {
        return Fault(number_, absl::StrCat("`", word, "` is no word of a launch"));
      }
    }
    if (launch.grid.empty() || launch.grid.size() > 3 || launch.block.empty()) {
      return Fault(number_, "a launch has a grid of one to three extents and a block");
    }
    program.launches.push_back(std::move(launch));
    return absl::OkStatus();
  }

  int number_ = 0;
};

class Planner {
 public:
  Planner(const DirectProgram& program, const contract::Workload& workload,
          const contract::Case& at, int64_t sms)
      : program_(program), workload_(workload), at_(at), values_(at.dims) {
    values_["SMS"] = sms;
  }

  absl::StatusOr<facts::LaunchPlan> Run() {
    plan_.program = "direct";
    if (auto status = Tensors(); !status.ok()) return status;
    if (auto status = Workspaces(); !status.ok()) return status;
    for (const DirectArgument& argument : program_.arguments) {
      if (auto status = Argument(argument); !status.ok()) return status;
    }
    for (const contract::Tensor& tensor : workload_.tensors) {
      if (tensor.role == contract::Role::kIn || IsArgument(tensor.name)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("no argument is the output ", tensor.name, " of contract ", workload_.name));
    }
    for (const DirectLaunch& launch : program_.launches) {
      if (auto status = Launch(launch); !status.ok()) return status;
    }
    return std::move(plan_);
  }

 private:
  bool IsArgument(const std::string& name) const {
    return std::any_of(program_.arguments.begin(), program_.arguments.end(),
                       [&](const DirectArgument& a) { return a.name == name; });
  }

  absl::Status Tensors() {
    const auto tensors = contract::TensorsOf(workload_, at_);
    if (!tensors.ok()) return tensors.status();
    for (const contract::CaseTensor& tensor : *tensors) {
      const auto role = tensor.tensor->role;
      plan_.tensors.push_back({.name = tensor.tensor->name,
                               .direction = role == contract::Role::kIn    ? ir::Direction::kIn
                                            : role == contract::Role::kOut ? ir::Direction::kOut
                                                                           : ir::Direction::kInOut,
                               .dtype = tensor.tensor->dtype,
                               .shape = tensor.shape,
                               .strides = tensor.strides,
                               .bytes = tensor.bytes});
      // Hand-written code relies on what the contract gives, however little that is.
      if (tensor.tensor->alignment > 0) plan_.tensors.back().alignment = tensor.tensor->alignment;
    }
    return absl::OkStatus();
  }

  absl::Status Workspaces() {
    for (const DirectWorkspace& workspace : program_.workspaces) {
      const auto bytes = contract::EvaluateSize(workspace.bytes, values_);
      if (!bytes.ok()) return bytes.status();
      const bool known = std::any_of(plan_.tensors.begin(), plan_.tensors.end(),
                                     [&](const auto& t) { return t.name == workspace.name; });
      if (known || *bytes < 0 || *bytes > kDirectWorkspaceBytesMax) {
        return absl::InvalidArgumentError(absl::StrCat(
            "workspace ", workspace.name, ": ",
            known ? "its name is taken" : "no such size: ", known ? "" : absl::StrCat(*bytes)));
      }
      plan_.tensors.push_back({.name = workspace.name,
                               .direction = ir::Direction::kWorkspace,
                               .dtype = ir::DType::kU8,
                               .shape = {*bytes},
                               .strides = {1},
                               .bytes = *bytes,
                               .zero = workspace.zero});
    }
    return absl::OkStatus();
  }

  absl::Status Argument(const DirectArgument& argument) {
    using Kind = facts::ArgumentSlot::Kind;
    for (const facts::TensorPlan& tensor : plan_.tensors) {
      if (tensor.name != argument.name) continue;
      const bool workspace = tensor.direction == ir::Direction::kWorkspace;
      plan_.arguments.push_back(
          {.kind = workspace ? Kind::kWorkspace : Kind::kTensor, .name = tensor.name});
      return absl::OkStatus();
    }
    facts::ArgumentSlot slot{.kind = Kind::kSymbol, .name = argument.name};
    const auto value = values_.find(argument.name);
    if (value != values_.end()) {
      slot.value = value->second;
      slot.bytes = argument.dtype == ir::DType::kI64 ? 8 : 4;
      plan_.arguments.push_back(std::move(slot));
      return absl::OkStatus();
    }
    for (const contract::Arg& arg : workload_.args) {
      if (arg.name != argument.name || !arg.values.empty()) continue;
      const double number = contract::ArgsOf(workload_, at_).at(arg.name);
      slot.bytes = std::max(4, ir::Info(arg.dtype).bits / 8);
      slot.value = arg.dtype == ir::DType::kF32
                       ? static_cast<int64_t>(std::bit_cast<uint32_t>(static_cast<float>(number)))
                       : std::llround(number);
      plan_.arguments.push_back(std::move(slot));
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("argument ", argument.name,
                     " is no tensor, workspace, arg or dim of contract ", workload_.name));
  }

  absl::Status Launch(const DirectLaunch& launch) {
    facts::KernelLaunch out{.name = launch.kernel, .cooperative = launch.cooperative};
    const auto number = [&](const std::string& text, int64_t low, int64_t high, int64_t& value) {
      const auto found = contract::EvaluateSize(text, values_);
      if (!found.ok()) return found.status();
      value = *found;
      if (value >= low && value <= high) return absl::OkStatus();
      return absl::InvalidArgumentError(absl::StrCat("launch of ", launch.kernel, ": ", text, " = ",
                                                     value, " is outside ", low, "..=", high));
    };
    for (size_t i = 0; i < launch.grid.size(); ++i) {
      if (auto s = number(launch.grid[i], 0, kGridMax, out.grid[i]); !s.ok()) return s;
      out.skipped = out.skipped || out.grid[i] == 0;
    }
    if (auto s = number(launch.block, 1, kThreadsMax, out.block); !s.ok()) return s;
    if (auto s = number(launch.shared, 0, int64_t{1} << 20, out.shared_bytes); !s.ok()) return s;
    if (auto s = number(launch.cluster, 1, 16, out.cluster); !s.ok()) return s;
    plan_.kernels.push_back(std::move(out));
    return absl::OkStatus();
  }

  const DirectProgram& program_;
  const contract::Workload& workload_;
  const contract::Case& at_;
  std::map<std::string, int64_t> values_;
  facts::LaunchPlan plan_;
};

}  // namespace

absl::StatusOr<DirectProgram> ParseDirect(std::string_view source) {
  if (static_cast<int64_t>(source.size()) > kDirectBytesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("the source has ", source.size(), " bytes, the limit is ", kDirectBytesMax));
  }
  Parser parser;
  int number = 0;
  while (!source.empty()) {
    ++number;
    const size_t end = source.find('\n');
    std::string_view line = source.substr(0, end);
    source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
    if (const size_t text = line.find_first_not_of(" \t"); text != std::string_view::npos) {
      line.remove_prefix(text);
    }
    if (!line.starts_with(kMark)) continue;
    const std::vector<std::string> words = absl::StrSplit(
        std::string(line.substr(kMark.size())), absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (auto status = parser.Line(number, words); !status.ok()) return status;
  }
  if (parser.program.launches.empty()) return Fault(number, "no //@ launch line");
  if (parser.program.arguments.empty()) return Fault(number, "no //@ arguments line");
  return std::move(parser.program);
}

absl::StatusOr<facts::LaunchPlan> PlanDirect(const DirectProgram& program,
                                             const contract::Workload& workload,
                                             const contract::Case& at, int64_t sms) {
  return Planner(program, workload, at, sms).Run();
}

}  // namespace runner::launch
