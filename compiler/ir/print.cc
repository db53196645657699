#include "compiler/ir/print.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace compiler::ir {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

std::string_view NameOf(BuiltinValue value) {
  switch (value) {
    case BuiltinValue::kLane: return "lane";
    case BuiltinValue::kWarp: return "warp";
    case BuiltinValue::kWg: return "wg";
    case BuiltinValue::kThread: return "thread";
    case BuiltinValue::kCta: return "cta";
    case BuiltinValue::kCtaX: return "cta.x";
    case BuiltinValue::kCtaY: return "cta.y";
    case BuiltinValue::kCtaZ: return "cta.z";
    case BuiltinValue::kCtas: return "ctas";
    case BuiltinValue::kClusterId: return "cluster.id";
    case BuiltinValue::kClusterRank: return "cluster.rank";
    case BuiltinValue::kClusters: return "clusters";
  }
  return "?";
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string Run() {
    Line(0, absl::StrCat("program ", program_.name, " target ", program_.target));
    for (const BoundParam& param : program_.params) {
      Line(0, absl::StrCat("param ", param.name, " = ", param.value));
    }
    for (const Symbol& symbol : program_.symbols) Declare(symbol);
    for (const Tensor& tensor : program_.tensors) Declare(tensor);
    for (const auto& [a, b] : program_.aliases) {
      Line(0, absl::StrCat("alias ", program_[a].name, ", ", program_[b].name));
    }
    for (const Guard& guard : program_.guards) {
      Line(0, absl::StrCat("guard ", Expr(guard.condition)));
    }
    for (const ContentContract& contract : program_.contracts) {
      Line(0, absl::StrCat("contract ", contract.text));
    }
    for (const Kernel& kernel : program_.kernels) Declare(kernel);
    return std::move(out_);
  }

  std::string Expr(ExprId id) const {
    if (id == ExprId::kNone) return "none";
    const ir::Expr& e = program_[id];
    switch (e.kind) {
      case ExprKind::kInt:
        if (e.type.dtype == DType::kBool) return e.int_value != 0 ? "true" : "false";
        return absl::StrCat(e.int_value, e.type.dtype == DType::kI32 ? "" : ":",
                            e.type.dtype == DType::kI32 ? "" : Absl(ToString(e.type.dtype)));
      case ExprKind::kFloat:
        return absl::StrFormat("%.9g:%s", e.float_value, Absl(ToString(e.type.dtype)));
      case ExprKind::kSymbol: return program_[e.symbol].name;
      case ExprKind::kBuiltin: return std::string(NameOf(e.builtin));
      case ExprKind::kLocal: return LocalName(e.local);
      case ExprKind::kElement: return absl::StrCat(Expr(e.args[0]), "[", List(e.args, 1), "]");
      case ExprKind::kArray: return absl::StrCat("[", List(e.args, 0), "]");
      case ExprKind::kOp: return Op(e);
      case ExprKind::kAnd: return absl::StrCat("(", Expr(e.args[0]), " && ", Expr(e.args[1]), ")");
      case ExprKind::kOr: return absl::StrCat("(", Expr(e.args[0]), " || ", Expr(e.args[1]), ")");
      case ExprKind::kLoad:
        return absl::StrCat("(", Words(e.op, e.modifiers), " ", View(e.view),
                            e.args.empty() ? "" : " else ", List(e.args, 0), ")");
      case ExprKind::kPair: return absl::StrCat(Expr(e.args[0]), ".", e.int_value);
      case ExprKind::kAtomic:
        return absl::StrCat(Words(e.op, e.modifiers), "(", View(e.view), ", ", List(e.args, 0),
                            ")");
      case ExprKind::kTest: return absl::StrCat("test(", Use(e.ring, e.event, e.use), ")");
      case ExprKind::kRow: return absl::StrCat(LocalName(e.local), ".row(", List(e.args, 0), ")");
      case ExprKind::kColumn:
        return absl::StrCat(LocalName(e.local), ".col(", List(e.args, 0), ")");
    }
    return "?";
  }

  void SetKernel(const Kernel* kernel) { kernel_ = kernel; }

 private:
  void Line(int indent, const std::string& text) {
    absl::StrAppend(&out_, std::string(static_cast<size_t>(indent) * 2, ' '), text, "\n");
  }

  std::string LocalName(LocalId id) const {
    if (kernel_ == nullptr) return absl::StrCat("%", static_cast<int>(id));
    return absl::StrCat(kernel_->locals[static_cast<size_t>(id)].name, "%", static_cast<int>(id));
  }

  std::string RingName(RingId id) const {
    return kernel_ == nullptr ? "ring" : kernel_->rings[static_cast<size_t>(id)].name;
  }
  std::string EventName(EventId id) const {
    return kernel_ == nullptr ? "event" : kernel_->events[static_cast<size_t>(id)].name;
  }
  // "ab@(k)": one use of a ring or an event.
  std::string Use(RingId ring, EventId event, ExprId use) const {
    return absl::StrCat(ring != RingId::kNone ? RingName(ring) : EventName(event), "@(", Expr(use),
                        ")");
  }

  std::string Fragment(const FragmentRef& fragment) const {
    if (fragment.column == ExprId::kNone) return LocalName(fragment.local);
    return absl::StrCat(LocalName(fragment.local), "[:, ", Expr(fragment.column), ":+",
                        fragment.columns, "]");
  }
  std::string Operand(const FragmentRef& fragment, ViewId view) const {
    return view != ViewId::kNone ? View(view) : Fragment(fragment);
  }

  std::string List(const std::vector<ExprId>& ids, size_t from) const {
    std::string text;
    for (size_t i = from; i < ids.size(); ++i) {
      absl::StrAppend(&text, i > from ? ", " : "", Expr(ids[i]));
    }
    return text;
  }

  static std::string Words(const OpDef* op, const std::vector<std::string_view>& modifiers) {
    std::string text(op->name);
    for (std::string_view modifier : modifiers) absl::StrAppend(&text, ".", Absl(modifier));
    return text;
  }

  std::string Op(const ir::Expr& e) const {
    if (e.op->form == Form::kOperator && e.args.size() == 2) {
      return absl::StrCat("(", Expr(e.args[0]), " ", Absl(e.op->name), " ", Expr(e.args[1]), ")");
    }
    if (e.op->form == Form::kOperator) return absl::StrCat(Absl(e.op->name), Expr(e.args[0]));
    return absl::StrCat(Words(e.op, e.modifiers), "(", List(e.args, 0),
                        e.op->width_arg ? absl::StrCat("; ", e.width) : "", ")");
  }

  std::string View(ViewId id) const {
    const ir::View& view = program_[id];
    std::string text;
    if (view.tensor != TensorId::kNone) text = program_[view.tensor].name;
    if (view.shared != SharedId::kNone && kernel_ != nullptr) {
      text = kernel_->shared[static_cast<size_t>(view.shared)].name;
    }
    if (view.tmem != TmemId::kNone && kernel_ != nullptr) {
      text = kernel_->tmem[static_cast<size_t>(view.tmem)].name;
    }
    if (view.stage != ExprId::kNone) absl::StrAppend(&text, "@(", Expr(view.stage), ")");
    absl::StrAppend(&text, "[");
    for (size_t i = 0; i < view.index.size(); ++i) {
      const ViewIndex& index = view.index[i];
      absl::StrAppend(&text, i > 0 ? ", " : "", Expr(index.offset));
      if (index.is_slice) absl::StrAppend(&text, ":+", Expr(index.extent));
    }
    return absl::StrCat(text, "]", view.transposed ? ".T" : "");
  }

  void Declare(const Symbol& symbol) {
    constexpr const char* kKinds[] = {"dim", "arg", "stride", "sms"};
    std::string range;
    if (symbol.has_range) range = absl::StrCat(" in ", symbol.low, "..=", symbol.high);
    Line(0,
         absl::StrCat(kKinds[static_cast<int>(symbol.kind)], " ", symbol.name, ": ",
                      Absl(ToString(symbol.dtype)),
                      symbol.elements > 0 ? absl::StrCat("[", symbol.elements, "]") : "", range));
  }

  void Declare(const Tensor& tensor) {
    constexpr const char* kDirections[] = {"in", "out", "inout", "workspace"};
    Line(0, absl::StrCat(kDirections[static_cast<int>(tensor.direction)], " ", tensor.name, ": ",
                         Absl(ToString(tensor.dtype)), "[", List(tensor.shape, 0), "] stride (",
                         List(tensor.strides, 0), ")", tensor.zero ? " zero" : "",
                         tensor.alignment != 16 ? absl::StrCat(" align ", tensor.alignment) : "",
                         tensor.written_by_program ? " written" : ""));
  }

  void Declare(const Kernel& kernel) {
    kernel_ = &kernel;
    Line(0, absl::StrCat("kernel ", kernel.name, kernel.numerics_contract ? " contract" : "",
                         kernel.numerics_ftz ? " ftz" : ""));
    if (kernel.when != ExprId::kNone) Line(1, absl::StrCat("when ", Expr(kernel.when)));
    Line(1, absl::StrCat("grid (", List(kernel.grid, 0), ")"));
    if (kernel.ctas_per_sm > 1) Line(1, absl::StrCat("ctas_per_sm ", kernel.ctas_per_sm));
    for (const SharedBuffer& shared : kernel.shared) {
      constexpr const char* kForms[] = {"rows", "swizzle", "padded"};
      Line(1, absl::StrCat("smem ", shared.name, "[", shared.stages,
                           "]: ", ToString(Type{.dtype = shared.dtype, .shape = shared.shape}), " ",
                           kForms[static_cast<int>(shared.form)], " ", shared.form_amount));
    }
    for (const TmemBuffer& tmem : kernel.tmem) {
      Line(1, absl::StrCat("tmem ", tmem.name, ": ", Absl(ToString(tmem.dtype)), "[", tmem.rows,
                           ", ", tmem.columns, "]"));
    }
    for (const Event& event : kernel.events) {
      Line(1, absl::StrCat("event ", event.name, "[", event.stages, "] count ", event.count));
    }
    for (const Ring& ring : kernel.rings) Declare(ring);
    for (const Barrier& barrier : kernel.barriers) {
      Line(1, absl::StrCat("barrier ", barrier.name, "[", barrier.count, "] threads ",
                           barrier.threads));
    }
    Block(1, kernel.lets);
    for (const Role& role : kernel.roles) {
      Line(1, absl::StrCat("role ", role.name, " warps ", role.warps, " regs ", role.regs));
      Block(2, role.body);
    }
    kernel_ = nullptr;
  }

  void Declare(const Ring& ring) {
    std::string text = absl::StrCat("ring ", ring.name, "[", ring.stages, "] from");
    for (int role : ring.from) absl::StrAppend(&text, " ", role);
    absl::StrAppend(&text, " to");
    for (int role : ring.to) absl::StrAppend(&text, " ", role);
    Line(1, absl::StrCat(text, ring.cluster ? " cluster" : "", " full ", ring.full, " empty ",
                         ring.empty));
  }

  void Block(int indent, const std::vector<StmtId>& body) {
    for (StmtId id : body) Stmt(indent, program_[id]);
  }

  std::string Declared(LocalId id) const {
    const Local& local = kernel_->locals[static_cast<size_t>(id)];
    return absl::StrCat(LocalName(id), ": ", ToString(local.type), " ",
                        Absl(ToString(local.level)));
  }

  void Stmt(int indent, const ir::Stmt& stmt) {
    const std::string dead = stmt.dead ? "dead " : "";
    switch (stmt.kind) {
      case StmtKind::kLet: {
        const bool is_var = kernel_->locals[static_cast<size_t>(stmt.local)].is_var;
        const std::string value =
            stmt.value == ExprId::kNone ? "" : absl::StrCat(" = ", Expr(stmt.value));
        Line(indent, absl::StrCat(dead, is_var ? "var " : "let ", Declared(stmt.local), value));
        return;
      }
      case StmtKind::kAssign: {
        const std::string index =
            stmt.indices.empty() ? "" : absl::StrCat("[", List(stmt.indices, 0), "]");
        Line(indent, absl::StrCat(dead, LocalName(stmt.local), index, " = ", Expr(stmt.value)));
        return;
      }
      case StmtKind::kPairLet:
        Line(indent, absl::StrCat(dead, "let (", Declared(stmt.local), ", ",
                                  Declared(stmt.second_local), ") = ", Expr(stmt.value)));
        return;
      case StmtKind::kFor:
        Line(indent,
             absl::StrCat(dead, "for ", Declared(stmt.local), " in ", Expr(stmt.low), " .. ",
                          Expr(stmt.high), " step ", Expr(stmt.step),
                          stmt.unroll == kUnrollRegisters ? " unroll registers"
                          : stmt.unroll != kUnrollNone    ? absl::StrCat(" unroll ", stmt.unroll)
                                                          : ""));
        return Block(indent + 1, stmt.body);
      case StmtKind::kWhile:
        Line(indent, absl::StrCat(dead, "while ", Expr(stmt.value)));
        return Block(indent + 1, stmt.body);
      case StmtKind::kIf:
        Line(indent, absl::StrCat(dead, "if ", Expr(stmt.value)));
        Block(indent + 1, stmt.body);
        if (!stmt.else_body.empty()) {
          Line(indent, dead + "else");
          Block(indent + 1, stmt.else_body);
        }
        return;
      case StmtKind::kElect:
      case StmtKind::kOnce:
        Line(indent, dead + (stmt.kind == StmtKind::kElect ? "elect" : "once"));
        return Block(indent + 1, stmt.body);
      case StmtKind::kOp: return OpStmt(indent, dead, stmt);
    }
  }

  void OpStmt(int indent, const std::string& dead, const ir::Stmt& stmt) {
    std::string text = absl::StrCat(dead, Words(stmt.op, stmt.modifiers));
    if (!stmt.word.empty()) absl::StrAppend(&text, " ", Absl(stmt.word));
    if (stmt.barrier != BarrierId::kNone) {
      absl::StrAppend(&text, " ", kernel_->barriers[static_cast<size_t>(stmt.barrier)].name, "[",
                      Expr(stmt.barrier_index), "]");
    }
    if (stmt.ring != RingId::kNone || stmt.event != EventId::kNone) {
      absl::StrAppend(&text, " ", Use(stmt.ring, stmt.event, stmt.use));
    }
    if (stmt.remote != ExprId::kNone) absl::StrAppend(&text, " at ", Expr(stmt.remote));
    if (stmt.bytes != ExprId::kNone) absl::StrAppend(&text, " bytes ", Expr(stmt.bytes));
    if (stmt.amount != ExprId::kNone) absl::StrAppend(&text, " ", Expr(stmt.amount));
    const bool product = stmt.op->effects.product;
    const bool to_fragment = stmt.fragment.local != LocalId::kNone;
    if (stmt.destination != ViewId::kNone) absl::StrAppend(&text, " ", View(stmt.destination));
    if (to_fragment && stmt.destination == ViewId::kNone) {
      absl::StrAppend(&text, " ", Fragment(stmt.fragment));
    }
    if (stmt.accumulator_view != ViewId::kNone) {
      absl::StrAppend(&text, " ", View(stmt.accumulator_view));
    }
    if (product) {
      absl::StrAppend(&text, stmt.accumulate ? " += " : " = ", Operand(stmt.left, stmt.left_view),
                      " * ", Operand(stmt.right, stmt.right_view));
    }
    if (stmt.value != ExprId::kNone) absl::StrAppend(&text, " <- ", Expr(stmt.value));
    if (stmt.source_view != ViewId::kNone) absl::StrAppend(&text, " <- ", View(stmt.source_view));
    if (to_fragment && stmt.destination != ViewId::kNone) {
      absl::StrAppend(&text, " <- ", Fragment(stmt.fragment));
    }
    Line(indent, text + Clauses(stmt));
  }

  std::string Clauses(const ir::Stmt& stmt) const {
    std::string text;
    if (stmt.on_ring != RingId::kNone || stmt.on_event != EventId::kNone) {
      absl::StrAppend(&text, " on ", Use(stmt.on_ring, stmt.on_event, stmt.on_use));
    }
    if (!stmt.gather_rows.empty()) {
      absl::StrAppend(&text, " rows [", List(stmt.gather_rows, 0), "]");
    }
    if (stmt.end != ExprId::kNone) {
      absl::StrAppend(&text, " end ", stmt.end_dimension, " ", Expr(stmt.end));
    }
    if (stmt.multicast != ExprId::kNone)
      absl::StrAppend(&text, " multicast ", Expr(stmt.multicast));
    if (!stmt.cache.empty()) absl::StrAppend(&text, " cache ", Absl(stmt.cache));
    if (stmt.else_value != ExprId::kNone) absl::StrAppend(&text, " else ", Expr(stmt.else_value));
    if (stmt.zero != ExprId::kNone) absl::StrAppend(&text, " zero ", Expr(stmt.zero));
    if (stmt.left_scale != ViewId::kNone) {
      absl::StrAppend(&text, " scale ", View(stmt.left_scale), ", ", View(stmt.right_scale));
    }
    return text;
  }

  const Program& program_;
  const Kernel* kernel_ = nullptr;
  std::string out_;
};

}  // namespace

std::string Print(const Program& program) { return Printer(program).Run(); }

std::string Print(const Program& program, const Kernel* kernel, ExprId expr) {
  Printer printer(program);
  printer.SetKernel(kernel);
  return printer.Expr(expr);
}

}  // namespace compiler::ir
