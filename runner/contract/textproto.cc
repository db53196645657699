// The only place that knows the contract's wire form: text -> message -> plain values.
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/str_cat.h"
#include "cake/v1/workload.pb.h"
#include "runner/contract/workload.h"

namespace runner::contract {
namespace {

namespace pb = cake::v1;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

absl::StatusOr<compiler::ir::DType> DTypeOf(const std::string& name, std::string_view where,
                                            std::string_view otherwise) {
  const std::string_view word = name.empty() ? otherwise : std::string_view(name);
  if (name.empty() && word == "unknown") return compiler::ir::DType::kUnknown;
  const auto dtype = compiler::ir::ParseDType(word);
  if (!dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(where), ": unknown dtype `", name, "`"));
  }
  return *dtype;
}

// Text may give an enum by number, and proto3 keeps unknown numbers: each must have a name.
absl::Status CheckEnums(const google::protobuf::Message& message) {
  const auto& reflection = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const auto* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
        if (field->is_map()) break;  // maps hold numbers only
        const auto& inner = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                 : reflection.GetMessage(message, field);
        if (auto status = CheckEnums(inner); !status.ok()) return status;
      } else if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_ENUM) {
        const int value = reflection.GetEnumValue(message, field);
        if (field->enum_type()->FindValueByNumber(value) == nullptr) {
          return absl::InvalidArgumentError(
              absl::StrCat("field ", field->name(), ": no value has number ", value));
        }
      }
    }
  }
  return absl::OkStatus();
}

// Unset (0) means the first named value of the list, as the proto file says.
template <typename Enum>
Enum FromWire(int value) {
  return static_cast<Enum>(value == 0 ? 0 : value - 1);
}

template <typename Repeated>
std::vector<std::string> Strings(const Repeated& list) {
  return {list.begin(), list.end()};
}

absl::Status ReadTensors(const pb::Workload& in, Workload& out) {
  for (const pb::WorkloadTensor& tensor : in.tensors()) {
    const auto dtype = DTypeOf(tensor.dtype(), absl::StrCat("tensor ", tensor.name()), "");
    if (!dtype.ok()) return dtype.status();
    if (tensor.role() == pb::WORKLOAD_ROLE_UNSPECIFIED) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", tensor.name(), ": role is missing"));
    }
    out.tensors.push_back({.name = tensor.name(),
                           .dtype = *dtype,
                           .shape = Strings(tensor.shape()),
                           .strides = Strings(tensor.strides()),
                           .role = FromWire<Role>(tensor.role()),
                           .content = FromWire<Content>(tensor.content()),
                           .touched = tensor.touched(),
                           .overwritten = tensor.overwritten(),
                           .alignment = tensor.alignment()});
  }
  for (const pb::WorkloadArg& arg : in.args()) {
    const auto dtype = DTypeOf(arg.dtype(), absl::StrCat("arg ", arg.name()), "");
    if (!dtype.ok()) return dtype.status();
    out.args.push_back({.name = arg.name(),
                        .dtype = *dtype,
                        .value = arg.value(),
                        .values = {arg.values().begin(), arg.values().end()}});
  }
  return absl::OkStatus();
}

absl::Status ReadCases(const pb::Workload& in, Workload& out) {
  for (const pb::WorkloadCase& at : in.cases()) {
    if (at.tier() == pb::WORKLOAD_TIER_UNSPECIFIED || at.set() == pb::WORKLOAD_SET_UNSPECIFIED) {
      return absl::InvalidArgumentError(
          absl::StrCat("case ", at.name(), ": tier and set must be given"));
    }
    out.cases.push_back({.name = at.name(),
                         .tier = FromWire<Tier>(at.tier()),
                         .set = FromWire<Set>(at.set()),
                         .weight = at.weight(),
                         .dims = {at.dims().begin(), at.dims().end()},
                         .variant = at.variant(),
                         .args = {at.args().begin(), at.args().end()}});
  }
  return absl::OkStatus();
}

absl::StatusOr<Generator> ReadGenerator(const pb::WorkloadGenerator& in) {
  Generator out{.tensor = in.tensor(),
                .variant = in.variant(),
                .seed_policy = FromWire<SeedPolicy>(in.seed_policy())};
  switch (in.dist_case()) {
    case pb::WorkloadGenerator::kNormal:
      out.dist = Dist::kNormal, out.first = in.normal().mean(), out.second = in.normal().stddev();
      return out;
    case pb::WorkloadGenerator::kUniform:
      out.dist = Dist::kUniform, out.first = in.uniform().low(), out.second = in.uniform().high();
      return out;
    case pb::WorkloadGenerator::kConstant:
      out.dist = Dist::kConstant, out.first = in.constant().value(), out.second = 0;
      return out;
    case pb::WorkloadGenerator::kDenormal:
      out.dist = Dist::kDenormal, out.first = 0, out.second = 0;
      return out;
    case pb::WorkloadGenerator::kSpecials:
      out.dist = Dist::kSpecials, out.first = in.specials().fraction();
      out.second = in.specials().stddev();
      return out;
    case pb::WorkloadGenerator::kTies:
      out.dist = Dist::kTies, out.first = in.ties().levels(), out.second = in.ties().step();
      return out;
    case pb::WorkloadGenerator::kBelow:
      out.dist = Dist::kBelow, out.first = 0, out.second = 0, out.range = in.below().range();
      return out;
    case pb::WorkloadGenerator::kDistinct:
      out.dist = Dist::kDistinct, out.first = in.distinct().holes(), out.second = 0;
      out.range = in.distinct().range();
      return out;
    case pb::WorkloadGenerator::kOffsets:
      out.dist = Dist::kOffsets, out.first = in.offsets().empty(), out.second = 0;
      out.range = in.offsets().range();
      return out;
    case pb::WorkloadGenerator::DIST_NOT_SET: break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("generator of ", in.tensor(), ": no distribution is given"));
}

absl::Status ReadRest(const pb::Workload& in, Workload& out) {
  for (const pb::WorkloadGenerator& generator : in.generators()) {
    auto one = ReadGenerator(generator);
    if (!one.ok()) return one.status();
    out.generators.push_back(*std::move(one));
  }
  out.reference.builtin = in.reference().builtin();
  out.reference.command = {.argv = Strings(in.reference().command().argv()),
                           .timeout_s = in.reference().command().timeout_s()};
  for (const pb::WorkloadCompare& compare : in.compare()) {
    const auto dtype =
        DTypeOf(compare.accumulator(), absl::StrCat("compare ", compare.output()), "f32");
    if (!dtype.ok()) return dtype.status();
    const auto operand =
        DTypeOf(compare.operand(), absl::StrCat("compare ", compare.output()), "unknown");
    if (!operand.ok()) return operand.status();
    out.compare.push_back({.output = compare.output(),
                           .metric = FromWire<Metric>(compare.metric()),
                           .reduction = compare.reduction(),
                           .operations = compare.operations(),
                           .output_ulps = compare.output_ulps(),
                           .accumulator = *dtype,
                           .operand = *operand,
                           .flush = compare.flush()});
  }
  for (const pb::WorkloadSpecialise& one : in.specialise()) {
    out.specialise.push_back(
        {.dim = one.dim(), .arg = one.arg(), .search_only = one.search_only()});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Workload> ParseTextproto(std::string_view text) {
  if (static_cast<int64_t>(text.size()) > kContractBytesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("contract has ", text.size(), " bytes, limit ", kContractBytesMax));
  }
  pb::Workload message;
  FirstError errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(16);
  if (!parser.ParseFromString(std::string(text), &message)) {
    return absl::InvalidArgumentError(errors.text.empty() ? "contract does not parse"
                                                          : errors.text);
  }
  if (auto status = CheckEnums(message); !status.ok()) return status;
  Workload out{.name = message.name(), .summary = message.summary()};
  for (const pb::WorkloadDim& dim : message.dims()) {
    out.dims.push_back({.name = dim.name(), .low = dim.low(), .high = dim.high()});
  }
  if (auto status = ReadTensors(message, out); !status.ok()) return status;
  if (auto status = ReadCases(message, out); !status.ok()) return status;
  if (auto status = ReadRest(message, out); !status.ok()) return status;
  out.protocol = message.protocol();
  out.baseline = message.baseline();
  out.baseline_command = {.argv = Strings(message.baseline_command().argv()),
                          .timeout_s = message.baseline_command().timeout_s()};
  out.visibility = FromWire<Visibility>(message.visibility());
  out.determinism = FromWire<Determinism>(message.determinism());
  return out;
}

}  // namespace runner::contract
