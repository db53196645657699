// Canonical text of a layout.
#include <algorithm>

#include "compiler/text/layout.h"

namespace compiler::text {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kIndent = 2;
constexpr size_t kContinuation = 4;

// One token of a statement that is broken over lines.
struct Piece {
  std::string_view text;
  bool space = false;  // before it
  bool may_break = false;
  int depth = 0;  // of brackets around the break
};

class Printer {
 public:
  explicit Printer(const std::vector<Token>& tokens) : tokens_(tokens) {}

  std::string Run(const Layout& layout) {
    PrintLines(layout.top, 0);
    return std::move(out_);
  }

 private:
  bool Space(uint32_t left) const { return SpaceAfter(tokens_, left); }

  // The statement on one line in at most `budget` bytes, or nothing. Stops as soon as it is over,
  // so that trying every level of a nest stays linear.
  bool Flat(const LayoutStatement& statement, size_t budget, std::string& out) const {
    for (size_t i = 0; i < statement.size(); ++i) {
      const Part& part = statement[i];
      if (part.block != nullptr) {
        if (!FlatBlock(*part.block, budget, out)) return false;
      } else {
        if (i > 0 && statement[i - 1].block == nullptr && SpaceBefore(statement, i)) out += ' ';
        out += tokens_[part.token].text;
      }
      if (out.size() > budget) return false;
    }
    return true;
  }

  // The blank before part i, which is a token and follows one. `{` and `}` of blocks stand apart.
  bool SpaceBefore(const LayoutStatement& statement, size_t i) const {
    const uint32_t left = statement[i - 1].token;
    const bool after_block = i >= 2 && statement[i - 2].block != nullptr;
    if (tokens_[statement[i].token].block || after_block) return true;
    return Space(left);
  }

  // The inside of a block with its `{` written and its `}` to come.
  bool FlatBlock(const LayoutBlock& block, size_t budget, std::string& out) const {
    if (!block.on_one_line) return false;
    bool first = true;
    for (const LayoutLine& line : block.lines) {
      for (const LayoutStatement& statement : line.statements) {
        out += first ? " " : "; ";
        first = false;
        if (!Flat(statement, budget, out)) return false;
      }
    }
    if (!first) out += ' ';
    return true;
  }

  void NewLine(size_t indent) { out_.append(indent, ' '); }

  void PrintLines(const LayoutBlock& block, size_t indent) {
    bool first = true;
    for (const LayoutLine& line : block.lines) {
      PrintComments(line, indent, first);
      if (!line.statements.empty()) {
        const bool blank = line.blank_before && !(first && line.comments.empty());
        if (blank) out_ += '\n';
        PrintLine(line, indent);
      }
      first = false;
    }
  }

  void PrintComments(const LayoutLine& line, size_t indent, bool first) {
    for (const OwnComment& comment : line.comments) {
      if (comment.blank_before && !first) out_ += '\n';
      first = false;
      NewLine(indent);
      out_ += comment.text;
      out_ += '\n';
    }
  }

  void PrintLine(const LayoutLine& line, size_t indent) {
    const size_t budget = kColumns > indent ? kColumns - indent : 0;
    std::string flat;
    bool fits = true;
    for (const LayoutStatement& statement : line.statements) {
      if (!flat.empty()) flat += "; ";
      fits = fits && Flat(statement, budget, flat);
      if (!fits) break;
    }
    const bool many = line.statements.size() > 1;
    const size_t width = fits ? flat.size() : many ? kColumns : LastLineWidth(line, indent);
    const bool behind = !line.trailing.empty() && (fits || !many) &&
                        indent + width + 2 + line.trailing.size() <= kColumns;
    if (!line.trailing.empty() && !behind) {
      NewLine(indent);
      out_ += line.trailing;
      out_ += '\n';
    }
    if (fits) {
      NewLine(indent);
      out_ += flat;
      out_ += '\n';
    } else {
      for (const LayoutStatement& statement : line.statements) PrintStatement(statement, indent);
    }
    if (behind) {
      out_.pop_back();
      out_ += "  ";
      out_ += line.trailing;
      out_ += '\n';
    }
  }

  // Bytes of the last line that a single statement will print; a comment may stand behind them.
  size_t LastLineWidth(const LayoutLine& line, size_t indent) const {
    const LayoutStatement& statement = line.statements[0];
    size_t begin = 0;
    for (size_t i = 0; i < statement.size(); ++i) {
      if (IsExpanded(statement[i])) begin = i + 1;
    }
    Printer trial(tokens_);
    trial.NewLine(indent);
    trial.PrintTokens(statement, begin, statement.size(), indent);
    const size_t start = trial.out_.rfind('\n');
    return trial.out_.size() - (start == std::string::npos ? 0 : start + 1) - indent;
  }

  static bool IsExpanded(const Part& part) {
    return part.block != nullptr && !(part.block->lines.empty() && part.block->opening.empty());
  }

  // A statement on lines of its own.
  void PrintStatement(const LayoutStatement& statement, size_t indent) {
    const size_t budget = kColumns > indent ? kColumns - indent : 0;
    std::string flat;
    if (Flat(statement, budget, flat)) {
      NewLine(indent);
      out_ += flat;
      out_ += '\n';
      return;
    }
    NewLine(indent);
    size_t begin = 0;
    for (size_t i = 0; i < statement.size(); ++i) {
      if (!IsExpanded(statement[i])) continue;
      PrintTokens(statement, begin, i, indent);
      begin = i + 1;
      PrintOpening(*statement[i].block, indent);
      PrintLines(*statement[i].block, indent + kIndent);
      NewLine(indent);
    }
    PrintTokens(statement, begin, statement.size(), indent);
    out_ += '\n';
  }

  // The comment behind a `{`, or first in the block where the line has no room for it.
  void PrintOpening(const LayoutBlock& block, size_t indent) {
    if (!block.opening.empty()) {
      const size_t start = out_.rfind('\n') == std::string::npos ? 0 : out_.rfind('\n') + 1;
      if (out_.size() - start + 2 + block.opening.size() <= kColumns) {
        out_ += "  ";
      } else {
        out_ += '\n';
        NewLine(indent + kIndent);
      }
      out_ += block.opening;
    }
    out_ += '\n';
  }

  // A line of two words side by side, as in `.. * \n st zero true`, could be read as a statement.
  bool NameBeforeWord(const LayoutStatement& statement, size_t i) const {
    const auto token = [&](size_t at) { return &tokens_[statement[at].token]; };
    if (token(i)->kind != TokenKind::kWord) return false;
    while (i + 2 < statement.size() && token(i + 1)->text == ".") i += 2;
    return i + 1 < statement.size() && statement[i + 1].block == nullptr &&
           token(i + 1)->kind == TokenKind::kWord;
  }

  // The tokens [begin, end) of a statement, broken where they pass the last column.
  void PrintTokens(const LayoutStatement& statement, size_t begin, size_t end, size_t indent) {
    std::vector<Piece> pieces;
    int depth = 0;
    for (size_t i = begin; i < end; ++i) {
      if (statement[i].block != nullptr) continue;  // empty: `{}`
      const Token& token = tokens_[statement[i].token];
      Piece piece{token.text};
      if (i > begin && statement[i - 1].block == nullptr) {
        const Token& left = tokens_[statement[i - 1].token];
        piece.space = SpaceBefore(statement, i);
        const bool operation = left.kind == TokenKind::kPunct && left.text != ")" &&
                               left.text != "]" && left.text != "}" && !token.block;
        piece.may_break = piece.space && operation && !(depth == 0 && NameBeforeWord(statement, i));
      }
      if (token.text == ")" || token.text == "]") --depth;
      piece.depth = depth;
      if (token.text == "(" || token.text == "[") ++depth;
      pieces.push_back(piece);
    }
    Wrap(pieces, indent);
  }

  // Greedy: each line ends at the last of its outermost breaks that fit.
  void Wrap(const std::vector<Piece>& pieces, size_t indent) {
    size_t start = out_.rfind('\n') == std::string::npos ? 0 : out_.rfind('\n') + 1;
    size_t column = out_.size() - start;
    size_t best = 0;  // none: nothing breaks before the first piece
    size_t line_begin = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const size_t width = pieces[i].text.size() + (pieces[i].space && i > line_begin ? 1 : 0);
      if (column + width > kColumns && best > 0) {
        Emit(pieces, line_begin, best);
        out_ += '\n';
        NewLine(indent + kContinuation);
        line_begin = i = best;
        column = indent + kContinuation + pieces[i].text.size();
        best = 0;
        continue;
      }
      const bool breaks = pieces[i].may_break && i > line_begin;
      if (breaks && (best == 0 || pieces[i].depth <= pieces[best].depth)) best = i;
      column += width;
    }
    Emit(pieces, line_begin, pieces.size());
  }

  void Emit(const std::vector<Piece>& pieces, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (pieces[i].space && i > begin) out_ += ' ';
      out_ += pieces[i].text;
    }
  }

  const std::vector<Token>& tokens_;
  std::string out_;
};

}  // namespace

std::string Print(const Layout& layout, const std::vector<Token>& tokens) {
  return Printer(tokens).Run(layout);
}

}  // namespace compiler::text
