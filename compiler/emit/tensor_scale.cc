// Scales of block-scaled products: the copies that bring them to tensor memory, and where a product
// finds them.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/ir/tensor_memory.h"

namespace compiler::emit {

// One instruction a block of 512 bytes, whose four columns are those of 128 rows in their word.
void KernelEmitter::FillScales(const ir::Stmt& stmt) {
  const ir::View& to = program_[stmt.destination];
  const int64_t blocks = program_[to.index[0].extent].int_value / ir::kScaleRows *
                         program_[to.index[1].extent].int_value / ir::kScaleWord;
  const bool elected = single_thread_ == 0;
  Mark(stmt);
  out_.Open(elected ? absl::StrCat("if (", Builtin(ir::BuiltinValue::kLane).code, " == 0) {")
                    : "{");
  names_.Open();
  const std::string source = Fresh("scales");
  const std::string fill = ir::OfPair(stmt) ? "cake::tmem_fill_pair(" : "cake::tmem_fill(";
  out_.Line(absl::StrCat("const unsigned long long ", source, " = cake::tmem_block(",
                         SharedBase(program_[stmt.source_view], 0), ");"));
  if (blocks == 1) {
    out_.Line(absl::StrCat(fill, TmemAddress(to), ", ", source, ");"));
  } else {
    const std::string i = Fresh("block");
    out_.Line("#pragma unroll");
    const int64_t words = program_[to.index[1].extent].int_value / ir::kScaleWord;
    const int64_t groups = blocks / words;  // of 128 rows
    const std::string column = groups == 1 ? absl::StrCat(i, " * ", ir::kScaleWord)
                               : words == 1
                                   ? absl::StrCat(i, " * ", ir::kScaleWord)
                                   : absl::StrCat(i, " % ", words, " * ", groups * ir::kScaleWord,
                                                  " + ", i, " / ", words, " * ", ir::kScaleWord);
    out_.Line(absl::StrCat("for (int ", i, " = 0; ", i, " < ", blocks, "; ++", i, ") ", fill,
                           TmemAddress(to), " + ", column, ", ", source, " + ", i, " * ",
                           ir::kScaleBlockBytes / 16, ");"));
  }
  names_.Close();
  out_.Close();
}

// What follows the descriptor of a step `k`: where in its words the step's scales begin, and the
// words; "": the product has no scales.
std::string KernelEmitter::ScaleOperands(const ir::Stmt& stmt, const ir::UmmaShape& shape,
                                         const std::string& k) {
  if (shape.block == 0) return "";
  const int64_t steps = ir::ScaleSteps(shape);
  const auto side = [&](ir::ViewId id) {
    const ir::View& view = program_[id];
    const std::string first = TmemAddress(view);
    if (k == "0") return absl::StrCat(", ", first);
    const int64_t columns = kernel_.tmem[static_cast<size_t>(view.tmem)].rows / ir::kScaleLanes;
    return absl::StrCat(", ", first, " + ", k, steps == 1 ? "" : absl::StrCat(" / ", steps), " * ",
                        columns);
  };
  const std::string words = side(stmt.left_scale) + side(stmt.right_scale);
  if (k == "0") return words;
  const std::string step = steps == 1
                               ? ""
                               : absl::StrCat(" + ", k, " % ", steps, " * ",
                                              absl::StrFormat("0x%xu", ir::ScaleStep(shape)));
  return step + words;
}

}  // namespace compiler::emit
