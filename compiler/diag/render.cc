// The text rendering: one block a diagnostic, with the source line under it.
#include "compiler/diag/render.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/diag/escape.h"

namespace compiler::diag {
namespace {

absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

struct Style {
  bool color;
  std::string_view Bold() const { return color ? "\x1b[1m" : ""; }
  std::string_view Blue() const { return color ? "\x1b[1;34m" : ""; }
  std::string_view Reset() const { return color ? "\x1b[0m" : ""; }
  std::string_view Of(Severity severity) const {
    if (!color) return "";
    if (severity == Severity::kError) return "\x1b[1;31m";
    return severity == Severity::kWarning ? "\x1b[1;33m" : "\x1b[1;36m";
  }
};

// A source line as shown, and the columns that lie under a span of its bytes.
struct Excerpt {
  std::string text;
  size_t caret_begin = 0;
  size_t caret_count = 1;
};

// Which bytes of a long line are shown: all of a short one, else a window around `begin`.
std::pair<size_t, size_t> Window(std::string_view line, size_t begin, size_t max_bytes) {
  if (line.size() <= max_bytes) return {0, line.size()};
  const size_t lead = max_bytes / 4;
  size_t low = begin > lead ? begin - lead : 0;
  low = std::min(low, line.size() - max_bytes);
  const auto continuation = [&](size_t i) {
    return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
  };
  size_t high = low + max_bytes;
  for (int i = 0; i < 3 && continuation(low); ++i) ++low;
  for (int i = 0; i < 3 && continuation(high); ++i) --high;
  return {low, high};
}

Excerpt Cut(std::string_view line, size_t begin, size_t end, size_t max_bytes) {
  const auto [low, high] = Window(line, begin, max_bytes);
  Excerpt out;
  size_t columns = 0;
  if (low > 0) {
    out.text = "...";
    columns = 3;
  }
  out.caret_begin = columns;
  size_t caret_end = columns;
  for (size_t i = low; i < high;) {
    const std::string_view rest = line.substr(i, high - i);
    const CodePoint point = DecodeUtf8(rest);
    const std::string shown = EscapeOne(rest, point);
    // One column a code point: an escape is longer than its source and counts as drawn.
    const bool escaped = shown != rest.substr(0, point.bytes) && shown.size() > 1;
    if (i == begin) out.caret_begin = columns;
    columns += escaped ? shown.size() : 1;
    if (i < end) caret_end = columns;
    if (i < begin) out.caret_begin = columns;
    out.text += shown;
    i += point.bytes;
  }
  if (high < line.size()) out.text += "...";
  out.caret_count =
      std::max<size_t>(1, caret_end > out.caret_begin ? caret_end - out.caret_begin : 0);
  return out;
}

class TextRenderer {
 public:
  TextRenderer(std::string_view file, std::string_view source, const TextOptions& options)
      : file_(EscapeText(file)),
        source_(source),
        index_(source),
        options_(options),
        style_{options.color} {}

  std::string Render(const Report& report) {
    size_t shown = 0;
    for (const Diagnostic& d : report.diagnostics()) {
      if (shown++ >= options_.max_diagnostics) break;
      if (shown > 1) out_ += '\n';
      Head(d);
      if (!(d.primary == Span{})) Place(d.primary, '^', "");
      for (const Label& label : d.labels) LabelPlace(label);
      Tail(d);
    }
    const size_t count = report.diagnostics().size();
    if (count > options_.max_diagnostics) {
      absl::StrAppend(&out_, "\n", count - options_.max_diagnostics, " more not shown\n");
    }
    return std::move(out_);
  }

 private:
  void Head(const Diagnostic& d) {
    absl::StrAppend(&out_, Absl(style_.Of(d.severity)), Absl(ToString(d.severity)), "[",
                    Absl(d.code), "]", Absl(style_.Reset()), Absl(style_.Bold()), ": ",
                    EscapeText(d.message), Absl(style_.Reset()), "\n");
    if (d.primary == Span{}) return;
    const Position at = index_.Find(d.primary.begin);
    absl::StrAppend(&out_, Absl(style_.Blue()), "  --> ", Absl(style_.Reset()), file_, ":", at.line,
                    ":", at.column, "\n");
  }

  // The source line of a span with a mark under its part of that line.
  void Place(Span span, char mark, std::string_view text) {
    const Position at = index_.Find(span.begin);
    const std::string_view line = index_.Line(at.line);
    const size_t begin = std::min(static_cast<size_t>(at.column - 1), line.size());
    const size_t length = span.end > span.begin ? span.end - span.begin : 0;
    const Excerpt cut = Cut(line, begin, begin + length, options_.max_line_bytes);
    const std::string number = absl::StrCat(at.line);
    const std::string margin(std::max<size_t>(number.size(), 4), ' ');
    absl::StrAppend(&out_, Absl(style_.Blue()), margin.substr(number.size()), number, " | ",
                    Absl(style_.Reset()), cut.text, "\n");
    absl::StrAppend(&out_, Absl(style_.Blue()), margin, " | ", Absl(style_.Reset()),
                    std::string(cut.caret_begin, ' '), Absl(style_.Bold()),
                    std::string(cut.caret_count, mark), Absl(style_.Reset()));
    if (!text.empty()) absl::StrAppend(&out_, " ", EscapeText(text));
    out_ += '\n';
  }

  void LabelPlace(const Label& label) {
    if (label.span == Span{}) {
      absl::StrAppend(&out_, "  note: ", EscapeText(label.text), "\n");
    } else {
      Place(label.span, '-', label.text);
    }
  }

  void Tail(const Diagnostic& d) {
    if (!(d.instance == Instance{}))
      absl::StrAppend(&out_, "  at: ", InstanceText(d.instance), "\n");
    for (const WaitEdge& edge : d.wait_graph) {
      absl::StrAppend(&out_, "  waits: ", EscapeText(edge.waiter), " on ", EscapeText(edge.event),
                      ": ", edge.arrived, " of ", edge.needed, " arrived");
      if (!edge.missing.empty()) absl::StrAppend(&out_, ", missing ", EscapeText(edge.missing));
      out_ += '\n';
    }
    if (!d.why.empty()) absl::StrAppend(&out_, "  why: ", EscapeText(d.why), "\n");
    for (const Fix& fix : d.fixes) FixText(fix);
  }

  void FixText(const Fix& fix) {
    absl::StrAppend(&out_, "  fix (", Absl(ToString(fix.applicability)),
                    "): ", EscapeText(fix.title), "\n");
    for (const Edit& edit : fix.edits) {
      const Position at = index_.Find(edit.span.begin);
      const size_t begin = std::min<size_t>(edit.span.begin, source_.size());
      const size_t end = std::clamp<size_t>(edit.span.end, begin, source_.size());
      const std::string old = EscapeText(ShortName(source_.substr(begin, end - begin)));
      absl::StrAppend(&out_, "    ", at.line, ":", at.column, ": ");
      if (old.empty()) {
        absl::StrAppend(&out_, "insert `", EscapeText(edit.text), "`\n");
      } else {
        absl::StrAppend(&out_, "`", old, "` -> `", EscapeText(edit.text), "`\n");
      }
    }
  }

  static std::string InstanceText(const Instance& i) {
    std::string text;
    const auto add = [&](std::string_view name, int64_t value) {
      if (value >= 0) absl::StrAppend(&text, text.empty() ? "" : ", ", Absl(name), " ", value);
    };
    if (!i.role.empty()) text = absl::StrCat("role ", EscapeText(i.role));
    add("cta", i.cta);
    add("warp", i.warp);
    add("lane", i.lane);
    add("iteration", i.iteration);
    add("stage", i.stage);
    add("phase", i.phase);
    if (i.byte_begin >= 0) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", "bytes ", i.byte_begin, "..", i.byte_end);
    }
    if (!i.shape.empty()) absl::StrAppend(&text, text.empty() ? "" : ", ", EscapeText(i.shape));
    return text;
  }

  std::string file_;
  std::string_view source_;
  LineIndex index_;
  TextOptions options_;
  Style style_;
  std::string out_;
};

}  // namespace

LineIndex::LineIndex(std::string_view source) : source_(source) {
  starts_.push_back(0);
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\n') starts_.push_back(static_cast<uint32_t>(i + 1));
  }
}

Position LineIndex::Find(uint32_t offset) const {
  const uint32_t at = std::min<uint32_t>(offset, static_cast<uint32_t>(source_.size()));
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), at);
  const auto line = static_cast<int>(next - starts_.begin());
  return {line, static_cast<int>(at - *(next - 1)) + 1};
}

std::string_view LineIndex::Line(int line) const {
  if (line < 1 || static_cast<size_t>(line) > starts_.size()) return {};
  const size_t begin = starts_[static_cast<size_t>(line) - 1];
  size_t end = source_.find('\n', begin);
  if (end == std::string_view::npos) end = source_.size();
  if (end > begin && source_[end - 1] == '\r') --end;
  return source_.substr(begin, end - begin);
}

std::string RenderText(const Report& report, std::string_view file, std::string_view source,
                       const TextOptions& options) {
  return TextRenderer(file, source, options).Render(report);
}

}  // namespace compiler::diag
