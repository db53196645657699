// The map of a program as text in columns, and as JSON.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/arch/hardware.h"
#include "compiler/facts/map.h"

namespace compiler::facts {
namespace {

using Json = nlohmann::ordered_json;

std::string Interval(int64_t first, int64_t size) {
  return absl::StrCat(first, "..", first + size - 1);
}

std::string SwizzleText(int64_t bytes) {
  return bytes == 0 ? "rows" : absl::StrCat("swizzle ", bytes);
}

const char* KindText(MapEvent::Kind kind) {
  switch (kind) {
    case MapEvent::Kind::kFull: return "full";
    case MapEvent::Kind::kEmpty: return "empty";
    case MapEvent::Kind::kEvent: break;
  }
  return "event";
}

// Which phase a wait for use k waits for. An acquire waits for the release of the use before in its
// slot, which the first ones have not.
std::string PhaseText(const MapEvent& event) {
  const std::string k = event.stages == 1 ? "k" : absl::StrCat("k/", event.stages);
  if (event.kind == MapEvent::Kind::kEmpty) return absl::StrCat("acquire k: phase ", k, " - 1");
  return absl::StrCat("use k: phase ", k);
}

void AppendLaunch(const KernelMap& map, std::string& text) {
  absl::StrAppend(&text, "  launch            grid ", map.grid, ", ", map.threads, " threads (",
                  map.threads / ir::kLanes, " warps), ", map.shared_bytes,
                  " bytes of dynamic shared memory\n");
  if (map.cluster > 1) {
    absl::StrAppend(&text, "                    cluster of ", map.cluster, " CTAs in x; ",
                    map.meets_in_cluster ? "its threads meet before the roles and after them\n"
                                         : "its CTAs begin and end by themselves\n");
  }
  if (map.cooperative) {
    absl::StrAppend(&text, "                    cooperative, ", map.ctas_per_sm,
                    map.ctas_per_sm == 1 ? " CTA" : " CTAs", " an SM surely resident\n");
  }
  if (map.pdl) text += "                    may start before the kernel before it has ended\n";
  if (!map.when.empty()) absl::StrAppend(&text, "                    only when ", map.when, "\n");
  if (!map.cleared.empty()) {
    absl::StrAppend(&text, "                    cleared before the run: ",
                    absl::StrJoin(map.cleared, ", "), "\n");
  }
}

void AppendRoles(const KernelMap& map, std::string& text) {
  text += "  registers         role              warps      threads  a thread\n";
  for (const MapRole& role : map.roles) {
    const std::string registers = role.name.empty()     ? "idle"
                                  : role.registers == 0 ? absl::StrCat("up to ", role.most)
                                                        : absl::StrCat(role.registers);
    absl::StrAppend(
        &text,
        absl::StrFormat("                    %-14s %8s %12s  %s%s\n",
                        role.name.empty() ? "-" : role.name, Interval(role.first_warp, role.warps),
                        Interval(role.first_warp * ir::kLanes, role.warps * ir::kLanes), registers,
                        role.setmaxnreg.empty()
                            ? ""
                            : absl::StrCat(", setmaxnreg.", std::string(role.setmaxnreg), " from ",
                                           role.most)));
  }
}

void AppendShared(const KernelMap& map, std::string& text) {
  absl::StrAppend(&text, "  shared memory     ", map.shared_bytes, " of ", map.shared_limit,
                  " bytes, ", map.padding_bytes, " of them padding\n");
  if (map.shared.empty()) return;
  text += "                    bytes of stage 0  stages          buffer\n";
  for (const MapBuffer& buffer : map.shared) {
    const std::string stages =
        buffer.stages == 1 ? "1" : absl::StrCat(buffer.stages, " x ", buffer.distance);
    absl::StrAppend(&text, absl::StrFormat("                    %16s  %-14s  %-14s %s %s\n",
                                           Interval(buffer.first, buffer.size), stages, buffer.name,
                                           buffer.type, buffer.form));
    if (buffer.same_room.empty()) continue;
    absl::StrAppend(&text, absl::StrFormat("%54s in turn with %s\n", "",
                                           absl::StrJoin(buffer.same_room, ", ")));
  }
}

void AppendUses(const char* word, const std::vector<MapUse>& uses, std::string& text) {
  for (const MapUse& use : uses) {
    absl::StrAppend(
        &text,
        absl::StrFormat("%54s %-7s %s, line %d: %s%s\n", "", word, use.role, use.line, use.verb,
                        use.bytes == 0 ? "" : absl::StrCat(", ", use.bytes, " bytes")));
    word = "";
  }
}

void AppendEvents(const KernelMap& map, std::string& text) {
  if (map.events.empty()) return;
  absl::StrAppend(&text, "  mbarriers         ", map.mbarriers, ", bytes ",
                  Interval(map.mbarrier_byte, map.mbarriers * kMbarrierBytes),
                  "; use k is on mbarrier k % stages, in a phase whose parity is phase % 2\n");
  text += "                    bytes             stages  arrivals  name\n";
  for (const MapEvent& event : map.events) {
    absl::StrAppend(
        &text,
        absl::StrFormat("                    %16s  %6d  %8d  %s, %s%s\n",
                        Interval(event.first_byte, event.stages * kMbarrierBytes), event.stages,
                        event.arrivals,
                        absl::StrCat(event.name, event.kind == MapEvent::Kind::kEvent
                                                     ? ""
                                                     : absl::StrCat(" ", KindText(event.kind))),
                        PhaseText(event), event.cluster ? ", from every CTA of the cluster" : ""));
    AppendUses("arrive", event.arrive, text);
    AppendUses("wait", event.wait, text);
  }
}

void AppendRest(const KernelMap& map, std::string& text) {
  absl::StrAppend(&text, "  named barriers    ", map.named_barriers, " of ", map.barrier_limit,
                  "\n");
  for (size_t i = 0; i < map.barriers.size(); ++i) {
    absl::StrAppend(&text,
                    absl::StrFormat("                    ids %-12s  %s, %d threads\n",
                                    Interval(map.barriers[i].first_id, map.barriers[i].count),
                                    map.barrier_names[i], map.barriers[i].threads));
  }
  if (map.tmem_columns > 0) {
    absl::StrAppend(&text, "  tensor memory     ", map.tmem_columns, " of ", map.tmem_limit,
                    " columns; its address is the word at byte ", map.tmem_word_byte, "\n");
    text += "                    columns           buffer\n";
    for (const MapBuffer& buffer : map.tmem) {
      absl::StrAppend(
          &text, absl::StrFormat("                    %16s  %-14s %s\n",
                                 Interval(buffer.first, buffer.size), buffer.name, buffer.type));
      if (buffer.same_room.empty()) continue;
      absl::StrAppend(&text, absl::StrFormat("%38sin turn with %s\n", "",
                                             absl::StrJoin(buffer.same_room, ", ")));
    }
  }
  if (map.maps.empty()) return;
  text += "  tensor maps       name            of              box\n";
  for (const MapTensorMap& one : map.maps) {
    absl::StrAppend(&text, absl::StrFormat("                    %-15s %-15s (%s) %s, %s\n",
                                           one.name, one.tensor, absl::StrJoin(one.box, ", "),
                                           one.dtype, SwizzleText(one.swizzle_bytes)));
    for (const std::string& role : one.patched_by) {
      absl::StrAppend(&text,
                      absl::StrFormat("%38seach warp of %s patches a copy of its own\n", "", role));
    }
  }
}

Json LaunchJson(const KernelMap& map) {
  return {{"grid", map.grid},
          {"threads", map.threads},
          {"dynamic_shared_bytes", map.shared_bytes},
          {"cluster", map.cluster},
          {"meets_in_cluster", map.meets_in_cluster},
          {"cooperative", map.cooperative},
          {"ctas_per_sm", map.ctas_per_sm},
          {"pdl", map.pdl},
          {"when", map.when},
          {"cleared", map.cleared}};
}

Json BuffersJson(const std::vector<MapBuffer>& buffers, bool shared) {
  Json json = Json::array();
  for (const MapBuffer& buffer : buffers) {
    Json one{{"name", buffer.name}, {"type", buffer.type}};
    if (shared) {
      one.update({{"form", buffer.form},
                  {"first_byte", buffer.first},
                  {"bytes", buffer.size},
                  {"stages", buffer.stages},
                  {"stage_distance_bytes", buffer.distance}});
    } else {
      one.update({{"first_column", buffer.first}, {"columns", buffer.size}});
    }
    one["in_turn_with"] = buffer.same_room;
    json.push_back(std::move(one));
  }
  return json;
}

Json UsesJson(const std::vector<MapUse>& uses) {
  Json json = Json::array();
  for (const MapUse& use : uses) {
    json.push_back({{"role", use.role}, {"line", use.line}, {"verb", use.verb}});
    if (use.bytes != 0) json.back()["bytes"] = use.bytes;
  }
  return json;
}

Json EventsJson(const KernelMap& map) {
  Json json = Json::array();
  for (const MapEvent& event : map.events) {
    json.push_back({{"name", event.name},
                    {"kind", KindText(event.kind)},
                    {"first_byte", event.first_byte},
                    {"stages", event.stages},
                    {"arrivals", event.arrivals},
                    {"from_every_cta", event.cluster},
                    {"phase", PhaseText(event)},
                    {"arrive", UsesJson(event.arrive)},
                    {"wait", UsesJson(event.wait)}});
  }
  return json;
}

Json ToJson(const KernelMap& map) {
  Json json{
      {"name", map.name},
      {"function", map.function},
      {"launch", LaunchJson(map)},
      {"registers", Json::array()},
      {"shared",
       {{"bytes", map.shared_bytes},
        {"limit_bytes", map.shared_limit},
        {"padding_bytes", map.padding_bytes},
        {"buffers", BuffersJson(map.shared, true)}}},
      {"mbarriers", EventsJson(map)},
      {"named_barriers",
       {{"used", map.named_barriers}, {"limit", map.barrier_limit}, {"declared", Json::array()}}}};
  for (const MapRole& role : map.roles) {
    json["registers"].push_back({{"role", role.name},
                                 {"first_warp", role.first_warp},
                                 {"warps", role.warps},
                                 {"registers", role.registers},
                                 {"at_launch", role.most},
                                 {"setmaxnreg", role.setmaxnreg}});
  }
  for (size_t i = 0; i < map.barriers.size(); ++i) {
    json["named_barriers"]["declared"].push_back({{"name", map.barrier_names[i]},
                                                  {"first_id", map.barriers[i].first_id},
                                                  {"count", map.barriers[i].count},
                                                  {"threads", map.barriers[i].threads}});
  }
  json["tmem"] = {{"columns", map.tmem_columns},
                  {"limit_columns", map.tmem_limit},
                  {"buffers", BuffersJson(map.tmem, false)}};
  json["tensor_maps"] = Json::array();
  for (const MapTensorMap& one : map.maps) {
    json["tensor_maps"].push_back({{"name", one.name},
                                   {"tensor", one.tensor},
                                   {"dtype", one.dtype},
                                   {"box", one.box},
                                   {"patched_by", one.patched_by},
                                   {"swizzle_bytes", one.swizzle_bytes}});
  }
  return json;
}

}  // namespace

std::string MapText(const ir::Program& program, const Facts& facts, const arch::Device& device) {
  std::string text =
      absl::StrCat("program ", program.name, ", target ", program.target, ", on ", device.arch);
  const std::string note(arch::HardwareNote(program.target));
  absl::StrAppend(&text, note.empty() ? "" : absl::StrCat(" (", note, ")"), "\n");
  for (const KernelMap& map : MapOf(program, facts, device)) {
    absl::StrAppend(&text, "kernel ", map.name, "\n");
    AppendLaunch(map, text);
    AppendRoles(map, text);
    AppendShared(map, text);
    AppendEvents(map, text);
    AppendRest(map, text);
  }
  return text;
}

std::string MapJson(const ir::Program& program, const Facts& facts, const arch::Device& device) {
  Json json = {{"program", program.name},
               {"target", program.target},
               {"arch", device.arch},
               {"kernels", Json::array()}};
  const std::string_view note = arch::HardwareNote(program.target);
  if (!note.empty()) json["hardware"] = note;
  for (const KernelMap& map : MapOf(program, facts, device)) json["kernels"].push_back(ToJson(map));
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace compiler::facts
