// Findings of asynchronous copies: accesses before a copy is complete, writes that TMA does not see
// without a proxy fence, copies that a CTA leaves behind.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/facts/copies.h"
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

constexpr Def<Name, Name, Name> kBeforeComplete{
    "CK2100", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` comes before the `{2}` that fills it is known to be complete",
    "the copy runs beside the threads; only a completed wait, and a barrier for other threads, "
    "orders what comes after it"};
constexpr Def<Name, Name, Name> kStillRead{
    "CK2101", Severity::kError, Category::kSafety,
    "`{0}` overwrites `{1}` while the `{2}` may still read it",
    "the copy runs beside the threads; its source may be reused when it is known to be read"};
constexpr Def<Name, Name, Name> kUnfenced{
    "CK2102", Severity::kError, Category::kSafety,
    "`{0}` accesses `{1}` through the async proxy and may not see the `{2}` before it",
    "PTX ISA, proxies: a generic write becomes visible to asynchronous copies through `fence "
    "async` "
    "between the two"};
constexpr Def<Name, Name, Name> kUnfencedRead{
    "CK2560", Severity::kError, Category::kSafety,
    "`{0}` overwrites `{1}` through the async proxy, and no fence covers the `{2}` before it",
    "the vendor's text does not say that a barrier alone orders a generic read before an "
    "asynchronous write: under strict proxies `fence async` lies between the two"};
constexpr Def<Name, Name, Name> kCopyTooEarly{
    "CK2103", Severity::kError, Category::kSafety,
    "`{0}` of `{1}` is not ordered after the `{2}` before it",
    "an asynchronous copy comes after what the thread that issues it knows to be done"};
constexpr Def<Name, Name> kUnfinishedStore{
    "CK2104", Severity::kError, Category::kSafety,
    "the CTA ends while the `{0}` may still read `{1}`",
    "the shared memory of a CTA that has ended belongs to the next one"};
constexpr Def<Name, Name> kUnfinishedLoad{
    "CK2105", Severity::kError, Category::kSafety,
    "the CTA ends while the `{0}` may still write `{1}`",
    "the shared memory of a CTA that has ended belongs to the next one"};

constexpr Def<Name, Name> kMapInUse{
    "CK2455", Severity::kError, Category::kSafety,
    "`tensormap.set` of `{0}` while the `{1}` through its map may still run",
    "the hardware reads the map when it makes the copy; the warp that sets it again knows that its "
    "copies are complete: `tma.wait 0` of stores, the event of loads"};

std::string_view ThreadOp(ConflictKind kind, bool earlier) {
  if (earlier) return kind == ConflictKind::kReadWrite ? "ld" : "st";
  return kind == ConflictKind::kWriteRead ? "ld" : "st";
}

}  // namespace

ir::CopyEffect Findings::CopyOf(ir::StmtId stmt) const {
  if (stmt == ir::StmtId::kNone || program_[stmt].op == nullptr) return ir::CopyEffect::kNone;
  const ir::CopyEffect effect = program_[stmt].op->effects.copy;
  const bool queued = effect == ir::CopyEffect::kAsyncCopy || facts::IsTensorCopy(effect) ||
                      facts::IsBulkCopy(effect) || effect == ir::CopyEffect::kLaunchCancel;
  return queued ? effect : ir::CopyEffect::kNone;
}

bool Findings::IsProduct(ir::StmtId stmt) const {
  return stmt != ir::StmtId::kNone && program_[stmt].op != nullptr &&
         program_[stmt].op->effects.product;
}

std::string Findings::OpName(ir::StmtId stmt, std::string_view otherwise) const {
  const bool tensor = stmt != ir::StmtId::kNone && program_[stmt].op != nullptr &&
                      facts::UsesTensorMemory(*program_[stmt].op);
  if (CopyOf(stmt) == ir::CopyEffect::kNone && !IsProduct(stmt) && !tensor) {
    return std::string(otherwise);
  }
  std::string name(program_[stmt].op->name);
  for (const std::string_view word : program_[stmt].modifiers) {
    absl::StrAppend(&name, ".", absl::string_view(word.data(), word.size()));
  }
  return name;
}

bool Findings::CopyRace(const Race& race, const std::vector<ir::StmtId>& parents) {
  const Place &first = race.earlier, &second = race.later;
  if (first.cta != second.cta && !race.same_cluster) return false;
  const bool earlier = CopyOf(first.stmt) != ir::CopyEffect::kNone;
  const bool later = CopyOf(second.stmt) != ir::CopyEffect::kNone || IsProduct(second.stmt);
  if (race.unfenced) return Unfenced(race, parents), true;
  if (IsProduct(first.stmt)) return ProductStillReads(race, parents), true;
  if (!earlier && !later) return false;
  const Name op{OpName(second.stmt, ThreadOp(race.kind, false))};
  const Name other{OpName(first.stmt, ThreadOp(race.kind, true))};
  const Name buffer{BufferName(*second.kernel, race.later_view)};
  const auto& def = !earlier                                ? kCopyTooEarly
                    : race.kind == ConflictKind::kReadWrite ? kStillRead
                                                            : kBeforeComplete;
  diag::Instance instance = InstanceOf(second);
  instance.byte_begin = race.byte_begin;
  instance.byte_end = race.byte_end;
  auto builder = report_.Add(def, ViewSpan(race.later_view, second.stmt), op, buffer, other);
  builder.At(std::move(instance));
  builder.Label(SpanOf(first.stmt), absl::StrCat(earlier ? "issued" : "made", " here by role ",
                                                 RoleName(first), ", warp ", first.warp));
  if (earlier) {
    OfferGroupWait(builder, race);
  } else {
    // Whatever warp was found first: the writes of all of them must be in.
    Race all = race;
    if (second.kernel->roles[static_cast<size_t>(second.role)].warps > 1) all.earlier.warp = -1;
    OfferSync(builder, all, parents);
  }
  return true;
}

// The kernel waits for groups, but lets too many pend: the number that they may be is smaller. The
// edit counts down by one; whether that is enough is for the gates to say.
bool Findings::OfferFewerGroups(diag::Report::Builder& builder, const Race& race) const {
  const bool by_thread = CopyOf(race.earlier.stmt) == ir::CopyEffect::kAsyncCopy;
  const auto effect = by_thread ? ir::SyncEffect::kAsyncWait : ir::SyncEffect::kBulkWait;
  const ir::Stmt* wait = nullptr;
  int64_t pending = 0;
  const ir::Role& role = race.earlier.kernel->roles[static_cast<size_t>(race.earlier.role)];
  facts::ForEachStmt(program_, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
    const bool waits =
        stmt.op != nullptr && stmt.op->effects.sync == effect && stmt.amount != ir::ExprId::kNone;
    if (!waits || program_[stmt.amount].int_value <= pending) return;
    wait = &stmt;
    pending = program_[stmt.amount].int_value;
  });
  const uint32_t end = wait == nullptr ? 0 : wait->source.span.end;
  const std::string number = absl::StrCat(pending);
  if (end == 0 || end < number.size() ||
      program_.source.compare(end - number.size(), number.size(), number) != 0) {
    return false;
  }
  builder.Label(wait->source.span, absl::StrCat("lets so many groups pend: ", pending));
  builder.Fix(absl::StrCat("let ", pending - 1, " pend"),
              {{{end - static_cast<uint32_t>(number.size()), end}, absl::StrCat(pending - 1)}},
              Applicability::kMachine);  // it waits for more: nothing else changes
  return true;
}

// The wait that is missing, where it is one of the thread's own groups. A load that completes on an
// event wants a wait on it, and whose use index only the author knows.
void Findings::OfferGroupWait(diag::Report::Builder& builder, const Race& race) const {
  const ir::CopyEffect effect = CopyOf(race.earlier.stmt);
  const bool same = race.earlier.role == race.later.role && race.earlier.warp == race.later.warp;
  if (facts::IsMbarrierLoad(effect)) {
    builder.Fix("wait for the event that the load completes on", {}, Applicability::kManual);
    return;
  }
  const bool by_thread = effect == ir::CopyEffect::kAsyncCopy;
  const std::string wait = by_thread                               ? "cp.async.wait 0"
                           : race.kind == ConflictKind::kReadWrite ? "tma.wait.read 0"
                                                                   : "tma.wait 0";
  const std::string commit = by_thread ? "cp.async.commit" : "tma.commit";
  if (OfferFewerGroups(builder, race)) return;
  if (!same) {
    builder.Fix(absl::StrCat("`", commit, "` and `", wait,
                             "` by the threads that copy, then a barrier that both sides reach"),
                {}, Applicability::kManual);
    return;
  }
  if (by_thread && race.earlier.lane == race.later.lane) {
    return InsertBefore(builder, race.later.stmt, absl::StrCat(commit, "; ", wait),
                        Applicability::kMachine);
  }
  builder.Fix(
      absl::StrCat("`", commit, "` and `", wait, "` by the thread that copies, then `sync`"), {},
      Applicability::kManual);
}

void Findings::Unfenced(const Race& race, const std::vector<ir::StmtId>& parents) {
  const Place &first = race.earlier, &second = race.later;
  // One missing fence, one finding: every copy after the write lacks it.
  const bool read = race.kind == ConflictKind::kReadWrite;
  const auto& def = read ? kUnfencedRead : kUnfenced;
  if (!First(def.code, first.stmt, ir::StmtId::kNone)) return;
  auto builder =
      report_.Add(def, ViewSpan(race.later_view, second.stmt), Name{OpName(second.stmt, "")},
                  Name{BufferName(*second.kernel, race.later_view)},
                  Name{OpName(first.stmt, read ? "ld" : "st")});
  builder.At(InstanceOf(second));
  builder.Label(SpanOf(first.stmt), absl::StrCat(read ? "read" : "written", " here by role ",
                                                 RoleName(first), ", warp ", first.warp));
  // By every writer before the barrier where it stands between the two in one block; else by the
  // issuing thread, just before it issues.
  ir::StmtId place = second.stmt;
  if (race.last_sync != ir::StmtId::kNone && first.role == second.role) {
    const ir::StmtId block = parents[static_cast<size_t>(race.last_sync)];
    ir::StmtId writer = first.stmt;
    while (writer != ir::StmtId::kNone && parents[static_cast<size_t>(writer)] != block) {
      writer = parents[static_cast<size_t>(writer)];
    }
    const uint32_t sync = program_[race.last_sync].source.span.begin;
    const bool between = writer != ir::StmtId::kNone && program_[writer].source.span.begin < sync &&
                         sync < program_[second.stmt].source.span.begin;
    if (between) place = race.last_sync;
  }
  InsertBefore(builder, place, "fence async", Applicability::kMachine);
}

void Findings::InsertBefore(diag::Report::Builder& builder, ir::StmtId stmt,
                            const std::string& text, Applicability applicability) const {
  const uint32_t begin = program_[stmt].source.span.begin;
  if (begin == 0 || begin > program_.source.size()) return;
  size_t line = program_.source.rfind('\n', begin - 1);
  line = line == std::string::npos ? 0 : line + 1;
  const std::string before = program_.source.substr(line, begin - line);
  const bool own_line = before.find_first_not_of(" \t") == std::string::npos;
  builder.Fix(absl::StrCat("insert `", text, "` before this statement"),
              {{diag::Span{begin, begin},
                own_line ? absl::StrCat(text, "\n", before) : absl::StrCat(text, "; ")}},
              applicability);
}

void Findings::UnfinishedStore(const Place& at, bool closed) {
  if (!First(kUnfinishedStore.code, at.stmt, ir::StmtId::kNone)) return;
  const ir::Stmt& stmt = program_[at.stmt];
  auto builder = report_.Add(kUnfinishedStore, SpanOf(at.stmt), Name{OpName(at.stmt, "")},
                             Name{BufferName(*at.kernel, stmt.source_view)});
  builder.At(InstanceOf(at));
  uint32_t end = stmt.source.span.end;
  if (closed) {  // behind the commit that closed its group
    uint32_t nearest = UINT32_MAX;
    for (const ir::Stmt& other : program_.stmts) {
      const bool commit =
          other.op != nullptr && other.op->effects.sync == ir::SyncEffect::kBulkCommit;
      if (commit && other.source.span.begin >= end) {
        nearest = std::min(nearest, other.source.span.end);
      }
    }
    if (nearest != UINT32_MAX) end = nearest;
  }
  const std::string missing = closed ? "tma.wait.read 0" : "tma.commit; tma.wait.read 0";
  builder.Fix(absl::StrCat("add `", missing, "` behind it, in the thread that stores"),
              {{diag::Span{end, end}, absl::StrCat("; ", missing)}},
              closed ? Applicability::kMaybe : Applicability::kMachine);
}

void Findings::MapInUse(const Place& at, ir::StmtId copy) {
  if (!First(kMapInUse.code, at.stmt, copy)) return;
  report_
      .Add(kMapInUse, SpanOf(at.stmt), Name{BufferName(*at.kernel, program_[at.stmt].source_view)},
           Name{OpName(copy, "")})
      .Label(SpanOf(copy), "issued here")
      .Fix("wait for it before the map is set again", {}, Applicability::kManual)
      .At(InstanceOf(at));
}

void Findings::UnfinishedLoad(const Place& at) {
  if (!First(kUnfinishedLoad.code, at.stmt, ir::StmtId::kNone)) return;
  report_
      .Add(kUnfinishedLoad, SpanOf(at.stmt), Name{OpName(at.stmt, "")},
           Name{BufferName(*at.kernel, program_[at.stmt].destination)})
      .Fix("wait for the event that it completes on", {}, Applicability::kManual)
      .At(InstanceOf(at));
}

}  // namespace compiler::machine
