// What is known of the bytes of tensor memory: where undefined ones come from, which buffer they
// were last written for, and who has accessed them. All of it by units (tensor_memory.h).
#include <algorithm>

#include "compiler/facts/overlay.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr int64_t kColumnBytes = ir::kTmemColumnBits / 8;
constexpr int32_t kUnwritten = -1;
constexpr int32_t kNobody = -1;

}  // namespace

void TensorMemory::Make(const ir::Kernel& kernel, int64_t allocated_columns, size_t count,
                        const Needs& needs) {
  if (kernel.tmem.empty() || columns != 0) return;  // or they are those of an earlier run
  columns = allocated_columns;
  const int64_t size = ir::kTmemLanes * columns * kColumnBytes;
  if (needs.contents) bytes.resize(static_cast<size_t>(size));
  const int64_t lane_bytes = columns * kColumnBytes;
  if (needs.origins) origins.Make(ir::kTmemLanes, lane_bytes);
  if (needs.origins) owners.Make(ir::kTmemLanes, lane_bytes);
  if (needs.races) cells.Make(ir::kTmemLanes, lane_bytes);
  warps.resize(count);
}

void TensorMemory::Restart() {
  std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
  origins.Fill(kUnwritten);
  owners.Fill(kNobody);
  rules.StartCta();
  for (WarpTensor& warp : warps) warp.Restart();
  idle_commit = ir::StmtId::kNone;
}

// Of the first undefined byte among these, 0: there is none.
int32_t Cta::TensorOrigin(const Access& access, const TensorRange& range) const {
  const TensorMemory& memory = memory_->tensor_;
  if (memory.origins.empty()) return 0;
  const auto mine = [&](int32_t owner) {
    if (owner < 0 || owner == access.buffer) return true;
    const ir::TmemBuffer& written = kernel_.tmem[static_cast<size_t>(owner)];
    const ir::TmemBuffer& read = kernel_.tmem[static_cast<size_t>(access.buffer)];
    if (!facts::Exclusive(written.alternatives, read.alternatives)) return true;
    run_.findings.OtherAlternative(access.view, written.name, written.declared);
    return false;
  };
  if (!memory.owners.Each(range, mine)) return access.origin;
  int32_t found = 0;
  memory.origins.Each(range, [&](int32_t origin) { return (found = origin) == 0; });
  return found < 0 ? access.origin : found;
}

void Cta::TensorWritten(const Access& access, const TensorRange& range, int32_t origin) {
  TensorMemory& memory = memory_->tensor_;
  if (memory.origins.empty()) return;
  memory.origins.Set(range, origin);
  memory.owners.Set(range, access.buffer);
}

// Against the shadow. `lane`: of the warp that accesses.
void Cta::CheckTensor(const Accessor& by, int lane, const TensorRange& range, bool write) {
  TensorMemory& memory = memory_->tensor_;
  const int64_t lane_bytes = memory.columns * kColumnBytes;
  memory.ForCells(range, [&](int64_t at_lane, int64_t at, Cell& cell) {
    conflicts_.set_byte(at_lane * lane_bytes + at);
    write ? memory.rules.Write(cell, by, lane, conflicts_)
          : memory.rules.Read(cell, by, lane, conflicts_);
  });
}

}  // namespace compiler::machine
