// Findings of tensor memory: accesses before a product or a copy is known to be complete, registers
// on their way, and what a CTA leaves behind.
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/facts/tmem.h"
#include "compiler/facts/walk.h"
#include "compiler/machine/findings.h"

namespace compiler::machine {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr Def<Name, Name> kBeforeProduct{
    "CK2440", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` comes before the `umma` that writes it is known to be complete",
    "PTX ISA, tcgen05 memory consistency: a product is complete when an event that `umma.commit` "
    "arrives on is; only products of one accumulator, shape and kind follow each other by "
    "themselves"};
constexpr Def<Name, Name> kStillMultiplied{
    "CK2441", Severity::kError, Category::kSafety,
    "`{0}` overwrites `{1}` while the `umma` may still read it",
    "the tensor cores read their operands until the product is complete, which `umma.commit` tells "
    "an event"};
constexpr Def<Name, Name> kBeforeStored{
    "CK2442", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` comes before the `tmem.st` to it is known to be done",
    "PTX ISA, tcgen05.wait: stores to tensor memory run beside the warp; `tmem.wait st` ends them, "
    "and an arrival after it tells other warps"};
constexpr Def<Name, Name> kStillLoaded{
    "CK2443", Severity::kError, Category::kSafety,
    "`{0}` overwrites `{1}` while the `tmem.ld` may still read it",
    "PTX ISA, tcgen05.wait: loads from tensor memory run beside the warp; `tmem.wait ld` ends "
    "them, "
    "and an arrival after it tells other warps"};
constexpr Def<Name, Name> kBeforeFilled{
    "CK2452", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` comes before the `tmem.cp` to it is known to be done",
    "PTX ISA, pipelined tcgen05 instructions: such a copy comes before the products that its "
    "thread issues next and that read it, and before nothing else; `umma.commit` tells an event of "
    "it"};
constexpr Def<Name, Name> kStillCopied{
    "CK2453", Severity::kError, Category::kSafety,
    "`{0}` overwrites `{1}` while the `tmem.cp` may still read it",
    "PTX ISA, tcgen05.cp: the tensor cores read the source beside the thread until an event that "
    "`umma.commit` arrives on tells of it"};
constexpr Def<Name, Name, Name> kProductTooEarly{
    "CK2444", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` is not ordered after the `{2}` before it",
    "an operation of the tensor cores comes after what the thread that issues it knows to be done"};
constexpr Def<Name, Name> kUnfinishedProduct{
    "CK2445", Severity::kError, Category::kSafety,
    "the CTA ends while the `{0}` into `{1}` may still run",
    "the memory of a CTA that has ended belongs to the next one: `umma.commit` on an event, and a "
    "wait for it"};
constexpr Def<Name> kWrittenInFlight{
    "CK2446", Severity::kError, Category::kSafety,
    "`{0}` is written while a `tmem.ld` may still bring its value",
    "PTX ISA, tcgen05.wait: the registers of a load are its own until `tmem.wait ld`"};
constexpr Def<Name> kReadInFlight{
    "CK2447", Severity::kError, Category::kSafety,
    "`{0}` is read before the `tmem.ld` into it is complete",
    "PTX ISA, tcgen05.wait: the registers of a load hold its values from `tmem.wait ld` on"};
constexpr Def<Name, Name> kUnfinishedCopy{
    "CK2448", Severity::kError, Category::kSafety,
    "the CTA ends while the `{0}` of `{1}` may still run",
    "tensor memory is given back at the end of the CTA; the warp waits for its own copies before "
    "that"};
constexpr Def<Name, int64_t> kPartOfColumn{
    "CK2449", Severity::kError, Category::kHardware,
    "`{0}`: the slice begins at bit {1}, inside of a column",
    "PTX ISA, tensor memory addressing: a column is 32 bits"};

constexpr Def<Name, int64_t> kOddCta{
    "CK2460", Severity::kError, Category::kHardware,
    "`{0}.2cta` in the CTA of rank {1}; the even one of the pair issues it",
    "PTX ISA, tcgen05.mma .cta_group::2: one thread of the pair issues for both, and the shared "
    "memory of both is named by its addresses"};

bool IsTensorOp(const ir::Program& program, ir::StmtId stmt) {
  return stmt != ir::StmtId::kNone && program[stmt].op != nullptr &&
         facts::UsesTensorMemory(*program[stmt].op);
}

}  // namespace

std::string Findings::UnheardEvent(const ir::Kernel& kernel) const {
  std::set<ir::EventId> told, heard;
  for (const ir::Role& role : kernel.roles) {
    facts::ForEachStmt(program_, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      if (stmt.op == nullptr || stmt.event == ir::EventId::kNone) return;
      if (stmt.op->effects.sync == ir::SyncEffect::kTensorCommit) told.insert(stmt.event);
      if (stmt.op->effects.sync == ir::SyncEffect::kWait) heard.insert(stmt.event);
    });
  }
  for (const ir::EventId event : told) {
    if (!heard.contains(event)) return kernel.events[static_cast<size_t>(event)].name;
  }
  return "";
}

bool Findings::TensorRace(const Race& race) {
  const Place &first = race.earlier, &second = race.later;
  const bool earlier = IsTensorOp(program_, first.stmt), later = IsTensorOp(program_, second.stmt);
  if (first.cta != second.cta || race.unfenced || (!earlier && !later)) return false;
  // A load that is not complete is what its own finding is about.
  if (!earlier && CopyOf(first.stmt) != ir::CopyEffect::kNone) return false;
  const bool reads = race.kind == ConflictKind::kReadWrite;
  const std::string by = race.kind == ConflictKind::kWriteRead ? "ld" : "st";
  const Name op{OpName(second.stmt, by)};
  const Name buffer{BufferName(*second.kernel, race.later_view)};
  diag::Instance instance = InstanceOf(second);
  instance.byte_begin = race.byte_begin;
  instance.byte_end = race.byte_end;
  const diag::Span span = ViewSpan(race.later_view, second.stmt);
  const std::string label = absl::StrCat(earlier ? "issued" : "made", " here by role ",
                                         RoleName(first), ", warp ", first.warp);
  if (!earlier) {
    const Name other{OpName(first.stmt, reads ? "ld" : "st")};
    report_.Add(kProductTooEarly, span, op, buffer, other)
        .At(std::move(instance))
        .Label(SpanOf(first.stmt), label)
        .Fix("hand it over by an event or a barrier that both sides reach", {},
             Applicability::kManual);
    return true;
  }
  const ir::Effects& effects = program_[first.stmt].op->effects;
  const bool fill = effects.copy == ir::CopyEffect::kTensorMemoryCopy;
  const bool product = fill || effects.product;  // `umma.commit` tells
  const auto& def = fill      ? (reads ? kStillCopied : kBeforeFilled)
                    : product ? (reads ? kStillMultiplied : kBeforeProduct)
                              : (reads ? kStillLoaded : kBeforeStored);
  auto builder = report_.Add(def, span, op, buffer);
  builder.At(std::move(instance));
  builder.Label(SpanOf(first.stmt), label);
  const bool same = first.role == second.role && first.warp == second.warp;
  const std::string wait = reads ? "tmem.wait ld" : "tmem.wait st";
  if (product && race.idle_commit != ir::StmtId::kNone) {
    builder.Label(SpanOf(race.idle_commit),
                  "this commit tracks the products of its own thread, which has issued none");
    builder.Fix("let the warp that issues the product commit it", {}, Applicability::kManual);
  } else if (product) {
    const absl::string_view what = fill ? "copy" : "product";
    const std::string event = reads ? "" : UnheardEvent(*second.kernel);
    builder.Fix(event.empty()
                    ? absl::StrCat("`umma.commit E@k` behind the ", what, ", and `wait E@k` here")
                    : absl::StrCat("`wait ", event, "@k` here, which `umma.commit` arrives on"),
                {}, Applicability::kManual);
    // The wait that is missing here is the one that would tell of the end, too.
    if (!event.empty()) First(kUnfinishedProduct.code, first.stmt, ir::StmtId::kNone);
  } else if (same) {
    InsertBefore(builder, second.stmt, wait, Applicability::kMachine);
  } else {
    builder.Fix(absl::StrCat("`", wait, "` behind the copy, before the arrival that hands over"),
                {}, Applicability::kManual);
  }
  return true;
}

void Findings::UnfinishedProduct(const Place& at) {
  if (!First(kUnfinishedProduct.code, at.stmt, ir::StmtId::kNone)) return;
  const ir::Stmt& stmt = program_[at.stmt];
  const ir::ViewId into = stmt.op->effects.product ? stmt.accumulator_view : stmt.destination;
  report_
      .Add(kUnfinishedProduct, SpanOf(at.stmt), Name{std::string(stmt.op->name)},
           Name{BufferName(*at.kernel, into)})
      .Fix("`umma.commit E@k` behind it, and `wait E@k` in some role", {}, Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::OddCta(const Place& at, std::string_view name, size_t rank) {
  if (!First(kOddCta.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kOddCta, SpanOf(at.stmt), Name{std::string(name)}, static_cast<int64_t>(rank))
      .Fix("`if cluster.rank % 2 == 0 { .. }` around the role's products", {},
           Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::UnfinishedTensorCopy(const Place& at) {
  if (!First(kUnfinishedCopy.code, at.stmt, ir::StmtId::kNone)) return;
  const ir::Stmt& stmt = program_[at.stmt];
  const bool load = stmt.op->effects.copy == ir::CopyEffect::kTensorMemoryLoad;
  const uint32_t end = stmt.source.span.end;
  const std::string wait = load ? "; tmem.wait ld" : "; tmem.wait st";
  report_
      .Add(kUnfinishedCopy, SpanOf(at.stmt), Name{std::string(stmt.op->name)},
           Name{BufferName(*at.kernel, load ? stmt.source_view : stmt.destination)})
      .Fix("wait for it", {{diag::Span{end, end}, wait}}, Applicability::kMachine)
      .At(InstanceOf(at));
}

void Findings::WrittenInFlight(const Place& at, const Origin& load) {
  if (!First(kWrittenInFlight.code, load.stmt, ir::StmtId::kNone)) return;
  const ir::Local& local = at.kernel->locals[static_cast<size_t>(load.local)];
  report_.Add(kWrittenInFlight, SpanOf(load.stmt), Name{local.name})
      .Label(SpanOf(at.stmt), "the warp waits for the load here")
      .Fix("`tmem.wait ld` before the fragment is used again", {}, Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::ReadInFlight(const Place& at, const Origin& load) {
  if (!First(kReadInFlight.code, load.stmt, ir::StmtId::kNone)) return;
  const ir::Local& local = at.kernel->locals[static_cast<size_t>(load.local)];
  const uint32_t end = program_[load.stmt].source.span.end;
  report_.Add(kReadInFlight, SpanOf(load.stmt), Name{local.name})
      .Label(SpanOf(at.stmt), "the value goes on to here")
      .Fix("wait for the load", {{diag::Span{end, end}, "; tmem.wait ld"}}, Applicability::kMachine)
      .At(InstanceOf(at));
}

void Findings::PartOfColumn(const Place& at, const Access& access, int64_t bit) {
  if (!First(kPartOfColumn.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kPartOfColumn, ViewSpan(access.view, at.stmt), Name{ViewText(access.view)}, bit)
      .At(InstanceOf(at));
}

}  // namespace compiler::machine
