// What the lanes of a warp, or the warps of a warpgroup, do together.
#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/mutation/ptx/world.h"

namespace ptx {
namespace {

// A number of [0.5, 1) that nothing but the same operands gives.
uint64_t Drawn(uint64_t hash, bool half, bool integer) {
  if (integer) return hash & 0xffff;
  return half ? 0x3800 | (hash & 0x3ff) : 0x3f000000 | (hash & 0x7fffff);
}

}  // namespace

bool World::IsCollective(const Instruction& i) const {
  const std::string& op = i.op();
  if (op == "bar") return i.Has("warp");
  if (op == "wgmma") return i.Has("mma_async");
  return op == "shfl" || op == "vote" || op == "elect" || op == "mma" || op == "ldmatrix" ||
         op == "stmatrix" || op == "redux" || op == "match";
}

// Waits for the lanes of its mask; the last one executes for all.
void World::Meet(Thread& thread, const Instruction& i) {
  const bool group = i.op() == "wgmma";
  const Warp& warp = warps_[static_cast<size_t>(thread.warp)];
  uint32_t mask = 0xffffffff;
  const bool masked = i.op() == "shfl" || i.op() == "vote" || i.op() == "elect" ||
                      i.op() == "redux" || i.op() == "match" || i.op() == "bar";
  if (masked) mask = static_cast<uint32_t>(Value(thread, i.args.back()));
  int first = warp.first, count = warp.count;
  if (group) {
    first = warp.first - thread.id / 32 % 4 * 32;
    count = 128;
  }
  thread.state = State::kMeets;
  std::vector<int> lanes;
  for (int l = 0; l < count; ++l) {
    if ((mask >> (l % 32) & 1) == 0) continue;
    const Thread& other = threads_[static_cast<size_t>(first + l)];
    // Lanes that ended wait for nobody.
    if (other.state == State::kExited)
      throw Fault("a lane that has ended is waited for: " + i.text);
    const bool same = other.pc == thread.pc || (i.op() == "bar" && other.state == State::kMeets &&
                                                kernel_->code[other.pc].op() == "bar");
    if (other.state != State::kMeets || !same) return;
    lanes.push_back(first + l);
  }
  Together(i, lanes, mask);
  for (const int l : lanes) {
    Thread& t = threads_[static_cast<size_t>(l)];
    t.state = State::kRuns;
    ++t.pc;
  }
}

void World::Together(const Instruction& i, const std::vector<int>& lanes, uint32_t mask) {
  const std::string& op = i.op();
  if (op == "bar") return;
  if (op == "ldmatrix" || op == "stmatrix") return Matrices(i, lanes);
  if (op == "mma") return Multiply(i, lanes);
  if (op != "wgmma") return Exchange(i, lanes, mask);
  Issue(i, lanes);
}

// A product of a warpgroup: registers hold promises from here on, which moves may carry along.
void World::Issue(const Instruction& i, const std::vector<int>& lanes) {
  Operation o;
  o.kind = Operation::Kind::kProduct;
  o.cta = threads_[static_cast<size_t>(lanes[0])].cta;
  o.thread = lanes[0];
  o.product = &i;
  o.results = results_.size();
  const Thread& first = threads_[static_cast<size_t>(lanes[0])];
  for (size_t d = 0; d < 2; ++d) {
    if (i.args[d + 1].kind == Operand::Kind::kRegister)
      o.descriptors[d] = Value(first, i.args[d + 1]);
  }
  for (const int l : lanes) {
    Thread& t = threads_[static_cast<size_t>(l)];
    for (const Operand& part : i.args[1].parts)
      o.left.push_back(t.regs[static_cast<size_t>(part.reg)]);
    o.adds.push_back(i.args.size() < 4 ? 1 : Value(t, i.args[3]) & 1);
    for (const Operand& part : i.args[0].parts) {
      o.before.push_back(t.regs[static_cast<size_t>(part.reg)]);
      t.regs[static_cast<size_t>(part.reg)] = kPromise | results_.size();
      results_.emplace_back(false, 0);
    }
  }
  // Products of a warpgroup follow each other.
  for (const size_t before : live_) {
    const Operation& other = operations_[before];
    if (other.kind == Operation::Kind::kProduct && other.thread == o.thread)
      o.after.push_back(before);
  }
  const size_t number = Begin(std::move(o));
  for (const int l : lanes) threads_[static_cast<size_t>(l)].products.open.push_back(number);
  if (adversary_.engines == Engines::kEager) Force(number, false);
}

// The lane that `lane` of a shuffle reads, and whether that is one of its group (PTX ISA,
// shfl.sync).
std::pair<int, bool> World::Source(const Instruction& i, const Thread& t, int lane) const {
  const auto b = static_cast<int>(Value(t, i.args[2]) & 31);
  const auto c = static_cast<int>(Value(t, i.args[3]));
  const int segment = (c >> 8) & 31, clamp = c & 31;
  const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  int from = first | (b & ~segment);
  if (i.Has("up")) from = lane - b;
  if (i.Has("down")) from = lane + b;
  if (i.Has("bfly")) from = lane ^ b;
  const bool inside = i.Has("up") ? from >= last : from <= last;
  return {inside ? from : lane, inside};
}

namespace {

uint64_t Reduced(const Instruction& i, const std::vector<uint64_t>& values) {
  uint64_t r = values[0];
  for (size_t m = 1; m < values.size(); ++m) {
    const auto a = static_cast<int32_t>(r), b = static_cast<int32_t>(values[m]);
    const bool less = i.Has("s32") ? b < a : static_cast<uint32_t>(b) < static_cast<uint32_t>(a);
    if (i.Has("add")) {
      r = (r + values[m]) & 0xffffffff;
    } else if (i.Has("min") || i.Has("max")) {
      r = less == i.Has("min") ? values[m] : r;
    } else {
      r = i.Has("and") ? r & values[m] : i.Has("or") ? r | values[m] : r ^ values[m];
    }
  }
  return r;
}

uint64_t Voted(const Instruction& i, uint64_t set, uint32_t mask) {
  if (i.Has("ballot")) return set;
  if (i.Has("any")) return set != 0;
  return i.Has("all") ? set == mask : set == 0 || set == mask;
}

}  // namespace

void World::Exchange(const Instruction& i, const std::vector<int>& lanes, uint32_t mask) {
  const std::string& op = i.op();
  std::vector<uint64_t> values(32, 0), given;
  uint64_t set = 0;
  for (const int l : lanes) {
    const Thread& t = threads_[static_cast<size_t>(l)];
    const uint64_t value = op == "elect" ? 0 : Value(t, i.args[1]);
    given.push_back(value);
    values[static_cast<size_t>(t.id % 32)] = value;
    if ((value & 1) != 0) set |= uint64_t{1} << (t.id % 32);
  }
  for (const int l : lanes) {
    Thread& t = threads_[static_cast<size_t>(l)];
    uint64_t result = 0;
    bool predicate = true;
    if (op == "elect") {
      result = static_cast<uint64_t>(std::countr_zero(mask));
      predicate = t.id % 32 == std::countr_zero(mask);
    } else if (op == "shfl") {
      const auto [from, inside] = Source(i, t, t.id % 32);
      result = values[static_cast<size_t>(from)];
      predicate = inside;
    } else if (op == "vote") {
      result = Voted(i, set, mask);
    } else if (op == "redux") {
      result = Reduced(i, given);
    } else {
      throw Unknown(i.text);
    }
    const Operand& to = i.args[0];
    if (to.kind != Operand::Kind::kRegister) continue;
    t.regs[static_cast<size_t>(to.reg)] = result;
    if (to.second >= 0) t.regs[static_cast<size_t>(to.second)] = predicate ? 1 : 0;
  }
}

// Rows of 16 bytes, eight of each matrix; lane 8j+r names row r of matrix j.
void World::Matrices(const Instruction& i, const std::vector<int>& lanes) {
  const bool load = i.op() == "ldmatrix";
  if (!i.Has("m8n8") || lanes.size() != 32) throw Unknown(i.text);
  const size_t count = i.Has("x4") ? 4 : i.Has("x2") ? 2 : 1;
  const Operand& registers = load ? i.args[0] : i.args[1];
  const Operand& memory = load ? i.args[1] : i.args[0];
  for (size_t j = 0; j < count; ++j) {
    std::vector<Spot> rows;
    for (size_t r = 0; r < 8; ++r) {
      const Thread& t = threads_[static_cast<size_t>(lanes[8 * j + r])];
      rows.push_back(Find(Address(t, memory), 16, i, true));
    }
    for (size_t l = 0; l < 32; ++l) {
      Thread& t = threads_[static_cast<size_t>(lanes[l])];
      const Operand& reg =
          registers.kind == Operand::Kind::kVector ? registers.parts[j] : registers;
      uint64_t value = load ? 0 : Value(t, reg);
      for (size_t half = 0; half < 2; ++half) {
        const size_t row = i.Has("trans") ? 2 * (l % 4) + half : l / 4;
        const size_t column = i.Has("trans") ? l / 4 : 2 * (l % 4) + half;
        Spot at = rows[row];
        at.offset += 2 * column;
        if (load)
          value |= ReadBytes(t, at, 2) << (16 * half);
        else
          WriteBytes(t, at, 2, (value >> (16 * half)) & 0xffff);
      }
      if (load) Set(t, reg, value);
    }
  }
}

// mma: an element is drawn from the row of the left and the column of the right operand.
void World::Multiply(const Instruction& i, const std::vector<int>& lanes) {
  if (lanes.size() != 32 || i.args.size() != 4) throw Unknown(i.text);
  uint64_t rows[16] = {}, columns[8] = {};
  for (size_t l = 0; l < 32; ++l) {
    const Thread& t = threads_[static_cast<size_t>(lanes[l])];
    for (size_t r = 0; r < i.args[1].parts.size(); ++r) {
      uint64_t& row = rows[l / 4 + 8 * (r % 2)];
      row = Mix(row, Value(t, i.args[1].parts[r]));
    }
    for (const Operand& part : i.args[2].parts)
      columns[l / 4] = Mix(columns[l / 4], Value(t, part));
  }
  const bool half = i.types.front() == Type::kF16, integer = i.types.front() == Type::kS32;
  for (size_t l = 0; l < 32; ++l) {
    Thread& t = threads_[static_cast<size_t>(lanes[l])];
    for (size_t r = 0; r < i.args[0].parts.size(); ++r) {
      const uint64_t old = Value(t, i.args[3].parts[r]);
      const size_t row = l / 4 + 8 * (half ? r % 2 : r / 2 % 2);
      const auto element = [&](size_t column, uint64_t before) {
        return Drawn(Mix(Mix(rows[row], columns[column]), before), half, integer);
      };
      const size_t column = 2 * (l % 4);
      Set(t, i.args[0].parts[r],
          half ? element(column, old & 0xffff) | element(column + 1, old >> 16) << 16
               : element(column + r % 2, old));
    }
  }
}

// A hash of each row of 32 bytes that a descriptor names (PTX ISA, matrix descriptor format).
std::vector<uint64_t> World::OperandRows(const Cta& cta, uint64_t descriptor, int rows) const {
  const auto start = static_cast<uint32_t>((descriptor & 0x3fff) << 4);
  const auto stride = static_cast<uint32_t>((descriptor >> 32 & 0x3fff) << 4);
  const uint64_t mode = descriptor >> 62;
  const uint32_t pitch = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 0;
  if (pitch == 0) throw Unknown("an operand without a swizzle");
  std::vector<uint64_t> hashes;
  for (int r = 0; r < rows; ++r) {
    uint64_t hash = 0;
    for (uint32_t b = 0; b < 32; ++b) {
      const uint32_t linear =
          start + static_cast<uint32_t>(r / 8) * stride + static_cast<uint32_t>(r % 8) * pitch + b;
      const uint32_t mask = pitch == 128 ? 7 : pitch == 64 ? 3 : 1;
      const uint32_t at = linear ^ ((linear >> 7 & mask) << 4);
      if (at >= cta.async.size()) throw Fault("an operand outside of shared memory");
      hash = Mix(hash, cta.async[at]);
    }
    hashes.push_back(hash);
  }
  return hashes;
}

// wgmma: what it reads is what engines see when it runs.
void World::Product(const Operation& o) {
  const Instruction& i = *o.product;
  const Cta& cta = ctas_[static_cast<size_t>(o.cta)];
  int n = 0;
  for (const std::string& word : i.words) {
    if (word.starts_with("m64n")) n = std::atoi(word.c_str() + 4);
  }
  const bool registers = i.args[1].kind == Operand::Kind::kVector;
  for (size_t a = 6; a < i.args.size(); ++a) {
    if (i.args[a].kind == Operand::Kind::kNumber && i.args[a].number != 0)
      throw Unknown("an operand across K");
  }
  std::vector<uint64_t> rows(64, 0);
  if (registers) {
    size_t at = 0;
    for (int l = 0; l < 128; ++l) {
      for (size_t r = 0; r < i.args[1].parts.size(); ++r) {
        uint64_t& row = rows[static_cast<size_t>(l / 32 * 16 + l % 32 / 4) + 8 * (r % 2)];
        row = Mix(row, Resolved(o.left[at++]));
      }
    }
  } else {
    rows = OperandRows(cta, o.descriptors[0], 64);
  }
  const std::vector<uint64_t> columns = OperandRows(cta, o.descriptors[1], n);
  const bool half = i.types.front() == Type::kF16, integer = i.types.front() == Type::kS32;
  size_t at = 0;
  for (int l = 0; l < 128; ++l) {
    const bool sums = o.adds[static_cast<size_t>(l)] != 0;
    for (size_t r = 0; r < i.args[0].parts.size(); ++r, ++at) {
      const uint64_t old = sums ? Resolved(o.before[at]) : 0;
      const size_t e = half ? 2 * r : r;
      const size_t row = static_cast<size_t>(l / 32 * 16 + l % 32 / 4) + 8 * (e / 2 % 2);
      const size_t column = e / 4 * 8 + static_cast<size_t>(l % 4) * 2 + e % 2;
      const auto element = [&](size_t c, uint64_t before) {
        return Drawn(Mix(Mix(rows[row], columns[c]), before), half, integer);
      };
      const uint64_t value = half ? element(column, old & 0xffff) | element(column + 1, old >> 16)
                                                                        << 16
                                  : element(column, old);
      results_[o.results + at] = {true, value};
    }
  }
}

}  // namespace ptx
