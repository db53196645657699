#include "runner/launch/marks_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace runner::launch {
namespace {

using nlohmann::json;

constexpr size_t kRunsMax = 64, kWordsMax = 4096;

// 64-bit words travel as text: JSON numbers lose bits in many readers.
json Words(const std::vector<uint64_t>& words) {
  json out = json::array();
  for (const uint64_t word : words) out.push_back(std::to_string(word));
  return out;
}
uint64_t Word(const json& text) { return std::stoull(text.get<std::string>()); }
std::vector<uint64_t> ReadWords(const json& in) {
  if (in.size() > kWordsMax) throw std::invalid_argument("marks");
  std::vector<uint64_t> out;
  for (const json& word : in) out.push_back(Word(word));
  return out;
}

json Named(const std::map<std::string, uint64_t>& words) {
  json out = json::object();
  for (const auto& [name, word] : words) out[name] = std::to_string(word);
  return out;
}
std::map<std::string, uint64_t> ReadNamed(const json& in) {
  std::map<std::string, uint64_t> out;
  for (const auto& [name, word] : in.items()) out[name] = Word(word);
  return out;
}

}  // namespace

json ToJson(const MarksOrder& order) {
  json runs = json::array();
  for (const MarksOrder::Run& run : order.runs) {
    runs.push_back(
        {{"known", run.known}, {"inputs", Named(run.inputs)}, {"accepted", Named(run.accepted)}});
  }
  return {{"key", std::to_string(order.key)},
          {"images", order.images},
          {"timed", order.timed},
          {"runs", runs},
          {"heads", order.heads}};
}

MarksOrder MarksOrderFromJson(const json& in) {
  MarksOrder out{.key = Word(in.at("key")), .images = in.at("images"), .timed = in.at("timed")};
  if (in.at("runs").size() > kRunsMax) throw std::invalid_argument("marks");
  for (const json& run : in.at("runs")) {
    out.runs.push_back(
        {run.at("known"), ReadNamed(run.at("inputs")), ReadNamed(run.at("accepted"))});
  }
  out.heads = in.at("heads").get<std::map<std::string, int64_t>>();
  return out;
}

json ToJson(const std::vector<RunMarks>& marks) {
  json out = json::array();
  for (const RunMarks& run : marks) {
    json outputs = json::array();
    for (const OutputMarks& o : run.outputs)
      outputs.push_back(Words({o.wrong, o.between, o.poisoned, o.outputs, o.accepted}));
    out.push_back({{"before", Words(run.before)},
                   {"after", Words(run.after)},
                   {"starts", Words(run.starts)},
                   {"outputs", outputs}});
  }
  return out;
}

std::vector<RunMarks> RunMarksFromJson(const json& in) {
  if (in.size() > kRunsMax) throw std::invalid_argument("marks");
  std::vector<RunMarks> out;
  for (const json& run : in) {
    RunMarks& marks = out.emplace_back();
    marks.before = ReadWords(run.at("before"));
    marks.after = ReadWords(run.at("after"));
    marks.starts = ReadWords(run.at("starts"));
    if (run.at("outputs").size() > kWordsMax) throw std::invalid_argument("marks");
    for (const json& one : run.at("outputs")) {
      const auto words = ReadWords(one);
      if (words.size() != 5) throw std::invalid_argument("marks");
      marks.outputs.push_back({words[0], words[1], words[2], words[3], words[4]});
    }
  }
  return out;
}

}  // namespace runner::launch
