// Expected outputs from the device: those of the host, in every element.
#include "runner/device/reference.h"

#include <cmath>
#include <set>

#include "runner/oracle/known_cases.h"
#include "tests/fakecuda/judge_native.h"
#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Verdict;

// ---- Every plain form against the host's, in every element of every case of the machine tier

// Two pieces, as a device gets them that takes an output in parts.
reference::Inputs::Given ByPlainForm(device::PlainForm form, int64_t elements) {
  reference::Inputs::Given out;
  out.want.resize(static_cast<size_t>(elements)), out.scale.resize(out.want.size());
  const int64_t rows = elements / form.columns;
  const int64_t first = std::min(rows, (rows / 2 + form.row_step) / form.row_step * form.row_step);
  for (const auto& [from, to] : {std::pair(int64_t{0}, first), std::pair(first, rows)}) {
    device::PieceView piece{.begin = from * form.columns,
                            .end = to * form.columns,
                            .columns = form.columns,
                            .want = reinterpret_cast<uint64_t>(&out.want[from * form.columns]),
                            .scale = reinterpret_cast<uint64_t>(&out.scale[from * form.columns])};
    constexpr unsigned kBlock = 32;
    const int64_t threads = (to - from + form.row_step - 1) / form.row_step * form.threads_a_row;
    const unsigned grid[] = {static_cast<unsigned>((threads + kBlock - 1) / kBlock), 1, 1};
    auto parameters = form.Parameters(piece);
    fakecuda::OwnKernel(form.kernel)(grid, kBlock, parameters.data());
  }
  return out;
}

void ExpectSame(const reference::Builtin& builtin, const contract::Compare& compare,
                const reference::Inputs& inputs, const reference::Inputs::Given& got) {
  const size_t count = got.want.size();
  std::vector<double> want(count), scale(count), loss(count);
  const reference::Piece all{0, static_cast<int64_t>(count), want.data(), scale.data()};
  const bool chosen = compare.metric == contract::Metric::kRegret;
  if (chosen) {
    const std::vector<int64_t> ids(got.want.begin(), got.want.end());
    builtin.regret(inputs, compare.output, all, ids.data(), loss.data());
  } else {
    builtin.evaluate(inputs, compare.output, all);
  }
  for (size_t i = 0; i < count; ++i) {
    const double size = std::max(std::abs(want[i]), scale[i]);
    const bool both_nan = std::isnan(got.want[i]) && std::isnan(want[i]);
    if (!both_nan && got.want[i] != want[i]) {
      ASSERT_LE(chosen ? loss[i] : std::abs(got.want[i] - want[i]), 1e-9 * size) << i;
    }
    if (!std::isnan(scale[i]) && got.scale[i] != scale[i]) {
      ASSERT_LE(std::abs(got.scale[i] - scale[i]), 1e-9 * scale[i]) << i;
    }
  }
}

constexpr int64_t kFormWorkMax = 1 << 20;  // larger cases say nothing new

void ExpectSameForms(const contract::Workload& workload, const contract::Case& at,
                     std::set<std::string>& kernels) {
  const auto& builtin = **reference::FindBuiltin(workload.reference.builtin);
  const auto tensors = contract::TensorsOf(workload, at).value();
  const auto drawn = oracle::DrawInputs(workload, at, tensors, 5, 0, 1).value();
  for (const contract::CaseTensor& tensor : tensors) {
    const std::string& name = tensor.tensor->name;
    if (tensor.tensor->role == contract::Role::kIn || tensor.elements == 0) continue;
    auto form = device::PlainFormOf(builtin, name, drawn.inputs);
    if (!form || form->work > kFormWorkMax) continue;
    kernels.insert(form->kernel);
    for (size_t i = 0; i < form->views.size(); ++i)
      form->views[i].address = reinterpret_cast<uint64_t>(drawn.memory.at(form->tensors[i]).data());
    ExpectSame(builtin, *contract::FindCompare(workload, name), drawn.inputs,
               ByPlainForm(*form, tensor.elements));
  }
}

TEST(PlainForms, GiveWhatTheHostGives) {
  std::set<std::string> kernels;
  for (const auto& file : fs::recursive_directory_iterator("tests/corpus")) {
    if (file.path().extension() != ".textproto") continue;
    const auto workload = contract::ParseTextproto(Read(file.path())).value();
    for (const contract::Case& at : workload.cases) {
      SCOPED_TRACE(workload.name + " " + at.name);
      if (at.tier == contract::Tier::kMachine) ExpectSameForms(workload, at, kernels);
    }
  }
  EXPECT_EQ(kernels.size(), device::ReferenceKernels().size());
}

class References : public Fake {
 protected:
  // Everything that has a plain form comes from the device.
  JobResult RunAll(const Job& job) {
    EvaluatorOptions options = Options("{}");
    options.reference_work_min = 1;
    return RunWith(options, job);
  }
};

// The cases have specials, ties and sizes that fill no tile; programs are judged by the values that
// the device gave, a second one by bounds made of them.
TEST_F(References, ProgramsAreRightByTheDevicesValuesToo) {
  const std::pair<const char*, const char*> programs[] = {{"gemm_f16", "gemm"},
                                                          {"attention_causal", "attention"},
                                                          {"kmeans_assign", "kmeans"},
                                                          {"paged_decode", "paged_decode"}};
  for (const auto& [name, family] : programs) {
    Job job = CorpusJob(name, family);
    job.cases.resize(4);
    const JobResult result = RunAll(job);
    EXPECT_EQ(result.verdict, Verdict::kCorrect) << name << " " << result.detail;
    EXPECT_GT(result.spans.at("judge.on_device").count, 0) << name;
    EXPECT_EQ(Again(job).verdict, Verdict::kCorrect);
  }
}

// A confirmation is judged by the host's reference alone, also where a search of the same seed has
// the device's values at hand.
TEST_F(References, AConfirmationAsksTheHost) {
  Job job = CorpusJob("gemm_f16", "gemm");
  job.cases.resize(1);
  const JobResult search = RunAll(job);
  ASSERT_GT(search.spans.at("judge.on_device").count, 0);
  job.purpose = "CONFIRM";
  const JobResult confirmed = Again(job);
  EXPECT_EQ(confirmed.verdict, Verdict::kCorrect) << confirmed.detail;
  EXPECT_EQ(confirmed.machine, "right");
  EXPECT_FALSE(confirmed.spans.contains("judge.on_device"));
}

TEST_F(References, WhatIsWrongIsFoundByThem) {
  Job job = CorpusJob("gemm_bf16", "gemm");
  const std::string at = "acc[r, e + 1]";
  ASSERT_NE(job.program.source.find(at), std::string::npos);
  job.program.source.replace(job.program.source.find(at), at.size(), "acc[r, e]");
  const JobResult result = RunAll(job);
  EXPECT_EQ(result.verdict, Verdict::kWrongResult) << result.detail;
}

}  // namespace
}  // namespace runner::worker
