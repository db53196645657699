// Findings of ordered accesses: races that an order would have prevented, loops that wait for what
// never comes, CTAs that are not there, kernels that start early.
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "compiler/machine/findings.h"

namespace compiler::machine {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<Name, Name, int64_t, Name, int64_t> kNarrowScope{
    "CK2160", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` by CTA {2} and `{3}` by CTA {4} have scopes that do not reach each other",
    "an access with scope `cta` is ordered, and a single step, for threads of its own CTA only"};
constexpr Def<Name, Name, int64_t, Name, int64_t, Name> kWeakAndOrdered{
    "CK2161", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` by {5} {2} meets `{3}` by {5} {4} without an order",
    "one of the two is a plain access: only accesses that both have an order may meet at one word"};
constexpr Def<Name, Name, int64_t, Name, int64_t> kCtasUnordered{
    "CK2162", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` by CTA {2} is not ordered after the `{3}` by CTA {4}",
    "CTAs run side by side: what one writes another sees in order only if the writer releases it "
    "afterwards and the reader acquires that release first"};
constexpr Def<int64_t, int64_t> kDivergentSpin{
    "CK2163", Severity::kError, Category::kSafety,
    "a loop that polls memory goes on in {0} of the {1} lanes that entered it",
    "lanes that are through would wait for the others, which may wait for them: a warp polls as "
    "one, or one of its lanes does"};
constexpr Def<Name> kPollStuck{
    "CK2164", Severity::kError, Category::kSafety,
    "no warp can move: `{0}` is polled, and no thread that is still running changes it",
    "a loop that only reads memory goes on when another thread writes there"};
constexpr Def<Name, int64_t, int64_t> kNotResident{
    "CK2165", Severity::kError, Category::kSafety,
    "`{0}` is polled by a resident CTA and would be written by one that is not: {1} of {2} CTAs "
    "are "
    "resident",
    "a CTA starts when another ends; which ones start first is not defined, so a CTA may wait only "
    "for CTAs that are surely running: those with lower tickets, or all of a grid that fits"};
constexpr Def<Name, int64_t, int64_t> kGridNotResident{
    "CK2166", Severity::kError, Category::kSafety,
    "kernel `{0}` meets in `grid.sync` with {1} CTAs; {2} are surely resident",
    "all CTAs of the grid wait for each other, so all of them have to be on the device at once"};
constexpr Def<int64_t, int64_t> kGridSyncMissing{
    "CK2167", Severity::kError, Category::kSafety, "`grid.sync` is reached by {0} of {1} CTAs",
    "every CTA of the grid must reach it, the same number of times"};
constexpr Def<Name, Name, Name> kEarlyAccess{
    "CK2168", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` may come before the end of kernel `{2}`, which touches it too",
    "a kernel marked `pdl` may start while the one before it runs; only `pdl.wait` orders them"};
constexpr Def<Name, Name, int64_t> kEarlyChain{
    "CK2169", Severity::kError, Category::kSafety,
    "kernel `{0}` may start before the kernels before `{1}` have ended: CTA {2} of `{1}` never "
    "waits",
    "`pdl.wait` waits for one kernel; that this one waited in its turn is what makes the chain"};
constexpr Def<Name, int64_t, int64_t> kGridLimit{
    "CK2170", Severity::kError, Category::kLimit,
    "the CTAs of kernel `{0}` have {1} warps to follow side by side, too many for the reference "
    "machine, which numbers {2}",
    "every warp is compared with every other; use a smaller shape for the check"};

}  // namespace

// The instruction that makes the access, as written: `ld.acquire.gpu`.
std::string Findings::AccessText(ir::StmtId id, ir::ViewId view) const {
  const ir::Stmt& stmt = program_[id];
  if (stmt.op != nullptr && (stmt.destination == view || stmt.source_view == view)) {
    std::string text(stmt.op->name);
    for (const std::string_view word : stmt.modifiers)
      absl::StrAppend(&text, ".", std::string(word));
    return text;
  }
  for (const ir::Expr& expr : program_.exprs) {
    if (expr.view != view || expr.op == nullptr) continue;
    std::string text(expr.op->name);
    for (const std::string_view word : expr.modifiers)
      absl::StrAppend(&text, ".", std::string(word));
    return text;
  }
  return "ld";
}

std::string_view Findings::TextOf(ir::StmtId stmt) const {
  const diag::Span span = SpanOf(stmt);
  return std::string_view(program_.source).substr(span.begin, span.end - span.begin);
}

// Replaces one word of an instruction, such as its scope.
void Findings::OfferWord(diag::Report::Builder& builder, ir::StmtId stmt, std::string_view from,
                         std::string_view to, std::string_view words) const {
  const diag::Span span = SpanOf(stmt);
  const std::string_view text = TextOf(stmt);
  const size_t at = text.find(from);
  if (at == std::string_view::npos || text.find(from, at + 1) != std::string_view::npos) {
    builder.Fix(std::string(words), {}, Applicability::kManual);
    return;
  }
  const auto begin = static_cast<uint32_t>(span.begin + at);
  const auto end = static_cast<uint32_t>(begin + from.size());
  builder.Fix(std::string(words), {{{begin, end}, std::string(to)}}, Applicability::kMachine);
}

bool Findings::OrderFound(const Race& race) {
  const Place &first = race.earlier, &second = race.later;
  const bool early = first.kernel != second.kernel;
  const bool mixed = race.earlier_strong || race.later_strong;
  if (!early && !mixed && !race.side_by_side) return false;
  const bool ctas = first.cta != second.cta;
  const std::string_view code = early         ? kEarlyAccess.code
                                : race.narrow ? kNarrowScope.code
                                : mixed       ? kWeakAndOrdered.code
                                              : kCtasUnordered.code;
  if (!First(code, std::min(first.stmt, second.stmt), std::max(first.stmt, second.stmt)))
    return true;
  const Name buffer{BufferName(*second.kernel, race.later_view)};
  const Name later{AccessText(second.stmt, race.later_view)};
  const Name earlier{AccessText(first.stmt, race.earlier_view)};
  const diag::Span span = ViewSpan(race.later_view, second.stmt);
  diag::Instance instance = InstanceOf(second);
  instance.byte_begin = race.byte_begin;
  instance.byte_end = race.byte_end;
  const std::string by =
      absl::StrCat("role ", first.kernel->roles[static_cast<size_t>(first.role)].name, ", warp ",
                   first.warp, ctas ? ", CTA " : "", ctas ? absl::StrCat(first.cta) : "");
  auto add = [&]() {
    if (early) return report_.Add(kEarlyAccess, span, later, buffer, Name{first.kernel->name});
    const int64_t mine = ctas ? second.cta : second.warp, theirs = ctas ? first.cta : first.warp;
    if (race.narrow) return report_.Add(kNarrowScope, span, later, buffer, mine, earlier, theirs);
    if (mixed) {
      return report_.Add(kWeakAndOrdered, span, later, buffer, mine, earlier, theirs,
                         Name{ctas ? "CTA" : "warp"});
    }
    return report_.Add(kCtasUnordered, span, later, buffer, mine, earlier, theirs);
  };
  auto builder = add();
  builder.At(std::move(instance));
  builder.Label(SpanOf(first.stmt), absl::StrCat("`", earlier.text, "` here by ", by));
  OfferOrder(builder, race, later.text, earlier.text);
  return true;
}

void Findings::OfferOrder(diag::Report::Builder& builder, const Race& race, std::string_view later,
                          std::string_view earlier) const {
  const bool early = race.earlier.kernel != race.later.kernel;
  if (early) {
    builder.Fix(
        "put `pdl.wait` before this access, or mark the tensor `static` if no kernel "
        "writes it",
        {}, Applicability::kManual);
    return;
  }
  if (race.narrow) {
    const bool later_is_narrow = later.ends_with(".cta") || later.ends_with(".cluster");
    const ir::StmtId at = later_is_narrow ? race.later.stmt : race.earlier.stmt;
    const std::string_view text = later_is_narrow ? later : earlier;
    const std::string_view word = text.ends_with(".cta") ? ".cta" : ".cluster";
    OfferWord(builder, at, word, ".gpu", "widen the scope to `gpu`");
    return;
  }
  if (race.missed_release != ir::StmtId::kNone) {
    builder.Label(SpanOf(race.missed_release), "this release does not reach beyond its CTA");
    OfferWord(builder, race.missed_release, ".cta", ".gpu", "widen the release to `gpu`");
    return;
  }
  if (race.observed_at != ir::StmtId::kNone) {
    builder.Label(SpanOf(race.observed_at), "reads what was released, but does not acquire it");
    const bool releases = TextOf(race.observed_at).find(".release") != std::string_view::npos;
    OfferWord(builder, race.observed_at, releases ? ".release" : ".relaxed",
              releases ? ".acq_rel" : ".acquire", "acquire here");
    return;
  }
  if (race.earlier_strong != race.later_strong) {
    builder.Fix("access the word with an order on both sides, or put a barrier between them", {},
                Applicability::kManual);
    return;
  }
  builder.Fix(
      "after the write a release (`st.release.gpu`, `atomic.OP.acq_rel.gpu` or `fence gpu` "
      "before the flag), before the access an acquire of it; `sync` joins the warps of each "
      "side",
      {}, Applicability::kManual);
}

void Findings::DivergentSpin(const Place& at, uint32_t spinning, uint32_t entered) {
  if (!First(kDivergentSpin.code, at.stmt, ir::StmtId::kNone)) return;
  report_
      .Add(kDivergentSpin, SpanOf(at.stmt), int64_t{std::popcount(spinning)},
           int64_t{std::popcount(entered)})
      .Fix("poll under `elect` or `once`, or let the warp decide as one: `lanes.any(.., 32)`", {},
           Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::PollStuck(const Place& at, ir::ViewId polled, std::vector<diag::WaitEdge> edges) {
  if (!First(kPollStuck.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kPollStuck, SpanOf(at.stmt), Name{ViewText(polled)})
      .Waits(std::move(edges))
      .At(InstanceOf(at));
}

void Findings::NotResident(const Place& at, ir::ViewId polled, int64_t resident, int64_t grid) {
  if (!First(kNotResident.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kNotResident, SpanOf(at.stmt), Name{ViewText(polled)}, resident, grid)
      .Fix(
          "take the number of the tile as a ticket: `atomic.add.relaxed.gpu(ticket[0], 1)` on a "
          "`zero` workspace, and wait for lower ones only; or launch `grid (SMS)` and loop",
          {}, Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::GridNotResident(const ir::Kernel& kernel, int64_t grid, int64_t resident) {
  report_.Add(kGridNotResident, kernel.declared, Name{kernel.name}, grid, resident)
      .Fix("launch `grid (SMS)` and loop over the tiles", {}, Applicability::kManual);
}

void Findings::GridSyncMissing(const Place& at, int64_t arrived, int64_t grid) {
  if (!First(kGridSyncMissing.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kGridSyncMissing, SpanOf(at.stmt), arrived, grid).At(InstanceOf(at));
}

void Findings::GridLimit(const ir::Kernel& kernel, int64_t agents, int64_t limit) {
  report_.Add(kGridLimit, kernel.declared, Name{kernel.name}, agents, limit);
}

void Findings::EarlyChain(const ir::Kernel& kernel, const ir::Kernel& before, int64_t cta) {
  report_.Add(kEarlyChain, kernel.declared, Name{kernel.name}, Name{before.name}, cta)
      .Label(before.declared, "this kernel may start early too")
      .Fix("let every CTA of the kernel before execute `pdl.wait`", {}, Applicability::kManual);
}

}  // namespace compiler::machine
