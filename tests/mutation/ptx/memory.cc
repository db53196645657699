// Loads, stores and atomics of threads.
#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/mutation/ptx/world.h"

namespace ptx {

World::Spot World::Find(uint64_t address, uint32_t bytes, const Instruction& i,
                        bool shared_window) const {
  if (address % bytes != 0)
    throw Fault("an address that is no multiple of " + std::to_string(bytes) + ": " + i.text);
  Spot at;
  if (address >= kSharedGeneric || shared_window) {
    at.shared = true;
    at.offset = address >= kSharedGeneric ? address - kSharedGeneric : address;
    const uint64_t end = kSharedBegin + static_cast<uint64_t>(launch_->shared);
    if (at.offset < kSharedBegin || at.offset + bytes > end)
      throw Fault("outside of shared memory: " + i.text);
    return at;
  }
  if (address < kTensorBegin) throw Fault("an address of nothing: " + i.text);
  const uint64_t tensor = (address - kTensorBegin) / kTensorStep;
  at.offset = (address - kTensorBegin) % kTensorStep;
  if (tensor >= tensors_.size() || at.offset + bytes > tensors_[tensor].size()) {
    throw Fault("outside of every tensor: " + i.text);
  }
  at.tensor = static_cast<int>(tensor);
  return at;
}

uint64_t World::Address(const Thread& thread, const Operand& memory) const {
  const uint64_t base = memory.reg < 0 ? 0 : thread.regs[static_cast<size_t>(memory.reg)];
  return base + memory.number;
}

uint64_t World::ReadBytes(const Thread& thread, const Spot& at, uint32_t bytes) const {
  uint64_t value = 0;
  const uint8_t* from = at.shared ? &ctas_[static_cast<size_t>(thread.cta)].generic[at.offset]
                                  : &tensors_[static_cast<size_t>(at.tensor)][at.offset];
  std::memcpy(&value, from, bytes);
  return value;
}

void World::WriteBytes(Thread& thread, const Spot& at, uint32_t bytes, uint64_t value) {
  if (!at.shared) {
    std::memcpy(&tensors_[static_cast<size_t>(at.tensor)][at.offset], &value, bytes);
    return;
  }
  Cta& cta = ctas_[static_cast<size_t>(thread.cta)];
  std::memcpy(&cta.generic[at.offset], &value, bytes);
  for (uint32_t b = 0; b < bytes; ++b) {
    cta.pending[at.offset + b] = static_cast<int>(&thread - threads_.data()) + 1;
  }
  thread.unfenced.emplace_back(static_cast<uint32_t>(at.offset), bytes);
}

void World::FenceAsync(Thread& thread) {
  Cta& cta = ctas_[static_cast<size_t>(thread.cta)];
  const int own = static_cast<int>(&thread - threads_.data()) + 1;
  for (const auto& [offset, bytes] : thread.unfenced) {
    for (uint32_t b = offset; b < offset + bytes; ++b) {
      if (cta.pending[b] != own) continue;
      cta.pending[b] = 0;
      cta.async[b] = cta.generic[b];
    }
  }
  thread.unfenced.clear();
}

void World::Load(Thread& thread, const Instruction& i) {
  const Operand& to = i.args[0];
  const auto bytes = static_cast<uint32_t>(BytesOf(i.types.back()));
  const uint32_t count =
      to.kind == Operand::Kind::kVector ? static_cast<uint32_t>(to.parts.size()) : 1;
  const uint64_t address = Address(thread, i.args[1]);
  const auto sign = [&](uint64_t v) {
    const int drop = 64 - 8 * static_cast<int>(bytes);
    return IsSigned(i.types.back()) ? static_cast<uint64_t>(static_cast<int64_t>(v << drop) >> drop)
                                    : v;
  };
  const auto set = [&](uint32_t n, uint64_t v) {
    Set(thread,
        count > 1                           ? to.parts[n]
        : to.kind == Operand::Kind::kVector ? to.parts[0]
                                            : to,
        sign(v));
  };
  if (i.Has("param") || (address >= kParamBegin && address < kParamBegin + params_.size())) {
    for (uint32_t n = 0; n < count; ++n) {
      uint64_t v = 0;
      std::memcpy(&v, &params_.at(address - kParamBegin + n * bytes), bytes);
      set(n, v);
    }
    return;
  }
  if (i.Has("const") || i.Has("local")) throw Unknown(i.text);
  const Spot at = Find(address, bytes * count, i, i.Has("shared"));
  for (uint32_t n = 0; n < count; ++n) {
    Spot one = at;
    one.offset += n * bytes;
    set(n, ReadBytes(thread, one, bytes));
  }
}

void World::Store(Thread& thread, const Instruction& i) {
  const Operand& from = i.args[1];
  const auto bytes = static_cast<uint32_t>(BytesOf(i.types.back()));
  const uint32_t count =
      from.kind == Operand::Kind::kVector ? static_cast<uint32_t>(from.parts.size()) : 1;
  if (i.Has("local") || i.Has("async")) throw Unknown(i.text);
  const Spot at = Find(Address(thread, i.args[0]), bytes * count, i, i.Has("shared"));
  for (uint32_t n = 0; n < count; ++n) {
    Spot one = at;
    one.offset += n * bytes;
    WriteBytes(thread, one, bytes,
               Value(thread, from.kind == Operand::Kind::kVector ? from.parts[n] : from));
  }
}

// atom and red: one step.
void World::Atomic(Thread& thread, const Instruction& i) {
  const size_t first = i.op() == "atom" ? 1 : 0;
  const Type type = i.types.back();
  const auto bytes = static_cast<uint32_t>(BytesOf(type));
  if (i.args[first + 1].kind == Operand::Kind::kVector) throw Unknown(i.text);
  const Spot at = Find(Address(thread, i.args[first]), bytes, i, i.Has("shared"));
  const uint64_t old = ReadBytes(thread, at, bytes), v = Value(thread, i.args[first + 1]);
  const auto sign = [&](uint64_t x) {
    const int drop = 64 - 8 * static_cast<int>(bytes);
    return static_cast<int64_t>(x << drop) >> drop;
  };
  uint64_t next = 0;
  if (i.Has("add")) {
    // Sums of floats in any order: a sum that no order changes stands for them.
    next = type == Type::kF16 || type == Type::kBf16 || type == Type::kF16x2 ||
                   type == Type::kBf16x2 || type == Type::kF64
               ? throw Unknown(i.text)
               : old + v;
  } else if (i.Has("exch")) {
    next = v;
  } else if (i.Has("min") || i.Has("max")) {
    const bool less = IsSigned(type) ? sign(v) < sign(old) : v < old;
    next = less == i.Has("min") ? v : old;
  } else if (i.Has("and")) {
    next = old & v;
  } else if (i.Has("or")) {
    next = old | v;
  } else if (i.Has("xor")) {
    next = old ^ v;
  } else if (i.Has("cas")) {
    next = old == v ? Value(thread, i.args[first + 2]) : old;
  } else if (i.Has("inc")) {
    next = old >= v ? 0 : old + 1;
  } else {
    throw Unknown(i.text);
  }
  if (bytes < 8) next &= (uint64_t{1} << (8 * bytes)) - 1;
  WriteBytes(thread, at, bytes, next);
  if (first == 1) Set(thread, i.args[0], old);
}

}  // namespace ptx
