#include <nlohmann/json.hpp>

#include "server/edge/translate.h"
#include "server/edge/translate_words.h"

namespace server::edge {
namespace {

using nlohmann::json;

std::string Text(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

double Number(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

int64_t Integer(const json& object, const char* key, int64_t none) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number_integer() ? it->get<int64_t>() : none;
}

const json& List(const json& object, const char* key) {
  static const json kEmpty = json::array();
  const auto it = object.find(key);
  return it != object.end() && it->is_array() ? *it : kEmpty;
}

void SpanOf(const json& in, wire::Span* out) {
  if (!in.is_object()) return;
  out->set_begin(static_cast<uint32_t>(Number(in, "begin")));
  out->set_end(static_cast<uint32_t>(Number(in, "end")));
  out->set_line(static_cast<uint32_t>(Number(in, "line")));
  out->set_column(static_cast<uint32_t>(Number(in, "column")));
}

void SpanIn(const json& object, const char* key, wire::Span* out) {
  const auto it = object.find(key);
  if (it != object.end()) SpanOf(*it, out);
}

void FixOf(const json& in, wire::Fix* out) {
  out->set_title(Text(in, "title"));
  out->set_applicability(ParseWire<wire::Applicability>("APPLICABILITY_", Text(in, "applicability"),
                                                        wire::Applicability_Parse));
  for (const json& edit : List(in, "edits")) {
    wire::Edit* one = out->add_edits();
    one->set_text(Text(edit, "text"));
    SpanIn(edit, "span", one->mutable_span());
  }
}

void InstanceOf(const json& in, wire::Instance* out) {
  out->set_role(Text(in, "role"));
  out->set_shape(Text(in, "shape"));
  out->set_cta(Integer(in, "cta", -1));
  out->set_warp(Integer(in, "warp", -1));
  out->set_lane(Integer(in, "lane", -1));
  out->set_iteration(Integer(in, "iteration", -1));
  out->set_stage(Integer(in, "stage", -1));
  out->set_phase(Integer(in, "phase", -1));
  out->set_byte_begin(Integer(in, "byte_begin", -1));
  out->set_byte_end(Integer(in, "byte_end", -1));
}

void ArgOf(const json& in, wire::Arg* out) {
  if (in.is_number_integer())
    out->set_integer(in.get<int64_t>());
  else if (in.is_number())
    out->set_number(in.get<double>());
  else if (in.is_string())
    out->set_name(in.get<std::string>());
}

void DiagnosticOf(const json& in, wire::Diagnostic* out) {
  out->set_code(Text(in, "code"));
  out->set_severity(
      ParseWire<wire::Severity>("SEVERITY_", Text(in, "severity"), wire::Severity_Parse));
  out->set_category(
      ParseWire<wire::Category>("CATEGORY_", Text(in, "category"), wire::Category_Parse));
  if (in.contains("primary") && in["primary"].is_object()) {
    SpanOf(in["primary"], out->mutable_primary());
  }
  out->set_message(Text(in, "message"));
  out->set_why(Text(in, "why"));
  for (const json& arg : List(in, "args")) ArgOf(arg, out->add_args());
  for (const json& label : List(in, "labels")) {
    wire::Label* one = out->add_labels();
    one->set_text(Text(label, "text"));
    SpanIn(label, "span", one->mutable_span());
  }
  for (const json& fix : List(in, "fixes")) FixOf(fix, out->add_fixes());
  for (const json& edge : List(in, "wait_graph")) {
    wire::WaitEdge* one = out->add_wait_graph();
    one->set_waiter(Text(edge, "waiter"));
    one->set_event(Text(edge, "event"));
    one->set_missing(Text(edge, "missing"));
    one->set_arrived(Integer(edge, "arrived", 0));
    one->set_needed(Integer(edge, "needed", 0));
    SpanIn(edge, "span", one->mutable_span());
  }
  if (in.contains("instance") && in["instance"].is_object()) {
    InstanceOf(in["instance"], out->mutable_instance());
  }
  out->set_fingerprint(Text(in, "fingerprint"));
}

void EstimateOf(const json& in, wire::Estimate* out) {
  out->set_time_ns(Number(in, "time_ns"));
  out->set_low_ns(Number(in, "low_ns"));
  out->set_high_ns(Number(in, "high_ns"));
  out->set_level(Number(in, "level"));
  out->mutable_bottleneck()->set_kind(Text(in, "bottleneck"));
  out->mutable_runner_up()->set_kind(Text(in, "runner_up"));
  if (in.contains("utilisation") && in["utilisation"].is_object()) {
    for (const auto& [resource, share] : in["utilisation"].items()) {
      if (!share.is_number()) continue;
      (*out->mutable_utilisation())[resource] = share.get<double>();
      if (resource == out->bottleneck().kind()) {
        out->mutable_bottleneck()->set_share(share.get<double>());
      }
      if (resource == out->runner_up().kind()) {
        out->mutable_runner_up()->set_share(share.get<double>());
      }
    }
  }
  for (const json& at : List(in, "attribution")) {
    wire::SpanTime* one = out->add_attribution();
    SpanOf(at, one->mutable_span());
    one->set_ns(Number(at, "ns"));
    one->set_resource(Text(at, "resource"));
  }
  out->set_roofline_ns(Number(in, "roofline_ns"));
  for (const json& what : List(in, "what_if")) {
    wire::WhatIf* one = out->add_what_if();
    one->set_change(Text(what, "change"));
    one->set_time_ns(Number(what, "time_ns"));
  }
  out->set_calibration(Text(in, "calibration"));
  out->set_coverage(
      ParseWire<wire::Coverage>("COVERAGE_", Text(in, "coverage"), wire::Coverage_Parse));
}

json ToJson(const wire::Span& in) {
  return {{"begin", in.begin()}, {"end", in.end()}, {"line", in.line()}, {"column", in.column()}};
}

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

json InstanceToJson(const wire::Instance& in) {
  json out = json::object();
  const auto add = [&](const char* key, int64_t value) {
    if (value >= 0) out[key] = value;
  };
  if (!in.role().empty()) out["role"] = in.role();
  if (!in.shape().empty()) out["shape"] = in.shape();
  add("cta", in.cta());
  add("warp", in.warp());
  add("lane", in.lane());
  add("iteration", in.iteration());
  add("stage", in.stage());
  add("phase", in.phase());
  add("byte_begin", in.byte_begin());
  add("byte_end", in.byte_end());
  return out;
}

json DiagnosticToJson(const wire::Diagnostic& in) {
  json out = {{"code", in.code()},
              {"severity", Lower(BareWord("SEVERITY_", wire::Severity_Name(in.severity())))},
              {"category", Lower(BareWord("CATEGORY_", wire::Category_Name(in.category())))},
              {"message", in.message()},
              {"why", in.why()},
              {"labels", json::array()},
              {"fixes", json::array()}};
  out["primary"] = in.has_primary() ? ToJson(in.primary()) : json();
  for (const auto& label : in.labels()) {
    out["labels"].push_back({{"text", label.text()}, {"span", ToJson(label.span())}});
  }
  for (const auto& fix : in.fixes()) {
    json edits = json::array();
    for (const auto& edit : fix.edits()) {
      edits.push_back({{"text", edit.text()}, {"span", ToJson(edit.span())}});
    }
    out["fixes"].push_back(
        {{"title", fix.title()},
         {"applicability",
          Lower(BareWord("APPLICABILITY_", wire::Applicability_Name(fix.applicability())))},
         {"edits", edits}});
  }
  if (in.has_instance()) out["instance"] = InstanceToJson(in.instance());
  return out;
}

}  // namespace

void DiagnosticsFromJson(std::string_view text, wire::Report* out) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return;
  for (const json& diagnostic : List(in, "diagnostics")) {
    if (diagnostic.is_object()) DiagnosticOf(diagnostic, out->add_diagnostics());
  }
}

void ReportFromJson(std::string_view text, wire::Report* out) {
  DiagnosticsFromJson(text, out);
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return;
  out->set_omitted(static_cast<uint32_t>(Number(in, "omitted")));
  for (const json& property : List(in, "properties")) {
    wire::PropertyStatus* one = out->add_properties();
    one->set_property(Text(property, "property"));
    std::string how = Text(property, "how");
    for (char& c : how) c = c == '-' || c == ' ' ? '_' : c;
    one->set_how(ParseWire<wire::How>("HOW_", how, wire::How_Parse));
    one->set_coverage(Text(property, "coverage"));
  }
  if (in.contains("estimate") && in["estimate"].is_object()) {
    EstimateOf(in["estimate"], out->mutable_estimate());
  }
}

std::string DiagnosticsToJson(const google::protobuf::RepeatedPtrField<wire::Diagnostic>& in) {
  if (in.empty()) return "";
  json list = json::array();
  for (const wire::Diagnostic& diagnostic : in) list.push_back(DiagnosticToJson(diagnostic));
  return json{{"diagnostics", list}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace server::edge
