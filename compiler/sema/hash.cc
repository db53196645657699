// Canonical and structural hash. Both walk the elaborated tree in order and name locals, dims and
// workspaces by first occurrence, so that renaming and comments change nothing and order does.
// Tensors and args keep their names: a workload binds them by name, so two programs that swap the
// names of two inputs compute different things.
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <memory>

#include "compiler/sema/analyze.h"

namespace compiler::sema {
namespace {

// Part of the hash: a change of the tree's shape or of this walk gets a new number.
constexpr std::string_view kCanonicalVersion = "cake.canonical.2\n";
constexpr std::string_view kStructuralVersion = "cake.structural.2\n";

class Hasher {
 public:
  Hasher(const ir::Program& program, bool numbers) : program_(program), numbers_(numbers) {
    Text(numbers ? kCanonicalVersion : kStructuralVersion);
  }

  std::string Run() {
    Text(program_.target);
    for (const ir::Tensor& tensor : program_.tensors) Tensor(tensor);
    for (const ir::Symbol& symbol : program_.symbols) Symbol(symbol);
    for (const ir::Guard& guard : program_.guards) Expr(guard.condition);
    for (const ir::ContentContract& contract : program_.contracts) {
      Word(static_cast<int64_t>(contract.tensor));
      Contract(contract.text);
    }
    for (const auto& [a, b] : program_.aliases) {
      Word(static_cast<int64_t>(a));
      Word(static_cast<int64_t>(b));
    }
    for (const ir::Kernel& kernel : program_.kernels) Kernel(kernel);
    return Digest();
  }

 private:
  void Word(int64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    buffer_.append(bytes, sizeof value);
  }
  void Number(int64_t value) { Word(numbers_ ? value : 0); }
  void Text(std::string_view text) {
    Word(static_cast<int64_t>(text.size()));
    buffer_ += text;
  }

  // Names in the order of first occurrence.
  void Named(char kind, int64_t id) {
    std::map<int64_t, int64_t>& known = names_[kind];
    buffer_ += kind;
    Word(known.emplace(id, static_cast<int64_t>(known.size())).first->second);
  }

  // A contract is kept as written; its names become what they stand for.
  void Contract(std::string_view text) {
    std::map<std::string_view, int64_t> free;
    for (size_t i = 0; i < text.size();) {
      size_t end = i;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
        ++end;
      }
      const std::string_view word = text.substr(i, end - i);
      if (word.empty()) {
        if (text[i] != ' ') buffer_ += text[i];
        ++i;
        continue;
      }
      i = end;
      const auto is = [&](const auto& declared) { return declared.name == word; };
      const auto tensor = std::find_if(program_.tensors.begin(), program_.tensors.end(), is);
      const auto symbol = std::find_if(program_.symbols.begin(), program_.symbols.end(), is);
      if (tensor != program_.tensors.end()) {
        Word(tensor - program_.tensors.begin());
      } else if (symbol != program_.symbols.end()) {
        Named('s', symbol - program_.symbols.begin());
      } else if (word == "in" || word == "if" || word == "steps" || word == "distinct" ||
                 std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
        Text(word);
      } else {
        buffer_ += 'f';
        Word(free.emplace(word, static_cast<int64_t>(free.size())).first->second);
      }
    }
  }

  void Type(const ir::Type& type) {
    Word(static_cast<int64_t>(type.dtype));
    Word(static_cast<int64_t>(type.shape.size()));
    for (int64_t extent : type.shape) Number(extent);
    Text(type.form);
  }

  void Tensor(const ir::Tensor& tensor) {
    Word(static_cast<int64_t>(tensor.direction));
    if (tensor.direction != ir::Direction::kWorkspace) Text(tensor.name);
    Word(static_cast<int64_t>(tensor.dtype));
    Word(static_cast<int64_t>(tensor.shape.size()));
    for (ir::ExprId extent : tensor.shape) Expr(extent);
    for (ir::ExprId stride : tensor.strides) Expr(stride);
    Word(tensor.is_static ? 1 : 0);
    Word(tensor.zero ? 1 : 0);
    Word(tensor.alignment);
  }

  void Symbol(const ir::Symbol& symbol) {
    Word(static_cast<int64_t>(symbol.kind));
    if (symbol.kind == ir::SymbolKind::kArg) Text(symbol.name);
    Word(static_cast<int64_t>(symbol.dtype));
    Number(symbol.low);
    Number(symbol.high);
    if (symbol.elements > 0) Word(symbol.elements);
  }

  void View(ir::ViewId id) {
    if (id == ir::ViewId::kNone) return Word(-1);
    const ir::View& view = program_[id];
    Word(static_cast<int64_t>(view.space));
    Word(static_cast<int64_t>(view.tensor));
    Word(static_cast<int64_t>(view.shared));
    if (view.space == ir::Space::kTmem) Word(static_cast<int64_t>(view.tmem));
    Expr(view.stage);
    for (const ir::ViewIndex& index : view.index) {
      Expr(index.offset);
      Expr(index.extent);
      Word(index.is_slice ? 1 : 0);
    }
    Word(view.transposed ? 1 : 0);
    Expr(view.remote);
  }

  // The builder bounds the depth and the tree size of every expression.
  void Expr(ir::ExprId id) {
    if (id == ir::ExprId::kNone) return Word(-1);
    const ir::Expr& expr = program_[id];
    Word(static_cast<int64_t>(expr.kind));
    Type(expr.type);
    switch (expr.kind) {
      case ir::ExprKind::kInt: Number(expr.int_value); break;
      case ir::ExprKind::kFloat: {
        int64_t bits = 0;
        std::memcpy(&bits, &expr.float_value, sizeof bits);
        Number(bits);
        break;
      }
      case ir::ExprKind::kSymbol: Named('s', static_cast<int64_t>(expr.symbol)); break;
      case ir::ExprKind::kBuiltin: Word(static_cast<int64_t>(expr.builtin)); break;
      case ir::ExprKind::kLocal: Named('l', static_cast<int64_t>(expr.local)); break;
      case ir::ExprKind::kPair: Word(expr.int_value); break;
      case ir::ExprKind::kTest:
        Word(static_cast<int64_t>(expr.ring));
        Word(static_cast<int64_t>(expr.event));
        Expr(expr.use);
        break;
      case ir::ExprKind::kRow:
      case ir::ExprKind::kColumn: Named('l', static_cast<int64_t>(expr.local)); break;
      default: break;
    }
    if (expr.op != nullptr) {
      Text(expr.op->name);
      Number(expr.width);
      for (std::string_view modifier : expr.modifiers) Text(modifier);
    }
    if (expr.kind == ir::ExprKind::kLoad || expr.kind == ir::ExprKind::kAtomic) View(expr.view);
    Word(static_cast<int64_t>(expr.args.size()));
    for (ir::ExprId arg : expr.args) Expr(arg);
  }

  void Block(const std::vector<ir::StmtId>& body) {
    for (ir::StmtId id : body) Stmt(program_[id]);
    Word(-2);
  }

  void Stmt(const ir::Stmt& stmt) {
    if (stmt.dead) return;
    Word(static_cast<int64_t>(stmt.kind));
    for (ir::LocalId local : {stmt.local, stmt.second_local}) {
      if (local == ir::LocalId::kNone) continue;
      Named('l', static_cast<int64_t>(local));
      Type(kernel_->locals[static_cast<size_t>(local)].type);
    }
    Word(static_cast<int64_t>(stmt.indices.size()));
    for (ir::ExprId index : stmt.indices) Expr(index);
    for (ir::ExprId id : {stmt.value, stmt.low, stmt.high, stmt.step}) Expr(id);
    Number(stmt.unroll);
    if (stmt.op != nullptr) {
      Text(stmt.op->name);
      for (std::string_view modifier : stmt.modifiers) Text(modifier);
      View(stmt.destination);
      Word(static_cast<int64_t>(stmt.barrier));
      Expr(stmt.barrier_index);
      Text(stmt.word);
      OperandsOf(stmt);
    }
    Block(stmt.body);
    Block(stmt.else_body);
  }

  void Fragment(const ir::FragmentRef& fragment) {
    if (fragment.local == ir::LocalId::kNone) return Word(-1);
    Named('l', static_cast<int64_t>(fragment.local));
    Expr(fragment.column);
    Number(fragment.columns);
  }

  // What only rings, events, copies and products have.
  void OperandsOf(const ir::Stmt& stmt) {
    for (const auto id :
         {static_cast<int64_t>(stmt.ring), static_cast<int64_t>(stmt.event),
          static_cast<int64_t>(stmt.on_ring), static_cast<int64_t>(stmt.on_event)}) {
      Word(id);
    }
    for (ir::ExprId id : {stmt.use, stmt.bytes, stmt.amount, stmt.on_use, stmt.multicast,
                          stmt.else_value, stmt.zero}) {
      Expr(id);
    }
    if (stmt.remote != ir::ExprId::kNone) Expr(stmt.remote);
    for (ir::ExprId row : stmt.gather_rows) Expr(row);
    if (stmt.end != ir::ExprId::kNone) {
      Expr(stmt.end);
      Number(stmt.end_dimension);
    }
    for (ir::ViewId view : {stmt.source_view, stmt.left_view, stmt.right_view}) View(view);
    for (const ir::FragmentRef* fragment : {&stmt.fragment, &stmt.left, &stmt.right}) {
      Fragment(*fragment);
    }
    Text(stmt.cache);
    Word(stmt.accumulate ? 1 : 0);
    if (stmt.accumulator_view == ir::ViewId::kNone) return;
    for (ir::ViewId view : {stmt.accumulator_view, stmt.left_scale, stmt.right_scale}) View(view);
  }

  void Tmem(const ir::TmemBuffer& tmem) {
    Type({.dtype = tmem.dtype, .shape = {tmem.rows, tmem.columns}});
    Word(static_cast<int64_t>(tmem.alternatives.size()));
    for (const ir::Alternative& alternative : tmem.alternatives) {
      Word(alternative.either);
      Word(alternative.branch);
    }
  }

  void Shared(const ir::SharedBuffer& shared) {
    Type({.dtype = shared.dtype, .shape = shared.shape});
    Number(shared.stages);
    Word(static_cast<int64_t>(shared.form));
    Number(shared.form_amount);
    Word(static_cast<int64_t>(shared.ring));
    Word(shared.group);
    Word(static_cast<int64_t>(shared.alternatives.size()));
    for (const ir::Alternative& alternative : shared.alternatives) {
      Word(alternative.either);
      Word(alternative.branch);
    }
  }

  void Events(const ir::Kernel& kernel) {
    for (const ir::Event& event : kernel.events) {
      Number(event.stages);
      Number(event.count);
    }
    for (const ir::Ring& ring : kernel.rings) {
      Number(ring.stages);
      for (int role : ring.from) Word(role);
      Word(-1);
      for (int role : ring.to) Word(role);
      Word(ring.cluster ? 1 : 0);
      Number(ring.full);
      Number(ring.empty);
    }
  }

  void Kernel(const ir::Kernel& kernel) {
    kernel_ = &kernel;
    names_.erase('l');
    for (ir::ExprId extent : kernel.grid) Expr(extent);
    Number(kernel.cluster);
    Number(kernel.ctas_per_sm);
    Word((kernel.numerics_contract ? 1 : 0) | (kernel.numerics_ftz ? 2 : 0) | (kernel.pdl ? 4 : 0));
    Expr(kernel.when);
    for (const ir::SharedBuffer& shared : kernel.shared) Shared(shared);
    for (const ir::TmemBuffer& tmem : kernel.tmem) Tmem(tmem);
    Events(kernel);
    for (const ir::Barrier& barrier : kernel.barriers) {
      Number(barrier.count);
      Number(barrier.threads);
    }
    Block(kernel.lets);
    for (const ir::Role& role : kernel.roles) {
      Number(role.warps);
      Number(role.regs);
      Block(role.body);
    }
  }

  std::string Digest() const {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_Digest(buffer_.data(), buffer_.size(), digest.data(), &size, EVP_sha256(), nullptr);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) {
      constexpr std::string_view kHex = "0123456789abcdef";
      hex += kHex[digest[i] >> 4];
      hex += kHex[digest[i] & 15];
    }
    return hex;
  }

  const ir::Program& program_;
  const ir::Kernel* kernel_ = nullptr;
  bool numbers_;
  std::string buffer_;
  std::map<char, std::map<int64_t, int64_t>> names_;
};

}  // namespace

std::string CanonicalHash(const ir::Program& program) { return Hasher(program, true).Run(); }

std::string StructuralHash(const ir::Program& program) { return Hasher(program, false).Run(); }

}  // namespace compiler::sema
