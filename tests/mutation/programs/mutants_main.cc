// Changed programs of the corpus and of the cases, and what the gates say of each.
//   mutants run SEED MEMBERS PER_OPERATOR PER_OTHER SHARD SHARDS FILE..   a line of JSON each
//   mutants list MEMBERS FILE..      broken, equal and open changes by operator, and broken members
//   mutants changes FILE..           all changes, and what is known of each
//   mutants check FILE..             programs that the gates refuse unchanged
//   mutants show FILE PROGRAM CHANGE [NAME=VALUE..]             one, its lines and its findings
//   mutants emit FILE PROGRAM CHANGE FOLDER [NAME=VALUE..]      its CUDA and launches; -1: none
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tests/mutation/programs/campaign.h"

namespace {

using mutation::Program;

int Usage() {
  std::cerr << "usage: mutants run SEED MEMBERS PER_OPERATOR PER_OTHER SHARD SHARDS FILE.. | "
               "list MEMBERS FILE.. | changes FILE.. | check FILE.. | "
               "show FILE PROGRAM CHANGE [NAME=VALUE..] | "
               "emit FILE PROGRAM CHANGE FOLDER [NAME=VALUE..]\n";
  return 2;
}

constexpr std::string_view kKnown[] = {"broken", "equal", "open"};

// One by one: what is known of each.
int Changes(const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    for (size_t i = 0; i < program.changes.size(); ++i) {
      const mutation::Change& change = program.changes[i];
      std::cout << program.file << ":" << program.base->program().name.text << " " << i << " "
                << kKnown[static_cast<size_t>(change.known)] << " " << change.family << ": "
                << change.name << "\n";
    }
  }
  return 0;
}

// By operator: broken, equal and open changes; and broken ones with as many members.
int List(const std::vector<Program>& programs, int64_t members) {
  std::map<std::string, std::array<int64_t, 4>> counts;
  for (const Program& program : programs) {
    const auto with = static_cast<int64_t>(mutation::Members(*program.base, members, 1).size());
    const bool later = program.base->IsLater();
    for (const mutation::Change& change : program.changes) {
      auto& count = counts[change.family + ": " + change.name + (later ? " (sm_100)" : "")];
      ++count[static_cast<size_t>(change.known)];
      count[3] += change.known == mutation::Known::kBroken ? with : 0;
    }
  }
  for (const auto& [name, count] : counts) {
    for (const int64_t one : count) std::cout << one << " ";
    std::cout << name << "\n";
  }
  return 0;
}

int Check(const std::vector<Program>& programs) {
  int refused = 0;
  for (const Program& program : programs) {
    const std::string_view name = program.base->program().name.text;
    const mutation::Judged judged = mutation::JudgeText(program.base->source(), name, {}, "", {});
    if (judged.outcome == mutation::Outcome::kAccepted) continue;
    ++refused;
    std::cout << program.file << ":" << name;
    for (const std::string& code : judged.codes) std::cout << " " << code;
    std::cout << "\n";
  }
  std::cout << refused << " of " << programs.size() << " refused\n";
  return refused == 0 ? 0 : 1;
}

// NAME=VALUE.. from a word on.
mutation::Member MemberOf(const std::vector<std::string>& words, size_t from) {
  mutation::Member member;
  for (size_t i = from; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) continue;
    member[words[i].substr(0, equals)] = std::strtoll(words[i].c_str() + equals + 1, nullptr, 10);
  }
  return member;
}

// FOLDER/k.cu and, for each shape, FOLDER/N.plan.
int EmitOne(const std::vector<std::string>& words) {
  if (words.size() < 5) return Usage();
  const int64_t number = std::strtoll(words[3].c_str(), nullptr, 10);
  const mutation::Member member = MemberOf(words, 5);
  for (const Program& program : mutation::ReadPrograms({words[1]})) {
    const std::string name(program.base->program().name.text);
    if (name != words[2] || number >= static_cast<int64_t>(program.changes.size())) continue;
    const std::string source =
        number < 0 ? program.base->source()
                   : mutation::Apply(*program.base, program.changes[static_cast<size_t>(number)]);
    int at = 0;
    for (const auto& shape : mutation::Shapes(*program.base, member)) {
      const mutation::Emitted emitted = mutation::Emit(source, name, member, shape);
      if (emitted.plan.empty()) continue;
      std::ofstream(words[4] + "/k.cu") << emitted.cuda;
      std::ofstream(words[4] + "/" + std::to_string(at++) + ".plan") << emitted.plan;
    }
    std::cout << at << "\n";
    return 0;
  }
  return Usage();
}

int Show(const std::vector<std::string>& words) {
  if (words.size() < 4) return Usage();
  const size_t number = std::strtoul(words[3].c_str(), nullptr, 10);
  const mutation::Member member = MemberOf(words, 4);
  for (const Program& program : mutation::ReadPrograms({words[1]})) {
    if (program.base->program().name.text != words[2] || number >= program.changes.size()) continue;
    const mutation::Change& change = program.changes[number];
    std::cout << mutation::Apply(*program.base, change) << "\n// " << change.family << ": "
              << change.name << "; part in it have lines";
    for (const int line : mutation::Lines(*program.base, change)) std::cout << " " << line;
    const mutation::Judged judged = mutation::Judge(*program.base, change, member);
    std::cout << "\n// " << ToString(judged.outcome);
    for (const std::string& code : judged.codes) std::cout << " " << code;
    std::cout << "\n" << mutation::Report(mutation::Apply(*program.base, change), words[2], member);
    return 0;
  }
  return Usage();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) return Usage();
  if (words[0] == "show") return Show(words);
  if (words[0] == "emit") return EmitOne(words);
  if (words[0] == "check") return Check(mutation::ReadPrograms({words.begin() + 1, words.end()}));
  if (words[0] == "changes") {
    return Changes(mutation::ReadPrograms({words.begin() + 1, words.end()}));
  }
  if (words[0] == "list" && words.size() > 2) {
    return List(mutation::ReadPrograms({words.begin() + 2, words.end()}),
                std::strtoll(words[1].c_str(), nullptr, 10));
  }
  if (words[0] != "run" || words.size() < 8) return Usage();
  mutation::Draw draw;
  draw.seed = std::strtoull(words[1].c_str(), nullptr, 10);
  draw.members = std::strtoll(words[2].c_str(), nullptr, 10);
  draw.per_operator = std::strtoll(words[3].c_str(), nullptr, 10);
  draw.per_other = std::strtoll(words[4].c_str(), nullptr, 10);
  draw.shard = std::strtoll(words[5].c_str(), nullptr, 10);
  draw.shards = std::strtoll(words[6].c_str(), nullptr, 10);
  if (draw.members < 1 || draw.shards < 1) return Usage();
  const auto programs = mutation::ReadPrograms({words.begin() + 7, words.end()});
  mutation::RunMutants(programs, mutation::DrawMutants(programs, draw),
                       [](const std::string& line) { std::cout << line << std::endl; });
  return 0;
}
