// Tensor maps patched in the kernel: the item `tensormap`, `tensormap.set`, which copies it is for,
// and the workspace that keeps the maps.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kEnd{
    "CK1484", Severity::kError, Category::kType,
    "`tensormap.set {0}`: one index, the end of its dimension, stands among whole dimensions of a "
    "tensor",
    "PTX ISA, tensormap.replace .global_dim: the extent of one dimension of a tensor map"};
constexpr diag::Def<Name, Name> kTwice{
    "CK1485", Severity::kError, Category::kType, "role `{0}` has a second `tensormap.set` of `{1}`",
    "which of two ends a copy sees would depend on the way to it; one statement in a loop sets "
    "every end"};
constexpr diag::Def<Name> kNotSet{
    "CK1486", Severity::kError, Category::kType,
    "this copy of `{0}` is not behind a `tensormap.set` of its role",
    "where `tensormap` names a tensor, each warp copies through a map of its own, which holds "
    "nothing before it is set: the tensor's own map would go on behind the end"};
constexpr diag::Def<Name> kNotDeclared{
    "CK1230", Severity::kError, Category::kType,
    "`tensormap.set` of `{0}`, which no item `tensormap` of the kernel names",
    "the item says that copies of the tensor go through patched maps, so that one without its "
    "`tensormap.set` is found"};
constexpr diag::Def<Name> kNoCopies{
    "CK1231", Severity::kError, Category::kType,
    "`tensormap` names `{0}`, of which the kernel makes no tensor copy",
    "what is named is a tensor whose `tma` copies go through maps that the kernel patches"};

constexpr diag::Def<Name> kInnermost{
    "CK1488", Severity::kError, Category::kHardware,
    "`tensormap.set` of the innermost dimension of `{0}`",
    "stores leave out what is behind the end of a row by pieces of 16 bytes only; rows and what "
    "they are counted by end anywhere"};

constexpr int64_t kMapWords = 32;            // of 32 bits: 128 bytes
constexpr int64_t kMapAlignmentBytes = 128;  // PTX ISA, fence.proxy.tensormap

bool IsTensorCopy(ir::CopyEffect effect) {
  return effect == ir::CopyEffect::kTensorLoad || effect == ir::CopyEffect::kTensorStore ||
         effect == ir::CopyEffect::kTensorReduce || effect == ir::CopyEffect::kGatherLoad;
}

ir::TensorId TensorOf(const ir::Program& program, const ir::Stmt& stmt) {
  for (const ir::ViewId view : {stmt.destination, stmt.source_view}) {
    if (view != ir::ViewId::kNone && program[view].space == ir::Space::kGlobal) {
      return program[view].tensor;
    }
  }
  return ir::TensorId::kNone;
}

// The ends that hold in a block, by tensor.
struct End {
  ExprId value = ExprId::kNone;
  int32_t dimension = 0;
};
using Ends = std::map<ir::TensorId, End>;

// Puts the ends into the copies of one role.
class Patcher {
 public:
  Patcher(ir::Program& program, const ir::Role& role,
          const std::map<ir::TensorId, diag::Span>& declared, std::set<ir::TensorId>& copied,
          diag::Report& report)
      : program_(program), role_(role), declared_(declared), copied_(copied), report_(report) {}

  void Run() {
    Find(role_.body);
    Block(role_.body, {});
  }

 private:
  bool Sets(const ir::Stmt& stmt) const {
    return stmt.op != nullptr && stmt.op->effects.copy == ir::CopyEffect::kMapUpdate;
  }

  void Find(const std::vector<ir::StmtId>& body) {
    for (const ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      Find(stmt.body);
      Find(stmt.else_body);
      if (!Sets(stmt)) continue;
      const ir::TensorId tensor = TensorOf(program_, stmt);
      const auto [known, added] = set_.emplace(tensor, stmt.source.span);
      if (added || known->second == stmt.source.span) continue;
      report_.Add(kTwice, stmt.source.span, Name{role_.name}, Name{program_[tensor].name})
          .Label(known->second, "the first one");
    }
  }

  void Block(const std::vector<ir::StmtId>& body, Ends ends) {
    for (const ir::StmtId id : body) {
      ir::Stmt& stmt = program_.stmts[static_cast<size_t>(id)];
      if (stmt.dead) continue;
      if (Sets(stmt)) ends[TensorOf(program_, stmt)] = {stmt.end, stmt.end_dimension};
      if (stmt.op != nullptr && IsTensorCopy(stmt.op->effects.copy)) Copy(stmt, ends);
      Block(stmt.body, ends);
      Block(stmt.else_body, ends);
    }
  }

  void Copy(ir::Stmt& stmt, const Ends& ends) {
    const ir::TensorId tensor = TensorOf(program_, stmt);
    const auto declared = declared_.find(tensor);
    if (declared == declared_.end()) return;
    copied_.insert(tensor);
    const auto found = ends.find(tensor);
    if (found == ends.end()) {
      const auto set = set_.find(tensor);
      if (set == set_.end() && report_.has_errors()) return;  // the statement may be at fault
      report_.Add(kNotSet, stmt.source.span, Name{program_[tensor].name})
          .Label(set == set_.end() ? declared->second : set->second,
                 set == set_.end() ? "declared here" : "set here");
      return;
    }
    stmt.end = found->second.value;
    stmt.end_dimension = found->second.dimension;
  }

  ir::Program& program_;
  const ir::Role& role_;
  const std::map<ir::TensorId, diag::Span>& declared_;
  std::set<ir::TensorId>& copied_;  // of those declared
  diag::Report& report_;
  std::map<ir::TensorId, diag::Span> set_;
};

}  // namespace

void Elaborator::TensorMaps(const text::KernelItem& item) {
  if (b_.dead > 0) return;
  for (const text::Ident& name : item.names) {
    const Entity* entity = Resolve(name);
    if (entity == nullptr || entity->kind == EntityKind::kUnknown) continue;
    const bool tensor =
        entity->kind == EntityKind::kBuffer && entity->buffer->tensor != ir::TensorId::kNone;
    if (tensor) {
      patched_maps_.emplace(entity->buffer->tensor, name.span);
    } else {
      report_.Add(kNoCopies, name.span, Name{std::string(name.text)});
    }
  }
}

// Said once of a tensor.
void Elaborator::RequireTensorMap(const Buffer& buffer, Span span) {
  if (!patched_maps_.emplace(buffer.tensor, span).second) return;
  auto added = report_.Add(kNotDeclared, span, Name{buffer.name});
  const size_t role = program_->source.rfind("role", kernel_->roles.front().declared.begin);
  if (role == std::string::npos) return;
  const auto at = static_cast<uint32_t>(role);
  added.Fix(absl::StrCat("declare it: `tensormap ", buffer.name, "`"),
            {{{at, at}, absl::StrCat("tensormap ", buffer.name, "\n  ")}}, Applicability::kMachine);
}

// tensormap.set y[e, :]: e is captured, as copies behind it name it again.
void Elaborator::SetTensorMap(const text::Stmt& stmt) {
  if (stmt.operand == nullptr) return;
  if (!NamesMemory(*stmt.operand)) {
    Expr(stmt.operand);
    report_.Add(kEnd, stmt.operand->span, Name{"of no tensor"});
    b_.Unknown(stmt.span);
    return;
  }
  ViewRef view = View(*stmt.operand);
  if (view.unknown || view.buffer == nullptr) return;
  const bool global = view.buffer->space == ir::Space::kGlobal && view.remote == ExprId::kNone;
  size_t ends = 0, dimension = 0;
  bool whole = global && !view.transposed;
  for (size_t d = 0; d < view.index.size(); ++d) {
    const ir::ViewIndex& index = view.index[d];
    if (!index.is_slice) {
      ++ends;
      dimension = d;
      continue;
    }
    whole = whole && b_.ConstInt(index.offset) == 0 && index.extent == view.buffer->shape[d];
  }
  const bool number = ends == 1 && b_.TypeOf(view.index[dimension].offset).dtype == DType::kI32;
  if (!whole || !number) {
    report_.Add(kEnd, stmt.operand->span, Name{view.buffer->name})
        .Fix("write `tensormap.set x[end, :]`", {}, Applicability::kManual);
    b_.Unknown(stmt.span);
    return;
  }
  if (dimension + 1 == view.index.size()) {
    report_.Add(kInnermost, stmt.operand->span, Name{view.buffer->name});
    b_.Unknown(stmt.span);
    return;
  }
  if (b_.dead > 0) return;
  RequireTensorMap(*view.buffer, stmt.operand->span);
  const Span span = stmt.operand->span;
  const ir::LocalId local =
      NewLocal(absl::StrCat(view.buffer->name, "_end"), span, {.dtype = DType::kI32}, false);
  Emit({.kind = ir::StmtKind::kLet,
        .source = {span, 0},
        .local = local,
        .value = view.index[dimension].offset});
  // The last element that is inside is one of the tensor; of the other dimensions the first.
  for (ir::ViewIndex& index : view.index) {
    index = {b_.Int(0, DType::kI32, span), b_.Int(1, DType::kI32, span), false};
  }
  view.index[dimension].offset =
      ApplyOperator("-", span, {LocalValue(local, span), b_.Int(1, DType::kI32, span)});
  Emit({.kind = ir::StmtKind::kOp,
        .source = {stmt.span, 0},
        .op = stmt.op,
        .source_view = AddView(view, span),
        .end = LocalValue(local, span),
        .end_dimension = static_cast<int32_t>(dimension)});
}

void Elaborator::ApplyTensorMaps() {
  std::set<ir::TensorId> copied;
  for (const ir::Role& role : kernel_->roles) {
    Patcher(*program_, role, patched_maps_, copied, report_).Run();
  }
  for (const auto& [tensor, span] : patched_maps_) {
    if (!copied.contains(tensor) && !report_.has_errors()) {
      report_.Add(kNoCopies, span, Name{(*program_)[tensor].name});
    }
  }
}

// A map a warp for each copy that goes through one, in a workspace of the kernel.
void Elaborator::AddMapWords(const ir::Kernel& kernel) {
  int64_t maps = 0;
  for (const ir::Role& role : kernel.roles) {
    const auto count = [&](const auto& self, const std::vector<ir::StmtId>& body) -> void {
      for (const ir::StmtId id : body) {
        const ir::Stmt& stmt = (*program_)[id];
        if (stmt.dead) continue;
        self(self, stmt.body);
        self(self, stmt.else_body);
        const bool copies = stmt.op != nullptr && IsTensorCopy(stmt.op->effects.copy);
        if (copies && stmt.end != ExprId::kNone) maps += role.warps;
      }
    };
    count(count, role.body);
  }
  if (maps == 0) return;
  ExprId words = b_.Int(maps * kMapWords, DType::kI64, kernel.declared);
  for (const ExprId extent : kernel.grid) {
    words = b_.Operator("*", {words, Coerce(extent, DType::kI64, kernel.declared)},
                        {.dtype = DType::kI64}, kernel.declared);
  }
  program_->tensors.push_back({.name = absl::StrCat(kernel.name, ".maps"),
                               .direction = ir::Direction::kWorkspace,
                               .dtype = DType::kU32,
                               .shape = {words},
                               .strides = {b_.Int(1, DType::kI64, kernel.declared)},
                               .written_by_program = true,
                               .alignment = kMapAlignmentBytes,
                               .declared = kernel.declared});
}

}  // namespace compiler::sema
