#include "runner/oracle/lint.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "runner/oracle/compare.h"
#include "runner/reference/numbers.h"

namespace runner::oracle {
namespace {

using compiler::ir::Info;
using contract::Case;
using contract::Metric;
using contract::Role;
using contract::Tier;

constexpr std::string_view kForm = "form", kUnused = "input.unused", kFixed = "seed.fixed",
                           kAnswer = "answer.trivial", kBound = "bound.loose",
                           kNoVariant = "variant.none", kSpecials = "variant.specials",
                           kTies = "variant.ties", kLarge = "variant.large", kArg = "arg.loose",
                           kOneArg = "arg.fixed", kFew = "sizes.few", kLow = "sizes.low",
                           kSets = "sets.missing";

constexpr uint64_t kSeed = 31;
constexpr int64_t kSizesMin = 2;      // of a dim whose range has room for them
constexpr double kLargeFactor = 1.5;  // against the largest magnitude of the plain contents
// A bound hides errors where it lets a wrong answer of half the right one pass in this share of
// the elements.
constexpr double kLooseShareMax = 0.5, kHalf = 0.5;

class Linter {
 public:
  Linter(const contract::Workload& workload, const reference::Builtin& builtin)
      : w_(workload), builtin_(builtin) {}

  absl::StatusOr<std::vector<LintFinding>> Run() {
    for (const contract::Dim& dim : w_.dims) Sizes(dim);
    Sets();
    Seeds();
    const auto unused = UnusedInputs(w_);
    if (!unused.ok()) return unused.status();
    for (const std::string& name : *unused) {
      Fault(kUnused, "no output depends on `", name, "` in any machine-tier case");
    }
    for (const contract::Arg& arg : w_.args) {
      OneValue(arg);
      if (auto status = LooseArg(arg); !status.ok()) return status;
    }
    if (auto status = Variants(); !status.ok()) return status;
    if (auto status = Answers(); !status.ok()) return status;
    return std::move(findings_);
  }

 private:
  template <typename... Parts>
  void Fault(std::string_view rule, const Parts&... parts) {
    findings_.push_back({rule, absl::StrCat(parts...)});
  }

  std::vector<const Case*> MachineCases() const {
    std::vector<const Case*> out;
    for (const Case& at : w_.cases) {
      if (at.tier == Tier::kMachine) out.push_back(&at);
    }
    return out;
  }

  void Sizes(const contract::Dim& dim) {
    std::set<int64_t> sizes;
    for (const Case* at : MachineCases()) sizes.insert(at->dims.at(dim.name));
    const int64_t room = std::min<int64_t>(kSizesMin, dim.high - dim.low + 1);
    if (static_cast<int64_t>(sizes.size()) < room) {
      Fault(kFew, "dim `", dim.name, "` has ", sizes.size(), " machine-tier sizes; at least ",
            room);
    }
    if (dim.low <= 1 && !sizes.contains(dim.low)) {
      Fault(kLow, "dim `", dim.name, "` begins at ", dim.low,
            " and no machine-tier case has that size");
    }
  }

  void Sets() {
    for (const auto set : {contract::Set::kSearch, contract::Set::kBoundary}) {
      const bool there = std::any_of(w_.cases.begin(), w_.cases.end(),
                                     [&](const Case& at) { return at.set == set; });
      if (!there) Fault(kSets, "no ", std::string(ToString(set)), " case");
    }
    const bool timed = std::any_of(w_.cases.begin(), w_.cases.end(),
                                   [](const Case& at) { return at.tier == Tier::kDevice; });
    const bool held = std::any_of(w_.cases.begin(), w_.cases.end(), [](const Case& at) {
      return at.tier == Tier::kDevice && at.set == contract::Set::kHeldOut;
    });
    if (timed && !held) Fault(kSets, "no device-tier case is held out");
  }

  void Seeds() {
    for (const contract::Tensor& tensor : w_.tensors) {
      if (tensor.role == Role::kOut) continue;
      const auto* plain = contract::FindGenerator(w_, tensor.name, "");
      if (plain != nullptr && plain->seed_policy == contract::SeedPolicy::kFixed) {
        Fault(kFixed, "input `", tensor.name, "` has the same plain contents in every job");
      }
    }
  }

  // Largest finite magnitude of a float input over the machine-tier cases that `wanted` picks.
  absl::StatusOr<double> Largest(const std::string& tensor,
                                 const std::function<bool(const Case&)>& wanted) const {
    double largest = 0;
    for (const Case* at : MachineCases()) {
      if (!wanted(*at)) continue;
      auto tensors = contract::TensorsOf(w_, *at);
      if (!tensors.ok()) return tensors.status();
      const auto drawn = DrawInputs(w_, *at, *tensors, kSeed, 0, 1);
      if (!drawn.ok()) return drawn.status();
      const auto& one = drawn->inputs.tensors.at(tensor);
      const auto dtype = one.at.tensor->dtype;
      for (int64_t i = 0; i < one.at.elements; ++i) {
        const double value =
            reference::LoadElement(dtype, one.memory.data() + reference::OffsetOf(one.at, i) *
                                                                  reference::ElementBytes(dtype));
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
      }
    }
    return largest;
  }

  bool HasVariant(const std::function<bool(const contract::Generator&)>& kind) const {
    for (const Case* at : MachineCases()) {
      for (const contract::Tensor& tensor : w_.tensors) {
        const auto* generator = contract::FindGenerator(w_, tensor.name, at->variant);
        if (generator != nullptr && tensor.role != Role::kOut && kind(*generator)) return true;
      }
    }
    return false;
  }

  absl::Status Variants() {
    const auto machine = MachineCases();
    if (std::none_of(machine.begin(), machine.end(),
                     [](const Case* at) { return !at->variant.empty(); })) {
      Fault(kNoVariant, "no machine-tier case has other contents than the plain ones");
    }
    bool floats = false;
    for (const contract::Tensor& tensor : w_.tensors) {
      if (tensor.role == Role::kOut) continue;
      floats |= Info(tensor.dtype).is_float;
      const auto specials = [&](const contract::Generator& g) {
        return g.tensor == tensor.name && g.dist == contract::Dist::kSpecials;
      };
      if (tensor.content == contract::Content::kAny && Info(tensor.dtype).is_float &&
          !HasVariant(specials)) {
        Fault(kSpecials, "input `", tensor.name,
              "` may hold NaN and infinities and no machine-tier case draws them");
      }
    }
    if (!floats) return absl::OkStatus();
    const auto ties = [](const contract::Generator& g) {
      return g.dist == contract::Dist::kTies || g.dist == contract::Dist::kConstant;
    };
    for (const contract::Compare& compare : w_.compare) {
      const auto* output = contract::FindTensor(w_, compare.output);
      const bool chosen = Info(output->dtype).is_integer && builtin_.regret != nullptr;
      if (chosen && !HasVariant(ties)) {
        Fault(kTies, "output `", compare.output,
              "` names elements and no machine-tier case has equal ones");
      }
    }
    return LargeVariant();
  }

  absl::Status LargeVariant() {
    const bool sums =
        std::any_of(w_.compare.begin(), w_.compare.end(), [&](const contract::Compare& compare) {
          return compare.metric == Metric::kScaled && !compare.reduction.empty();
        });
    if (!sums) return absl::OkStatus();
    for (const contract::Tensor& tensor : w_.tensors) {
      if (tensor.role == Role::kOut || !Info(tensor.dtype).is_float) continue;
      const auto plain = Largest(tensor.name, [](const Case& at) { return at.variant.empty(); });
      const auto other = Largest(tensor.name, [](const Case& at) { return !at.variant.empty(); });
      if (!plain.ok()) return plain.status();
      if (!other.ok()) return other.status();
      if (*other >= kLargeFactor * *plain) return absl::OkStatus();
    }
    Fault(kLarge, "outputs are sums and no machine-tier case has an input ", kLargeFactor,
          " times as large as the plain contents");
    return absl::OkStatus();
  }

  void OneValue(const contract::Arg& arg) {
    const std::vector<std::string> names = contract::NamesOf(arg);
    std::set<std::vector<double>> values;
    for (const Case* at : MachineCases()) {
      const auto args = contract::ArgsOf(w_, *at);
      std::vector<double> mine;
      for (const std::string& name : names) mine.push_back(args.at(name));
      values.insert(std::move(mine));
    }
    if (values.size() > 1) return;
    Fault(kOneArg, "`", arg.name, "` has the same value in every machine-tier case");
  }

  // Outputs computed with twice an arg are right wherever bounds are too wide to see it.
  absl::Status LooseArg(const contract::Arg& arg) {
    if (!Info(arg.dtype).is_float) return absl::OkStatus();
    for (const Case* at : MachineCases()) {
      auto tensors = contract::TensorsOf(w_, *at);
      if (!tensors.ok()) return tensors.status();
      const auto drawn = DrawInputs(w_, *at, *tensors, kSeed, 0, 1);
      if (!drawn.ok()) return drawn.status();
      reference::Inputs doubled = drawn->inputs;
      for (const std::string& name : contract::NamesOf(arg)) doubled.args[name] *= 2;
      for (const contract::CaseTensor& output : *tensors) {
        if (output.tensor->role == Role::kIn || output.elements == 0) continue;
        std::vector<double> want(static_cast<size_t>(output.elements)), scale(want.size());
        builtin_.evaluate(doubled, output.tensor->name,
                          {0, output.elements, want.data(), scale.data()});
        const auto noticed = Refuses(*at, output, drawn->inputs,
                                     [&](int64_t i) { return want[static_cast<size_t>(i)]; });
        if (!noticed.ok()) return noticed.status();
        if (*noticed) return absl::OkStatus();
      }
    }
    Fault(kArg, "twice `", arg.name, "` gives right outputs in every machine-tier case");
    return absl::OkStatus();
  }

  // Whether the comparison refuses an output whose i-th element is answer(i).
  absl::StatusOr<bool> Refuses(const Case& at, const contract::CaseTensor& output,
                               const reference::Inputs& inputs,
                               const std::function<double(int64_t)>& answer) const {
    const auto* compare = contract::FindCompare(w_, output.tensor->name);
    int64_t reduction = 0;
    if (!compare->reduction.empty()) {
      const auto length = contract::EvaluateSize(compare->reduction, at.dims);
      if (!length.ok()) return length.status();
      reduction = *length;
    }
    const auto dtype = output.tensor->dtype;
    std::vector<std::byte> memory(static_cast<size_t>(output.bytes));
    for (int64_t i = 0; i < output.elements; ++i) {
      reference::StoreElement(
          dtype, answer(i),
          memory.data() + reference::OffsetOf(output, i) * reference::ElementBytes(dtype));
    }
    return CompareOutput(builtin_, inputs, {&output, compare, reduction, memory}, 1).has_value();
  }

  // What needs no work: one value everywhere. How often each passes, over the plain cases.
  struct Guesses {
    int64_t cases = 0, zero = 0, mean = 0, first = 0;
    int64_t elements = 0, loose = 0;
  };

  absl::Status Answers() {
    for (const contract::Compare& compare : w_.compare) {
      Guesses guesses;
      for (const Case* at : MachineCases()) {
        if (!at->variant.empty()) continue;
        if (auto status = Guess(compare, *at, guesses); !status.ok()) return status;
      }
      const auto fault = [&](const char* answer, int64_t right) {
        if (static_cast<double>(right) <= kGuessedShareMax * static_cast<double>(guesses.cases))
          return;
        Fault(kAnswer, "output `", compare.output, "`: ", answer, " everywhere is right in ", right,
              " of ", guesses.cases, " plain machine-tier cases");
      };
      fault("zero", guesses.zero);
      fault("the mean", guesses.mean);
      fault("its first element", guesses.first);
      if (static_cast<double>(guesses.loose) >
          kLooseShareMax * static_cast<double>(guesses.elements)) {
        Fault(kBound, "output `", compare.output, "`: half of the right value passes for ",
              guesses.loose, " of ", guesses.elements, " elements of the plain machine-tier cases");
      }
    }
    return absl::OkStatus();
  }

  absl::Status Guess(const contract::Compare& compare, const Case& at, Guesses& guesses) const {
    auto tensors = contract::TensorsOf(w_, at);
    if (!tensors.ok()) return tensors.status();
    const auto output = std::find_if(
        tensors->begin(), tensors->end(),
        [&](const contract::CaseTensor& tensor) { return tensor.tensor->name == compare.output; });
    if (output->elements < kGuessedElementsMin) return absl::OkStatus();
    const auto drawn = DrawInputs(w_, at, *tensors, kSeed, 0, 1);
    if (!drawn.ok()) return drawn.status();
    const auto& inputs = drawn->inputs;
    std::vector<double> want(static_cast<size_t>(output->elements)), scale(want.size());
    builtin_.evaluate(inputs, compare.output, {0, output->elements, want.data(), scale.data()});
    double sum = 0;
    for (double value : want) sum += value;
    int64_t reduction = 0;
    if (!compare.reduction.empty()) {
      const auto length = contract::EvaluateSize(compare.reduction, at.dims);
      if (!length.ok()) return length.status();
      reduction = *length;
    }
    const auto right = [&](double answer) {
      const auto refused = Refuses(at, *output, inputs, [&](int64_t) { return answer; });
      return refused.ok() && !*refused;
    };
    ++guesses.cases;
    guesses.zero += right(0);
    guesses.mean += right(sum / static_cast<double>(want.size()));
    guesses.first += right(want.front());
    if (compare.metric != Metric::kScaled) return absl::OkStatus();
    for (size_t i = 0; i < want.size(); ++i) {
      if (want[i] == 0 || !std::isfinite(want[i])) continue;
      const double allowed = Allowed(compare, output->tensor->dtype, reduction, want[i], scale[i]);
      ++guesses.elements;
      guesses.loose += allowed >= kHalf * std::abs(want[i]);
    }
    return absl::OkStatus();
  }

  const contract::Workload& w_;
  const reference::Builtin& builtin_;
  std::vector<LintFinding> findings_;
};

}  // namespace

const std::vector<LintRule>& LintRules() {
  static const std::vector<LintRule> kRules = {
      {kForm, "a contract must be whole: names, sizes, generators and comparisons that exist"},
      {kUnused, "a program that never reads the input would pass"},
      {kFixed, "a program with the answers of one set of contents built in would pass"},
      {kAnswer, "a program that computes nothing would pass"},
      {kBound, "a program that is wrong by half would pass where the bound is that wide"},
      {kOneArg, "a program with the arg's value built in would pass"},
      {kArg, "a program with the arg's value built in, or half of it, would pass"},
      {kNoVariant, "a program that is right for one kind of contents alone would pass"},
      {kSpecials, "a program that loses NaN or infinities would pass"},
      {kTies, "a program that chooses wrongly among equal elements would pass"},
      {kLarge, "a program with too narrow an accumulator would pass"},
      {kFew, "a program for one size alone would pass"},
      {kLow, "a program that fails on the smallest size would pass"},
      {kSets, "a program is searched on some cases, checked on their edges, confirmed on others"},
  };
  return kRules;
}

absl::StatusOr<std::vector<LintFinding>> LintContract(const contract::Workload& workload) {
  std::vector<LintFinding> out;
  for (std::string& fault : contract::Lint(workload)) out.push_back({kForm, std::move(fault)});
  if (!out.empty() || workload.reference.builtin.empty()) return out;
  const auto builtin = reference::FindBuiltin(workload.reference.builtin);
  if (!builtin.ok()) return builtin.status();
  if (auto status = reference::CheckBuiltin(**builtin, workload); !status.ok()) return status;
  return Linter(workload, **builtin).Run();
}

}  // namespace runner::oracle
