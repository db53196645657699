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
  const int64_t widest = lane_bytes & -lane_bytes;
  if (needs.origins) origins.Make(size, widest);
  if (needs.origins) owners.Make(size, widest);
  if (needs.races) cells.Make(size, widest);
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
int32_t Cta::TensorOrigin(const Access& access, int64_t byte, int64_t bytes) const {
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
  if (!memory.owners.Each(byte, bytes, mine)) return access.origin;
  int32_t found = 0;
  memory.origins.Each(byte, bytes, [&](int32_t origin) { return (found = origin) == 0; });
  return found < 0 ? access.origin : found;
}

void Cta::TensorWritten(const Access& access, int64_t byte, int64_t bytes, int32_t origin) {
  TensorMemory& memory = memory_->tensor_;
  if (memory.origins.empty()) return;
  memory.origins.Set(byte, bytes, origin);
  memory.owners.Set(byte, bytes, access.buffer);
}

// Bytes of one lane against the shadow.
void Cta::CheckTensor(Accessor& by, int lane, int64_t byte, int64_t bytes, bool write) {
  TensorMemory& memory = memory_->tensor_;
  memory.ForCells(byte, bytes, [&](int64_t at, Cell& cell) {
    conflicts_.set_byte(at);
    write ? memory.rules.Write(cell, by, lane, conflicts_)
          : memory.rules.Read(cell, by, lane, conflicts_);
  });
}

}  // namespace compiler::machine
