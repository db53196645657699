// The state of one launch, and how it goes on. Parts: world.cc (schedule), memory.cc, barriers.cc,
// engines.cc (what runs beside the threads), warps.cc (what lanes do together), execute.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/mutation/ptx/machine.h"

namespace ptx {

// Something that the hardware answers with an error, or does not define.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class State : uint8_t { kRuns, kMeets, kWaitsPhase, kWaitsBarrier, kExited };

// Operations of groups that are committed, oldest first, and of the one that is open.
struct Groups {
  std::deque<std::vector<size_t>> closed;
  std::vector<size_t> open;
};

struct Thread {
  std::vector<uint64_t> regs;
  size_t pc = 0;
  State state = State::kRuns;
  int cta = 0, id = 0, warp = 0;
  uint32_t mbarrier = 0, parity = 0;  // kWaitsPhase
  Groups copies, bulk, products;
  std::vector<std::pair<uint32_t, uint32_t>> unfenced;  // stores to shared memory: address, bytes
};

struct Warp {
  int first = 0, count = 0, cta = 0;
  int64_t priority = 0;
  int lane = 0;        // that went last
  int64_t in_row = 0;  // steps since another warp went
};

struct Mbarrier {
  int64_t count = 0, pending = 0, tx = 0;
  uint64_t phase = 0;
};

struct NamedBarrier {
  int64_t arrived = 0, expected = 0;
  std::vector<int> waiting;
};

struct Cta {
  int64_t index[3] = {0, 0, 0};
  // What threads see, what engines see, and whose store (thread + 1) engines do not see yet.
  std::vector<uint8_t> generic, async;
  std::vector<int> pending;
  std::map<uint32_t, Mbarrier> mbarriers;
  NamedBarrier barriers[16];
  int64_t running = 0;  // threads
};

// Bytes that move together.
struct Move {
  int tensor = -1;  // -1: zeros
  uint64_t offset = 0;
  uint32_t shared = 0, bytes = 0;
};

struct Operation {
  enum class Kind : uint8_t { kCopy, kLoad, kStore, kArrive, kProduct };
  Kind kind = Kind::kCopy;
  int cta = 0, thread = 0;  // of products: the first thread of the warpgroup
  std::vector<Move> moves;
  size_t read = 0, done_moves = 0;  // of stores: read first, written later
  std::vector<std::vector<uint8_t>> held;
  uint32_t mbarrier = 0;
  int64_t tx = 0;
  std::vector<size_t> after;  // kArrive, kProduct: these first
  const Instruction* product = nullptr;
  // Of products, thread by thread: the registers of the results and of the left operand, and
  // whether it adds; the descriptors.
  std::vector<uint64_t> before, left, adds;
  uint64_t descriptors[2] = {0, 0};
  size_t results = 0;  // the first of its numbers in World::results_
  std::string reduce;  // of stores: "", "add"
  bool done = false;
};

class World {
 public:
  World(const Plan& plan, const Adversary& adversary);
  Result RunAll(const std::map<std::string, Kernel>& module);

 private:
  // world.cc
  Fate RunOne(const Kernel& kernel, const Launch& launch, std::string& why);
  void Place(const Kernel& kernel, const Launch& launch);
  bool Step();  // false: no thread can go on
  int PickWarp();
  int PickLane(const Warp& warp);
  bool CanRun(const Thread& thread);
  void Demote(Warp& warp);
  void Exit(Thread& thread);
  std::string Standing() const;
  uint64_t Random(uint64_t below) { return random_() % below; }

  // memory.cc
  struct Spot {
    int tensor = -1;
    bool shared = false;
    uint64_t offset = 0;
  };
  Spot Find(uint64_t address, uint32_t bytes, const Instruction& i, bool shared_window) const;
  uint64_t Address(const Thread& thread, const Operand& memory) const;
  void Load(Thread& thread, const Instruction& i);
  void Store(Thread& thread, const Instruction& i);
  void Atomic(Thread& thread, const Instruction& i);
  uint64_t ReadBytes(const Thread& thread, const Spot& at, uint32_t bytes) const;
  void WriteBytes(Thread& thread, const Spot& at, uint32_t bytes, uint64_t value);
  void FenceAsync(Thread& thread);

  // barriers.cc
  void OnMbarrier(Thread& thread, const Instruction& i);
  Mbarrier& At(int cta, uint32_t address, std::string_view what);
  void Advance(Mbarrier& m);
  void Complete(int cta, uint32_t address, int64_t bytes);
  void OnBarrier(Thread& thread, const Instruction& i);
  void Release(Cta& cta, NamedBarrier& barrier);

  // engines.cc
  bool OnEngine(Thread& thread, const Instruction& i);  // false: it is none of these
  void Copy(Thread& thread, const Instruction& i);
  void Bulk(Thread& thread, const Instruction& i);
  std::vector<Move> Box(const Thread& thread, const Instruction& i, const Operand& map,
                        uint32_t shared);
  void Wait(Groups& groups, uint64_t allowed, bool only_read);
  size_t Begin(Operation operation);
  bool Progress();  // one piece of one operation; false: there is none
  void Piece(size_t number);
  void Finish(size_t number);
  void Force(size_t number, bool only_read);
  void MoveBytes(const Operation& o, const Move& move);

  // warps.cc
  bool IsCollective(const Instruction& i) const;
  void Meet(Thread& thread, const Instruction& i);
  void Together(const Instruction& i, const std::vector<int>& lanes, uint32_t mask);
  std::pair<int, bool> Source(const Instruction& i, const Thread& t, int lane) const;
  void Exchange(const Instruction& i, const std::vector<int>& lanes, uint32_t mask);
  void Matrices(const Instruction& i, const std::vector<int>& lanes);
  void Multiply(const Instruction& i, const std::vector<int>& lanes);
  void Issue(const Instruction& i, const std::vector<int>& lanes);
  void Product(const Operation& o);
  std::vector<uint64_t> OperandRows(const Cta& cta, uint64_t descriptor, int rows) const;

  // execute.cc
  void Execute(Thread& thread);
  uint64_t Value(const Thread& thread, const Operand& o) const;
  uint64_t Resolved(uint64_t raw) const;
  uint64_t Special(const Thread& thread, const std::string& name) const;
  void Set(Thread& thread, const Operand& o, uint64_t value) const;

  const Plan& plan_;
  Adversary adversary_;
  std::mt19937_64 random_;
  std::vector<std::vector<uint8_t>> tensors_;
  const Kernel* kernel_ = nullptr;
  const Launch* launch_ = nullptr;
  std::vector<uint8_t> params_;
  std::map<uint64_t, const Map*> maps_;  // by the address of the parameter
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<Operation> operations_;
  std::vector<size_t> live_;  // operations that are not done
  // What products make: a register holds the number of the result until the product has run.
  std::vector<std::pair<bool, uint64_t>> results_;
  std::vector<int64_t> changes_;  // steps at which the first warp becomes the last
  int64_t steps_ = 0, lowest_ = 0;
};

uint64_t Mix(uint64_t a, uint64_t b);

// A register that waits for a result: these bits and its number.
constexpr uint64_t kPromise = uint64_t{0xf1a9} << 48;

}  // namespace ptx
