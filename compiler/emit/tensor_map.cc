// Tensor maps that a warp patches for itself: a copy in the kernel's workspace, whose extent in one
// dimension is replaced (PTX ISA, tensormap.replace), and which tensor copies see behind a fence of
// their proxy.
#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/emit/require.h"

namespace compiler::emit {
namespace {

constexpr int64_t kMapWords = 32;  // of 32 bits

}  // namespace

std::string KernelEmitter::PatchedMap(int32_t map) {
  int64_t slots = 0;
  const std::vector<facts::PatchedMap> maps =
      facts::PatchedMaps(program_, kernel_, copies_, &slots);
  for (const facts::PatchedMap& patched : maps) {
    if (patched.role != role_index_ || patched.map != map) continue;
    const std::string cta = Builtin(ir::BuiltinValue::kCta).code;
    std::string slot = absl::StrCat("(unsigned int)", cta, " * ", slots);
    if (patched.first_slot > 0) absl::StrAppend(&slot, " + ", patched.first_slot);
    if (role_->warps > 1) {
      absl::StrAppend(&slot, " + ", Builtin(ir::BuiltinValue::kWarp).code);
    }
    return absl::StrCat(tensors_[static_cast<size_t>(facts_.map_words)], " + (unsigned long long)(",
                        slot, ") * ", kMapWords);
  }
  Unreachable("patched map");
}

// Every map of the tensor that the role's copies go through.
void KernelEmitter::SetTensorMap(const ir::Stmt& stmt) {
  const ir::View& view = program_[stmt.source_view];
  // PTX ISA, tensor maps count dimensions from the innermost one on.
  const int64_t ordinal = static_cast<int64_t>(view.index.size()) - 1 - stmt.end_dimension;
  int64_t slots = 0;
  for (const facts::PatchedMap& patched : facts::PatchedMaps(program_, kernel_, copies_, &slots)) {
    if (patched.role != role_index_ || patched.tensor != view.tensor) continue;
    Mark(stmt);
    out_.Line(absl::StrCat("cake::tensor_map_set<", ordinal, ">(", PatchedMap(patched.map), ", ",
                           tensor_maps_[static_cast<size_t>(patched.map)], ", ",
                           Builtin(ir::BuiltinValue::kLane).code, ", ", Code(stmt.end), ");"));
  }
}

}  // namespace compiler::emit
