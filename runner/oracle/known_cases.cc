#include "runner/oracle/known_cases.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/reference/parallel.h"

namespace runner::oracle {
namespace {

constexpr int64_t kPiecesPerThread = 4;  // so that threads end at about the same time

int64_t BytesOf(const DrawnInputs& drawn) {
  int64_t bytes = 0;
  for (const auto& [name, memory] : drawn.memory) bytes += static_cast<int64_t>(memory.size());
  for (const auto& [name, given] : drawn.inputs.given)
    bytes += static_cast<int64_t>((given.want.size() + given.scale.size()) * sizeof(double));
  return bytes;
}

}  // namespace

void KnownCases::Keep(const std::string& key, std::shared_ptr<const DrawnInputs> drawn) {
  const int64_t bytes = BytesOf(*drawn);
  known_.Keep(key, std::move(drawn), bytes);
}

std::string KnownKey(std::string_view contract_hash, std::string_view case_name, uint64_t seed,
                     int input_set) {
  return absl::StrCat(std::string(contract_hash), " ", std::string(case_name), " ", seed, " ",
                      input_set);
}

void Expect(const reference::Builtin& builtin, const contract::CaseTensor& output,
            reference::Inputs& inputs, int threads) {
  const std::string& name = output.tensor->name;
  reference::Inputs::Given given;
  given.want.resize(static_cast<size_t>(output.elements));
  given.scale.resize(given.want.size());
  if (output.elements > 0) {
    const int64_t granule = builtin.granule(inputs, name);
    const int64_t shares = kPiecesPerThread * reference::ThreadsOf(threads);
    const int64_t piece = std::max<int64_t>(1, output.elements / shares / granule) * granule;
    reference::ParallelPieces(output.elements, piece, threads, [&](int64_t begin, int64_t end) {
      builtin.evaluate(inputs, name,
                       {begin, end, given.want.data() + begin, given.scale.data() + begin});
    });
  }
  inputs.given[name] = std::move(given);
}

}  // namespace runner::oracle
