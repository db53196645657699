#include "compiler/facts/tmem.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/facts/overlay.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/tensor_memory.h"

namespace compiler::facts {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;

constexpr diag::Def<Name, int64_t, Name, int64_t> kTooManyColumns{
    "CK1460", Severity::kError, Category::kHardware,
    "kernel `{0}` needs {1} columns of tensor memory; {2} has {3} a CTA",
    "PTX ISA, tensor memory allocation: columns of 32 bits, allocated by powers of two"};
constexpr diag::Def<Name, Name> kNoTensorMemory{"CK1461", Severity::kError, Category::kHardware,
                                                "kernel `{0}` has tensor memory, and {1} has none",
                                                "PTX ISA, tcgen05: sm_100a and sm_103a"};

constexpr int64_t kLeastColumns = 32;
// Sizes come from untrusted text: sums stop here, far above what any device has.
constexpr int64_t kMostColumns = int64_t{1} << 30;

// Places [first, last), whose outer `depth` alternatives are decided, from column `begin` on.
int64_t Place(const ir::Kernel& kernel, size_t first, size_t last, size_t depth, int64_t begin,
              std::vector<TmemPlacement>& places) {
  int64_t at = begin;
  while (first < last) {
    const ir::TmemBuffer& buffer = kernel.tmem[first];
    if (buffer.alternatives.size() <= depth) {
      const int64_t columns = std::min(ir::TmemColumns(buffer), kMostColumns);
      // A word of scales lies in four columns that begin at a multiple of four.
      if (ir::IsScale(buffer.dtype))
        at = (at + ir::kScaleWord - 1) / ir::kScaleWord * ir::kScaleWord;
      places[first] = {.first_column = at, .columns = columns};
      at = std::min(at + columns, kMostColumns);
      ++first;
      continue;
    }
    const int32_t either = buffer.alternatives[depth].either;
    int64_t end = at;
    while (first < last && kernel.tmem[first].alternatives.size() > depth &&
           kernel.tmem[first].alternatives[depth].either == either) {
      const int32_t branch = kernel.tmem[first].alternatives[depth].branch;
      size_t next = first;
      while (next < last && kernel.tmem[next].alternatives.size() > depth &&
             kernel.tmem[next].alternatives[depth].either == either &&
             kernel.tmem[next].alternatives[depth].branch == branch) {
        ++next;
      }
      end = std::max(end, Place(kernel, first, next, depth + 1, at, places));
      first = next;
    }
    at = end;
  }
  return at;
}

}  // namespace

void PlaceTmem(const ir::Kernel& kernel, const arch::Device& device, KernelFacts& facts,
               diag::Report& report) {
  facts.tmem.resize(kernel.tmem.size());
  if (kernel.tmem.empty()) return;
  const int64_t columns = Place(kernel, 0, kernel.tmem.size(), 0, 0, facts.tmem);
  facts.tmem_columns = kLeastColumns;
  while (facts.tmem_columns < columns) facts.tmem_columns *= 2;
  if (device.tensor_memory_columns == 0) {
    report.Add(kNoTensorMemory, kernel.tmem[0].declared, Name{kernel.name}, Name{device.arch});
    return;
  }
  if (columns <= device.tensor_memory_columns) return;
  auto added = report.Add(kTooManyColumns, kernel.tmem[0].declared, Name{kernel.name}, columns,
                          Name{device.arch}, device.tensor_memory_columns);
  for (size_t i = 0; i < kernel.tmem.size(); ++i) {
    added.Label(kernel.tmem[i].declared, absl::StrCat("takes ", facts.tmem[i].columns, " columns"));
  }
}

bool UsesTensorMemory(const ir::OpDef& op) {
  const bool product = op.effects.product && op.effects.engine == ir::ProductEngine::kTensorMemory;
  return product || op.effects.copy == ir::CopyEffect::kTensorMemoryLoad ||
         op.effects.copy == ir::CopyEffect::kTensorMemoryStore ||
         op.effects.copy == ir::CopyEffect::kTensorMemoryCopy;
}

bool UsesTensorMemory(const ir::Program& program, const ir::Role& role) {
  bool uses = false;
  ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
    uses = uses || (stmt.op != nullptr && UsesTensorMemory(*stmt.op));
  });
  return uses;
}

bool MultipliesInPairs(const ir::Program& program, const ir::Kernel& kernel) {
  bool pairs = false;
  for (const ir::Role& role : kernel.roles) {
    ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      pairs = pairs || (stmt.op != nullptr && stmt.op->effects.product && ir::OfPair(stmt));
    });
  }
  return pairs;
}

std::string TmemLines(const ir::Kernel& kernel, const KernelFacts& facts) {
  if (kernel.tmem.empty()) return "";
  std::string text = absl::StrCat("  tensor memory: ", facts.tmem_columns,
                                  " columns, allocated by the CTA's first warp\n");
  for (size_t i = 0; i < kernel.tmem.size(); ++i) {
    const ir::TmemBuffer& buffer = kernel.tmem[i];
    const TmemPlacement& place = facts.tmem[i];
    absl::StrAppend(
        &text,
        absl::StrFormat("  tmem %-12s columns %d..%d, %s[%d, %d]\n", buffer.name,
                        place.first_column, place.first_column + place.columns - 1,
                        std::string(ir::ToString(buffer.dtype)), buffer.rows, buffer.columns));
    std::vector<std::string> others;
    for (size_t j = 0; j < i; ++j) {
      if (Exclusive(buffer.alternatives, kernel.tmem[j].alternatives)) {
        others.push_back(kernel.tmem[j].name);
      }
    }
    if (others.empty()) continue;
    absl::StrAppend(&text, "    in the same columns as ", absl::StrJoin(others, ", "), "\n");
  }
  return text;
}

}  // namespace compiler::facts
