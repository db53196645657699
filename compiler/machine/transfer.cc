// The bytes of an asynchronous copy: values, what is undefined of them, and the accesses they are.
#include <algorithm>
#include <cstring>

#include "compiler/machine/cta.h"
#include "compiler/machine/reduce.h"

namespace compiler::machine {
namespace {

bool IsReduction(ir::CopyEffect effect) {
  return effect == ir::CopyEffect::kTensorReduce || effect == ir::CopyEffect::kBulkReduce;
}

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

// PTX ISA, packing of sub-byte types: numbers of `bits` follow each other, and here each has a byte
// of its own behind the copy. Which bytes of the 16 that pad 16 of them hold what no program sees.
void Unpack(const std::byte* from, int64_t first, int64_t count, int64_t bits, std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = (first + i) * bits, byte = at / 8, shift = at % 8;
    unsigned word = static_cast<unsigned>(from[byte]);
    if (shift + bits > 8) word |= static_cast<unsigned>(from[byte + 1]) << 8;
    to[i] = static_cast<std::byte>(word >> shift & ((1u << bits) - 1));
  }
}

}  // namespace

// Calls visit(target, source, elements) for what both sides have in one piece; either is kOutside
// where it is not in its tensor.
template <typename F>
void Cta::ForEachPart(const CopyRun& run, const F& visit) {
  size_t to = 0, from = 0;
  int64_t to_done = 0, from_done = 0;  // of the present pieces
  while (to < run.to_pieces.size() && from < run.from_pieces.size()) {
    const Piece &target = run.to_pieces[to], &source = run.from_pieces[from];
    const int64_t count = std::min(target.count - to_done, source.count - from_done);
    const auto at = [](const Piece& piece, int64_t done) {
      return piece.first == kOutside ? kOutside : piece.first + done;
    };
    if (!visit(at(target, to_done), at(source, from_done), count)) return;
    to_done += count;
    from_done += count;
    if (to_done == target.count) ++to, to_done = 0;
    if (from_done == source.count) ++from, from_done = 0;
  }
}

void Cta::MoveBytes(const CopyRun& run, int64_t target, int64_t source, int64_t count) {
  const int64_t element = ElementBytes(*run.to);
  const auto size = static_cast<size_t>(element);
  std::byte* const to = Data(*run.to) + target * element;
  if (run.numbers > 1 && source != kOutside) {
    return Unpack(Data(*run.from), source, count, ir::Info(run.from->dtype).bits / run.numbers, to);
  }
  const std::byte* const from = Data(*run.from) + source * element;
  if (!IsReduction(run.copy->effect)) {
    const size_t bytes = size * static_cast<size_t>(count);
    // What lies outside of the source is zero.
    source == kOutside ? void(std::memset(to, 0, bytes)) : void(std::memmove(to, from, bytes));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value = 0, old = 0;
    if (source != kOutside) std::memcpy(&value, from + i * element, size);
    std::memcpy(&old, to + i * element, size);
    value = Reduced(run.copy->reduction, run.to->dtype, old, value);
    std::memcpy(to + i * element, &value, size);
  }
}

void Cta::Transfer(Warp& warp, const CopyRun& run) {
  const int64_t element = ElementBytes(*run.to);
  int64_t read = 0, moved = 0;  // elements that are there
  ForEachPart(run, [&](int64_t target, int64_t source, int64_t count) {
    if (target == kOutside) return true;
    moved += count;
    read += source != kOutside ? count : 0;
    if (!run.copy->opaque) MoveBytes(run, target, source, count);
    return true;
  });
  if (run_.options.check_definedness) CopyDefinedness(warp, run);
  MarkWritten(run);
  if (run_.options.check_races) {
    CheckCopyRaces(warp, run, *run.from, run.from_pieces, false);
    CheckCopyRaces(warp, run, *run.to, run.to_pieces, true);
  }
  if (!run_.options.count) return;
  StatementCount& count = run_.result.statements[static_cast<size_t>(warp.stmt)];
  const bool load = run.to->space == ir::Space::kShared;
  (load ? count.global_bytes_read : count.shared_bytes_read) +=
      read / run.numbers * ElementBytes(*run.from);
  (load ? count.shared_bytes_written : count.global_bytes_written) += moved * element;
}

void Cta::MarkWritten(const CopyRun& run) {
  if (run.to->space == ir::Space::kShared) return;
  Zeros& elements = run_.tensors[static_cast<size_t>(run.to->buffer)].elements;
  for (const Piece& piece : run.to_pieces) {
    for (int64_t i = 0; i < piece.count && piece.first != kOutside; ++i) {
      elements[static_cast<size_t>(piece.first + i)] |= kDefined | kWrittenHere;
    }
  }
}

// Of the first undefined one among neighbouring elements, 0: there is none.
int32_t Cta::OriginAt(const Access& access, int64_t offset, int64_t count) const {
  const auto buffer = static_cast<size_t>(access.buffer);
  if (access.space == ir::Space::kGlobal) {
    const TensorState& tensor = run_.tensors[buffer];
    if (tensor.fully_defined) return 0;
    const auto first = tensor.elements.begin() + offset;
    const bool defined = std::all_of(first, first + count,
                                     [](uint8_t element) { return (element & kDefined) != 0; });
    return defined ? 0 : access.origin;
  }
  const int64_t element = ElementBytes(access);
  const int64_t first = (facts_.shared[buffer].offset_bytes + offset * element);
  return SharedOrigin(access, first, count * element);
}

void Cta::MarkShared(const Access& access, int64_t offset, int64_t count, int32_t origin) {
  const int64_t element = ElementBytes(access);
  const int64_t base = facts_.shared[static_cast<size_t>(access.buffer)].offset_bytes;
  SharedWritten(access, (base + offset * element), count * element, origin);
}

// Undefined bytes travel to shared memory; to global memory they must not go.
void Cta::CopyDefinedness(Warp& warp, const CopyRun& run) {
  const auto report = [&](int32_t origin) {
    run_.findings.Undefined(PlaceOf(warp, run.lane), code_.origins[static_cast<size_t>(origin)],
                            Use::kGlobalStore,
                            run_.program.tensors[static_cast<size_t>(run.to->buffer)].name);
    return false;
  };
  const bool reduces = IsReduction(run.copy->effect);
  const auto origin_of = [&](int64_t source, int64_t count) {
    if (source == kOutside) return 0;
    const int64_t first = source / run.numbers;
    return OriginAt(*run.from, first, (source + count - 1) / run.numbers + 1 - first);
  };
  ForEachPart(run, [&](int64_t target, int64_t source, int64_t count) {
    if (target == kOutside) return true;
    const bool shared = run.to->space == ir::Space::kShared;
    const bool defined = origin_of(source, count) == 0 &&
                         (shared || !reduces || OriginAt(*run.to, target, count) == 0);
    if (defined) {
      if (shared) MarkShared(*run.to, target, count, 0);
      return true;
    }
    for (int64_t i = 0; i < count; ++i) {
      const int32_t origin = origin_of(source == kOutside ? kOutside : source + i, 1);
      if (shared) {
        MarkShared(*run.to, target + i, 1, origin);
        continue;
      }
      if (origin != 0) return report(origin);
      if (!reduces) continue;
      if (const int32_t old = OriginAt(*run.to, target + i, 1); old != 0) return report(old);
    }
    return true;
  });
}

Accessor Cta::CopyAccessor(const Warp& warp, const CopyRun& run, const Access& access,
                           bool write) const {
  Accessor by = RaceAccessor(warp, access, access.space == ir::Space::kShared);
  by.agent = write ? run.write_agent : run.read_agent;
  by.epoch = run.epoch;
  by.asynchronous = true;
  by.async_proxy = run.async_proxy;
  by.reduces = write && IsReduction(run.copy->effect);
  return by;
}

void Cta::CheckCopyRaces(Warp& warp, const CopyRun& run, const Access& access,
                         const std::vector<Piece>& pieces, bool write) {
  const std::optional<Shadow> shadow = ShadowOf(access);
  if (!shadow) return;
  const Accessor by = CopyAccessor(warp, run, access, write);
  conflicts_.Clear();
  const int64_t element = ElementBytes(access);
  for (const Piece& piece : pieces) {
    if (piece.first == kOutside) continue;
    const int64_t numbers = write ? 1 : run.numbers;
    const int64_t first = piece.first / numbers * element;
    const int64_t bytes = piece.count / numbers * element;
    if (!CheckBytes(warp, *shadow, by, run.lane, first, bytes, write)) return;
  }
  if (!conflicts_.empty()) ReportRaces(warp, access);
}

}  // namespace compiler::machine
