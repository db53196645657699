// The contract linter: reports what makes a contract unusable or weak before any program is judged
// by it. It does not run the reference: whether every input matters to some output is asked by the
// oracle's own check.
#include <algorithm>
#include <cctype>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/ir/packed.h"
#include "runner/contract/numbers.h"
#include "runner/contract/workload.h"

namespace runner::contract {
namespace {

using compiler::ir::Info;

bool IsName(std::string_view text) {
  if (text.empty() || text.size() > 64 || !(std::isalpha(static_cast<unsigned char>(text[0]))))
    return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

class Linter {
 public:
  explicit Linter(const Workload& workload) : w_(workload) {}

  std::vector<std::string> Run() {
    Names();
    Tensors();
    for (const Case& at : w_.cases) CheckCase(at);
    CaseCounts();
    for (const Dim& dim : w_.dims) Gaps(dim);
    Generators();
    for (const Generator& generator : w_.generators) IndexContents(generator);
    Compares();
    Rest();
    return std::move(faults_);
  }

 private:
  template <typename... Parts>
  void Fault(const Parts&... parts) {
    faults_.push_back(absl::StrCat(parts...));
  }

  void Unique(std::string_view kind, const std::string& name, std::set<std::string>& seen) {
    if (!IsName(name))
      Fault(std::string(kind), " `", name, "`: not a name of at most 64 characters");
    if (!seen.insert(name).second) Fault(std::string(kind), " `", name, "` is declared twice");
  }

  void Names() {
    if (!IsName(w_.name)) Fault("workload `", w_.name, "`: not a name of at most 64 characters");
    if (w_.dims.size() > kDimsMax || w_.tensors.size() > kTensorsMax || w_.args.size() > kArgsMax ||
        w_.cases.size() > kCasesMax || w_.generators.size() > kGeneratorsMax) {
      Fault("too many dims, tensors, args, cases or generators");
    }
    std::set<std::string> values, cases;
    for (const Dim& dim : w_.dims) {
      Unique("dim", dim.name, values);
      if (dim.low < 0 || dim.high < dim.low)
        Fault("dim `", dim.name, "`: range ", dim.low, "..=", dim.high);
    }
    for (const Tensor& tensor : w_.tensors) Unique("tensor", tensor.name, values);
    for (const Arg& arg : w_.args) {
      Unique("arg", arg.name, values);
      if (arg.values.size() > kArgValuesMax)
        Fault("arg `", arg.name, "`: ", arg.values.size(), " values; at most ", kArgValuesMax);
      if (!arg.values.empty() && arg.value != 0)
        Fault("arg `", arg.name, "`: `value` or `values`, not both");
    }
    for (const Case& at : w_.cases) Unique("case", at.name, cases);
  }

  void Tensors() {
    bool in = false, out = false;
    for (const Tensor& tensor : w_.tensors) {
      in |= tensor.role != Role::kOut;
      out |= tensor.role != Role::kIn;
      if (tensor.shape.size() > kRankMax)
        Fault("tensor `", tensor.name, "`: rank above ", kRankMax);
      if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size()) {
        Fault("tensor `", tensor.name, "`: ", tensor.strides.size(), " strides for rank ",
              tensor.shape.size());
      }
      if (Info(tensor.dtype).bits % 8 != 0 || !Info(tensor.dtype).in_this_build ||
          compiler::ir::IsPacked(tensor.dtype)) {
        Fault("tensor `", tensor.name, "`: dtype ", std::string(ToString(tensor.dtype)),
              " is not in this build");
      }
      const int64_t bytes = Info(tensor.dtype).bits / 8, alignment = AlignmentOf(tensor);
      if (alignment < bytes || alignment > kAllocationAlignment ||
          (alignment & (alignment - 1)) != 0) {
        Fault("tensor `", tensor.name, "`: alignment ", alignment, " is no power of two from ",
              bytes, " to ", kAllocationAlignment);
      }
      if (tensor.overwritten && tensor.role != Role::kInOut)
        Fault("tensor `", tensor.name, "`: only an inout can be overwritten");
    }
    if (!in) Fault("no input tensor");
    if (!out) Fault("no output tensor");
  }

  void CheckCase(const Case& at) {
    for (const Dim& dim : w_.dims) {
      const auto value = at.dims.find(dim.name);
      if (value == at.dims.end()) {
        Fault("case `", at.name, "`: dim ", dim.name, " has no value");
      } else if (value->second < dim.low || value->second > dim.high) {
        Fault("case `", at.name, "`: ", dim.name, " = ", value->second, " is outside ", dim.low,
              "..=", dim.high);
      }
    }
    for (const auto& [name, value] : at.dims) {
      const bool known =
          std::any_of(w_.dims.begin(), w_.dims.end(), [&](const Dim& d) { return d.name == name; });
      if (!known) Fault("case `", at.name, "`: unknown dim ", name);
    }
    for (const auto& [name, value] : at.args) {
      const bool known = std::any_of(w_.args.begin(), w_.args.end(), [&](const Arg& a) {
        const std::vector<std::string> names = NamesOf(a);
        return a.name == name || std::find(names.begin(), names.end(), name) != names.end();
      });
      if (!known) Fault("case `", at.name, "`: unknown arg ", name);
    }
    const bool scored = at.tier == Tier::kDevice && at.set == Set::kSearch;
    if (scored != (at.weight > 0)) {
      Fault("case `", at.name, "`: weight ", at.weight,
            "; device-tier search cases have one, others none");
    }
    if (!at.variant.empty() &&
        std::none_of(w_.generators.begin(), w_.generators.end(),
                     [&](const Generator& g) { return g.variant == at.variant; })) {
      Fault("case `", at.name, "`: no generator has variant `", at.variant, "`");
    }
    const auto tensors = TensorsOf(w_, at);
    if (!tensors.ok()) {
      Fault("case `", at.name, "`: ", std::string(tensors.status().message()));
      return;
    }
    for (const CaseTensor& tensor : *tensors) LieApart(at, tensor);
  }

  // Two elements of an output in the same bytes have no one right value. Steps of each dimension
  // have to lead over all that the smaller ones reach.
  void LieApart(const Case& at, const CaseTensor& tensor) {
    if (tensor.tensor->role == Role::kIn || tensor.elements == 0) return;
    std::vector<std::pair<int64_t, int64_t>> steps;  // stride, extent
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
      if (tensor.shape[d] > 1) steps.emplace_back(tensor.strides[d], tensor.shape[d]);
    }
    std::sort(steps.begin(), steps.end());
    int64_t reached = 0;
    for (const auto& [stride, extent] : steps) {
      if (stride <= reached) {
        Fault("case `", at.name, "`: elements of output `", tensor.tensor->name, "` that lie ",
              stride, " apart run into others, which reach ", reached);
        return;
      }
      reached += (extent - 1) * stride;
    }
  }

  void CaseCounts() {
    const auto machine = std::count_if(w_.cases.begin(), w_.cases.end(),
                                       [](const Case& at) { return at.tier == Tier::kMachine; });
    if (machine < kMachineCasesMin) {
      Fault(machine, " machine-tier cases, at least ", kMachineCasesMin, " are needed");
    }
  }

  // Whether a wrong element would show: no input that is drawn elsewhere is constant here.
  bool Informative(const Case& at) const {
    for (const Tensor& tensor : w_.tensors) {
      if (tensor.role == Role::kOut) continue;
      const Generator* plain = FindGenerator(w_, tensor.name, "");
      const Generator* here = FindGenerator(w_, tensor.name, at.variant);
      if (plain == nullptr || plain->dist == Dist::kConstant) continue;
      if (here->dist == Dist::kConstant) return false;
    }
    return true;
  }

  // Sizes choose between the paths of a program: a span of sizes that no case draws contents for
  // lets a program pass that is wrong there alone.
  void Gaps(const Dim& dim) {
    std::set<int64_t> sizes;
    for (const Case& at : w_.cases) {
      const auto value = at.dims.find(dim.name);
      if (at.tier != Tier::kMachine || value == at.dims.end() || !Informative(at)) continue;
      sizes.insert(std::max<int64_t>(value->second, 1));
    }
    for (auto high = sizes.begin(), low = high; high != sizes.end(); low = high++) {
      if (*high <= *low * kSizeGapMax) continue;
      Fault("dim `", dim.name, "`: machine-tier cases draw contents at ", *low, " and ", *high,
            " and nowhere between; neighbours at most a factor of ", kSizeGapMax, " apart");
    }
  }

  void IndexContents(const Generator& generator) {
    const Tensor* tensor = FindTensor(w_, generator.tensor);
    if (tensor == nullptr || !IsIndexDist(generator.dist)) return;
    const std::string where = absl::StrCat("generator of `", generator.tensor, "`, ",
                                           std::string(ToString(generator.dist)));
    if (!Info(tensor->dtype).is_integer) Fault(where, ": indices need an integer dtype");
    if (generator.dist == Dist::kOffsets && tensor->shape.size() != 1) {
      Fault(where, ": offsets are a tensor of rank 1");
    }
    for (const Case& at : w_.cases) {
      if (FindGenerator(w_, generator.tensor, at.variant) != &generator) continue;
      const auto range = EvaluateSize(generator.range, at.dims);
      const auto tensors = TensorsOf(w_, at);
      if (!tensors.ok()) return;  // reported with the case
      const auto shape = std::find_if(tensors->begin(), tensors->end(),
                                      [&](const CaseTensor& t) { return t.tensor == tensor; });
      const int64_t least = generator.dist == Dist::kDistinct ? shape->elements
                            : generator.dist == Dist::kBelow ? std::min<int64_t>(shape->elements, 1)
                                                             : 0;
      if (!range.ok()) {
        Fault(where, ": ", std::string(range.status().message()));
        return;
      }
      if (*range >= least) continue;
      Fault(where, ": range ", generator.range, " = ", *range, " of case `", at.name, "` is below ",
            least);
      return;
    }
  }

  void Generators() {
    std::set<std::pair<std::string, std::string>> seen;
    for (const Generator& generator : w_.generators) {
      const Tensor* tensor = FindTensor(w_, generator.tensor);
      if (tensor == nullptr || tensor->role == Role::kOut) {
        Fault("generator of `", generator.tensor, "`: no such input");
        continue;
      }
      if (!seen.insert({generator.tensor, generator.variant}).second) {
        Fault("generator of `", generator.tensor, "`, variant `", generator.variant,
              "`: given twice");
      }
      const bool is_float = Info(tensor->dtype).is_float;
      if (!is_float && generator.dist != Dist::kUniform && generator.dist != Dist::kConstant &&
          generator.dist != Dist::kTies && !IsIndexDist(generator.dist)) {
        Fault("generator of `", generator.tensor, "`: ", std::string(ToString(generator.dist)),
              " needs a float dtype");
      }
      if (const std::string fault = NumbersFault(generator, tensor->dtype); !fault.empty()) {
        Fault("generator of `", generator.tensor, "`, ", std::string(ToString(generator.dist)),
              ": ", fault);
      }
      if (generator.dist == Dist::kSpecials && tensor->content == Content::kFinite) {
        Fault("generator of `", generator.tensor,
              "`: specials in a tensor whose content is finite");
      }
    }
    for (const Tensor& tensor : w_.tensors) {
      if (tensor.role != Role::kOut && FindGenerator(w_, tensor.name, "") == nullptr) {
        Fault("input `", tensor.name, "` has no plain generator");
      }
    }
  }

  void Compares() {
    std::set<std::string> seen;
    for (const Compare& compare : w_.compare) {
      const Tensor* tensor = FindTensor(w_, compare.output);
      if (tensor == nullptr || tensor->role == Role::kIn) {
        Fault("comparison of `", compare.output, "`: no such output");
        continue;
      }
      if (!seen.insert(compare.output).second)
        Fault("comparison of `", compare.output, "`: given twice");
      const bool is_float = Info(tensor->dtype).is_float;
      if (!is_float && compare.metric == Metric::kScaled) {
        Fault("comparison of `", compare.output, "`: integers are compared exactly or by regret");
      }
      if (is_float && compare.metric == Metric::kRegret) {
        Fault("comparison of `", compare.output, "`: regret is of integers that name an element");
      }
      for (const Case& at : w_.cases) {
        if (compare.reduction.empty()) break;
        if (const auto length = EvaluateSize(compare.reduction, at.dims); !length.ok()) {
          Fault("comparison of `", compare.output, "`: ", std::string(length.status().message()));
          break;
        }
      }
    }
    for (const Tensor& tensor : w_.tensors) {
      if (tensor.role != Role::kIn && !seen.contains(tensor.name)) {
        Fault("output `", tensor.name, "` has no comparison");
      }
    }
  }

  void Rest() {
    if (w_.reference.builtin.empty() == w_.reference.command.argv.empty()) {
      Fault("reference: exactly one of builtin and command");
    }
    if (w_.protocol.empty()) Fault("no timing protocol");
    if (!w_.protocol.empty() && !w_.protocol.starts_with(kColdProtocol) &&
        !w_.protocol.starts_with(kGraphProtocol) && w_.protocol != kCaseProtocol)
      Fault("no timing protocol is called `", w_.protocol, "`");
    if ((w_.baseline == kCommandBaseline) == w_.baseline_command.argv.empty())
      Fault("baseline: `command` and a baseline_command go together");
    if (w_.baseline == kCublasLtBaseline && w_.reference.builtin != "gemm")
      Fault("baseline: cuBLASLt computes contracts of reference `gemm` alone");
    for (const Specialise& one : w_.specialise) {
      const bool dim = std::any_of(w_.dims.begin(), w_.dims.end(),
                                   [&](const Dim& d) { return d.name == one.dim; });
      const bool arg = std::any_of(w_.args.begin(), w_.args.end(),
                                   [&](const Arg& a) { return a.name == one.arg; });
      if (dim == arg) Fault("specialise: exactly one known dim or arg");
    }
  }

  const Workload& w_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> Lint(const Workload& workload) { return Linter(workload).Run(); }

}  // namespace runner::contract
