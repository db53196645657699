#include "compiler/facts/events.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace compiler::facts {
namespace {

using diag::Category;
using diag::Name;
using diag::Severity;

constexpr diag::Def<Name, Name, Name> kSomeWarps{
    "CK3114", Severity::kError, Category::kHardware,
    "not all warps of role `{0}` {1} ring `{2}`, and the ring does not say how many do",
    "an mbarrier counts arrivals; how many warps take this way is known where the program runs"};
constexpr diag::Def<Name, Name, int64_t, int64_t> kWrongCount{
    "CK3115", Severity::kError, Category::kHardware,
    "ring `{0}` declares `{1} {2}`; its roles arrive {3} times a use",
    "an mbarrier completes a generation at exactly its count of arrivals"};
constexpr diag::Def<Name> kNobodyCommits{
    "CK3116", Severity::kError, Category::kHardware,
    "ring `{0}` is waited for, and no role commits it",
    "a slot is full when the roles behind `from` have committed it"};
constexpr diag::Def<Name> kNobodyReleases{
    "CK3117", Severity::kAdvice, Category::kHardware,
    "no role releases ring `{0}`: each of its slots is used once",
    "a slot can be acquired again when the roles behind `to` have released it"};
constexpr diag::Def<Name, int64_t, int64_t> kTooManyMbarriers{
    "CK3118", Severity::kError, Category::kLimit,
    "kernel `{0}` declares {1} mbarriers; the limit is {2}",
    "each stage of an event is one mbarrier, each stage of a ring two"};

constexpr int64_t kMaxMbarriers = 1024;
constexpr int64_t kAsyncCopyArrivals = ir::kLanes;  // of a warp whose copies arrive, beside its own

// What one role does to one side of a ring.
struct Arrivals {
  bool any = false;
  bool some_warps = false;  // under a condition that warps of the role may see differently
  bool async_copies = false;
};

// Whether all warps of the role have the same value.
bool SameForRole(ir::Level level, int64_t warps) {
  if (level == ir::Level::kWarp && warps <= 1) level = ir::Level::kWg;
  if (level == ir::Level::kWg && warps <= 4) level = ir::Level::kRole;
  return level <= ir::Level::kRole;
}

class RoleReader {
 public:
  RoleReader(const ir::Program& program, const ir::Kernel& kernel, const ir::Role& role,
             ir::RingId ring)
      : program_(program), kernel_(kernel), role_(role), ring_(ring) {
    Read(role.body, false);
  }
  const Arrivals& commits() const { return commits_; }
  const Arrivals& releases() const { return releases_; }
  bool waits() const { return waits_; }

 private:
  void Read(const std::vector<ir::StmtId>& body, bool some) {
    for (ir::StmtId id : body) {
      const ir::Stmt& stmt = program_[id];
      if (stmt.dead) continue;
      if (stmt.op != nullptr) Operation(stmt, some);
      bool inner = some;
      for (ir::ExprId control : {stmt.value, stmt.low, stmt.high, stmt.step}) {
        const bool decides = stmt.kind == ir::StmtKind::kIf || stmt.kind == ir::StmtKind::kFor ||
                             stmt.kind == ir::StmtKind::kWhile;
        if (!decides || control == ir::ExprId::kNone) continue;
        inner = inner || !SameForRole(program_[control].level, role_.warps);
      }
      Read(stmt.body, inner);
      Read(stmt.else_body, inner);
    }
  }

  void Operation(const ir::Stmt& stmt, bool some) {
    if (stmt.op->effects.copy == ir::CopyEffect::kAsyncCopy &&
        stmt.destination != ir::ViewId::kNone) {
      const ir::SharedId shared = program_[stmt.destination].shared;
      const bool field = shared != ir::SharedId::kNone &&
                         kernel_.shared[static_cast<size_t>(shared)].ring == ring_;
      commits_.async_copies = commits_.async_copies || field;
    }
    if (stmt.ring != ring_) return;
    const ir::SyncEffect sync = stmt.op->effects.sync;
    if (sync == ir::SyncEffect::kWait) waits_ = true;
    if (sync != ir::SyncEffect::kCommit && sync != ir::SyncEffect::kRelease) return;
    Arrivals& arrivals = sync == ir::SyncEffect::kCommit ? commits_ : releases_;
    arrivals.any = true;
    arrivals.some_warps = arrivals.some_warps || some;
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const ir::Role& role_;
  ir::RingId ring_;
  Arrivals commits_, releases_;
  bool waits_ = false;
};

// Where the number after `word` stands in the declaration of the ring; {0, 0} where it is no plain
// number.
diag::Span CountSpan(const ir::Program& program, const ir::Ring& ring, std::string_view word) {
  const std::string& text = program.source;
  const size_t end = std::min(text.find('\n', ring.declared.end), text.size());
  size_t at = text.find(std::string(word) + " ", ring.declared.end);
  if (at == std::string::npos || at >= end) return {};
  at += word.size() + 1;
  size_t stop = at;
  while (stop < end && std::isdigit(static_cast<unsigned char>(text[stop])) != 0) ++stop;
  if (stop == at) return {};
  return {static_cast<uint32_t>(at), static_cast<uint32_t>(stop)};
}

// One side of a ring: the roles that arrive, and what that gives.
class SideCounter {
 public:
  SideCounter(const ir::Program& program, const ir::Kernel& kernel, const ir::Ring& ring,
              std::string_view word, std::string_view verb, int64_t ctas, diag::Report& report)
      : program_(program),
        kernel_(kernel),
        ring_(ring),
        word_(word),
        verb_(verb),
        ctas_(ctas),
        report_(report) {}

  void Add(int role, const Arrivals& arrivals, int64_t declared) {
    const ir::Role& of = kernel_.roles[static_cast<size_t>(role)];
    warps_.push_back(arrivals.any ? of.warps : 0);
    if (!arrivals.any) return;
    any_ = true;
    some_ = some_ || arrivals.some_warps;
    derived_ += ctas_ * of.warps * (1 + (arrivals.async_copies ? kAsyncCopyArrivals : 0));
    if (!arrivals.some_warps || declared != 0) return;
    report_
        .Add(kSomeWarps, ring_.declared, Name{of.name}, Name{std::string(verb_)}, Name{ring_.name})
        .Fix(absl::StrCat("say `", std::string(word_), " n` at the end of the ring"), {},
             diag::Applicability::kManual);
  }

  // The arrivals of a generation, at least 1 as no mbarrier counts fewer.
  int64_t Count(int64_t declared) {
    if (declared == 0) return std::max<int64_t>(derived_, 1);
    if (any_ && !some_ && declared != derived_) {
      auto added = report_.Add(kWrongCount, ring_.declared, Name{ring_.name},
                               Name{std::string(word_)}, declared, derived_);
      const diag::Span span = CountSpan(program_, ring_, word_);
      const std::string count = absl::StrCat(derived_);
      if (span.end != 0) {
        added.Fix(absl::StrCat("declare ", count), {{span, count}}, diag::Applicability::kMachine);
      }
    }
    return declared;
  }
  bool any() const { return any_; }
  std::vector<int64_t> TakeWarps() { return std::move(warps_); }

 private:
  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const ir::Ring& ring_;
  std::string_view word_, verb_;
  int64_t ctas_;  // whose warps arrive
  diag::Report& report_;
  std::vector<int64_t> warps_;
  int64_t derived_ = 0;
  bool any_ = false, some_ = false;
};

RingPlacement CountRing(const ir::Program& program, const ir::Kernel& kernel, size_t index,
                        diag::Report& report) {
  const ir::Ring& ring = kernel.rings[index];
  const auto id = static_cast<ir::RingId>(index);
  RingPlacement place;
  // Bytes that other CTAs load into a slot come by its mbarrier's transaction count; a slot that is
  // filled by several CTAs is free when the readers of all of them have released theirs.
  SideCounter full(program, kernel, ring, "full", "commit", 1, report);
  SideCounter empty(program, kernel, ring, "empty", "release", ring.cluster ? kernel.cluster : 1,
                    report);
  bool waits = false;
  for (int role : ring.from) {
    const RoleReader reader(program, kernel, kernel.roles[static_cast<size_t>(role)], id);
    full.Add(role, reader.commits(), ring.full);
  }
  for (int role : ring.to) {
    const RoleReader reader(program, kernel, kernel.roles[static_cast<size_t>(role)], id);
    empty.Add(role, reader.releases(), ring.empty);
    waits = waits || reader.waits();
  }
  if (waits && !full.any()) report.Add(kNobodyCommits, ring.declared, Name{ring.name});
  if (full.any() && !empty.any()) report.Add(kNobodyReleases, ring.declared, Name{ring.name});
  place.full_count = full.Count(ring.full);
  place.empty_count = empty.Count(ring.empty);
  place.committing = full.TakeWarps();
  place.releasing = empty.TakeWarps();
  return place;
}

std::string RoleWarps(const ir::Kernel& kernel, const std::vector<int>& roles,
                      const std::vector<int64_t>& warps, bool all_ctas) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (warps[i] == 0) continue;
    parts.push_back(absl::StrCat(warps[i], warps[i] == 1 ? " warp of " : " warps of ",
                                 kernel.roles[static_cast<size_t>(roles[i])].name));
  }
  if (parts.empty()) return "nobody";
  return absl::StrCat(absl::StrJoin(parts, ", "),
                      all_ctas ? absl::StrCat(" in each of ", kernel.cluster, " CTAs") : "");
}

std::string Bytes(int64_t offset, int64_t stages) {
  return absl::StrCat(offset, "..", offset + stages * kMbarrierBytes - 1);
}

}  // namespace

int64_t PlaceEvents(const ir::Program& program, const ir::Kernel& kernel, int64_t next,
                    KernelFacts& facts, diag::Report& report) {
  const auto place = [&](int64_t stages) {
    const int64_t offset = next;
    facts.mbarriers += stages;
    next += stages * kMbarrierBytes;
    return offset;
  };
  if (!kernel.rings.empty() || !kernel.events.empty()) {
    next = (next + kMbarrierBytes - 1) / kMbarrierBytes * kMbarrierBytes;
  }
  facts.mbarrier_offset_bytes = next;
  for (size_t i = 0; i < kernel.rings.size(); ++i) {
    RingPlacement ring = CountRing(program, kernel, i, report);
    const int64_t stages = std::min(kernel.rings[i].stages, kMaxMbarriers + 1);
    ring.full_offset_bytes = place(stages);
    ring.empty_offset_bytes = place(stages);
    facts.rings.push_back(std::move(ring));
  }
  for (const ir::Event& event : kernel.events) {
    facts.events.push_back({.offset_bytes = place(std::min(event.stages, kMaxMbarriers + 1))});
  }
  if (facts.mbarriers > kMaxMbarriers) {
    report.Add(kTooManyMbarriers, kernel.declared, Name{kernel.name}, facts.mbarriers,
               kMaxMbarriers);
  }
  return next;
}

std::string EventLines(const ir::Kernel& kernel, const KernelFacts& facts) {
  std::string text;
  for (size_t i = 0; i < facts.rings.size(); ++i) {
    const ir::Ring& ring = kernel.rings[i];
    const RingPlacement& place = facts.rings[i];
    absl::StrAppend(
        &text, absl::StrFormat("  ring %-12s %d stages; full: %d arrivals (%s), mbarriers at bytes "
                               "%s; empty: %d arrivals (%s), at bytes %s\n",
                               ring.name, ring.stages, place.full_count,
                               RoleWarps(kernel, ring.from, place.committing, false),
                               Bytes(place.full_offset_bytes, ring.stages), place.empty_count,
                               RoleWarps(kernel, ring.to, place.releasing, ring.cluster),
                               Bytes(place.empty_offset_bytes, ring.stages)));
  }
  for (size_t i = 0; i < facts.events.size(); ++i) {
    const ir::Event& event = kernel.events[i];
    absl::StrAppend(&text, absl::StrFormat("  event %-11s %d stages of %d arrivals, mbarriers at "
                                           "bytes %s\n",
                                           event.name, event.stages, event.count,
                                           Bytes(facts.events[i].offset_bytes, event.stages)));
  }
  return text;
}

}  // namespace compiler::facts
