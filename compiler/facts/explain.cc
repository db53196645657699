// `cake explain`: the derived facts, as text for people and as JSON.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "compiler/arch/hardware.h"
#include "compiler/facts/cluster.h"
#include "compiler/facts/derived.h"
#include "compiler/facts/events.h"
#include "compiler/facts/launch.h"
#include "compiler/facts/matrix_ops.h"
#include "compiler/facts/overlay.h"
#include "compiler/facts/registers.h"
#include "compiler/facts/tmem.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

using Json = nlohmann::ordered_json;

std::string FormOf(const ir::SharedBuffer& buffer) {
  switch (buffer.form) {
    case ir::SharedForm::kSwizzle: return absl::StrCat("swizzle ", buffer.form_amount);
    case ir::SharedForm::kPadded: return absl::StrCat("padded ", buffer.form_amount);
    case ir::SharedForm::kRows: break;
  }
  return "rows";
}

std::string GridText(const ir::Program& program, const ir::Kernel& kernel) {
  std::vector<std::string> parts;
  for (const ir::ExprId id : kernel.grid) {
    parts.emplace_back(TextOf(program, program[id].source.span));
  }
  return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
}

// Of every architecture that has setmaxnreg.
constexpr int64_t kRegistersOfSm = 65536, kRegistersOfThread = 255;

std::string RoleLine(const ir::Kernel& kernel, const KernelFacts& facts, size_t i) {
  const RolePlacement& at = facts.roles[i];
  std::string line =
      absl::StrFormat("  role %-12s warps %d..%d, threads %d..%d", kernel.roles[i].name,
                      at.first_warp, at.first_warp + at.warps - 1, at.first_warp * ir::kLanes,
                      (at.first_warp + at.warps) * ir::kLanes - 1);
  if (const int64_t regs = kernel.roles[i].regs; regs > 0) {
    const int64_t given =
        LaunchRegisters(kRegistersOfSm, kRegistersOfThread, facts.threads, kernel.ctas_per_sm);
    absl::StrAppend(&line, ", ", regs, " registers");
    if (regs != given) {
      absl::StrAppend(&line, " (setmaxnreg.", regs < given ? "dec" : "inc", " from ", given, ")");
    }
  }
  if (facts.role_sync_id[i] >= 0) {
    absl::StrAppend(&line, ", `sync role` is barrier ", facts.role_sync_id[i]);
  }
  return absl::StrCat(line, "\n");
}

std::string SharedLine(const ir::SharedBuffer& buffer, const SharedPlacement& place) {
  std::string line = absl::StrFormat(
      "  smem %-12s bytes %d..%d, %s[%s] %s, strides (%s)", buffer.name, place.offset_bytes,
      place.offset_bytes + place.total_bytes - 1, std::string(ir::ToString(buffer.dtype)),
      absl::StrJoin(buffer.shape, ", "), FormOf(buffer), absl::StrJoin(place.strides, ", "));
  if (buffer.staged) {
    absl::StrAppend(&line, ", ", buffer.stages, " stages of ", place.stage_bytes, " bytes");
  }
  return absl::StrCat(line, "\n");
}

// The author's names of a role (-1: the kernel's lets) by level; what inlining adds is left out.
std::map<ir::Level, std::vector<std::string>> NamesByLevel(const ir::Program& program,
                                                           const ir::Kernel& kernel, int role) {
  std::map<ir::Level, std::vector<std::string>> names;
  for (const ir::Local& local : kernel.locals) {
    if (local.role != role || TextOf(program, local.declared) != local.name) continue;
    std::vector<std::string>& known = names[local.level];
    if (std::find(known.begin(), known.end(), local.name) == known.end()) {
      known.push_back(local.name);
    }
  }
  return names;
}

std::string LevelsLine(const ir::Program& program, const ir::Kernel& kernel, int role) {
  std::vector<std::string> parts;
  for (const auto& [level, names] : NamesByLevel(program, kernel, role)) {
    parts.push_back(absl::StrCat(std::string(ir::ToString(level)), " ", absl::StrJoin(names, " ")));
  }
  if (parts.empty()) return "";
  return absl::StrFormat("    levels%s: %s\n", role < 0 ? " of the kernel's values" : "",
                         absl::StrJoin(parts, "; "));
}

Json LevelsJson(const ir::Program& program, const ir::Kernel& kernel, int role) {
  Json json = Json::object();
  for (const auto& [level, names] : NamesByLevel(program, kernel, role)) {
    json[std::string(ir::ToString(level))] = names;
  }
  return json;
}

// Which earlier buffers have bytes of this one.
std::vector<std::string> SharesBytesWith(const ir::Kernel& kernel, size_t buffer) {
  std::vector<std::string> names;
  for (size_t i = 0; i < buffer; ++i) {
    if (Exclusive(kernel.shared[buffer], kernel.shared[i])) names.push_back(kernel.shared[i].name);
  }
  return names;
}

std::string MatrixLines(const ir::Program& program, const ir::Kernel& kernel, size_t role) {
  std::string text;
  for (const MatrixOp& op : MatrixOps(program, kernel, kernel.roles[role])) {
    absl::StrAppend(&text, "    line ", op.line, ": ", op.count, " ", op.instruction, "\n");
  }
  return text;
}

Json MatrixJson(const ir::Program& program, const ir::Kernel& kernel, size_t role) {
  Json json = Json::array();
  for (const MatrixOp& op : MatrixOps(program, kernel, kernel.roles[role])) {
    json.push_back({{"line", op.line}, {"instruction", op.instruction}, {"count", op.count}});
  }
  return json;
}

std::string FenceLine(const KernelFacts& facts, size_t role) {
  if (!facts.proxies.reads_filled[role]) return "";
  return "    fence.proxy.async before what hands over: asynchronous copies fill what it reads\n";
}

std::string LaunchLines(const ir::Program& program, const ir::Kernel& kernel,
                        const KernelFacts& facts) {
  std::string text;
  if (facts.cooperative) {
    absl::StrAppend(&text, "  cooperative launch: `grid.sync` counts in workspace word `",
                    program[facts.grid_word].name, "`, cleared before the run; ", facts.ctas_per_sm,
                    facts.ctas_per_sm == 1 ? " CTA" : " CTAs", " an SM surely resident\n");
  }
  if (kernel.pdl) {
    text += "  programmatic dependent launch: may start before the kernel before it has ended\n";
  }
  return text;
}

// A mailbox is the ring that shares its name with a workspace word of the kernel.
std::string DynamicLines(const ir::Program& program, const ir::Kernel& kernel) {
  std::string text;
  for (const ir::Event& event : kernel.events) {
    const absl::string_view name = absl::StripSuffix(event.name, ".told");
    if (name.size() == event.name.size()) continue;
    absl::StrAppend(&text, "  dynamic iter `", name,
                    "`: a cluster begins with its own numbers; its first CTA asks for those of a "
                    "cluster that has not begun, by cluster launch control, when all have read the "
                    "answer before\n");
  }
  for (const ir::Ring& ring : kernel.rings) {
    const bool asks = !ring.from.empty() && ring.fields.size() == 1 &&
                      kernel.shared[static_cast<size_t>(ring.fields[0])].name ==
                          absl::StrCat(ring.name, ".answer");
    if (asks) {
      absl::StrAppend(&text, "  dynamic iter `", ring.name,
                      "`: a CTA begins with its own number; warp 0 of role ",
                      kernel.roles[static_cast<size_t>(ring.from[0])].name,
                      " asks for those of CTAs that have not begun, by cluster launch control, and "
                      "passes them on in ring ",
                      ring.name, "\n");
      continue;
    }
    const std::string word = absl::StrCat(kernel.name, ".", ring.name);
    const bool derived = std::any_of(program.tensors.begin(), program.tensors.end(),
                                     [&](const ir::Tensor& tensor) { return tensor.name == word; });
    if (!derived || ring.from.empty()) continue;
    absl::StrAppend(&text, "  dynamic iter `", ring.name, "`: warp 0 of role ",
                    kernel.roles[static_cast<size_t>(ring.from[0])].name,
                    " draws tickets from workspace word `", word,
                    "`, cleared before the run, and passes them on in ring ", ring.name, "\n");
  }
  return text;
}

std::string KernelText(const ir::Program& program, const ir::Kernel& kernel,
                       const KernelFacts& facts) {
  int64_t used = 0;
  for (const RolePlacement& role : facts.roles) used += role.warps * ir::kLanes;
  std::string text = absl::StrFormat("kernel %s: grid %s, %d threads a CTA", kernel.name,
                                     GridText(program, kernel), facts.threads);
  if (used != facts.threads) absl::StrAppend(&text, " (", facts.threads - used, " idle)");
  absl::StrAppend(&text, ", ", facts.shared_bytes, " bytes of shared memory, ",
                  facts.named_barriers, facts.named_barriers == 1 ? " barrier\n" : " barriers\n");
  text += LaunchLines(program, kernel, facts);
  text += LevelsLine(program, kernel, -1);
  for (size_t i = 0; i < facts.roles.size(); ++i) {
    text += RoleLine(kernel, facts, i);
    text += LevelsLine(program, kernel, static_cast<int>(i));
    text += MatrixLines(program, kernel, i);
    text += FenceLine(facts, i);
  }
  for (size_t i = 0; i < facts.shared.size(); ++i) {
    text += SharedLine(kernel.shared[i], facts.shared[i]);
    const std::vector<std::string> others = SharesBytesWith(kernel, i);
    if (!others.empty()) {
      absl::StrAppend(&text, "    in the same bytes as ", absl::StrJoin(others, ", "), "\n");
    }
  }
  text += TmemLines(kernel, facts);
  for (size_t i = 0; i < facts.barriers.size(); ++i) {
    const BarrierPlacement& place = facts.barriers[i];
    absl::StrAppend(&text, absl::StrFormat("  barrier %-9s ids %d..%d, %d threads each\n",
                                           kernel.barriers[i].name, place.first_id,
                                           place.first_id + place.count - 1, place.threads));
  }
  text += ClusterLines(kernel, facts);
  text += EventLines(kernel, facts);
  text += DynamicLines(program, kernel);
  return text;
}

// Kernels without rings and events have no such keys.
void AddEvents(const ir::Kernel& kernel, const KernelFacts& facts, Json& json) {
  for (size_t i = 0; i < facts.rings.size(); ++i) {
    const ir::Ring& ring = kernel.rings[i];
    const RingPlacement& place = facts.rings[i];
    json["rings"].push_back({{"name", ring.name},
                             {"stages", ring.stages},
                             {"full_count", place.full_count},
                             {"empty_count", place.empty_count},
                             {"full_offset_bytes", place.full_offset_bytes},
                             {"empty_offset_bytes", place.empty_offset_bytes},
                             {"committing_warps", place.committing},
                             {"releasing_warps", place.releasing}});
  }
  for (size_t i = 0; i < facts.events.size(); ++i) {
    json["events"].push_back({{"name", kernel.events[i].name},
                              {"stages", kernel.events[i].stages},
                              {"count", kernel.events[i].count},
                              {"offset_bytes", facts.events[i].offset_bytes}});
  }
}

void AddTmem(const ir::Kernel& kernel, const KernelFacts& facts, Json& json) {
  if (kernel.tmem.empty()) return;
  json["tmem_columns"] = facts.tmem_columns;
  for (size_t i = 0; i < kernel.tmem.size(); ++i) {
    json["tmem"].push_back({{"name", kernel.tmem[i].name},
                            {"dtype", ir::ToString(kernel.tmem[i].dtype)},
                            {"rows", kernel.tmem[i].rows},
                            {"columns", kernel.tmem[i].columns},
                            {"first_column", facts.tmem[i].first_column},
                            {"words", facts.tmem[i].columns}});
  }
}

Json KernelJson(const ir::Program& program, const ir::Kernel& kernel, const KernelFacts& facts) {
  Json json = {{"name", kernel.name},
               {"function", EmittedName(program, kernel)},
               {"grid", GridText(program, kernel)},
               {"cluster", kernel.cluster},
               {"threads", facts.threads},
               {"shared_bytes", facts.shared_bytes},
               {"named_barriers", facts.named_barriers},
               {"cooperative", facts.cooperative},
               {"ctas_per_sm", facts.ctas_per_sm},
               {"pdl", kernel.pdl},
               {"levels", LevelsJson(program, kernel, -1)},
               {"roles", Json::array()},
               {"shared", Json::array()},
               {"barriers", Json::array()}};
  for (size_t i = 0; i < facts.roles.size(); ++i) {
    json["roles"].push_back({{"name", kernel.roles[i].name},
                             {"first_warp", facts.roles[i].first_warp},
                             {"warps", facts.roles[i].warps},
                             {"registers", kernel.roles[i].regs},
                             {"role_sync_id", facts.role_sync_id[i]},
                             {"wg_sync_id", facts.wg_sync_id[i]},
                             {"levels", LevelsJson(program, kernel, static_cast<int>(i))}});
    Json products = MatrixJson(program, kernel, i);
    if (!products.empty()) json["roles"].back()["matrix"] = std::move(products);
  }
  for (size_t i = 0; i < facts.shared.size(); ++i) {
    const ir::SharedBuffer& buffer = kernel.shared[i];
    json["shared"].push_back({{"name", buffer.name},
                              {"dtype", ir::ToString(buffer.dtype)},
                              {"shape", buffer.shape},
                              {"form", FormOf(buffer)},
                              {"stages", buffer.stages},
                              {"offset_bytes", facts.shared[i].offset_bytes},
                              {"stage_bytes", facts.shared[i].stage_bytes},
                              {"total_bytes", facts.shared[i].total_bytes},
                              {"strides", facts.shared[i].strides}});
    std::vector<std::string> others = SharesBytesWith(kernel, i);
    if (!others.empty()) json["shared"].back()["same_bytes_as"] = std::move(others);
  }
  for (size_t i = 0; i < facts.barriers.size(); ++i) {
    json["barriers"].push_back({{"name", kernel.barriers[i].name},
                                {"first_id", facts.barriers[i].first_id},
                                {"count", facts.barriers[i].count},
                                {"threads", facts.barriers[i].threads}});
  }
  AddTmem(kernel, facts, json);
  AddEvents(kernel, facts, json);
  return json;
}

std::string SwizzleText(const TensorMap& map) {
  return map.swizzle_bytes == 0 ? "rows" : absl::StrCat("swizzle ", map.swizzle_bytes);
}

const char* SlotText(ArgumentSlot::Kind kind) {
  switch (kind) {
    case ArgumentSlot::Kind::kSymbol: return "value";
    case ArgumentSlot::Kind::kTensorMap: return "tensor map";
    case ArgumentSlot::Kind::kTensor:
    case ArgumentSlot::Kind::kWorkspace: break;
  }
  return "pointer";
}

std::string TensorMapsText(const ir::Program& program, const Facts& facts) {
  std::string text;
  for (const TensorMap& map : facts.copies.maps) {
    absl::StrAppend(&text, absl::StrFormat("tensor map %-8s of %s, box (%s), %s\n", map.name,
                                           program[map.tensor].name, absl::StrJoin(map.box, ", "),
                                           SwizzleText(map)));
  }
  return text;
}

Json TensorMapsJson(const ir::Program& program, const Facts& facts) {
  Json json = Json::array();
  for (const TensorMap& map : facts.copies.maps) {
    Json kernels = Json::array();
    for (const size_t kernel : map.kernels) kernels.push_back(program.kernels[kernel].name);
    json.push_back({{"name", map.name},
                    {"tensor", program[map.tensor].name},
                    {"dtype", ir::ToString(map.dtype)},
                    {"box", map.box},
                    {"swizzle_bytes", map.swizzle_bytes},
                    {"kernels", kernels}});
  }
  return json;
}

}  // namespace

std::string ExplainText(const ir::Program& program, const Facts& facts) {
  std::string text = absl::StrCat("program ", program.name, ", target ", program.target);
  const std::string note(arch::HardwareNote(program.target));
  absl::StrAppend(&text, note.empty() ? "" : absl::StrCat(" (", note, ")"), "\n");
  for (const ir::BoundParam& param : program.params) {
    absl::StrAppend(&text, "param ", param.name, " = ", param.value, "\n");
  }
  for (size_t k = 0; k < facts.kernels.size(); ++k) {
    text += KernelText(program, program.kernels[k], facts.kernels[k]);
  }
  text += TensorMapsText(program, facts);
  text += "arguments of every kernel:\n";
  for (const ArgumentSlot& slot : Parameters(program, nullptr)) {
    absl::StrAppend(&text, absl::StrFormat("  %-14s %s, %d bytes\n", slot.name, SlotText(slot.kind),
                                           slot.bytes));
  }
  return text;
}

std::string ExplainJson(const ir::Program& program, const Facts& facts) {
  Json json = {{"program", program.name}, {"target", program.target}, {"params", Json::object()}};
  for (const ir::BoundParam& param : program.params) json["params"][param.name] = param.value;
  const std::string_view note = arch::HardwareNote(program.target);
  if (!note.empty()) json["hardware"] = note;
  json["kernels"] = Json::array();
  for (size_t k = 0; k < facts.kernels.size(); ++k) {
    json["kernels"].push_back(KernelJson(program, program.kernels[k], facts.kernels[k]));
  }
  if (!facts.copies.maps.empty()) json["tensor_maps"] = TensorMapsJson(program, facts);
  json["arguments"] = Json::array();
  for (const ArgumentSlot& slot : Parameters(program, nullptr)) {
    json["arguments"].push_back(
        {{"name", slot.name}, {"kind", SlotText(slot.kind)}, {"bytes", slot.bytes}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace compiler::facts
