#include "tests/mutation/programs/change.h"

#include <algorithm>
#include <utility>

namespace mutation {
namespace {

std::vector<TextEdit> Ordered(const Change& change) {
  std::vector<TextEdit> edits = change.edits;
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return a.span.begin < b.span.begin;
  });
  return edits;
}

int LineOf(std::string_view text, size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

}  // namespace

std::vector<Change> AllChanges(const Base& base) {
  std::vector<Change> out;
  Maker make(base, out);
  for (const auto family : {RingChanges, EventChanges, BarrierChanges, AsyncChanges, ProxyChanges,
                            MemoryChanges, GuardChanges, InitChanges, FormChanges, ResourceChanges,
                            ClusterChanges, LaunchChanges, EqualChanges}) {
    family(make);
  }
  return out;
}

std::string Apply(const Base& base, const Change& change) {
  std::string out;
  size_t at = 0;
  for (const TextEdit& edit : Ordered(change)) {
    out += base.source().substr(at, edit.span.begin - at) + edit.text;
    at = edit.span.end;
  }
  return out + base.source().substr(at);
}

std::set<int> Lines(const Base& base, const Change& change) {
  const std::vector<TextEdit> edits = Ordered(change);
  const std::string changed = Apply(base, change);
  // Where a place of the right program is in the changed one; of what is gone, where it was.
  const auto moved = [&](uint32_t offset, bool end) {
    int64_t by = 0;
    for (const TextEdit& edit : edits) {
      if (edit.span.begin >= offset) break;
      const auto length = static_cast<int64_t>(edit.text.size());
      if (offset < edit.span.end) return edit.span.begin + by + (end ? length : 0);
      by += length - static_cast<int64_t>(edit.span.end - edit.span.begin);
    }
    return offset + by;
  };
  std::set<int> lines;
  const auto add = [&](int64_t begin, int64_t end) {
    const int last = LineOf(changed, static_cast<size_t>(std::max(begin, end - 1)));
    for (int l = LineOf(changed, static_cast<size_t>(begin)); l <= last; ++l) lines.insert(l);
  };
  for (const Span place : change.places) add(moved(place.begin, false), moved(place.end, true));
  for (const TextEdit& edit : edits) {
    const int64_t begin = moved(edit.span.begin, false);
    add(begin, begin + static_cast<int64_t>(edit.text.size()));
  }
  return lines;
}

void Maker::Add(std::string_view name, std::string_view family, std::string_view hazards,
                Known known, std::vector<TextEdit> edits, const Site* at,
                const std::set<std::string>& words, const text::Kernel* kernel) {
  if (edits.empty()) return;
  const auto same = [&](const Change& other) { return other.name == name && other.edits == edits; };
  if (std::any_of(out_.begin(), out_.end(), same)) return;
  Change& change = out_.emplace_back();
  change.name = name;
  change.family = family;
  change.hazards = hazards;
  const bool optional = at != nullptr && base_.Optional(*at);
  change.known = optional && known == Known::kBroken ? Known::kOpen : known;
  change.edits = std::move(edits);
  change.places = base_.Naming(words, kernel);
  if (at != nullptr) change.places.push_back(base_.Head(*at->stmt));
}

std::vector<TextEdit> Maker::Drop(const Site& site) const {
  Span span = site.stmt->span;
  const std::string& source = base_.source();
  // One `;` goes with it.
  size_t next = span.end;
  while (next < source.size() && source[next] == ' ') ++next;
  if (next < source.size() && source[next] == ';') {
    return {{{span.begin, static_cast<uint32_t>(next + 1)}, ""}};
  }
  size_t before = span.begin;
  while (before > 0 && source[before - 1] == ' ') --before;
  if (before > 0 && source[before - 1] == ';') span.begin = static_cast<uint32_t>(before - 1);
  return {{span, ""}};
}

std::vector<TextEdit> Maker::Twice(const Site& site) const {
  const Span span = site.stmt->span;
  return {{{span.end, span.end}, "; " + base_.Text(span)}};
}

std::vector<TextEdit> Maker::MoveBehind(const Site& site, const text::Stmt& other) const {
  std::vector<TextEdit> edits = Drop(site);
  edits.push_back({{other.span.end, other.span.end}, "; " + base_.Text(site.stmt->span)});
  return edits;
}

std::vector<TextEdit> Maker::MoveBefore(const Site& site, const text::Stmt& other) const {
  std::vector<TextEdit> edits = Drop(site);
  edits.push_back({{other.span.begin, other.span.begin}, base_.Text(site.stmt->span) + "; "});
  return edits;
}

Span Maker::UseSpan(const text::Expr* path) const {
  const text::Expr* use = UseOf(path);
  if (use == nullptr) return {};
  const std::string& source = base_.source();
  uint32_t begin = use->span.begin, end = use->span.end;
  while (begin > path->span.begin && source[begin - 1] != '@') --begin;
  if (source[begin] == '(' && source[end - 1] != ')') {
    while (end < source.size() && source[end - 1] != ')') ++end;
  }
  return {begin, end};
}

std::string Maker::UseText(const text::Expr* path) const {
  const Span span = UseSpan(path);
  std::string out;
  for (const char c : base_.Text(span)) {
    if (c != ' ') out += c;
  }
  const bool parentheses = out.size() > 2 && out.front() == '(' && out.back() == ')';
  return parentheses ? out.substr(1, out.size() - 2) : out;
}

std::vector<TextEdit> Maker::ShiftUse(const text::Expr* path, int by) const {
  const Span span = UseSpan(path);
  if (span.end == 0) return {};
  const std::string sign = by < 0 ? " - " : " + ";
  return {{span, "(" + base_.Text(span) + sign + std::to_string(by < 0 ? -by : by) + ")"}};
}

}  // namespace mutation
