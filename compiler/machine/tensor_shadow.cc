// What is known of the bytes of tensor memory: where undefined ones come from, which buffer they
// were last written for, and who has accessed them. All of it by units (tensor_memory.h).
#include <algorithm>
#include <bit>

#include "compiler/facts/overlay.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr int64_t kColumnBytes = ir::kTmemColumnBits / 8;
constexpr int32_t kUnwritten = -1;
constexpr int32_t kNobody = -1;

// Each old element `times` times.
template <typename T, typename Copy>
void Part(std::vector<T>& units, size_t times, const Copy& copy) {
  std::vector<T> parted;
  parted.reserve(units.size() * times);
  for (const T& unit : units) {
    for (size_t i = 0; i < times; ++i) parted.push_back(i == 0 ? unit : copy(unit));
  }
  units = std::move(parted);
}

}  // namespace

void TensorMemory::Make(const ir::Kernel& kernel, int64_t allocated_columns, size_t count,
                        const Needs& needs) {
  if (kernel.tmem.empty()) return;
  columns = allocated_columns;
  const int64_t size = ir::kTmemLanes * columns * kColumnBytes;
  if (needs.contents) bytes.resize(static_cast<size_t>(size));
  const int64_t lane_bytes = columns * kColumnBytes;
  unit_bytes = lane_bytes & -lane_bytes;
  const auto units = static_cast<size_t>(size / unit_bytes);
  if (needs.origins) origins.resize(units);
  if (needs.origins) owners.resize(units);
  if (needs.races) cells.resize(units);
  warps.resize(count);
}

void TensorMemory::Restart() {
  std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
  std::fill(origins.begin(), origins.end(), kUnwritten);
  std::fill(owners.begin(), owners.end(), kNobody);
  rules.StartCta();
  for (WarpTensor& warp : warps) warp.Restart();
}

void TensorMemory::Fit(int64_t byte, int64_t count) {
  const int64_t ends = byte | count;
  if ((ends & (unit_bytes - 1)) == 0) return;
  const int64_t narrower = ends & -ends;
  const auto times = static_cast<size_t>(unit_bytes / narrower);
  unit_bytes = narrower;
  const auto same = [](int32_t value) { return value; };
  Part(origins, times, same);
  Part(owners, times, same);
  Part(cells, times, [&](const Cell& cell) { return rules.CopyOf(cell); });
}

// Of the first undefined byte among these, 0: there is none.
int32_t Cta::TensorOrigin(const Access& access, int64_t byte, int64_t bytes) const {
  const TensorMemory& memory = memory_->tensor_;
  if (memory.origins.empty()) return 0;
  const auto last = static_cast<size_t>((byte + bytes - 1) / memory.unit_bytes);
  for (auto unit = static_cast<size_t>(byte / memory.unit_bytes); unit <= last; ++unit) {
    const int32_t owner = memory.owners[unit];
    if (owner >= 0 && owner != access.buffer) {
      const ir::TmemBuffer& written = kernel_.tmem[static_cast<size_t>(owner)];
      const ir::TmemBuffer& read = kernel_.tmem[static_cast<size_t>(access.buffer)];
      if (facts::Exclusive(written.alternatives, read.alternatives)) {
        run_.findings.OtherAlternative(access.view, written.name, written.declared);
        return access.origin;
      }
    }
    const int32_t origin = memory.origins[unit];
    if (origin != 0) return origin < 0 ? access.origin : origin;
  }
  return 0;
}

void Cta::TensorWritten(const Access& access, int64_t byte, int64_t bytes, int32_t origin) {
  TensorMemory& memory = memory_->tensor_;
  if (memory.origins.empty()) return;
  memory.Fit(byte, bytes);
  const int64_t unit = byte / memory.unit_bytes;
  const int64_t count = bytes / memory.unit_bytes;
  std::fill_n(memory.origins.begin() + unit, count, origin);
  std::fill_n(memory.owners.begin() + unit, count, access.buffer);
}

// Bytes of one lane against the shadow.
void Cta::CheckTensor(Accessor& by, int lane, int64_t byte, int64_t bytes, bool write) {
  TensorMemory& memory = memory_->tensor_;
  memory.Fit(byte, bytes);
  for (const int64_t end = byte + bytes; byte < end; byte += memory.unit_bytes) {
    conflicts_.set_byte(byte);
    Cell& cell = memory.cells[static_cast<size_t>(byte / memory.unit_bytes)];
    if (write) {
      memory.rules.Write(cell, by, lane, conflicts_);
    } else {
      memory.rules.Read(cell, by, lane, conflicts_);
    }
  }
}

}  // namespace compiler::machine
