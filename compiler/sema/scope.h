// What a name stands for, and which names are visible. Only compiler/sema includes this.
//
// Scopes are one linked list: a block pushes names and pops them by restoring the pointer, and a fn
// keeps the pointer at its definition, so it sees the names that were visible there and no others.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"
#include "compiler/text/syntax.h"

namespace compiler::sema {

using ir::DType;
using ir::ExprId;

// Anything that views index: a tensor, shared memory, a field of a ring, tensor memory.
struct Buffer {
  std::string name;
  ir::Space space = ir::Space::kGlobal;
  DType dtype = DType::kUnknown;
  std::vector<ExprId> shape;
  ir::TensorId tensor = ir::TensorId::kNone;
  ir::SharedId shared = ir::SharedId::kNone;
  ir::TmemId tmem = ir::TmemId::kNone;
  bool staged = false;
  bool last_dim_contiguous = true;
  diag::Span declared;
};

// A resolved view: one index per declared dimension. `unknown`: a diagnostic has been reported.
struct ViewRef {
  const Buffer* buffer = nullptr;
  ExprId stage = ExprId::kNone;
  std::vector<ir::ViewIndex> index;
  bool transposed = false;
  ExprId remote = ExprId::kNone;
  bool unknown = false;
};

struct Group {  // smem or ring with fields
  std::string name;
  bool is_ring = false;
  ir::RingId ring = ir::RingId::kNone;  // kNone: under a condition that is false
  bool staged = false;
  std::vector<std::pair<std::string_view, const Buffer*>> fields;
};

enum class EntityKind : uint8_t {
  kUnknown,  // declared, but with an error: uses give type unknown and no diagnostic
  kValue,    // an expression: consts, params, and lets of constants
  kSymbol,
  kLocal,
  kBuffer,
  kGroup,
  kEvent,
  kBarrier,
  kView,
  kFunction,
};

struct ScopeNode;

struct Entity {
  EntityKind kind = EntityKind::kUnknown;
  std::string_view name;
  diag::Span declared;
  bool dead = false;       // declared under a condition that is false for this member
  bool read_only = false;  // a fragment passed by value
  uint32_t keyword = 0;    // let, var: where the statement begins
  ExprId value = ExprId::kNone;
  ir::SymbolId symbol = ir::SymbolId::kNone;
  ir::LocalId local = ir::LocalId::kNone;
  ir::BarrierId barrier = ir::BarrierId::kNone;
  ir::EventId event = ir::EventId::kNone;
  const Buffer* buffer = nullptr;
  const Group* group = nullptr;
  const ViewRef* view = nullptr;
  const text::Function* function = nullptr;
  const ScopeNode* closure = nullptr;  // kFunction: what is visible in its body
  ir::FragmentRef lent;  // an `inout` parameter that is some columns of a fragment: which
};

struct ScopeNode {
  Entity entity;
  const ScopeNode* parent = nullptr;
};

inline const Entity* Lookup(const ScopeNode* scope, std::string_view name) {
  for (; scope != nullptr; scope = scope->parent) {
    if (scope->entity.name == name) return &scope->entity;
  }
  return nullptr;
}

}  // namespace compiler::sema
