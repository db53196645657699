// One instruction of one thread.
#include <algorithm>

#include "tests/mutation/ptx/scalar.h"
#include "tests/mutation/ptx/world.h"

namespace ptx {

uint64_t World::Special(const Thread& thread, const std::string& name) const {
  const Cta& cta = ctas_[static_cast<size_t>(thread.cta)];
  const auto axis = [&](std::string_view of) {
    return name == std::string(of) + ".x" ? 0 : name == std::string(of) + ".y" ? 1 : 2;
  };
  if (name.starts_with("tid")) return axis("tid") == 0 ? static_cast<uint64_t>(thread.id) : 0;
  if (name.starts_with("ntid"))
    return axis("ntid") == 0 ? static_cast<uint64_t>(launch_->block) : 1;
  if (name.starts_with("ctaid")) return static_cast<uint64_t>(cta.index[axis("ctaid")]);
  if (name.starts_with("nctaid")) return static_cast<uint64_t>(launch_->grid[axis("nctaid")]);
  if (name == "laneid") return static_cast<uint64_t>(thread.id % 32);
  throw Unknown("%" + name);
}

uint64_t World::Value(const Thread& thread, const Operand& o) const {
  switch (o.kind) {
    case Operand::Kind::kRegister: {
      const uint64_t v = Resolved(thread.regs[static_cast<size_t>(o.reg)]);
      return o.negated ? v ^ 1 : v;
    }
    case Operand::Kind::kNumber: return o.number;
    case Operand::Kind::kSpecial: return Special(thread, o.special);
    case Operand::Kind::kMemory: return Address(thread, o);
    case Operand::Kind::kVector:
    case Operand::Kind::kSink: break;
  }
  return 0;
}

// A result that is not there yet is anything.
uint64_t World::Resolved(uint64_t raw) const {
  if (raw >> 48 != kPromise >> 48) return raw;
  const auto& [there, value] = results_[raw & 0xffffffffffff];
  return there ? value : Mix(adversary_.seed, raw) & 0xffffffff;
}

void World::Set(Thread& thread, const Operand& o, uint64_t value) const {
  if (o.kind == Operand::Kind::kSink) return;
  if (o.kind != Operand::Kind::kRegister) throw Unknown("a result that is no register");
  thread.regs[static_cast<size_t>(o.reg)] = value;
}

void World::Execute(Thread& thread) {
  if (thread.pc >= kernel_->code.size()) throw Fault("a thread runs past the end");
  const Instruction& i = kernel_->code[thread.pc];
  const bool off =
      i.predicate >= 0 && ((thread.regs[static_cast<size_t>(i.predicate)] & 1) != 0) == i.unless;
  if (off) {
    ++thread.pc;
    return;
  }
  if (IsCollective(i)) return Meet(thread, i);
  ++thread.pc;
  const std::string& op = i.op();
  if (op == "bra") {
    thread.pc = static_cast<size_t>(i.target);
  } else if (op == "ret" || op == "exit") {
    Exit(thread);
  } else if (op == "ld" || op == "ldu") {
    Load(thread, i);
  } else if (op == "st") {
    Store(thread, i);
  } else if (op == "atom" || op == "red") {
    Atomic(thread, i);
  } else if (op == "bar" || op == "barrier") {
    OnBarrier(thread, i);
  } else if (op == "mbarrier") {
    OnMbarrier(thread, i);
  } else if (op == "fence" || op == "membar") {
    if (i.Has("async") || i.Has("async::generic") ||
        i.text.find("proxy.async") != std::string::npos)
      FenceAsync(thread);
  } else if (op == "createpolicy") {
    Set(thread, i.args[0], 0);
  } else if (op == "prefetch" || op == "prefetchu" || op == "setmaxnreg" ||
             op == "griddepcontrol" || op == "nanosleep" || op == "discard" ||
             op == "applypriority") {
    // Nothing that a result depends on.
  } else if (op == "trap") {
    throw Fault("trap");
  } else if (op == "mov" && i.args[1].kind == Operand::Kind::kVector) {
    uint64_t value = 0;
    const int bits = 8 * BytesOf(i.types[0]) / static_cast<int>(i.args[1].parts.size());
    for (size_t n = i.args[1].parts.size(); n-- > 0;) {
      const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
      value = (value << bits) | (Value(thread, i.args[1].parts[n]) & mask);
    }
    Set(thread, i.args[0], value);
  } else if (op == "mov" && i.args[0].kind == Operand::Kind::kVector) {
    const uint64_t value = Value(thread, i.args[1]);
    const int bits = 8 * BytesOf(i.types[0]) / static_cast<int>(i.args[0].parts.size());
    for (size_t n = 0; n < i.args[0].parts.size(); ++n) {
      Set(thread, i.args[0].parts[n],
          (value >> (bits * static_cast<int>(n))) & ((uint64_t{1} << bits) - 1));
    }
  } else if (op == "mov" && i.args[1].kind == Operand::Kind::kRegister &&
             i.args[0].kind == Operand::Kind::kRegister) {
    thread.regs[static_cast<size_t>(i.args[0].reg)] =
        thread.regs[static_cast<size_t>(i.args[1].reg)];
  } else if (op == "cvta") {
    uint64_t v = Value(thread, i.args[1]);
    if (i.Has("shared")) v = i.Has("to") ? v - kSharedGeneric : v + kSharedGeneric;
    Set(thread, i.args[0], v);
  } else if (!OnEngine(thread, i)) {
    std::vector<uint64_t> args;
    for (size_t n = 1; n < i.args.size(); ++n) args.push_back(Value(thread, i.args[n]));
    const uint64_t result = Compute(i, args);
    Set(thread, i.args[0], result);
    if (i.args[0].second >= 0)
      thread.regs[static_cast<size_t>(i.args[0].second)] = (result & 1) ^ 1;
  }
}

}  // namespace ptx
