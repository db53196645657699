// The long forms of the tests of what the gates claim. Seeds make shards: any part can be run alone
// and again. Prints one line of JSON; exits 1 where a claim is broken.
//   theorem protocols FIRST COUNT [MASK]  random protocols against every interleaving of theirs;
//                                         MASK: premises left unchecked (machine/premises.h)
//   theorem protocol SEED                 one of them, its program, and what each side says
//   theorem mutants FIRST COUNT           right protocols with one thing broken, by what it is
//   theorem mutant SEED                   one of them, and what each side says
//   theorem loops FIRST COUNT             random loops: closures against every trip count
//   theorem loop SEED                     the program of one of them
//   theorem schedules SEEDS FILE..        programs under so many schedules
#include <charconv>
#include <iostream>
#include <string_view>
#include <vector>

#include "tests/mutation/cake_text.h"
#include "tests/mutation/explorer.h"
#include "tests/mutation/generate.h"
#include "tests/mutation/loops.h"
#include "tests/mutation/mutants.h"
#include "tests/mutation/schedules.h"
#include "tests/mutation/theorem.h"

namespace {

int Usage() {
  std::cerr
      << "usage: theorem protocols FIRST COUNT [MASK] | protocol SEED | mutants FIRST COUNT | "
         "mutant SEED | loops FIRST COUNT | loop SEED | schedules SEEDS FILE..\n";
  return 2;
}

// The numbers of a command line from `at` on; fewer where one is none.
std::vector<uint64_t> Numbers(const std::vector<std::string_view>& words, size_t at) {
  std::vector<uint64_t> numbers;
  for (; at < words.size(); ++at) {
    uint64_t value = 0;
    const char* const end = words[at].data() + words[at].size();
    if (std::from_chars(words[at].data(), end, value).ptr != end) break;
    numbers.push_back(value);
  }
  return numbers;
}

int Show(const mutation::Protocol& protocol) {
  const mutation::Explored explored = mutation::Explore(protocol, 1'000'000);
  std::cout << ToString(protocol) << "\n" << mutation::CakeText(protocol) << "\n";
  std::cout << ToString(explored.fate) << " after " << explored.states << " states:";
  for (const std::string& step : explored.trace) std::cout << " " << step;
  std::cout << "\nthe gates: " << mutation::JudgeProtocol(protocol, 0).value_or("no program")
            << "\n";
  return 0;
}

int ShowMutant(uint64_t seed) {
  const mutation::Mutant mutant = mutation::GenerateMutant(seed);
  std::cout << mutant.family << ", " << mutant.change << " at " << mutant.agent << ":"
            << mutant.step << " of\n"
            << ToString(mutant.base) << "\n";
  Show(mutant.mutant);
  std::cout << ToJson(mutation::CheckMutants(seed, 1)) << "\n";
  return 0;
}

int Schedules(uint64_t seeds, const std::vector<std::string_view>& words) {
  bool same = true;
  for (size_t i = 3; i < words.size(); ++i) {
    const std::string path(words[i]);
    const std::string differs = mutation::DiffersUnderSchedules(path, seeds);
    std::cout << path << ": " << (differs.empty() ? "the same" : differs) << std::endl;
    same = same && differs.empty();
  }
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  const std::vector<uint64_t> numbers = Numbers(words, 2);
  if (numbers.empty()) return Usage();
  const std::string_view form = words[1];
  if (form == "protocol") return Show(mutation::Generate(numbers[0]));
  if (form == "mutant") return ShowMutant(numbers[0]);
  if (form == "loop") {
    std::cout << mutation::LoopText(numbers[0]);
    return 0;
  }
  if (form == "schedules" && words.size() > 3) return Schedules(numbers[0], words);
  if (numbers.size() < 2) return Usage();
  const auto count = static_cast<int64_t>(numbers[1]);
  if (form == "protocols") {
    const uint64_t mask = numbers.size() > 2 ? numbers[2] : 0;
    const mutation::Tally tally = mutation::CheckTheorem(
        numbers[0], count, static_cast<compiler::machine::PremiseMask>(mask));
    std::cout << ToJson(tally) << "\n";
    return tally.false_accepts.empty() ? 0 : 1;
  }
  if (form == "mutants") {
    const mutation::MutantTally tally = mutation::CheckMutants(numbers[0], count);
    std::cout << ToJson(tally) << "\n";
    return tally.accepted.empty() ? 0 : 1;
  }
  if (form == "loops") {
    const mutation::LoopTally tally = mutation::CheckClosures(numbers[0], count);
    std::cout << ToJson(tally) << "\n";
    return tally.missed.empty() ? 0 : 1;
  }
  return Usage();
}
