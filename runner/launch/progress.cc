#include "runner/launch/progress.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/op_def.h"

namespace runner::launch {
namespace {

using compiler::emit::EventVerb;
using compiler::emit::ProgressWord;
using nlohmann::json;
namespace emit = compiler::emit;
namespace facts = compiler::facts;
namespace ir = compiler::ir;

// The event of an mbarrier's place in shared memory, with its stage.
void NameMbarrier(const ir::Kernel& kernel, const facts::KernelFacts& of, int64_t at,
                  StandingRow& row) {
  const auto inside = [&](int64_t offset, int64_t stages, const std::string& name) {
    if (at < offset || at >= offset + stages * facts::kMbarrierBytes) return false;
    row.event = name;
    row.stage = (at - offset) / facts::kMbarrierBytes;
    return true;
  };
  for (size_t i = 0; i < kernel.rings.size(); ++i) {
    const ir::Ring& ring = kernel.rings[i];
    if (inside(of.rings[i].full_offset_bytes, ring.stages, ring.name)) return;
    if (inside(of.rings[i].empty_offset_bytes, ring.stages, ring.name + " (released)")) return;
  }
  for (size_t i = 0; i < kernel.events.size(); ++i) {
    if (inside(of.events[i].offset_bytes, kernel.events[i].stages, kernel.events[i].name)) return;
  }
  row.event = absl::StrCat("an mbarrier at byte ", at, " of shared memory");
}

void NameBarrier(const ir::Kernel& kernel, const facts::KernelFacts& of, int64_t id,
                 StandingRow& row) {
  row.event = absl::StrCat("hardware barrier ", id);
  for (size_t i = 0; i < kernel.barriers.size(); ++i) {
    const int64_t first = of.barriers[i].first_id;
    if (id >= first && id < first + std::max<int64_t>(1, kernel.barriers[i].count)) {
      row.event = absl::StrCat("barrier ", kernel.barriers[i].name);
      row.stage = id - first;
    }
  }
}

StandingRow RowOf(const Elaborated& program, size_t kernel, const ProgressWord& word, int role) {
  const ir::Kernel& at = program.program->kernels[kernel];
  const facts::KernelFacts& of = program.facts.kernels[kernel];
  StandingRow row{.kernel = at.name,
                  .role = role < 0 ? "none" : at.roles[static_cast<size_t>(role)].name,
                  .verb = std::string(emit::ToString(word.verb())),
                  .line = word.line()};
  switch (word.verb()) {
    case EventVerb::kGridSync: row.event = "all CTAs of the grid"; break;
    case EventVerb::kSync:
    case EventVerb::kBarSync: NameBarrier(at, of, word.at, row); break;
    default:
      NameMbarrier(at, of, word.at, row);
      row.use = word.use;
      if (word.parity() != emit::kNoParity) row.parity = word.parity();
  }
  return row;
}

int RoleOf(const facts::KernelFacts& of, int64_t warp) {
  for (size_t i = 0; i < of.roles.size(); ++i) {
    const auto& role = of.roles[i];
    if (warp >= role.first_warp && warp < role.first_warp + role.warps) return static_cast<int>(i);
  }
  return -1;  // a warp that pads a warpgroup
}

std::string Waiting(const StandingRow& row) {
  if (row.use < 0) return absl::StrCat("at `", row.verb, "` of ", row.event);
  return absl::StrCat("at `", row.verb, "` of ", row.event, " for use ", row.use, " (stage ",
                      row.stage, row.parity < 0 ? "" : absl::StrCat(", parity ", row.parity), ")");
}

std::string Count(int64_t n, const char* what) {
  return absl::StrCat(n, " ", what, n == 1 ? "" : "s");
}

}  // namespace

void AddWords(const Elaborated& program, size_t kernel, std::span<const ProgressWord> words,
              Autopsy& out) {
  const facts::KernelFacts& of = program.facts.kernels[kernel];
  using Place = std::tuple<int, uint32_t, uint32_t, int32_t>;  // role, what, at, use
  struct Found {
    StandingRow row;
    std::set<int64_t> warps, ctas;
  };
  std::map<Place, Found> places;
  for (size_t i = 0; i < words.size(); ++i) {
    const ProgressWord& word = words[i];
    ++out.threads;
    out.running += word.state == emit::kRuns;
    out.ended += word.state == emit::kEnded;
    out.not_started += word.state == emit::kNeverStarted;
    if (word.state != emit::kWaits) continue;
    const auto thread = static_cast<int64_t>(i);
    const int64_t cta = thread / of.threads, warp = thread % of.threads / ir::kLanes;
    const int role = RoleOf(of, warp);
    auto [place, fresh] = places.try_emplace({role, word.what, word.at, word.use});
    Found& found = place->second;
    if (fresh) {
      found.row = RowOf(program, kernel, word, role);
      found.row.first_cta = cta;
      found.row.first_warp =
          role < 0 ? warp : warp - of.roles[static_cast<size_t>(role)].first_warp;
    }
    ++found.row.threads;
    found.warps.insert(cta * of.threads + warp);
    found.ctas.insert(cta);
  }
  for (auto& [place, found] : places) {
    found.row.warps = static_cast<int64_t>(found.warps.size());
    found.row.ctas = static_cast<int64_t>(found.ctas.size());
    out.waits.push_back(std::move(found.row));
  }
  std::stable_sort(out.waits.begin(), out.waits.end(),
                   [](const auto& a, const auto& b) { return a.threads > b.threads; });
  if (out.waits.size() > kAutopsyRowsMax) out.waits.resize(kAutopsyRowsMax);
}

std::string ToJson(const Autopsy& autopsy) {
  json waits = json::array();
  for (const StandingRow& row : autopsy.waits) {
    waits.push_back({{"kernel", row.kernel},
                     {"role", row.role},
                     {"verb", row.verb},
                     {"event", row.event},
                     {"line", row.line},
                     {"use", row.use},
                     {"stage", row.stage},
                     {"parity", row.parity},
                     {"threads", row.threads},
                     {"warps", row.warps},
                     {"ctas", row.ctas},
                     {"first_cta", row.first_cta},
                     {"first_warp", row.first_warp}});
  }
  return json({{"waits", waits},
               {"running", autopsy.running},
               {"ended", autopsy.ended},
               {"not_started", autopsy.not_started},
               {"threads", autopsy.threads}})
      .dump();
}

absl::StatusOr<Autopsy> AutopsyFromJson(std::string_view text) {
  try {
    const json in = json::parse(text);
    Autopsy out{.running = in.at("running"),
                .ended = in.at("ended"),
                .not_started = in.at("not_started"),
                .threads = in.at("threads")};
    if (in.at("waits").size() > kAutopsyRowsMax) throw std::invalid_argument("too many rows");
    for (const json& row : in.at("waits")) {
      out.waits.push_back({.kernel = row.at("kernel"),
                           .role = row.at("role"),
                           .verb = row.at("verb"),
                           .event = row.at("event"),
                           .line = row.at("line"),
                           .use = row.at("use"),
                           .stage = row.at("stage"),
                           .parity = row.at("parity"),
                           .threads = row.at("threads"),
                           .warps = row.at("warps"),
                           .ctas = row.at("ctas"),
                           .first_cta = row.at("first_cta"),
                           .first_warp = row.at("first_warp")});
    }
    return out;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("autopsy does not parse: ", error.what()));
  }
}

std::string ToText(const Autopsy& autopsy, size_t rows_max) {
  std::string text;
  for (size_t i = 0; i < autopsy.waits.size() && i < rows_max; ++i) {
    const StandingRow& row = autopsy.waits[i];
    absl::StrAppend(&text, text.empty() ? "" : "; ", "role ", row.role, " waits at line ", row.line,
                    ", ", Waiting(row), ": ", Count(row.warps, "warp"), " of ",
                    Count(row.ctas, "CTA"));
  }
  if (autopsy.waits.size() > rows_max)
    absl::StrAppend(&text, "; ", autopsy.waits.size() - rows_max, " further places");
  if (autopsy.waits.empty()) text = "nobody waits at an event or barrier";
  if (autopsy.running > 0)
    absl::StrAppend(&text, "; ", Count(autopsy.running, "thread"), " between two waits");
  absl::StrAppend(&text, "; ", autopsy.ended, " of ", Count(autopsy.threads, "thread"), " ended");
  return text;
}

}  // namespace runner::launch
