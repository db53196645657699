// The long form of the theorem test: protocols by seeds, in shards that can be run in any order and
// resumed. Prints one line of JSON; exits 1 if the gates accept a protocol that can go wrong.
//   theorem FIRST COUNT [MASK]     MASK: premises left unchecked (compiler/machine/premises.h)
//   theorem show SEED [MASK]       one protocol, its program, and what each side says
#include <charconv>
#include <cstring>
#include <iostream>
#include <string_view>

#include "tests/mutation/cake_text.h"
#include "tests/mutation/explorer.h"
#include "tests/mutation/generate.h"
#include "tests/mutation/theorem.h"

namespace {

// Nothing where the text is no number.
bool Number(std::string_view text, uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

int Show(uint64_t seed, compiler::machine::PremiseMask unchecked) {
  const mutation::Protocol protocol = mutation::Generate(seed);
  const mutation::Explored explored = mutation::Explore(protocol, 1'000'000);
  std::cout << ToString(protocol) << "\n" << mutation::CakeText(protocol) << "\n";
  std::cout << ToString(explored.fate) << " after " << explored.states << " states:";
  for (const std::string& step : explored.trace) std::cout << " " << step;
  std::cout << "\n" << ToJson(mutation::CheckTheorem(seed, 1, unchecked)) << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool show = argc > 2 && std::strcmp(argv[1], "show") == 0;
  uint64_t first = 0, count = 1, mask = 0;
  const bool read = argc >= 3 && argc <= 4 && Number(argv[show ? 2 : 1], first) &&
                    (show || Number(argv[2], count)) && (argc < 4 || Number(argv[3], mask));
  if (!read) {
    std::cerr << "usage: theorem FIRST COUNT [MASK] | theorem show SEED [MASK]\n";
    return 2;
  }
  const auto unchecked = static_cast<compiler::machine::PremiseMask>(mask);
  if (show) return Show(first, unchecked);
  const mutation::Tally tally =
      mutation::CheckTheorem(first, static_cast<int64_t>(count), unchecked);
  std::cout << ToJson(tally) << "\n";
  return tally.false_accepts.empty() ? 0 : 1;
}
