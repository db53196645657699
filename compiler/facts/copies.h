// What bulk and tensor copies become: tensor maps, and the instructions of each statement. Derived
// from the view on the tensor's side and the form of the buffer on the other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"

namespace compiler::facts {

// How the hardware walks one tensor in boxes of one size (CUDA driver API, tensor map management).
// Interleave is none; elements outside of the tensor read as zero.
struct TensorMap {
  std::string name;  // of the kernel parameter: "x_map"
  ir::TensorId tensor = ir::TensorId::kNone;
  std::vector<int64_t> box;   // elements, in the tensor's order of dimensions
  int64_t swizzle_bytes = 0;  // 0, 32, 64 or 128
  // In shared memory. Where it is not the tensor's, the tensor's elements are several numbers, the
  // box is in numbers, and 16 of them are padded to 16 bytes (PTX ISA, packing of sub-byte types).
  ir::DType dtype = ir::DType::kUnknown;
  std::vector<size_t> kernels;
};

// One instruction of a copy.
struct CopyPart {
  std::vector<int64_t> at;   // elements from the view's first one, a dimension of the tensor
  int64_t shared_bytes = 0;  // from the first byte of the view in shared memory
};

struct CopyPlan {
  int32_t map = -1;  // in CopyFacts::maps; -1: a bulk copy of contiguous bytes
  // Of the whole copy, elements outside of the tensor included, padding left out: what a load
  // completes on its mbarrier.
  int64_t bytes = 0;
  std::vector<CopyPart> parts;
};

struct CopyFacts {
  std::vector<TensorMap> maps;
  std::map<ir::StmtId, CopyPlan> plans;  // of every bulk and tensor copy that can be made

  const CopyPlan* Find(ir::StmtId stmt) const {
    const auto found = plans.find(stmt);
    return found == plans.end() ? nullptr : &found->second;
  }
};

// A map that a role has patched for itself (tensormap.set): each warp has a copy in the kernel's
// workspace, from this slot on.
struct PatchedMap {
  size_t role = 0;
  ir::TensorId tensor = ir::TensorId::kNone;
  int32_t map = -1;  // in CopyFacts::maps
  int64_t first_slot = 0;
};
// Of one kernel, with the number of slots of a CTA.
std::vector<PatchedMap> PatchedMaps(const ir::Program& program, const ir::Kernel& kernel,
                                    const CopyFacts& copies, int64_t* slots);

// Reports what no instruction can do (CK312x).
CopyFacts DeriveCopies(const ir::Program& program, diag::Report& report);

// Bytes that a load completes on its mbarrier: the full box, whatever lies outside of the tensor.
int64_t CopyBytes(const ir::Program& program, const ir::Kernel& kernel, const ir::Stmt& stmt);

// Numbers in an element of global memory where a load pads them in shared memory, else 1.
int64_t NumbersExpanded(ir::DType global, ir::DType shared);

bool IsTensorCopy(ir::CopyEffect effect);
bool IsBulkCopy(ir::CopyEffect effect);
// Completes bytes on an mbarrier; the others complete by groups.
bool IsMbarrierLoad(ir::CopyEffect effect);

// Whether the role fills slots of the ring by cp.async: then its commits count 32 more arrivals a
// warp, of the threads' copies.
bool FilledByAsyncCopies(const ir::Program& program, const ir::Kernel& kernel, size_t role,
                         ir::RingId ring);

// The side of a bulk or tensor copy that is in global memory, and the one in shared memory.
ir::ViewId GlobalSide(const ir::Program& program, const ir::Stmt& stmt);
ir::ViewId SharedSide(const ir::Program& program, const ir::Stmt& stmt);

// Least alignment of a buffer that such copies name: PTX ISA, cp.async.bulk.tensor: 128 bytes.
constexpr int64_t kTensorCopyAlignmentBytes = 128;
constexpr int64_t kBulkCopyAlignmentBytes = 16;
bool HasTensorCopy(const ir::Program& program, const ir::Kernel& kernel, ir::SharedId buffer);

}  // namespace compiler::facts
