#include "tests/mutation/ptx/world.h"

#include <algorithm>
#include <cstring>

namespace ptx {
namespace {

constexpr int64_t kPatience = 4000;  // steps of one warp before others go

// Numbers that sums and exponents leave finite; integers are 0, which is in bounds of most.
void Fill(std::vector<uint8_t>& bytes, const Tensor& t, bool input, std::mt19937_64& random) {
  if (input && t.kind == "INTEGER" && t.element_bytes > 1) return;
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  if (t.kind != "FLOAT" || !input) return;
  const auto step = static_cast<size_t>(t.element_bytes);
  for (size_t i = step - 1; i < bytes.size(); i += step) {
    bytes[i] = step == 1 ? static_cast<uint8_t>(0x20 + bytes[i] % 32) : 0x3f;
    if (step > 1) bytes[i - 1] &= 0x7f;
  }
}

}  // namespace

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;
  return h ^ (h >> 29);
}

std::string_view ToString(Fate fate) {
  switch (fate) {
    case Fate::kDone: return "done";
    case Fate::kHang: return "hang";
    case Fate::kFault: return "fault";
    case Fate::kSteps: return "steps";
  }
  return "";
}

Result Run(const std::map<std::string, Kernel>& module, const Plan& plan,
           const Adversary& adversary) {
  return World(plan, adversary).RunAll(module);
}

World::World(const Plan& plan, const Adversary& adversary)
    : plan_(plan), adversary_(adversary), random_(adversary.seed * 2 + 1) {
  std::mt19937_64 inputs(7);  // the same in all runs
  for (const Tensor& t : plan.tensors) {
    std::vector<uint8_t>& bytes = tensors_.emplace_back(t.bytes);
    if (t.direction == "workspace" && t.zero) continue;
    const bool input = t.direction == "in" || t.direction == "inout";
    Fill(bytes, t, input, input ? inputs : random_);
  }
}

Result World::RunAll(const std::map<std::string, Kernel>& module) {
  Result result;
  try {
    for (const Launch& launch : plan_.launches) {
      if (launch.skipped) continue;
      const auto found = module.find(launch.name);
      if (found == module.end()) throw Unknown("no kernel " + launch.name);
      result.fate = RunOne(found->second, launch, result.why);
      if (result.fate != Fate::kDone) break;
    }
  } catch (const Fault& fault) {
    result.fate = Fate::kFault;
    result.why = fault.what();
  }
  result.steps = steps_;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const std::string& direction = plan_.tensors[i].direction;
    if (direction != "out" && direction != "inout") continue;
    for (const uint8_t b : tensors_[i]) result.outputs = Mix(result.outputs, b);
  }
  return result;
}

void World::Place(const Kernel& kernel, const Launch& launch) {
  kernel_ = &kernel;
  launch_ = &launch;
  if (launch.cluster > 1) throw Unknown("clusters");
  params_.assign(4096, 0);
  maps_.clear();
  for (size_t p = 0; p < kernel.params.size() && p < plan_.arguments.size(); ++p) {
    const Argument& a = plan_.arguments[p];
    const auto at = static_cast<size_t>(kernel.params[p].offset);
    if (a.kind == 't') {
      for (size_t t = 0; t < plan_.tensors.size(); ++t) {
        if (plan_.tensors[t].name != a.name) continue;
        const uint64_t address = kTensorBegin + t * kTensorStep;
        std::memcpy(&params_[at], &address, 8);
      }
    } else if (a.kind == 's') {
      const size_t each = static_cast<size_t>(a.bytes) / std::max<size_t>(1, a.values.size());
      for (size_t v = 0; v < a.values.size(); ++v) {
        std::memcpy(&params_[at + v * each], &a.values[v], std::min<size_t>(each, 8));
      }
    } else {
      for (const Map& map : plan_.maps) {
        if (map.name == a.name) maps_[kParamBegin + at] = &map;
      }
    }
  }
  threads_.clear();
  warps_.clear();
  ctas_.clear();
  operations_.clear();
  results_.clear();
  live_.clear();
  const int64_t ctas = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (ctas * launch.block > 20'000) throw Unknown("too many threads");
  for (int64_t c = 0; c < ctas; ++c) {
    Cta& cta = ctas_.emplace_back();
    cta.index[0] = c % launch.grid[0];
    cta.index[1] = c / launch.grid[0] % launch.grid[1];
    cta.index[2] = c / launch.grid[0] / launch.grid[1];
    const auto bytes = static_cast<size_t>(launch.shared) + kSharedBegin;
    cta.generic.resize(bytes);
    for (uint8_t& b : cta.generic) b = static_cast<uint8_t>(random_());
    cta.async = cta.generic;
    cta.pending.assign(bytes, 0);
    cta.running = launch.block;
    for (int64_t t = 0; t < launch.block; ++t) {
      if (t % 32 == 0) {
        Warp& warp = warps_.emplace_back();
        warp.first = static_cast<int>(threads_.size());
        warp.count = static_cast<int>(std::min<int64_t>(32, launch.block - t));
        warp.cta = static_cast<int>(c);
        warp.priority = static_cast<int64_t>(Random(1'000'000));
      }
      Thread& thread = threads_.emplace_back();
      thread.regs.resize(static_cast<size_t>(kernel.registers));
      thread.cta = static_cast<int>(c);
      thread.id = static_cast<int>(t);
      thread.warp = static_cast<int>(warps_.size()) - 1;
    }
  }
  changes_.clear();
  for (int d = 1; d < adversary_.depth; ++d) {
    changes_.push_back(
        steps_ + static_cast<int64_t>(Random(static_cast<uint64_t>(adversary_.steps_expected))));
  }
  std::sort(changes_.rbegin(), changes_.rend());
}

Fate World::RunOne(const Kernel& kernel, const Launch& launch, std::string& why) {
  Place(kernel, launch);
  while (steps_ < adversary_.steps_max) {
    const bool moved = Step();
    const uint64_t engines = adversary_.engines == Engines::kRandom ? Random(8) : 1;
    if (moved && engines == 0) Progress();
    if (moved || Progress()) continue;
    for (const Thread& t : threads_) {
      if (t.state != State::kExited) {
        why = Standing();
        return Fate::kHang;
      }
    }
    return Fate::kDone;
  }
  why = Standing();
  return Fate::kSteps;
}

bool World::CanRun(const Thread& thread) {
  if (thread.state == State::kRuns) return true;
  if (thread.state != State::kWaitsPhase) return false;
  const Mbarrier& m = ctas_[static_cast<size_t>(thread.cta)].mbarriers.at(thread.mbarrier);
  return (m.phase & 1) != thread.parity;
}

int World::PickLane(const Warp& warp) {
  int best = -1;
  size_t pc = 0;
  for (int l = 0; l < warp.count; ++l) {
    // Apart: on with the lane that went last. Together: those behind first.
    const int lane = adversary_.lanes_apart ? (warp.lane + l) % warp.count : l;
    const Thread& t = threads_[static_cast<size_t>(warp.first + lane)];
    if (!CanRun(t)) continue;
    if (adversary_.lanes_apart) return lane;
    if (best < 0 || t.pc < pc) {
      best = lane;
      pc = t.pc;
    }
  }
  return best;
}

int World::PickWarp() {
  const size_t n = warps_.size();
  if (adversary_.depth == 0) {  // in turn
    const size_t from = n == 0 ? 0 : static_cast<size_t>(steps_ / 16) % n;
    for (size_t i = 0; i < n; ++i) {
      const size_t w = (from + i) % n;
      if (PickLane(warps_[w]) >= 0) return static_cast<int>(w);
    }
    return -1;
  }
  int best = -1;
  for (size_t w = 0; w < n; ++w) {
    const bool higher = best < 0 || warps_[w].priority > warps_[static_cast<size_t>(best)].priority;
    if (higher && PickLane(warps_[w]) >= 0) best = static_cast<int>(w);
  }
  return best;
}

void World::Demote(Warp& warp) {
  warp.priority = --lowest_;
  warp.in_row = 0;
}

bool World::Step() {
  const int picked = PickWarp();
  if (picked < 0) return false;
  Warp& warp = warps_[static_cast<size_t>(picked)];
  while (!changes_.empty() && steps_ >= changes_.back()) {
    changes_.pop_back();
    Demote(warp);
  }
  if (++warp.in_row > kPatience) Demote(warp);
  // A few instructions of one warp at once: schedules differ where warps meet, not inside.
  for (int n = 0; n < 32; ++n) {
    const int lane = PickLane(warp);
    if (lane < 0) break;
    warp.lane = lane;
    Thread& t = threads_[static_cast<size_t>(warp.first + lane)];
    t.state = State::kRuns;
    ++steps_;
    ++warp.in_row;
    Execute(t);
  }
  return true;
}

void World::Exit(Thread& thread) {
  thread.state = State::kExited;
  Cta& cta = ctas_[static_cast<size_t>(thread.cta)];
  --cta.running;
  for (NamedBarrier& barrier : cta.barriers) {
    if (barrier.arrived > 0 && barrier.expected == 0) Release(cta, barrier);
  }
  if (cta.running > 0) return;
  // The memory is the next CTA's.
  for (const size_t number : live_) {
    const Operation& o = operations_[number];
    if (!o.done && o.cta == thread.cta && o.kind == Operation::Kind::kLoad) {
      throw Fault("a CTA ends while a load into its memory runs");
    }
  }
  for (uint8_t& b : cta.async) b = static_cast<uint8_t>(random_());
}

std::string World::Standing() const {
  std::map<std::string, int> where;
  for (const Thread& t : threads_) {
    if (t.state != State::kExited)
      ++where[kernel_->code[std::min(t.pc, kernel_->code.size() - 1)].text];
  }
  std::string text;
  for (const auto& [what, count] : where) text += std::to_string(count) + " at `" + what + "` ";
  return text;
}

}  // namespace ptx
