#include "tests/golden/tree_dump.h"

#include "absl/strings/str_cat.h"

namespace golden {
namespace {

using compiler::text::Block;
using compiler::text::Expr;
using compiler::text::Field;
using compiler::text::Fields;
using compiler::text::File;
using compiler::text::FormSpec;
using compiler::text::Function;
using compiler::text::Ident;
using compiler::text::Index;
using compiler::text::Item;
using compiler::text::Kernel;
using compiler::text::KernelItem;
using compiler::text::KernelItems;
using compiler::text::Postfix;
using compiler::text::Program;
using compiler::text::Range;
using compiler::text::Stmt;
using compiler::text::TensorDecl;
using compiler::text::TypeExpr;
using compiler::text::WhereClause;

std::string S(std::string_view text) { return std::string(text); }

std::string E(const Expr* e);

template <typename List>
std::string Join(const List& list) {
  std::string out;
  for (const Expr* e : list) absl::StrAppend(&out, " ", E(e));
  return out;
}

std::string Names(const std::vector<Ident>& names) {
  std::string out;
  for (const Ident& name : names) absl::StrAppend(&out, " ", S(name.text));
  return out;
}

std::string One(const Index& index) {
  if (index.kind == Index::Kind::kAll) return ":";
  if (index.kind == Index::Kind::kScalar) return E(index.offset);
  return absl::StrCat(E(index.offset), ":+", E(index.extent));
}

std::string One(const Postfix& p) {
  switch (p.kind) {
    case Postfix::Kind::kMember: return absl::StrCat(".", S(p.member.text));
    case Postfix::Kind::kTranspose: return ".T";
    case Postfix::Kind::kUse: return absl::StrCat("@", E(p.use));
    case Postfix::Kind::kCall: return absl::StrCat("(call", Join(p.args), ")");
    case Postfix::Kind::kIndex: {
      std::string out = "[";
      for (size_t i = 0; i < p.indices.size(); ++i) {
        absl::StrAppend(&out, i == 0 ? "" : ", ", One(p.indices[i]));
      }
      return out + "]";
    }
  }
  return "";
}

std::string E(const Expr* e) {
  if (e == nullptr) return "null";
  switch (e->kind) {
    case Expr::Kind::kInt: return absl::StrCat(e->int_value);
    case Expr::Kind::kFloat: return absl::StrCat("f:", S(e->literal));
    case Expr::Kind::kBool: return e->int_value != 0 ? "true" : "false";
    case Expr::Kind::kUnary:
    case Expr::Kind::kBinary: return absl::StrCat("(", S(e->token), Join(e->operands), ")");
    case Expr::Kind::kArray: return absl::StrCat("(array", Join(e->operands), ")");
    case Expr::Kind::kLoad: {
      std::string out = "(ld";
      for (const Ident& modifier : e->modifiers) absl::StrAppend(&out, ".", S(modifier.text));
      return absl::StrCat(out, Join(e->operands), ")");
    }
    case Expr::Kind::kPath: {
      std::string out = S(e->name.text);
      for (const Postfix& p : e->postfixes) absl::StrAppend(&out, One(p));
      if (e->remote != nullptr) absl::StrAppend(&out, " at ", E(e->remote));
      return out;
    }
    case Expr::Kind::kError: return "(error)";
  }
  return "";
}

std::string T(const TypeExpr& type) {
  std::string out = S(type.form);
  if (!type.dtype.text.empty()) absl::StrAppend(&out, out.empty() ? "" : " ", S(type.dtype.text));
  return type.has_shape ? absl::StrCat(out, "[", Join(type.shape), " ]") : out;
}

std::string R(const Range& range) {
  if (range.low == nullptr) return "";
  return absl::StrCat(" ", E(range.low), range.inclusive ? "..=" : "..", E(range.high));
}

std::string Optional(std::string_view word, const Expr* e) {
  return e == nullptr ? "" : absl::StrCat(" ", S(word), " ", E(e));
}

std::string Word(std::string_view word, bool given) {
  return given ? absl::StrCat(" ", S(word)) : "";
}

std::string Form(const FormSpec& form) {
  if (form.kind.empty()) return "";
  return absl::StrCat(" ", S(form.kind), form.amount == nullptr ? "" : " ",
                      form.amount == nullptr ? "" : E(form.amount));
}

class Dumper {
 public:
  std::string Run(const File& file) {
    for (const Program* program : file.programs) {
      Line("program ", S(program->name.text), " target ", S(program->target.text));
      for (const Item* item : program->items) Nested([&] { One(*item); });
    }
    return std::move(out_);
  }

 private:
  template <typename... Parts>
  void Line(const Parts&... parts) {
    out_.append(static_cast<size_t>(indent_) * 2, ' ');
    absl::StrAppend(&out_, parts..., "\n");
  }

  template <typename Body>
  void Nested(Body body) {
    ++indent_;
    body();
    --indent_;
  }

  void One(const Item& item) {
    const std::string names = Names(item.names);
    switch (item.kind) {
      case Item::Kind::kAlias: return Line("alias", names);
      case Item::Kind::kDim:
        for (size_t i = 0; i < item.names.size(); ++i) {
          Line("dim ", S(item.names[i].text), R(item.ranges[i]));
        }
        return;
      case Item::Kind::kParam:
        return Line("param", names, item.has_values ? " {" : "", Join(item.values),
                    item.has_values ? " }" : "", R(item.range), " = ", E(item.value));
      case Item::Kind::kConst: return Line("const", names, " = ", E(item.value));
      case Item::Kind::kTensor:
        for (const TensorDecl& tensor : item.tensors) {
          Tensor(S(item.direction), tensor, Word("static", item.is_static));
        }
        return;
      case Item::Kind::kWorkspace:
        return Tensor("workspace", item.tensors.at(0), Word("zero", item.zero));
      case Item::Kind::kArg:
        for (size_t i = 0; i < item.names.size(); ++i) {
          Line("arg ", S(item.names[i].text), ": ", T(item.types[i]));
        }
        return;
      case Item::Kind::kWhere:
        for (const WhereClause& clause : item.clauses) {
          Line("where ", E(clause.value), R(clause.range), Optional("if", clause.condition));
        }
        return;
      case Item::Kind::kFunction: return One(*item.function);
      case Item::Kind::kKernel: return One(*item.kernel);
      case Item::Kind::kError: return Line("error");
    }
  }

  void Tensor(const std::string& direction, const TensorDecl& tensor, const std::string& words) {
    Line(direction, words, " ", S(tensor.name.text), ": ", S(tensor.dtype.text), "[",
         Join(tensor.shape), " ]", tensor.has_strides ? " stride" : "", Join(tensor.strides),
         Optional("if", tensor.condition));
  }

  void One(const Kernel& kernel) {
    Line("kernel ", S(kernel.name.text), Word("pdl", kernel.pdl), Optional("when", kernel.when));
    Items(kernel.items);
  }

  void Items(const KernelItems& items) {
    for (const KernelItem* item : items) Nested([&] { One(*item); });
  }

  void One(const KernelItem& item) {
    const std::string name = absl::StrCat(" ", S(item.name.text));
    const std::string extent = item.extent == nullptr ? "" : absl::StrCat("[", E(item.extent), "]");
    switch (item.kind) {
      case KernelItem::Kind::kGrid: return Line("grid", Join(item.values));
      case KernelItem::Kind::kCluster: return Line("cluster ", E(item.value));
      case KernelItem::Kind::kNumerics:
        return Line("numerics", Word("contract", item.contract), Word("ftz", item.ftz));
      case KernelItem::Kind::kConst: return Line("const", name, " = ", E(item.value));
      case KernelItem::Kind::kLet: return One(*item.let);
      case KernelItem::Kind::kFunction: return One(*item.function);
      case KernelItem::Kind::kRole:
        Line("role", name, Optional("warps", item.warps), Optional("regs", item.regs));
        return Body(item.body);
      case KernelItem::Kind::kShared:
        if (!item.has_fields)
          return Line("smem", name, extent, ": ", T(item.type), Form(item.form));
        Line("smem", name, extent);
        return All(item.fields);
      case KernelItem::Kind::kTmem: return Line("tmem", name, ": ", T(item.type));
      case KernelItem::Kind::kRing:
        Line("ring", name, extent, " from", Names(item.from), " to", Names(item.to),
             Word("cluster", item.cluster_scope), Optional("full", item.full),
             Optional("empty", item.empty));
        return All(item.fields);
      case KernelItem::Kind::kEvent:
        return Line("event", name, extent, Optional("count", item.value));
      case KernelItem::Kind::kBarrier:
        return Line("barrier", name, extent, Optional("threads", item.value));
      case KernelItem::Kind::kTensorMaps: return Line("tensormap", Names(item.names));
      case KernelItem::Kind::kIf: Line("if ", E(item.value)); return Items(item.items);
      case KernelItem::Kind::kEither:
        for (size_t i = 0; i < item.alternatives.size(); ++i) {
          Line(i == 0 ? "either" : "or");
          Items(item.alternatives[i]);
        }
        return;
      case KernelItem::Kind::kError: return Line("error");
    }
  }

  void All(const Fields& fields) {
    for (const Field& field : fields) Nested([&] { One(field); });
  }

  void One(const Field& field) {
    if (field.alternatives.empty()) {
      return Line("field ", S(field.name.text), ": ", T(field.type), Form(field.form));
    }
    for (size_t i = 0; i < field.alternatives.size(); ++i) {
      Line(i == 0 ? "either" : "or");
      All(field.alternatives[i]);
    }
  }

  void One(const Function& f) {
    std::string head = absl::StrCat(f.is_dynamic ? "dynamic " : "", f.is_iter ? "iter " : "fn ",
                                    S(f.name.text), "(");
    for (const auto& p : f.parameters) {
      absl::StrAppend(&head, " ", S(p.name.text), ":", Word(p.passing, !p.passing.empty()), " ",
                      T(p.type));
    }
    absl::StrAppend(&head, " )", f.results.empty() ? "" : " ->");
    for (const TypeExpr& type : f.results) absl::StrAppend(&head, " ", T(type));
    Line(head);
    Body(f.body);
  }

  void Body(const Block& block) {
    for (const Stmt* s : block) Nested([&] { One(*s); });
  }

  void One(const Stmt& s) {
    switch (s.kind) {
      case Stmt::Kind::kFunction: return One(*s.function);
      case Stmt::Kind::kLet:
      case Stmt::Kind::kVar:
        return Line(s.kind == Stmt::Kind::kLet ? "let" : "var", Names(s.names),
                    s.has_type ? ": " : "", s.has_type ? T(s.type) : "", Optional("=", s.value));
      case Stmt::Kind::kAssign:
        return Line("assign ", S(s.token), " ", E(s.target), " ", E(s.value));
      case Stmt::Kind::kFor:
        Line("for", Names(s.names), R(s.range), Optional("in", s.iterable),
             Optional("step", s.step), Optional("unroll", s.unroll));
        return Body(s.body);
      case Stmt::Kind::kWhile: Line("while ", E(s.value)); return Body(s.body);
      case Stmt::Kind::kIf:
        Line("if ", E(s.value));
        Body(s.body);
        if (s.has_else) Line("else");
        return Body(s.else_body);
      case Stmt::Kind::kElect: Line("elect"); return Body(s.body);
      case Stmt::Kind::kOnce: Line("once"); return Body(s.body);
      case Stmt::Kind::kReturn: return Line("return", Join(s.values));
      case Stmt::Kind::kYield: return Line("yield", Join(s.values));
      case Stmt::Kind::kOp: return Op(s);
      case Stmt::Kind::kCall: return Line("call ", E(s.value));
      case Stmt::Kind::kError: return Line("error");
    }
  }

  void Op(const Stmt& s) {
    std::string line = absl::StrCat("op ", S(s.op->name));
    for (const Ident& modifier : s.modifiers) absl::StrAppend(&line, " .", S(modifier.text));
    absl::StrAppend(&line, Optional("call", s.value), Optional("to", s.destination));
    absl::StrAppend(&line, Optional("from", s.source), Word("+=", s.accumulate));
    absl::StrAppend(&line, Optional("left", s.left), Optional("right", s.right));
    absl::StrAppend(&line, Optional("zero", s.zero), Optional("scale", s.scale_a));
    absl::StrAppend(&line, Optional("and", s.scale_b), Optional("on", s.on_event));
    absl::StrAppend(&line, Optional("multicast", s.multicast));
    absl::StrAppend(&line, Word("cache", !s.cache_hint.text.empty()));
    absl::StrAppend(&line, Word(s.cache_hint.text, !s.cache_hint.text.empty()));
    absl::StrAppend(&line, Optional("else", s.else_value), Optional("operand", s.operand));
    absl::StrAppend(&line, Word(s.word.text, !s.word.text.empty()), Optional("bytes", s.bytes));
    Line(line);
  }

  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string Dump(const compiler::text::File& file) { return Dumper().Run(file); }
std::string Dump(const compiler::text::Expr& expr) { return E(&expr); }

}  // namespace golden
