// The JSON rendering: the same value as the text, for agents. Its keys are an interface.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_format.h"
#include "compiler/diag/render.h"

namespace compiler::diag {
namespace {

using nlohmann::ordered_json;

// A source line is context; the exact bytes are the reader's own file.
constexpr size_t kMaxSourceLineBytes = 400;

class JsonRenderer {
 public:
  JsonRenderer(std::string_view source) : source_(source), index_(source) {}

  ordered_json Of(const Diagnostic& d) const {
    ordered_json out;
    out["code"] = d.code;
    out["severity"] = ToString(d.severity);
    out["category"] = ToString(d.category);
    out["message"] = d.message;
    out["primary"] = d.primary == Span{} ? ordered_json() : Of(d.primary);
    out["why"] = d.why;
    out["args"] = ordered_json::array();
    for (const Arg& arg : d.args) out["args"].push_back(Of(arg));
    out["labels"] = ordered_json::array();
    for (const Label& label : d.labels) {
      out["labels"].push_back({{"text", label.text}, {"span", Of(label.span)}});
    }
    out["fixes"] = ordered_json::array();
    for (const Fix& fix : d.fixes) out["fixes"].push_back(Of(fix));
    if (!(d.instance == Instance{})) out["instance"] = Of(d.instance);
    if (!d.wait_graph.empty()) {
      out["wait_graph"] = ordered_json::array();
      for (const WaitEdge& edge : d.wait_graph) out["wait_graph"].push_back(Of(edge));
    }
    out["fingerprint"] = absl::StrFormat("%016x", Fingerprint(d, source_));
    return out;
  }

 private:
  ordered_json Of(Span span) const {
    const Position begin = index_.Find(span.begin);
    const Position end = index_.Find(span.end);
    return {{"begin", span.begin},
            {"end", span.end},
            {"line", begin.line},
            {"column", begin.column},
            {"end_line", end.line},
            {"end_column", end.column},
            {"source_line", index_.Line(begin.line).substr(0, kMaxSourceLineBytes)}};
  }

  static ordered_json Of(const Arg& arg) {
    if (const auto* number = std::get_if<int64_t>(&arg)) return *number;
    if (const auto* real = std::get_if<double>(&arg)) return *real;
    return ShortName(std::get<Name>(arg).text);
  }

  ordered_json Of(const Fix& fix) const {
    ordered_json out;
    out["title"] = fix.title;
    out["applicability"] = ToString(fix.applicability);
    out["edits"] = ordered_json::array();
    for (const Edit& edit : fix.edits) {
      out["edits"].push_back({{"text", edit.text}, {"span", Of(edit.span)}});
    }
    return out;
  }

  static ordered_json Of(const Instance& i) {
    ordered_json out = ordered_json::object();
    const auto add = [&](const char* key, int64_t value) {
      if (value >= 0) out[key] = value;
    };
    if (!i.role.empty()) out["role"] = i.role;
    add("cta", i.cta);
    add("warp", i.warp);
    add("lane", i.lane);
    add("iteration", i.iteration);
    add("stage", i.stage);
    add("phase", i.phase);
    add("byte_begin", i.byte_begin);
    add("byte_end", i.byte_end);
    if (!i.shape.empty()) out["shape"] = i.shape;
    return out;
  }

  ordered_json Of(const WaitEdge& edge) const {
    return {{"waiter", edge.waiter},   {"event", edge.event},   {"missing", edge.missing},
            {"arrived", edge.arrived}, {"needed", edge.needed}, {"span", Of(edge.span)}};
  }

  std::string_view source_;
  LineIndex index_;
};

}  // namespace

std::string RenderJson(const Report& report, std::string_view file, std::string_view source) {
  const JsonRenderer renderer(source);
  const auto& all = report.diagnostics();
  const auto count = [&](Severity severity) {
    return std::count_if(all.begin(), all.end(),
                         [&](const Diagnostic& d) { return d.severity == severity; });
  };
  ordered_json out;
  out["file"] = file;
  out["diagnostics"] = ordered_json::array();
  for (size_t i = 0; i < std::min(all.size(), kMaxShown); ++i) {
    out["diagnostics"].push_back(renderer.Of(all[i]));
  }
  out["errors"] = count(Severity::kError);
  out["warnings"] = count(Severity::kWarning);
  out["advice"] = count(Severity::kAdvice);
  out["omitted"] = all.size() - std::min(all.size(), kMaxShown);
  return out.dump(2, ' ', /*ensure_ascii=*/true, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace compiler::diag
