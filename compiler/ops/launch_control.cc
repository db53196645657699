// Cluster launch control: a CTA that runs takes the place of one that has not begun.
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"

namespace compiler::ops {
namespace {

constexpr std::string_view kArch = "sm_100";

constexpr std::string_view kExample =
    "program example target sm_100\n"
    "dim N in 1..=64\n"
    "in x: f32[N, 32]\n"
    "out y: f32[N, 32]\n"
    "kernel run {\n"
    "  grid (N)\n"
    "  smem answer[2]: u64[2]\n"
    "  event told[2] count 1\n"
    "  role main: warps 1 {\n"
    "    var t = cta\n"
    "    var k = 0\n"
    "    while t >= 0 && t < N && k < 1000 {\n"
    "      clc.try_cancel answer@k on told@k\n"
    "      expect told@k\n"
    "      st y[t, lane] <- 2.0 * (ld x[t, lane])\n"
    "      wait told@k\n"
    "      let a = ld answer@k[0:+2]\n"
    "      t = clc.cta(a[0], a[1])\n"
    "      k += 1\n"
    "    }\n"
    "  }\n"
    "}\n";

OpDef TryCancel() {
  OpDef op = {
      .name = "clc.try_cancel",
      .form = Form::kSync,
      .summary =
          "Asks that a CTA of the grid that has not begun never does; with clusters, a whole "
          "cluster. The answer, 16 bytes, completes like a load. `multicast`: it goes to all "
          "CTAs of the cluster. Behind an answer that says no, no more is asked.",
      .scope = Scope::kWarp,
      .sync_operand = SyncOperand::kView,
      .min_arch = kArch};
  op.effects = {.writes_memory = true, .copy = ir::CopyEffect::kLaunchCancel};
  op.cost = {.pipe = Pipe::kLsu, .issue_slots = 1};
  op.source = "PTX ISA, clusterlaunchcontrol.try_cancel";
  op.example = kExample;
  return op;
}

// The answer of the machine: the number of the CTA and one, or 0.
std::string_view CancelledCta(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    const int64_t cta = static_cast<int64_t>(args.in[0]->bits[at]) - 1;
    args.out[0]->bits[at] = static_cast<uint64_t>(cta);
    return {};
  });
}

std::string LowerCta(const ir::LowerArgs& args) { return CallText("cake::clc_cta", args); }

OpDef Cta() {
  OpDef op = {
      .name = "clc.cta",
      .form = Form::kFunction,
      .summary =
          "clc.cta(low, high): what the answer in these 16 bytes says: the linear number of the "
          "CTA that will not begin, the first one of a cluster; -1: there is none.",
      .args = {ArgKind::kInteger, ArgKind::kInteger},
      .result = ResultRule::kI32,
      .dtypes = {DType::kU64},
      .min_arch = kArch,
      .cost = {.pipe = Pipe::kAlu, .issue_slots = 6},
      .meaning = CancelledCta,
      .lower = LowerCta,
      .source = "PTX ISA, clusterlaunchcontrol.query_cancel",
      .example = kExample};
  op.effects.copy = ir::CopyEffect::kLaunchCancel;  // the answer to such a request
  return op;
}

}  // namespace

std::vector<OpDef> LaunchControl() { return {TryCancel(), Cta()}; }

}  // namespace compiler::ops
