// An estimate as text and JSON. Both say that it ranks and does not measure.
#include "compiler/diag/render.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "costmodel/estimate.h"

namespace costmodel {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLinesShown = 8;

std::string Duration(double ns) {
  if (ns < 1e3) return absl::StrFormat("%.0f ns", ns);
  if (ns < 1e6) return absl::StrFormat("%.2f us", ns / 1e3);
  return absl::StrFormat("%.3f ms", ns / 1e6);
}

// First line of a statement, cut.
std::string Head(std::string_view source, compiler::diag::Span span) {
  constexpr size_t kShown = 60;
  const size_t begin = std::min<size_t>(span.begin, source.size());
  const size_t end = std::clamp<size_t>(span.end, begin, source.size());
  std::string_view text = source.substr(begin, end - begin);
  text = text.substr(0, std::min(text.find('\n'), kShown));
  return std::string(text);
}

}  // namespace

std::string ToText(const Estimate& e, std::string_view source) {
  const std::string by = e.calibration == "none" ? "uncalibrated" : "calibration " + e.calibration;
  std::string text = absl::StrFormat(
      "estimated time %s (%s to %s), %s: it %s\n", Duration(e.time_ns), Duration(e.low_ns),
      Duration(e.high_ns), by,
      e.rank_only ? "ranks, it does not measure" : "predicts, it does not measure");
  absl::StrAppend(&text, "bottleneck ", e.bottleneck, ", then ", e.runner_up, "; roofline ",
                  Duration(e.roofline_ns), "\n");
  absl::StrAppend(&text,
                  absl::StrFormat("%.0f CTAs in %.2f waves, occupancy %.0f%%, %.0f bytes of global "
                                  "memory requested, %.0f flops\n",
                                  e.ctas, e.waves, 100 * e.occupancy, e.global_bytes, e.flops));
  for (const auto& [resource, share] : e.utilisation) {
    absl::StrAppend(&text, absl::StrFormat("  %-13s %3.0f%%\n", resource, 100 * share));
  }
  const compiler::diag::LineIndex lines(source);
  for (size_t i = 0; i < std::min(e.attribution.size(), kLinesShown); ++i) {
    const SpanTime& at = e.attribution[i];
    absl::StrAppend(&text,
                    absl::StrFormat("  line %-4d %9s  %-13s %s\n", lines.Find(at.span.begin).line,
                                    Duration(at.ns), at.resource, Head(source, at.span)));
  }
  for (const WhatIf& what : e.what_if) {
    absl::StrAppend(&text, "what if ", what.change, ": ", Duration(what.time_ns), "\n");
  }
  return text;
}

std::string ToJson(const Estimate& e, std::string_view source) {
  const compiler::diag::LineIndex lines(source);
  Json json = {{"time_ns", e.time_ns},
               {"low_ns", e.low_ns},
               {"high_ns", e.high_ns},
               {"level", e.level},
               {"bottleneck", e.bottleneck},
               {"runner_up", e.runner_up},
               {"utilisation", e.utilisation},
               {"attribution", Json::array()},
               {"roofline_ns", e.roofline_ns},
               {"global_bytes", e.global_bytes},
               {"flops", e.flops},
               {"waves", e.waves},
               {"occupancy", e.occupancy},
               {"ctas", e.ctas},
               {"what_if", Json::array()},
               {"calibration", e.calibration},
               {"coverage", e.rank_only ? "RANK_ONLY" : "CALIBRATED"}};
  for (const SpanTime& at : e.attribution) {
    json["attribution"].push_back({{"begin", at.span.begin},
                                   {"end", at.span.end},
                                   {"line", lines.Find(at.span.begin).line},
                                   {"ns", at.ns},
                                   {"resource", at.resource}});
  }
  for (const WhatIf& what : e.what_if) {
    json["what_if"].push_back({{"change", what.change}, {"time_ns", what.time_ns}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace costmodel
