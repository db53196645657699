// The header and the page of a portfolio, written from its manifest and nothing else.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/core/portfolio.h"

namespace server::core {
namespace {

using nlohmann::json;

// A string literal of C++.
std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte >= 0x7f) {
      absl::StrAppendFormat(&out, "\\%03o", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string TextOf(const json& in, const char* key) {
  return in.contains(key) && in[key].is_string() ? in[key].get<std::string>() : "";
}

std::string KernelsOf(const json& manifest, std::map<std::string, int>& index) {
  std::string out;
  for (const json& kernel : manifest["kernels"]) {
    const std::string name = TextOf(kernel, "name");
    index.emplace(name, static_cast<int>(index.size()));
    absl::StrAppend(&out, "    {", Quoted(name), ", ", Quoted(TextOf(kernel, "arch")), ", ",
                    Quoted(TextOf(kernel, "source")), ", ", Quoted(TextOf(kernel, "cuda")), ", ",
                    Quoted(TextOf(kernel, "cubin")), "},\n");
  }
  return out;
}

// The guards of one device: shapes with a program of their own, then all others.
std::string ChoiceOf(const json& device, const std::map<std::string, int>& index) {
  std::string out;
  for (const json& route : device["routes"]) {
    if (!route.value("own", false)) continue;
    std::string guard;
    for (const auto& [dim, value] : route["dims"].items()) {
      absl::StrAppend(&guard, guard.empty() ? "" : " && ", dim, " == ", value.get<int64_t>());
    }
    if (guard.empty()) continue;
    absl::StrAppend(&out, "    if (", guard, ") return ", index.at(TextOf(route, "kernel")),
                    ";  // ", TextOf(route, "case"), "\n");
  }
  absl::StrAppend(&out, "    return ", index.at(TextOf(device, "default")), ";\n");
  return out;
}

}  // namespace

std::string PortfolioHeader(const std::string& manifest_json) {
  const json manifest = json::parse(manifest_json, nullptr, false);
  std::map<std::string, int> index;
  const std::string kernels = KernelsOf(manifest, index);
  std::string dims, choices;
  for (const json& dim : manifest["dims"]) {
    absl::StrAppend(&dims, ", [[maybe_unused]] std::int64_t ", dim.get<std::string>());
  }
  for (const json& device : manifest["devices"]) {
    const std::string name = TextOf(device, "device");
    absl::StrAppend(&choices, "  if (device == ", Quoted(name), ") {\n", ChoiceOf(device, index),
                    "  }\n");
  }
  return absl::StrCat(
      "// Written by cake beside manifest.json; change that by exporting again.\n#pragma once\n\n"
      "#include <cstdint>\n#include <string_view>\n\nnamespace cake_portfolio {\n\n"
      "struct Kernel {\n  std::string_view name, arch, source, cuda, cubin;  // paths; \"\": none\n"
      "};\n\ninline constexpr Kernel kKernels[] = {\n",
      kernels,
      "};\n\n// Place in kKernels for a shape on a device of that name; the device \"\" stands "
      "for\n"
      "// programs that no device has measured. -1: take the fallback.\n"
      "constexpr int Select(std::string_view device",
      dims, ") {\n", choices, "  return -1;\n}\n\n}  // namespace cake_portfolio\n");
}

std::string PortfolioPage(const std::string& manifest_json) {
  const json manifest = json::parse(manifest_json, nullptr, false);
  std::string out = absl::StrCat(
      "# Portfolio of ", TextOf(manifest, "workload"), "\n\nContract `",
      TextOf(manifest, "contract_hash"), "`, as of event ", manifest.value("as_of_seq", int64_t{0}),
      ". `manifest.json` has the SHA-256 of each file; `cake portfolio verify DIR` reads them.\n"
      "`portfolio.h` chooses a kernel by device and shape.\n\n"
      "| device | case | kernel | figure |\n|---|---|---|---|\n");
  for (const json& device : manifest["devices"]) {
    const std::string name = TextOf(device, "device");
    for (const json& route : device["routes"]) {
      std::string figure =
          device["figures"].contains("predicted_ns") ? "predicted, not measured" : "";
      if (route.contains("ratio")) {
        figure = absl::StrFormat("%.3f of the baseline's speed", route["ratio"].get<double>());
      } else if (route.contains("predicted_ns")) {
        figure =
            absl::StrFormat("predicted %.0f ns, not measured", route["predicted_ns"].get<double>());
      }
      if (device.value("simulated", false)) figure += " (simulated)";
      absl::StrAppend(&out, "| ", name.empty() ? "none, predicted" : name, " | ",
                      TextOf(route, "case"), " | ", TextOf(route, "kernel"), " | ", figure, " |\n");
    }
  }
  const std::string contract = TextOf(manifest, "contract");
  if (!contract.empty() && !manifest["kernels"].empty()) {
    const json& first = manifest["kernels"].front();
    std::string params;
    if (first.contains("binding") && first["binding"].is_object()) {
      for (const auto& [name, value] : first["binding"].items()) {
        absl::StrAppend(&params, " -p ", name, "=", value.dump());
      }
    }
    absl::StrAppend(&out, "\nThe fallback is the contract's baseline",
                    manifest.contains("baseline") ? ", `" + TextOf(manifest, "baseline") + "`" : "",
                    ". To see a program judged again:\n\n    cake run ", TextOf(first, "source"),
                    " --workload ", contract, params, "\n");
  }
  return out;
}

}  // namespace server::core
