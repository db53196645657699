// What runs beside the threads: copies of a thread, bulk and tensor copies, products of warpgroups.
// Each is made of pieces that the adversary runs when it likes, up to the wait that guarantees
// them.
#include <algorithm>
#include <cstring>

#include "tests/mutation/ptx/world.h"

namespace ptx {
namespace {

uint32_t Swizzled(uint32_t address, int swizzle) {
  const uint32_t row = (address >> 7) & (swizzle == 128  ? 7u
                                         : swizzle == 64 ? 3u
                                         : swizzle == 32 ? 1u
                                                         : 0u);
  return address ^ (row << 4);
}

constexpr size_t kPieces = 4;  // of one operation

}  // namespace

size_t World::Begin(Operation operation) {
  std::shuffle(operation.moves.begin(), operation.moves.end(), random_);
  const size_t number = operations_.size();
  operations_.push_back(std::move(operation));
  live_.push_back(number);
  return number;
}

void World::MoveBytes(const Operation& o, const Move& move) {
  Cta& cta = ctas_[static_cast<size_t>(o.cta)];
  const uint8_t* from =
      move.tensor < 0 ? nullptr : &tensors_[static_cast<size_t>(move.tensor)][move.offset];
  const bool generic = o.kind == Operation::Kind::kCopy;
  for (uint32_t b = 0; b < move.bytes; ++b) {
    const uint32_t at = move.shared + b;
    const uint8_t value = from == nullptr ? 0 : from[b];
    cta.generic[at] = value;
    cta.pending[at] = generic ? o.thread + 1 : 0;
    if (!generic) cta.async[at] = value;
  }
  if (generic)
    threads_[static_cast<size_t>(o.thread)].unfenced.emplace_back(move.shared, move.bytes);
}

void World::Piece(size_t number) {
  Operation& o = operations_[number];
  if (o.done) return;
  for (const size_t before : o.after) Force(before, false);
  const size_t each = std::max<size_t>(1, (o.moves.size() + kPieces - 1) / kPieces);
  if (o.kind == Operation::Kind::kStore && o.read < o.moves.size()) {
    const Cta& cta = ctas_[static_cast<size_t>(o.cta)];
    for (size_t n = 0; n < each && o.read < o.moves.size(); ++n, ++o.read) {
      const Move& m = o.moves[o.read];
      o.held.emplace_back(cta.async.begin() + m.shared, cta.async.begin() + m.shared + m.bytes);
    }
    return;
  }
  for (size_t n = 0; n < each && o.done_moves < o.moves.size(); ++n, ++o.done_moves) {
    const Move& m = o.moves[o.done_moves];
    if (o.kind != Operation::Kind::kStore) {
      MoveBytes(o, m);
    } else if (m.tensor >= 0) {
      uint8_t* to = &tensors_[static_cast<size_t>(m.tensor)][m.offset];
      if (!o.reduce.empty()) throw Unknown("a copy that reduces");
      std::copy(o.held[o.done_moves].begin(), o.held[o.done_moves].end(), to);
    }
  }
  if (o.done_moves >= o.moves.size()) Finish(number);
}

void World::Finish(size_t number) {
  Operation& o = operations_[number];
  if (o.done) return;
  o.done = true;
  std::erase(live_, number);
  if (o.kind == Operation::Kind::kProduct) Product(o);
  if (o.kind == Operation::Kind::kLoad) Complete(o.cta, o.mbarrier, o.tx);
  if (o.kind == Operation::Kind::kArrive) {
    Mbarrier& m = At(o.cta, o.mbarrier, "arrival of copies");
    --m.pending;
    Advance(m);
  }
}

void World::Force(size_t number, bool only_read) {
  while (!operations_[number].done) {
    const Operation& o = operations_[number];
    if (only_read && o.read >= o.moves.size()) return;
    Piece(number);
  }
}

bool World::Progress() {
  if (live_.empty()) return false;
  Piece(live_[Random(live_.size())]);
  return true;
}

void World::Wait(Groups& groups, uint64_t allowed, bool only_read) {
  const size_t count = groups.closed.size();
  for (size_t g = 0; g + allowed < count; ++g) {
    for (const size_t number : groups.closed[g]) Force(number, only_read);
  }
  while (!only_read && groups.closed.size() > allowed) groups.closed.pop_front();
}

void World::Copy(Thread& thread, const Instruction& i) {
  const uint64_t to = Address(thread, i.args[0]);
  const auto size = static_cast<uint32_t>(Value(thread, i.args[2]));
  const bool sized = i.args.size() > 3 && !(i.args.size() == 4 && i.Has("L2::cache_hint"));
  const uint32_t from = sized ? static_cast<uint32_t>(Value(thread, i.args[3])) : size;
  if (from > size) throw Fault("a copy of more bytes than it has: " + i.text);
  const Spot shared = Find(to, size, i, true);
  Operation o;
  o.kind = Operation::Kind::kCopy;
  o.cta = thread.cta;
  o.thread = static_cast<int>(&thread - threads_.data());
  const auto at = static_cast<uint32_t>(shared.offset);
  if (from > 0) {
    const uint64_t address = Address(thread, i.args[1]);
    if (address % size != 0) throw Fault("a copy from an address off its size: " + i.text);
    Spot global = Find(address, 1, i, false);
    Find(address + from - 1, 1, i, false);
    o.moves.push_back({global.tensor, global.offset, at, from});
  }
  if (from < size) o.moves.push_back({-1, 0, at + from, size - from});
  thread.copies.open.push_back(Begin(std::move(o)));
}

std::vector<Move> World::Box(const Thread& thread, const Instruction& i, const Operand& memory,
                             uint32_t shared) {
  const auto found = maps_.find(Address(thread, memory));
  if (found == maps_.end()) throw Unknown("a tensor map that is no parameter");
  const Map& map = *found->second;
  const auto rank = static_cast<size_t>(map.rank);
  if (memory.parts.size() != rank) throw Unknown("a tensor map of another rank");
  int tensor = -1;
  for (size_t t = 0; t < plan_.tensors.size(); ++t) {
    if (plan_.tensors[t].name == map.tensor) tensor = static_cast<int>(t);
  }
  std::vector<int64_t> at(rank), index(rank, 0);
  for (size_t d = 0; d < rank; ++d) {  // coordinates come innermost first
    at[d] = static_cast<int32_t>(Value(thread, memory.parts[rank - 1 - d]));
  }
  const uint32_t align = map.swizzle > 0 ? 128 : 16;
  if (shared % align != 0) throw Fault("a box at an address off its alignment: " + i.text);
  std::vector<Move> moves;
  uint32_t to = shared;
  const int64_t row = map.box[rank - 1] * map.element_bytes;
  for (bool more = true; more;) {
    bool inside = true;
    int64_t element = at[rank - 1];
    for (size_t d = 0; d + 1 < rank; ++d) {
      const int64_t x = at[d] + index[d];
      inside &= x >= 0 && x < map.extents[d];
      element += x * map.strides[d];
    }
    for (int64_t b = 0; b < row; b += 16) {
      const int64_t bytes = std::min<int64_t>(16, row - b);
      const int64_t x = at[rank - 1] + b / map.element_bytes;
      const int64_t end = x + bytes / map.element_bytes;
      const uint32_t place = Swizzled(to, map.swizzle);
      if (inside && x >= 0 && end <= map.extents[rank - 1]) {
        moves.push_back({tensor, static_cast<uint64_t>(element * map.element_bytes + b), place,
                         static_cast<uint32_t>(bytes)});
      } else {
        for (int64_t e = 0; e < bytes; e += map.element_bytes) {
          const int64_t y = x + e / map.element_bytes;
          const bool there = inside && y >= 0 && y < map.extents[rank - 1];
          moves.push_back(
              {there ? tensor : -1, static_cast<uint64_t>(element * map.element_bytes + b + e),
               place + static_cast<uint32_t>(e), static_cast<uint32_t>(map.element_bytes)});
        }
      }
      to += static_cast<uint32_t>(bytes);
    }
    more = false;
    for (size_t d = rank - 1; d-- > 0 && !more;) {
      if (++index[d] < map.box[d])
        more = true;
      else
        index[d] = 0;
    }
  }
  for (const Move& m : moves) {
    const uint64_t size = m.tensor < 0 ? 0 : tensors_[static_cast<size_t>(m.tensor)].size();
    if (m.tensor >= 0 && m.offset + m.bytes > size)
      throw Fault("a box outside of its tensor: " + i.text);
    if (m.shared + m.bytes > kSharedBegin + static_cast<uint64_t>(launch_->shared))
      throw Fault("a box outside of shared memory: " + i.text);
  }
  return moves;
}

// cp.async.bulk[.tensor]: loads end at a mbarrier, stores in a group.
void World::Bulk(Thread& thread, const Instruction& i) {
  if (i.Has("multicast::cluster") || i.Has("cta_group::2")) throw Unknown(i.text);
  const bool tensor = i.Has("tensor");
  const bool load = i.words[tensor ? 5 : 3].starts_with("shared::");
  Operation o;
  o.cta = thread.cta;
  o.thread = static_cast<int>(&thread - threads_.data());
  o.kind = load ? Operation::Kind::kLoad : Operation::Kind::kStore;
  if (i.op() != "cp" || i.Has("reduce")) throw Unknown(i.text);
  if (tensor) {
    const Operand& map = load ? i.args[1] : i.args[0];
    const Operand& shared = load ? i.args[0] : i.args[1];
    o.moves = Box(thread, i, map, static_cast<uint32_t>(Address(thread, shared)));
    if (load) o.mbarrier = static_cast<uint32_t>(Address(thread, i.args[2]));
  } else {
    const uint64_t to = Address(thread, i.args[0]), from = Address(thread, i.args[1]);
    const auto bytes = static_cast<uint32_t>(Value(thread, i.args[2]));
    if (bytes % 16 != 0 || to % 16 != 0 || from % 16 != 0)
      throw Fault("a bulk copy off 16 bytes: " + i.text);
    if (bytes == 0) return;
    const Spot global = Find(load ? from : to, 1, i, false);
    Find((load ? from : to) + bytes - 1, 1, i, false);
    const Spot shared = Find(load ? to : from, 1, i, true);
    Find((load ? to : from) + bytes - 1, 1, i, true);
    for (uint32_t b = 0; b < bytes; b += 16) {
      o.moves.push_back(
          {global.tensor, global.offset + b, static_cast<uint32_t>(shared.offset) + b, 16});
    }
    if (load) o.mbarrier = static_cast<uint32_t>(Address(thread, i.args[3]));
  }
  for (const Move& m : o.moves) o.tx += m.bytes;
  if (load) At(thread.cta, o.mbarrier, "a load");
  const size_t number = Begin(std::move(o));
  if (!load) thread.bulk.open.push_back(number);
  if (load && adversary_.engines == Engines::kEager) Force(number, false);
}

bool World::OnEngine(Thread& thread, const Instruction& i) {
  const std::string& op = i.op();
  const auto close = [](Groups& groups) {
    groups.closed.push_back(std::move(groups.open));
    groups.open.clear();
  };
  if (op == "cp" && i.Has("async")) {
    if (i.Has("bulk")) {
      if (i.Has("prefetch")) return true;
      if (i.Has("commit_group"))
        close(thread.bulk);
      else if (i.Has("wait_group"))
        Wait(thread.bulk, Value(thread, i.args[0]), i.Has("read"));
      else
        Bulk(thread, i);
      return true;
    }
    if (i.Has("commit_group"))
      close(thread.copies);
    else if (i.Has("wait_group"))
      Wait(thread.copies, Value(thread, i.args[0]), false);
    else if (i.Has("wait_all")) {
      close(thread.copies);
      Wait(thread.copies, 0, false);
    } else if (i.Has("mbarrier")) {
      Operation o;
      o.kind = Operation::Kind::kArrive;
      o.cta = thread.cta;
      o.mbarrier = static_cast<uint32_t>(Address(thread, i.args[0]));
      for (const auto& group : thread.copies.closed)
        o.after.insert(o.after.end(), group.begin(), group.end());
      o.after.insert(o.after.end(), thread.copies.open.begin(), thread.copies.open.end());
      if (!i.Has("noinc")) ++At(thread.cta, o.mbarrier, "arrival of copies").pending;
      Begin(std::move(o));
    } else {
      Copy(thread, i);
      if (adversary_.engines == Engines::kEager) Force(thread.copies.open.back(), false);
    }
    return true;
  }
  if (op != "wgmma") return false;
  if (i.Has("commit_group"))
    close(thread.products);
  else if (i.Has("wait_group"))
    Wait(thread.products, Value(thread, i.args[0]), false);
  else if (!i.Has("fence"))
    return false;
  return true;
}

}  // namespace ptx
