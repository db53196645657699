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
constexpr size_t kMutantsAChild = 64;

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

// Lines that a child makes, one for each number from `first` on as far as it gets: `work` may end
// the process, or not end in time.
std::vector<std::string> InChild(size_t first, size_t end,
                                 const std::function<std::string(size_t)>& work) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    for (size_t i = first; i < end; ++i) {
      alarm(kMutantSeconds);
      const std::string text = work(i) + "\n";
      const auto written = write(ends[1], text.data(), text.size());
      if (written != static_cast<ssize_t>(text.size())) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::vector<std::string> lines(1);
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    for (const char c : std::string_view(buffer, static_cast<size_t>(n))) {
      if (c == '\n') {
        lines.emplace_back();
      } else {
        lines.back() += c;
      }
    }
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  lines.pop_back();  // what it was at when it ended
  return lines;
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
  // What is drawn of one member of a program goes together, so that its right form is judged once.
  std::vector<Mutation> out;
  for (auto& [hash, mutant] : drawn) {
    const std::string place = std::to_string(mutant.program) + " " + std::to_string(mutant.number);
    const auto shard = Hash(place, draw.seed) % static_cast<uint64_t>(draw.shards);
    if (shard == static_cast<uint64_t>(draw.shard)) out.push_back(std::move(mutant));
  }
  std::stable_sort(out.begin(), out.end(), [](const Mutation& a, const Mutation& b) {
    return std::pair(a.program, a.number) < std::pair(b.program, b.number);
  });
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
  // "" of a member that the gates refuse as it is.
  const auto line_of = [&](size_t i) {
    const Mutation& mutant = mutants[i];
    const Program& program = programs[mutant.program];
    const auto [known, first] = right.try_emplace({mutant.program, mutant.number}, false);
    if (first) {
      const Judged judged = JudgeText(program.base->source(), program.base->program().name.text,
                                      mutant.member, "", {});
      known->second = judged.outcome == Outcome::kAccepted;
    }
    if (!known->second) return std::string();
    return ToJson(program, mutant,
                  Judge(*program.base, program.changes[mutant.change], mutant.member));
  };
  for (size_t i = 0; i < mutants.size();) {
    const size_t end = std::min(i + kMutantsAChild, mutants.size());
    const std::vector<std::string> lines = InChild(i, end, line_of);
    for (const std::string& line : lines) {
      if (!line.empty()) print(line);
    }
    i += lines.size();
    if (i == end) continue;
    print(Head(programs[mutants[i].program], mutants[i]) + "died\", \"codes\": []}");
    ++i;
  }
}

}  // namespace mutation
