// One kernel read symbolically, for every shape that the guard admits: what each access, loop and
// index computes as a linear expression, and the facts that hold where it stands. Rules read this.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"
#include "verifier/prover.h"

namespace verifier {

namespace ir = compiler::ir;

// A load or store of memory, or an element of a register array.
struct Access {
  ir::StmtId stmt = ir::StmtId::kNone;
  ir::ExprId load = ir::ExprId::kNone;  // kNone: a store
  ir::ViewId view = ir::ViewId::kNone;
  int role = 0;
  bool write = false;
  bool predicated = false;    // has an `else`, or is clipped by the hardware
  bool strong = false;        // may meet other strong accesses at the same word
  bool of_cta = false;        // strong, but for threads of its own CTA only
  bool bulk = false;          // a bulk or tensor copy: the rule copy_alignment is about it
  bool reduces = false;       // adds to memory by a copy: such copies come in any order
  bool tile = false;          // an operand of tcgen05: the rule tensor_memory is about it
  bool place_only = false;    // names a place of a tensor that nothing here reads or writes
  std::optional<Linear> end;  // a patched map: what is not below it is not touched
  size_t end_dimension = 0;
  std::vector<Linear> offsets;   // a dimension
  std::vector<int64_t> extents;  // of the slice in each dimension, 1 for a scalar index
  std::vector<Linear> limits;    // extents of the buffer
  Facts facts;
};

// A number that must lie in a range: low <= value <= high.
struct Requirement {
  enum class Kind : uint8_t {
    kOverflow,
    kStep,
    kDivisor,
    kBarrierIndex,
    kRegisterIndex,
    kStage,
    kRank,  // of a cluster
    kMask   // of ranks
  };
  Kind kind = Kind::kOverflow;
  ir::StmtId stmt = ir::StmtId::kNone;
  ir::ExprId expr = ir::ExprId::kNone;
  Linear value;
  Interval range;
  Facts facts;
  bool proved = false;
};

// A counted loop where the walk enters it: it makes ceildiv(room, step) trips, none if room <= 0.
struct CountedLoop {
  ir::StmtId stmt = ir::StmtId::kNone;
  Linear room;
  int64_t step = 1;  // 0: no constant
  Facts facts;
};

struct KernelAnalysis {
  size_t kernel = 0;
  Atoms atoms;
  Facts launch;                     // ranges and guards: hold everywhere
  std::vector<Linear> grid;         // three extents
  std::vector<Linear> coordinates;  // cta.x, cta.y, cta.z
  // Equal in two threads only where they are of one CTA: the coordinates, x as cluster and rank.
  std::vector<Linear> place;
  std::vector<std::vector<Linear>> limits;   // extents of each tensor
  std::vector<std::vector<Linear>> strides;  // of each tensor, in elements
  std::vector<AtomId> loaded;                // elements of tensors that contracts speak of
  std::vector<Access> accesses;
  std::vector<Requirement> requirements;
  std::vector<CountedLoop> loops;  // those with a constant step
};

KernelAnalysis Analyse(const ir::Program& program, const compiler::facts::Facts& facts,
                       size_t kernel);
// Statements, and outcomes of the conditions of `if` statements.
struct Watched {
  std::set<ir::StmtId> statements;
  std::set<std::pair<ir::StmtId, bool>> sides;
  std::set<std::pair<ir::ExprId, uint8_t>> decisions;  // and outcomes of them (decisions.h)
};
// Those of the statements that no thread reaches, and of the outcomes that no thread finds,
// whatever the guard admits, so far as the proofs see it. The kernel has been read before.
Watched Impossible(const ir::Program& program, const compiler::facts::Facts& facts,
                   const KernelAnalysis& before, const Watched& watched);
// Every kernel of the program. Their proofs share one budget of work, so that many kernels take no
// longer than one; what is read after it is spent has nothing proven.
std::vector<KernelAnalysis> AnalyseAll(const ir::Program& program,
                                       const compiler::facts::Facts& facts);

// The range of an integer dtype; everything for the others.
Interval RangeOfDType(ir::DType dtype);

}  // namespace verifier
