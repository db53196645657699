#include "compiler/machine/findings.h"

#include "absl/strings/str_cat.h"

namespace compiler::machine {
namespace {

using diag::Category;
using diag::Def;
using diag::Name;
using diag::Severity;

constexpr std::string_view kBoundsWhy =
    "every access must be in bounds for every lane that executes it; `ld` may say `else` instead";
constexpr Def<Name, int64_t, int64_t, int64_t> kIndexOutside{
    "CK2001", Severity::kError, Category::kSafety,
    "`{0}`: index {1} of dimension {2} is outside 0..{3}", kBoundsWhy};
constexpr Def<Name, int64_t, int64_t, int64_t, int64_t> kSliceOutside{
    "CK2002", Severity::kError, Category::kSafety,
    "`{0}`: elements {1}..{2} of dimension {3} are outside 0..{4}", kBoundsWhy};
constexpr Def<Name, int64_t, int64_t, int64_t> kSharedIndexOutside{
    "CK2003", Severity::kError, Category::kSafety,
    "`{0}` in shared memory: index {1} of dimension {2} is outside 0..{3}",
    "the bytes beyond a shared buffer belong to its neighbour"};
constexpr Def<Name, int64_t, int64_t, int64_t, int64_t> kSharedSliceOutside{
    "CK2004", Severity::kError, Category::kSafety,
    "`{0}` in shared memory: elements {1}..{2} of dimension {3} are outside 0..{4}",
    "the bytes beyond a shared buffer belong to its neighbour"};
constexpr Def<Name, int64_t> kNegativeStage{
    "CK2005", Severity::kError, Category::kSafety, "`{0}`: use {1} is negative",
    "a use index counts from 0; its stage is the remainder by the number of stages"};
constexpr Def<Name, int64_t, int64_t> kMisaligned{
    "CK2006", Severity::kError, Category::kHardware,
    "`{0}`: a vector of {1} bytes starts at byte {2}, which is not a multiple of it",
    "a vector access must be aligned to its own size, or the hardware faults"};
constexpr Def<int64_t, int64_t> kRegisterIndex{"CK2007", Severity::kError, Category::kSafety,
                                               "element {0} of an array of {1} does not exist",
                                               "an array in registers has no addresses, and beyond "
                                               "an arg array lie other parameters: an index "
                                               "past the end names nothing"};

constexpr Def<Name, Name> kOtherAlternative{
    "CK2190", Severity::kError, Category::kSafety,
    "`{0}` reads bytes in which `{1}` was written last, and the value is used",
    "the alternatives of an `either` share their bytes: a store to one ends what the others hold "
    "there"};
constexpr Def<Name> kUnwrittenRead{
    "CK2010", Severity::kError, Category::kSafety,
    "`{0}` reads bytes that nothing has written, and the value is used",
    "unwritten memory holds whatever the last user of these bytes left there"};
constexpr Def<Name, Name> kUndefinedStore{"CK2011", Severity::kError, Category::kSafety,
                                          "the value of `{0}` was never set and is stored to `{1}`",
                                          "an undefined value may not leave the CTA"};
constexpr Def<Name> kUndefinedBranch{"CK2012", Severity::kError, Category::kSafety,
                                     "the value of `{0}` was never set and decides a branch",
                                     "a register that was never written holds anything"};
constexpr Def<Name> kUndefinedAddress{"CK2013", Severity::kError, Category::kSafety,
                                      "the value of `{0}` was never set and is used as an index",
                                      "a register that was never written holds anything"};
constexpr Def<Name> kUndefinedTrips{"CK2014", Severity::kError, Category::kSafety,
                                    "the value of `{0}` was never set and bounds a loop",
                                    "a register that was never written holds anything"};

constexpr Def<Name, Name> kStepError{
    "CK2050", Severity::kError, Category::kSafety, "`{0}`: {1}",
    "a step that has no result is an error of the program, not a value"};
constexpr Def<int64_t> kLoopStep{
    "CK2051", Severity::kError, Category::kSafety, "a loop has the step {0}",
    "trips are counted upwards and fixed at entry; the step must be positive"};

constexpr Def<int64_t> kStepLimit{
    "CK6201", Severity::kError, Category::kLimit, "the run was stopped after {0} lane statements",
    "the machine bounds every run; a loop that waits for another role must wait on a barrier"};
constexpr Def<double> kTimeLimit{"CK6202", Severity::kError, Category::kLimit,
                                 "the run was stopped after {0} seconds",
                                 "the machine bounds every run"};
constexpr Def<int64_t> kShadowLimit{
    "CK6203", Severity::kError, Category::kLimit,
    "the race check needs more than {0} bytes of shadow memory",
    "every written byte is followed with its readers; use a smaller shape for the check"};

constexpr Def<Name, int64_t> kSizeLimit{
    "CK6204", Severity::kError, Category::kLimit,
    "kernel `{0}` is too large for the reference machine, which keeps at most {1} bytes for it",
    "arrays are computed element by element; a kernel of this size would not fit the registers of "
    "a "
    "GPU either"};
constexpr Def<Name, int64_t> kCtaLimit{"CK6205", Severity::kError, Category::kLimit,
                                       "the run was stopped after {1} CTAs of kernel `{0}`",
                                       "every CTA counts as one statement at least"};

std::string_view UseText(Use use) {
  switch (use) {
    case Use::kGlobalStore: return "the value is stored to global memory here";
    case Use::kBranch: return "the value decides this branch";
    case Use::kAddress: return "the value is an index here";
    case Use::kTrips: return "the value bounds this loop";
  }
  return "";
}

}  // namespace

Findings::Findings(const ir::Program& program, const ir::LaunchValues& values, diag::Report& report)
    : program_(program), report_(report) {
  for (size_t i = 0; i < program.symbols.size() && i < values.values.size(); ++i) {
    const ir::Symbol& symbol = program.symbols[i];
    if (symbol.kind != ir::SymbolKind::kDim && symbol.kind != ir::SymbolKind::kSms) continue;
    absl::StrAppend(&shape_, shape_.empty() ? "" : ", ", symbol.name, "=", values.values[i]);
  }
}

bool Findings::First(std::string_view code, ir::StmtId stmt, ir::StmtId other, int64_t detail) {
  if (full()) return false;
  const bool first = seen_.insert({code, stmt, other, detail}).second;
  if (!first) ++repeats_;
  return first;
}

void Findings::OutOfBounds(const Place& at, const Access& access, size_t dimension, int64_t index,
                           int64_t limit) {
  const auto d = static_cast<int64_t>(dimension);
  const int64_t extent = access.dimensions[dimension].extent;
  const bool shared = access.space == ir::Space::kShared;
  const diag::Span span = ViewSpan(access.view, at.stmt);
  const auto& slice = shared ? kSharedSliceOutside : kSliceOutside;
  const auto& single = shared ? kSharedIndexOutside : kIndexOutside;
  if (!First(extent > 1 ? slice.code : single.code, at.stmt, static_cast<ir::StmtId>(access.view),
             d)) {
    return;
  }
  const Name view{ViewText(access.view)};
  if (extent > 1) {
    report_.Add(slice, span, view, index, index + extent, d, limit).At(InstanceOf(at));
  } else {
    report_.Add(single, span, view, index, d, limit).At(InstanceOf(at));
  }
}

void Findings::NegativeStage(const Place& at, const Access& access, int64_t stage) {
  if (!First(kNegativeStage.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kNegativeStage, ViewSpan(access.view, at.stmt), Name{ViewText(access.view)}, stage)
      .At(InstanceOf(at));
}

void Findings::Misaligned(const Place& at, const Access& access, int64_t offset_bytes,
                          int64_t bytes) {
  if (!First(kMisaligned.code, at.stmt, static_cast<ir::StmtId>(access.view))) return;
  report_
      .Add(kMisaligned, ViewSpan(access.view, at.stmt), Name{ViewText(access.view)}, bytes,
           offset_bytes)
      .At(InstanceOf(at));
}

void Findings::RegisterIndex(const Place& at, int64_t index, int64_t size) {
  if (!First(kRegisterIndex.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kRegisterIndex, SpanOf(at.stmt), index, size).At(InstanceOf(at));
}

void Findings::Undefined(const Place& at, const Origin& origin, Use use, std::string_view buffer) {
  const diag::Span here = SpanOf(at.stmt);
  if (origin.kind == OriginKind::kMemory) {
    // The read is the cause, wherever its value ends: one finding for each read.
    if (!First(kUnwrittenRead.code, origin.stmt, static_cast<ir::StmtId>(origin.view))) return;
    unwritten_reads_.push_back({at, origin, use});
    return;
  }
  if (origin.kind == OriginKind::kInFlight || origin.kind == OriginKind::kReadInFlight) {
    return ReadInFlight(at, origin);
  }
  if (origin.kind != OriginKind::kRegister) return;
  const ir::Local& local = at.kernel->locals[static_cast<size_t>(origin.local)];
  const Name name{local.name};
  // One undefined register, one finding at its first use.
  if (!First(kUndefinedStore.code, origin.stmt, ir::StmtId::kNone)) return;
  auto builder = [&] {
    switch (use) {
      case Use::kGlobalStore:
        return report_.Add(kUndefinedStore, here, name, Name{std::string(buffer)});
      case Use::kBranch: return report_.Add(kUndefinedBranch, here, name);
      case Use::kAddress: return report_.Add(kUndefinedAddress, here, name);
      case Use::kTrips: break;
    }
    return report_.Add(kUndefinedTrips, here, name);
  }();
  builder.Label(SpanOf(origin.stmt), "declared here without a value").At(InstanceOf(at));
}

void Findings::OtherAlternative(ir::ViewId view, const std::string& written, diag::Span declared) {
  other_alternatives_.emplace(view, Alternative{written, declared});
}

// A race explains an unwritten read: what should have been written first is on its way.
void Findings::Finish() {
  for (const UnwrittenRead& read : unwritten_reads_) {
    if (raced_views_.count(read.origin.view) != 0) continue;
    if (const auto other = other_alternatives_.find(read.origin.view);
        other != other_alternatives_.end()) {
      report_
          .Add(kOtherAlternative, ViewSpan(read.origin.view, read.origin.stmt),
               Name{ViewText(read.origin.view)}, Name{other->second.name})
          .Label(other->second.declared, "in the same bytes")
          .Label(SpanOf(read.at.stmt), std::string(UseText(read.use)))
          .At(InstanceOf(read.at));
      continue;
    }
    report_
        .Add(kUnwrittenRead, ViewSpan(read.origin.view, read.origin.stmt),
             Name{ViewText(read.origin.view)})
        .Label(SpanOf(read.at.stmt), std::string(UseText(read.use)))
        .At(InstanceOf(read.at));
  }
  unwritten_reads_.clear();
}

void Findings::StepError(const Place& at, ir::ExprId expr, std::string_view words) {
  if (!First(kStepError.code, at.stmt, static_cast<ir::StmtId>(expr))) return;
  const ir::Expr& e = program_[expr];
  const diag::Span span = e.source.span.end != 0 ? e.source.span : SpanOf(at.stmt);
  report_.Add(kStepError, span, Name{std::string(e.op->name)}, Name{std::string(words)})
      .At(InstanceOf(at));
}

void Findings::LoopStep(const Place& at, int64_t step) {
  if (!First(kLoopStep.code, at.stmt, ir::StmtId::kNone)) return;
  report_.Add(kLoopStep, SpanOf(at.stmt), step).At(InstanceOf(at));
}

void Findings::StepLimit(const Place& at, int64_t limit) {
  report_.Add(kStepLimit, SpanOf(at.stmt), limit).At(InstanceOf(at));
}

void Findings::TimeLimit(const Place& at, double seconds) {
  report_.Add(kTimeLimit, SpanOf(at.stmt), seconds).At(InstanceOf(at));
}

void Findings::ShadowLimit(const Place& at, int64_t bytes) {
  report_.Add(kShadowLimit, SpanOf(at.stmt), bytes).At(InstanceOf(at));
}

void Findings::SizeLimit(const ir::Kernel& kernel, int64_t limit_bytes) {
  report_.Add(kSizeLimit, kernel.declared, Name{kernel.name}, limit_bytes);
}

void Findings::CtaLimit(const ir::Kernel& kernel, int64_t limit) {
  report_.Add(kCtaLimit, kernel.declared, Name{kernel.name}, limit);
}

diag::Span Findings::SpanOf(ir::StmtId id) const {
  if (id == ir::StmtId::kNone) return {};
  const ir::Stmt& stmt = program_[id];
  const auto span_of = [&](ir::ExprId expr) {
    return expr == ir::ExprId::kNone ? diag::Span{} : program_[expr].source.span;
  };
  diag::Span span = stmt.source.span;
  if (stmt.kind == ir::StmtKind::kIf || stmt.kind == ir::StmtKind::kWhile) {
    const diag::Span condition = span_of(stmt.value);
    if (condition.end != 0) span = condition;
  } else if (stmt.kind == ir::StmtKind::kFor) {
    const diag::Span low = span_of(stmt.low), high = span_of(stmt.high);
    if (low.end != 0 && high.end > low.begin) span = {low.begin, high.end};
  }
  return span;
}

diag::Span Findings::ViewSpan(ir::ViewId view, ir::StmtId stmt) const {
  const diag::Span span = program_[view].source.span;
  return span.end != 0 ? span : SpanOf(stmt);
}

std::string Findings::ViewText(ir::ViewId id) const {
  constexpr uint32_t kMaxBytes = 80;
  const ir::View& view = program_[id];
  const diag::Span span = view.source.span;
  if (span.end > span.begin && span.end <= program_.source.size() &&
      span.end - span.begin <= kMaxBytes) {
    return program_.source.substr(span.begin, span.end - span.begin);
  }
  if (view.space == ir::Space::kTmem) return "tensor memory";
  return view.space == ir::Space::kGlobal ? program_[view.tensor].name : "shared memory";
}

std::string Findings::BufferName(const ir::Kernel& kernel, ir::ViewId id) const {
  const ir::View& view = program_[id];
  if (view.space == ir::Space::kTmem) return kernel.tmem[static_cast<size_t>(view.tmem)].name;
  return view.space == ir::Space::kShared ? kernel.shared[static_cast<size_t>(view.shared)].name
                                          : program_[view.tensor].name;
}

std::string Findings::RoleName(const Place& at) const {
  return at.kernel->roles[static_cast<size_t>(at.role)].name;
}

diag::Instance Findings::InstanceOf(const Place& at) const {
  diag::Instance instance;
  instance.role = RoleName(at);
  instance.cta = at.cta;
  instance.warp = at.warp;
  instance.lane = at.lane;
  instance.iteration = at.iteration;
  instance.shape = shape_;
  return instance;
}

}  // namespace compiler::machine
