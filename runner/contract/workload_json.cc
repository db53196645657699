// Canonical JSON of a contract, and back: the form in which it is hashed, stored and sent to
// workers.
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/contract/hash.h"
#include "runner/contract/workload.h"

namespace runner::contract {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

std::string Text(std::string_view word) { return std::string(word); }

json TensorJson(const Tensor& tensor) {
  json out = {{"name", tensor.name},
              {"dtype", Text(ToString(tensor.dtype))},
              {"shape", tensor.shape},
              {"strides", tensor.strides},
              {"role", Text(ToString(tensor.role))},
              {"content", Text(ToString(tensor.content))}};
  // Only where they say something: contracts whose tensors are touched whole keep their hashes.
  if (!tensor.touched.empty()) out["touched"] = tensor.touched;
  if (tensor.overwritten) out["overwritten"] = true;
  if (tensor.alignment > 0) out["alignment"] = tensor.alignment;
  return out;
}
json CaseJson(const Case& at) {
  return {{"name", at.name},
          {"tier", Text(ToString(at.tier))},
          {"set", Text(ToString(at.set))},
          {"weight", at.weight},
          {"dims", at.dims},
          {"variant", at.variant},
          {"args", at.args}};
}
// JSON numbers have no negative zero in their canonical form, and as an input it matters: it is
// text.
constexpr char kNegativeZero[] = "-0";
json Signed(double value) {
  if (value == 0 && std::signbit(value)) return kNegativeZero;
  return value;
}
double ReadSigned(const json& value) { return value == kNegativeZero ? -0.0 : value.get<double>(); }

json GeneratorJson(const Generator& generator) {
  json out = {{"tensor", generator.tensor},
              {"variant", generator.variant},
              {"dist", Text(ToString(generator.dist))},
              {"first", Signed(generator.first)},
              {"second", Signed(generator.second)},
              {"seed_policy", Text(ToString(generator.seed_policy))}};
  // Only where it says something: contracts without index tensors keep their hashes.
  if (!generator.range.empty()) out["range"] = generator.range;
  return out;
}
json CompareJson(const Compare& compare) {
  json out = {
      {"output", compare.output},           {"metric", Text(ToString(compare.metric))},
      {"reduction", compare.reduction},     {"operations", compare.operations},
      {"output_ulps", compare.output_ulps}, {"accumulator", Text(ToString(compare.accumulator))}};
  if (compare.operand != compiler::ir::DType::kUnknown) {
    out["operand"] = Text(ToString(compare.operand));
  }
  if (compare.flush) out["flush"] = true;
  return out;
}

// Reading. nlohmann throws on a wrong type; FromJson catches at this edge.
template <typename Enum>
Enum Parse(const json& value, int count) {
  const auto word = value.get<std::string>();
  for (int i = 0; i < count; ++i) {
    if (ToString(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  throw std::invalid_argument("unknown word " + word);
}
compiler::ir::DType ParseType(const json& value) {
  const auto dtype = compiler::ir::ParseDType(value.get<std::string>());
  if (!dtype) throw std::invalid_argument("unknown dtype " + value.get<std::string>());
  return *dtype;
}
std::vector<std::string> Strings(const json& value) {
  return value.get<std::vector<std::string>>();
}

void ReadShape(const json& in, Workload& out) {
  for (const json& d : in.at("dims")) out.dims.push_back({d.at("name"), d.at("low"), d.at("high")});
  for (const json& t : in.at("tensors")) {
    out.tensors.push_back({t.at("name"), ParseType(t.at("dtype")), Strings(t.at("shape")),
                           Strings(t.at("strides")), Parse<Role>(t.at("role"), 3),
                           Parse<Content>(t.at("content"), 2), t.value("touched", std::string()),
                           t.value("overwritten", false), t.value("alignment", int64_t{0})});
  }
  for (const json& a : in.at("args")) {
    out.args.push_back({a.at("name"), ParseType(a.at("dtype")), a.at("value"),
                        a.value("values", std::vector<double>())});
  }
  for (const json& c : in.at("cases")) {
    out.cases.push_back({c.at("name"), Parse<Tier>(c.at("tier"), 2), Parse<Set>(c.at("set"), 3),
                         c.at("weight"), c.at("dims").get<std::map<std::string, int64_t>>(),
                         c.at("variant"), c.at("args").get<std::map<std::string, double>>()});
  }
}
void ReadRules(const json& in, Workload& out) {
  for (const json& g : in.at("generators")) {
    out.generators.push_back({g.at("tensor"), g.at("variant"), Parse<Dist>(g.at("dist"), kDists),
                              ReadSigned(g.at("first")), ReadSigned(g.at("second")),
                              Parse<SeedPolicy>(g.at("seed_policy"), 2),
                              g.value("range", std::string())});
  }
  out.reference = {in.at("reference").at("builtin"),
                   {Strings(in.at("reference").at("argv")), in.at("reference").at("timeout_s")}};
  for (const json& c : in.at("compare")) {
    out.compare.push_back({c.at("output"), Parse<Metric>(c.at("metric"), kMetrics),
                           c.at("reduction"), c.at("operations"), c.at("output_ulps"),
                           ParseType(c.at("accumulator"))});
    if (c.contains("operand")) out.compare.back().operand = ParseType(c.at("operand"));
    out.compare.back().flush = c.value("flush", false);
  }
  for (const json& s : in.at("specialise")) {
    out.specialise.push_back({s.at("dim"), s.at("arg"), s.at("search_only")});
  }
}

}  // namespace

std::string ToCanonicalJson(const Workload& workload) {
  json out = {{"schema", kSchema},
              {"name", workload.name},
              {"summary", workload.summary},
              {"protocol", workload.protocol},
              {"baseline", workload.baseline},
              {"visibility", Text(ToString(workload.visibility))},
              {"determinism", Text(ToString(workload.determinism))}};
  for (const char* list :
       {"dims", "tensors", "args", "cases", "generators", "compare", "specialise"}) {
    out[list] = json::array();
  }
  for (const Dim& d : workload.dims)
    out["dims"].push_back({{"name", d.name}, {"low", d.low}, {"high", d.high}});
  for (const Tensor& t : workload.tensors) out["tensors"].push_back(TensorJson(t));
  for (const Arg& a : workload.args) {
    out["args"].push_back(
        {{"name", a.name}, {"dtype", Text(ToString(a.dtype))}, {"value", a.value}});
    // Contracts without arrays keep the text that their hash is made of.
    if (!a.values.empty()) out["args"].back()["values"] = a.values;
  }
  for (const Case& c : workload.cases) out["cases"].push_back(CaseJson(c));
  for (const Generator& g : workload.generators) out["generators"].push_back(GeneratorJson(g));
  for (const Compare& c : workload.compare) out["compare"].push_back(CompareJson(c));
  for (const Specialise& s : workload.specialise) {
    out["specialise"].push_back({{"dim", s.dim}, {"arg", s.arg}, {"search_only", s.search_only}});
  }
  if (!workload.baseline_command.argv.empty()) {
    out["baseline_command"] = {{"argv", workload.baseline_command.argv},
                               {"timeout_s", workload.baseline_command.timeout_s}};
  }
  out["reference"] = {{"builtin", workload.reference.builtin},
                      {"argv", workload.reference.command.argv},
                      {"timeout_s", workload.reference.command.timeout_s}};
  return CanonicalJson(out.dump());
}

absl::StatusOr<Workload> FromJson(std::string_view text) {
  try {
    const json in = json::parse(text);
    if (in.at("schema") != kSchema) return absl::InvalidArgumentError("contract: unknown schema");
    Workload out{.name = in.at("name"), .summary = in.at("summary")};
    ReadShape(in, out);
    ReadRules(in, out);
    out.protocol = in.at("protocol");
    out.baseline = in.at("baseline");
    if (in.contains("baseline_command")) {
      const json& command = in.at("baseline_command");
      out.baseline_command = {command.at("argv").get<std::vector<std::string>>(),
                              command.at("timeout_s")};
    }
    out.visibility = Parse<Visibility>(in.at("visibility"), 2);
    out.determinism = Parse<Determinism>(in.at("determinism"), 2);
    return out;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("contract: ", error.what()));
  }
}

std::string Hash(const Workload& workload) { return Sha256Hex(ToCanonicalJson(workload)); }

}  // namespace runner::contract
