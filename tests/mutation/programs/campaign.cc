#include "tests/mutation/programs/campaign.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "compiler/ops/table.h"
#include "compiler/text/parse.h"

namespace mutation {
namespace {

constexpr unsigned kMutantSeconds = 60;

// FNV-1a and a last mix: the same everywhere.
uint64_t Hash(std::string_view text, uint64_t seed) {
  uint64_t h = 1469598103934665603u ^ (seed * 0x9e3779b97f4a7c15u);
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  h ^= h >> 31;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ (h >> 29);
}

std::string_view ToString(Known known) {
  switch (known) {
    case Known::kBroken: return "broken";
    case Known::kEqual: return "equal";
    case Known::kOpen: return "open";
  }
  return "";
}

// In a child: what it prints, or why it printed nothing.
std::string InChild(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(kMutantSeconds);
    const std::string text = work();
    const auto written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

std::string Head(const Program& program, const Mutation& mutant) {
  const Change& change = program.changes[mutant.change];
  const std::string& source = program.base->source();
  const auto at = source.begin() + change.edits[0].span.begin;
  std::string values;
  for (const auto& [name, value] : mutant.member) {
    values += (values.empty() ? "\"" : ", \"") + name + "\": " + std::to_string(value);
  }
  return "{\"base\": \"" + program.file + ":" + std::string(program.base->program().name.text) +
         "\", \"target\": \"" + program.base->Target() +
         "\", \"member\": " + std::to_string(mutant.number) + ", \"values\": {" + values +
         "}, \"line\": " + std::to_string(1 + std::count(source.begin(), at, '\n')) +
         ", \"change\": " + std::to_string(mutant.change) + ", \"op\": \"" + change.name +
         "\", \"family\": \"" + change.family + "\", \"known\": \"" +
         std::string(ToString(change.known)) + "\", \"outcome\": \"";
}

// One of each program before a second one of any: families of many members do not crowd out others.
void FromAllPrograms(std::vector<std::pair<uint64_t, Mutation>>& mutants) {
  std::map<size_t, int64_t> taken;  // by program
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < mutants.size(); ++i) {
    order.emplace_back(taken[mutants[i].second.program]++, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::pair<uint64_t, Mutation>> out;
  for (const auto& [rank, i] : order) out.push_back(std::move(mutants[i]));
  mutants = std::move(out);
}

}  // namespace

std::vector<Program> ReadPrograms(const std::vector<std::string>& files) {
  std::vector<Program> programs;
  for (const std::string& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    compiler::diag::Report report;
    const auto parsed = compiler::text::Parse(text.str(), compiler::ops::Table(), report);
    for (const auto* p : parsed->programs) {
      std::unique_ptr<Base> base = Base::Read(text.str(), p->name.text);
      if (base == nullptr) continue;
      Program& program = programs.emplace_back();
      program.file = path;
      program.changes = AllChanges(*base);
      program.base = std::move(base);
    }
  }
  return programs;
}

std::vector<Mutation> DrawMutants(const std::vector<Program>& programs, const Draw& draw) {
  // What is counted apart is drawn apart: an operator's changes that are broken, equal, open, and
  // those of programs for which there is no device.
  using Kind = std::tuple<std::string, Known, bool>;
  std::map<Kind, std::vector<std::pair<uint64_t, Mutation>>> by_operator;
  for (size_t p = 0; p < programs.size(); ++p) {
    const Program& program = programs[p];
    const std::string name = program.file + ":" + std::string(program.base->program().name.text);
    const bool later = program.base->IsLater();
    const std::vector<Member> members = Members(*program.base, draw.members, draw.seed);
    for (size_t c = 0; c < program.changes.size(); ++c) {
      for (size_t m = 0; m < members.size(); ++m) {
        const std::string key = name + " " + std::to_string(c) + " " + std::to_string(m);
        const Change& change = program.changes[c];
        by_operator[{change.name, change.known, later}].emplace_back(
            Hash(key, draw.seed), Mutation{p, c, static_cast<int64_t>(m), members[m]});
      }
    }
  }
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::vector<std::pair<uint64_t, Mutation>> drawn;
  for (auto& [kind, mutants] : by_operator) {
    std::sort(mutants.begin(), mutants.end(), before);
    FromAllPrograms(mutants);
    const auto& [name, known, later] = kind;
    const int64_t most = known == Known::kOpen || later ? draw.per_other : draw.per_operator;
    const auto taken = std::min<int64_t>(most, static_cast<int64_t>(mutants.size()));
    drawn.insert(drawn.end(), mutants.begin(), mutants.begin() + taken);
  }
  // Operators mixed: the beginning of a run says something of all.
  std::sort(drawn.begin(), drawn.end(), before);
  std::vector<Mutation> out;
  for (size_t i = 0; i < drawn.size(); ++i) {
    const bool mine = static_cast<int64_t>(i) % draw.shards == draw.shard;
    if (mine) out.push_back(std::move(drawn[i].second));
  }
  return out;
}

std::string ToJson(const Program& program, const Mutation& mutant, const Judged& judged) {
  std::string text =
      Head(program, mutant) + std::string(ToString(judged.outcome)) + "\", \"codes\": [";
  const char* comma = "";
  for (const std::string& code : judged.codes) {
    text += comma + ("\"" + code + "\"");
    comma = ", ";
  }
  return text + "]}";
}

void RunMutants(const std::vector<Program>& programs, const std::vector<Mutation>& mutants,
                const std::function<void(const std::string&)>& print) {
  std::map<std::pair<size_t, int64_t>, bool> right;  // by program and member
  for (const Mutation& mutant : mutants) {
    const Program& program = programs[mutant.program];
    const auto [known, first] = right.try_emplace({mutant.program, mutant.number}, false);
    if (first) {
      known->second = !InChild([&] {
                         const Judged judged =
                             JudgeText(program.base->source(), program.base->program().name.text,
                                       mutant.member, "", {});
                         return std::string(judged.outcome == Outcome::kAccepted ? "right" : "");
                       }).empty();
    }
    if (!known->second) continue;  // a member that the gates refuse as it is
    std::string line = InChild([&] {
      return ToJson(program, mutant,
                    Judge(*program.base, program.changes[mutant.change], mutant.member));
    });
    if (line.empty()) line = Head(program, mutant) + "died\", \"codes\": []}";
    print(line);
  }
}

}  // namespace mutation
