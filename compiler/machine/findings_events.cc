// Findings of rings and events.
#include "absl/strings/str_cat.h"
#include "compiler/machine/findings.h"

namespace compiler::machine {
namespace {

using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<Name, Name, int64_t, int64_t> kDeadlock{
    "CK2060", Severity::kError, Category::kSafety,
    "nothing can move: {0} waits for {1}, which has {2} of {3} arrivals",
    "an mbarrier completes a generation when all its arrivals are in, and nobody is left to bring "
    "them"};
constexpr Def<Name, int64_t, int64_t> kTooFew{
    "CK2061", Severity::kError, Category::kSafety, "`{0}` gets {1} arrivals, {2} are declared",
    "an mbarrier completes a generation at exactly its count of arrivals; the rest never comes"};
constexpr Def<Name, int64_t, int64_t> kMissingBytes{
    "CK2062", Severity::kError, Category::kSafety,
    "`{0}` has all its arrivals, but {1} of {2} expected bytes",
    "a generation is complete when as many bytes have arrived as its arrivals expect"};
constexpr Def<Name, int64_t, int64_t> kOver{
    "CK2063", Severity::kError, Category::kSafety, "`{0}` gets {1} arrivals, {2} are declared",
    "arrivals beyond the count belong to the next generation, which then completes too early"};
constexpr Def<Name, Name> kRecycled{
    "CK2064", Severity::kError, Category::kSafety,
    "this warp arrives at `{0}` without knowing that `{1}` is complete",
    "both are one mbarrier: until the earlier generation is complete, the arrival counts into it"};
constexpr Def<Name, Name> kTooEarly{
    "CK2065", Severity::kError, Category::kSafety,
    "this warp waits for `{0}` without knowing that `{1}` is complete",
    "hardware tells generations apart by their parity only: before the one in between is complete, "
    "the wait returns at once"};
constexpr Def<Name, Name> kLapped{
    "CK2066", Severity::kError, Category::kSafety,
    "`{1}` may be complete before the wait for `{0}` has returned",
    "hardware tells generations apart by their parity only: a wait that is lapped by two of them "
    "blocks for ever"};
constexpr Def<Name, int64_t, int64_t> kTooManyBytes{
    "CK2067", Severity::kError, Category::kSafety,
    "{1} bytes complete on `{0}`, its arrivals expect {2}",
    "the byte count passes zero before the last load is in: the generation completes too early"};
constexpr Def<Name, Name, int64_t, int64_t> kNotNext{
    "CK2068", Severity::kError, Category::kSafety,
    "`{0} {1}` of use {2}; the next use of this warp is {3}",
    "a warp uses every slot in turn, as hardware counts generations and not uses: skip one by wait "
    "and release"};
constexpr Def<Name, int64_t> kNegative{
    "CK2069", Severity::kError, Category::kSafety, "`{0}` at use {1}",
    "uses count from 0; a wait before the first passes, an arrival would count into the first"};
constexpr Def<Name, int64_t, int64_t> kUnconsumed{
    "CK2070", Severity::kError, Category::kSafety,
    "`{0}` holds {1} of {2} arrivals when the CTA ends",
    "arrivals that complete no generation show that the two sides count differently"};
constexpr Def<Name, int64_t, int64_t> kBytesLimit{
    "CK2071", Severity::kError, Category::kHardware,
    "`{0}` expects {1} bytes; a generation counts 0..={2}",
    "PTX ISA, mbarrier: the tx-count is a number of 20 bits"};

constexpr Def<Name, Name> kAfterRelease{
    "CK2451", Severity::kError, Category::kSafety, "`{1}` is {0} after its slot was given back",
    "a release says that the warp is through with the slot: the other role may fill it again from "
    "then on"};

Name NameOf(std::string_view text) { return Name{std::string(text)}; }

}  // namespace

void Findings::UseNotNext(const Place& at, std::string_view verb, std::string_view ring,
                          int64_t use, int64_t next) {
  if (!First(kNotNext.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kNotNext, SpanOf(at.stmt), NameOf(verb), NameOf(ring), use, next).At(InstanceOf(at));
}

void Findings::NegativeArrival(const Place& at, std::string_view verb, int64_t use) {
  if (!First(kNegative.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kNegative, SpanOf(at.stmt), NameOf(verb), use).At(InstanceOf(at));
}

void Findings::EventRecycled(const Place& at, std::string_view name, std::string_view previous) {
  if (!First(kRecycled.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kRecycled, SpanOf(at.stmt), NameOf(name), NameOf(previous))
      .Fix(absl::StrCat("let this warp wait for the earlier use, or for what follows it, before it "
                        "arrives again"),
           {}, diag::Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::OverArrival(const Place& at, std::string_view name, int64_t arrived,
                           int64_t declared) {
  if (!First(kOver.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kOver, SpanOf(at.stmt), NameOf(name), arrived, declared).At(InstanceOf(at));
}

void Findings::WaitTooEarly(const Place& at, std::string_view name, std::string_view previous) {
  if (!First(kTooEarly.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kTooEarly, SpanOf(at.stmt), NameOf(name), NameOf(previous)).At(InstanceOf(at));
}

void Findings::WaitLapped(const Place& at, ir::StmtId wait, std::string_view name,
                          std::string_view next) {
  if (!First(kLapped.code, wait, at.stmt)) return;
  auto builder = report_.Add(kLapped, SpanOf(wait), NameOf(name), NameOf(next));
  if (at.stmt != wait)
    builder.Label(SpanOf(at.stmt), absl::StrCat("an arrival that completes `",
                                                absl::string_view(next.data(), next.size()), "`"));
  builder.At(InstanceOf(at));
}

void Findings::ExpectedBytes(const Place& at, std::string_view name, int64_t bytes, int64_t limit) {
  if (!First(kBytesLimit.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kBytesLimit, SpanOf(at.stmt), NameOf(name), bytes, limit).At(InstanceOf(at));
}

void Findings::TooManyBytes(const Place& at, std::string_view name, int64_t completed,
                            int64_t expected, ir::StmtId arrival) {
  if (!First(kTooManyBytes.code, at.stmt, ir::StmtId::kNone)) return;
  auto builder = report_.Add(kTooManyBytes, SpanOf(at.stmt), NameOf(name), completed, expected);
  builder.At(InstanceOf(at));
  if (arrival == ir::StmtId::kNone) return;
  builder.Label(SpanOf(arrival), "with this arrival the generation was complete");
  const bool commit = program_[arrival].op != nullptr &&
                      program_[arrival].op->effects.sync == ir::SyncEffect::kCommit;
  const bool from_others = program_[at.stmt].multicast != ir::ExprId::kNone;
  builder.Fix(
      commit && from_others
          ? "`commit` expects the bytes of its own warp's loads, times the CTAs that each reaches: "
            "let every CTA load its part of the slot for all, or count by an event and `expect E@k "
            "bytes n`"
      : commit ? "put `commit` behind the last load into the slot"
               : "put `expect` behind the loads that it counts, or say the bytes of all: `expect "
                 "E@k bytes n`",
      {}, diag::Applicability::kManual);
}

// The statement at fault is the release: the refill is right to come.
bool Findings::AccessedAfterRelease(const Race& race) {
  if (race.given_back == ir::StmtId::kNone || race.unfenced) return false;
  const Place &first = race.earlier, &second = race.later;
  if (!First(kAfterRelease.code, race.given_back, first.stmt)) return true;
  const bool reads = race.kind == ConflictKind::kReadWrite;
  diag::Instance instance = InstanceOf(second);
  instance.byte_begin = race.byte_begin;
  instance.byte_end = race.byte_end;
  report_
      .Add(kAfterRelease, SpanOf(race.given_back), NameOf(reads ? "read" : "written"),
           Name{BufferName(*second.kernel, race.later_view)})
      .Label(SpanOf(first.stmt), absl::StrCat(reads ? "read" : "written", " here by role ",
                                              RoleName(first), ", warp ", first.warp))
      .Label(ViewSpan(race.later_view, second.stmt),
             absl::StrCat("may be filled again here by role ", RoleName(second)))
      .Fix("release the slot behind its last access", {}, diag::Applicability::kManual)
      .At(std::move(instance));
  return true;
}

void Findings::AddWaits(diag::Report::Builder& builder, const Place& at,
                        std::vector<diag::WaitEdge> edges) const {
  for (const diag::WaitEdge& edge : edges) {
    if (edge.span == SpanOf(at.stmt)) continue;
    builder.Label(edge.span, absl::StrCat(edge.waiter, " waits here for `", edge.event,
                                          "`: ", edge.arrived, " of ", edge.needed, " arrivals"));
  }
  builder.Waits(std::move(edges)).At(InstanceOf(at));
}

void Findings::MissingBytes(const Place& at, const Mbarrier& mbarrier, std::string_view name,
                            std::vector<diag::WaitEdge> edges) {
  if (!First(kMissingBytes.code, at.stmt, ir::StmtId::kNone)) return;
  auto builder = report_.Add(kMissingBytes, SpanOf(at.stmt), NameOf(name), mbarrier.completed_bytes,
                             mbarrier.expected_bytes);
  for (const Arrival& arrival : mbarrier.arrivals) {
    builder.Label(SpanOf(arrival.stmt), "an arrival of this generation");
  }
  AddWaits(builder, at, std::move(edges));
}

diag::Span Findings::DeclarationOf(const ir::Kernel& kernel, const Mbarrier& mbarrier,
                                   bool& explicit_count) const {
  const auto declared = static_cast<size_t>(mbarrier.declared);
  explicit_count = true;
  if (mbarrier.kind == MbarrierKind::kEvent) return kernel.events[declared].declared;
  const ir::Ring& ring = kernel.rings[declared];
  explicit_count = (mbarrier.kind == MbarrierKind::kFull ? ring.full : ring.empty) != 0;
  return ring.declared;
}

void Findings::TooFewArrivals(const Place& at, const Mbarrier& mbarrier, std::string_view name,
                              std::vector<diag::WaitEdge> edges) {
  if (!First(kTooFew.code, at.stmt, ir::StmtId::kNone)) return;
  bool written = false;
  const diag::Span declaration = DeclarationOf(*at.kernel, mbarrier, written);
  const diag::Span arrival = SpanOf(mbarrier.arrivals.back().stmt);
  auto builder = report_.Add(kTooFew, written ? declaration : arrival, NameOf(name),
                             mbarrier.arrived, mbarrier.count);
  if (written) builder.Label(arrival, "the last arrival is here");
  AddWaits(builder, at, std::move(edges));
}

void Findings::EventDeadlock(const Place& at, std::string_view who, std::string_view what,
                             const Mbarrier& mbarrier, std::vector<diag::WaitEdge> edges) {
  if (!First(kDeadlock.code, at.stmt, ir::StmtId::kNone)) return;
  auto builder = report_.Add(kDeadlock, SpanOf(at.stmt), NameOf(who), NameOf(what),
                             mbarrier.arrived, mbarrier.count);
  AddWaits(builder, at, std::move(edges));
}

void Findings::EventUnconsumed(const Place& at, const Mbarrier& mbarrier, std::string_view name) {
  if (!First(kUnconsumed.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kUnconsumed, SpanOf(at.stmt), NameOf(name), mbarrier.arrived, mbarrier.count)
      .At(InstanceOf(at));
}

}  // namespace compiler::machine
