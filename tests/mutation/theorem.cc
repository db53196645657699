#include "tests/mutation/theorem.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "compiler/machine/machine.h"
#include "server/pipeline/pipeline.h"
#include "tests/mutation/cake_text.h"
#include "tests/mutation/explorer.h"
#include "tests/mutation/generate.h"

namespace mutation {
namespace {

constexpr int64_t kMaxStates = 200'000;

using server::pipeline::Candidate;
using server::pipeline::Member;
using server::pipeline::Stage;

}  // namespace

std::optional<std::string> JudgeProtocol(const Protocol& protocol,
                                         compiler::machine::PremiseMask unchecked) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  options.policy.unchecked = unchecked;
  const Candidate candidate(CakeText(protocol), options);
  if (!candidate.ok()) return std::nullopt;
  const Member member = candidate.CheckMember(candidate.Bind({}).value());
  if (member.stage < Stage::kGates) return std::nullopt;
  for (const auto& d : member.report.diagnostics()) {
    if (d.severity == compiler::diag::Severity::kError) return std::string(d.code);
  }
  return "";
}

Tally CheckTheorem(uint64_t first, int64_t count, compiler::machine::PremiseMask unchecked) {
  Tally tally;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t seed = first + static_cast<uint64_t>(i);
    const Protocol protocol = Generate(seed);
    ++tally.protocols;
    const std::optional<std::string> code = JudgeProtocol(protocol, unchecked);
    if (!code) {
      ++tally.refused;
      continue;
    }
    const Explored explored = Explore(protocol, kMaxStates);
    if (explored.fate == Fate::kTooLarge) {
      ++tally.unresolved;
      continue;
    }
    const bool good = explored.fate == Fate::kOk;
    if (code->empty()) {
      ++tally.accepted;
      if (!good) tally.false_accepts.push_back(seed);
    } else {
      ++tally.rejected;
      ++tally.fates[std::string(ToString(explored.fate))];
      if (good) {
        ++tally.false_rejects[*code];
        tally.witnesses.emplace(*code, static_cast<int64_t>(seed));
      }
    }
  }
  return tally;
}

std::string ToJson(const Tally& tally) {
  std::string text = "{\"protocols\": " + std::to_string(tally.protocols) +
                     ", \"accepted\": " + std::to_string(tally.accepted) +
                     ", \"rejected\": " + std::to_string(tally.rejected) +
                     ", \"refused\": " + std::to_string(tally.refused) +
                     ", \"unresolved\": " + std::to_string(tally.unresolved);
  const auto map = [&](const char* name, const std::map<std::string, int64_t>& of) {
    text += std::string(", \"") + name + "\": {";
    const char* comma = "";
    for (const auto& [key, value] : of) {
      text += comma + ("\"" + key + "\": ") + std::to_string(value);
      comma = ", ";
    }
    text += "}";
  };
  map("fates_of_rejected", tally.fates);
  map("false_rejects", tally.false_rejects);
  map("witnesses", tally.witnesses);
  text += ", \"false_accepts\": [";
  for (size_t i = 0; i < tally.false_accepts.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(tally.false_accepts[i]);
  }
  return text + "]}";
}

}  // namespace mutation
