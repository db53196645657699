// Applying fixes to a text, and the identity of a finding across edits of the text around it.
#include <algorithm>

#include "compiler/diag/render.h"

namespace compiler::diag {
namespace {

// A statement longer than this is compared by what lies within it of the span.
constexpr size_t kMaxStatementBytes = 4096;

// Edits conflict if they share a byte, or if one inserts where the other begins or ends: the order
// of the two texts would be a guess.
bool Conflicts(const Span& a, const Span& b) {
  const uint32_t low = std::max(a.begin, b.begin);
  const uint32_t high = std::min(a.end, b.end);
  const bool insertion = a.begin == a.end || b.begin == b.end;
  return insertion ? low <= high : low < high;
}

bool Valid(const Edit& edit, std::string_view source) {
  return edit.span.begin <= edit.span.end && edit.span.end <= source.size();
}

const Fix* FirstMachineFix(const Diagnostic& d) {
  for (const Fix& fix : d.fixes) {
    if (fix.applicability == Applicability::kMachine && !fix.edits.empty()) return &fix;
  }
  return nullptr;
}

bool Fits(const Fix& fix, const std::vector<Edit>& accepted, std::string_view source) {
  for (size_t i = 0; i < fix.edits.size(); ++i) {
    if (!Valid(fix.edits[i], source)) return false;
    for (size_t j = 0; j < i; ++j) {
      if (Conflicts(fix.edits[i].span, fix.edits[j].span)) return false;
    }
    for (const Edit& other : accepted) {
      if (Conflicts(fix.edits[i].span, other.span)) return false;
    }
  }
  return true;
}

bool EndsStatement(char c) { return c == '\n' || c == ';' || c == '{' || c == '}'; }

// The statement around a span by its separators, blanks collapsed and comments kept out.
std::string EnclosingStatement(Span span, std::string_view source) {
  size_t begin = std::min<size_t>(span.begin, source.size());
  size_t end = std::clamp<size_t>(span.end, begin, source.size());
  for (size_t n = 0; n < kMaxStatementBytes && begin > 0 && !EndsStatement(source[begin - 1]);
       ++n) {
    --begin;
  }
  for (size_t n = 0; n < kMaxStatementBytes && end < source.size() && !EndsStatement(source[end]);
       ++n) {
    ++end;
  }
  std::string_view text = source.substr(begin, std::min(end - begin, 2 * kMaxStatementBytes));
  text = text.substr(0, text.find("//"));
  std::string out;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// FNV-1a, 64 bits; the separator keeps ("ab", "c") apart from ("a", "bc").
void Mix(uint64_t& hash, std::string_view text) {
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  hash = (hash ^ 0xFF) * 0x100000001b3ULL;
}

}  // namespace

std::string ApplyMachineFixes(const Report& report, std::string_view source, int* applied) {
  std::vector<Edit> accepted;
  int count = 0;
  for (const Diagnostic& d : report.diagnostics()) {
    const Fix* fix = FirstMachineFix(d);
    if (fix == nullptr || !Fits(*fix, accepted, source)) continue;
    accepted.insert(accepted.end(), fix->edits.begin(), fix->edits.end());
    ++count;
  }
  std::sort(accepted.begin(), accepted.end(),
            [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
  std::string out;
  size_t at = 0;
  for (const Edit& edit : accepted) {
    out += source.substr(at, edit.span.begin - at);
    out += edit.text;
    at = edit.span.end;
  }
  out += source.substr(at);
  if (applied != nullptr) *applied = count;
  return out;
}

uint64_t Fingerprint(const Diagnostic& diagnostic, std::string_view source) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  Mix(hash, diagnostic.code);
  Mix(hash, ToString(diagnostic.category));
  if (!(diagnostic.primary == Span{})) {
    Mix(hash, EnclosingStatement(diagnostic.primary, source));
    return hash;
  }
  // Without a place the names it speaks of tell two findings apart; numbers change with any edit.
  for (const Arg& arg : diagnostic.args) {
    if (const auto* name = std::get_if<Name>(&arg)) Mix(hash, name->text);
  }
  return hash;
}

}  // namespace compiler::diag
