// Kernels that pass the gates and are wrong in value, through the whole worker on the reference
// machine: each must be refused, by the check that is named for it. Beside it what the usual
// comparison finds: one random case, closeness of 1e-2. The table of README.md is what this test
// finds; CAKE_GOLDEN_UPDATE=1 writes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compiler/diag/render.h"
#include "compiler/machine/machine.h"
#include "runner/contract/bind.h"
#include "runner/launch/elaborate.h"
#include "runner/launch/image.h"
#include "runner/oracle/compare.h"
#include "runner/reference/numbers.h"
#include "runner/worker/evaluator.h"
#include "server/pipeline/pipeline.h"
#include "tests/wrong/kernels.h"

namespace tests {
namespace {

namespace contract = runner::contract;
namespace launch = runner::launch;
namespace oracle = runner::oracle;
namespace reference = runner::reference;
namespace worker = runner::worker;

constexpr char kList[] = "tests/wrong/kernels.txt", kPage[] = "tests/wrong/README.md";
// Kernels of an author who knew contracts and programs and not the oracle, each with a right twin.
constexpr char kOthers[] = "tests/wrong/independent.txt",
               kOthersPage[] = "tests/wrong/INDEPENDENT.md";
constexpr double kRelative = 1e-2, kAbsolute = 1e-2;
constexpr uint64_t kRandomSeed = 1234, kJobSeed = 11;

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The contract of a program is the one of its folder with the longest name that begins its own.
contract::Workload ContractOf(const std::string& base) {
  std::string name = base;
  while (!std::ifstream("tests/corpus/" + name + ".workload.textproto").good()) {
    const size_t cut = name.rfind('_');
    if (cut == std::string::npos) return {};
    name.resize(cut);
  }
  return contract::ParseTextproto(Read("tests/corpus/" + name + ".workload.textproto")).value();
}

std::string BaseOf(const WrongKernel& kernel) {
  return Read("tests/corpus/" + kernel.base + ".cake");
}

// One run of a program on the machine, however long it takes.
struct Ran {
  launch::Layout layout;
  launch::RunSpec run{.poison = 1};
  std::vector<std::byte> image;
};
Ran RunOnce(const launch::ProgramText& text, const contract::Workload& workload,
            const contract::Case& at) {
  compiler::diag::Report report;
  const auto program = launch::Elaborate(text, report);
  const auto plan = launch::PlanCase(program, workload, at, contract::kMachineSms).value();
  Ran out{.layout = launch::LayOut(plan.plan)};
  out.image.resize(static_cast<size_t>(out.layout.bytes));
  EXPECT_TRUE(launch::FillRun(workload, at, out.layout, out.run, kRandomSeed, out.image, 1).ok());
  compiler::machine::Memory memory;
  for (const launch::Slot& slot : out.layout.slots) {
    const auto data = launch::DataOf(slot, out.image);
    if (slot.zero) std::fill(data.begin(), data.end(), std::byte{0});
    memory.tensors.push_back(data);
  }
  const auto ran = compiler::machine::Run(*program.program, program.facts, plan.plan, plan.values,
                                          memory, {.max_lane_statements = int64_t{1} << 40});
  EXPECT_TRUE(ran.ok());
  return out;
}

// What a test of one random case says: |got - want| <= 1e-2 + 1e-2 |want| everywhere.
bool AllClose(const std::string& source, const contract::Workload& workload) {
  const auto at =
      std::find_if(workload.cases.begin(), workload.cases.end(), [](const contract::Case& one) {
        return one.tier == contract::Tier::kMachine && one.set == contract::Set::kSearch &&
               one.variant.empty();
      });
  Ran ran = RunOnce({.source = source, .file = "wrong.cake"}, workload, *at);
  const auto tensors = contract::TensorsOf(workload, *at).value();
  const auto drawn = oracle::DrawInputs(workload, *at, tensors, kRandomSeed, 0, 1).value();
  const auto& builtin = *reference::FindBuiltin(workload.reference.builtin).value();
  for (const contract::CaseTensor& tensor : tensors) {
    if (tensor.tensor->role == contract::Role::kIn) continue;
    std::vector<double> want(static_cast<size_t>(tensor.elements)), scale(want.size());
    builtin.evaluate(drawn.inputs, tensor.tensor->name,
                     {0, tensor.elements, want.data(), scale.data()});
    const auto dtype = tensor.tensor->dtype;
    for (const launch::Slot& slot : ran.layout.slots) {
      if (slot.name != tensor.tensor->name) continue;
      const auto data = launch::DataOf(slot, ran.image);
      for (int64_t i = 0; i < tensor.elements; ++i) {
        const double right = reference::Rounded(dtype, want[static_cast<size_t>(i)]);
        const double got = reference::LoadElement(
            dtype, data.data() + reference::OffsetOf(tensor, i) * reference::ElementBytes(dtype));
        if (!(std::abs(got - right) <= kAbsolute + kRelative * std::abs(right))) return false;
      }
    }
  }
  return true;
}

// What the oracle finds at a size of its own, which no machine-tier case has.
std::set<std::string> FailedAt(const std::string& source, contract::Workload workload,
                               const Boundary& boundary) {
  contract::Case& at = workload.cases.front();
  at.dims = {boundary.dims.begin(), boundary.dims.end()};
  at.variant = boundary.variant;
  const launch::ProgramText text{.source = source,
                                 .file = "wrong.cake",
                                 .binding = {boundary.binding.begin(), boundary.binding.end()}};
  const Ran ran = RunOnce(text, workload, at);
  const auto judged = oracle::JudgeCase(workload, at, kRandomSeed,
                                        {launch::ViewOf(ran.layout, ran.run, ran.image)}, 1);
  EXPECT_TRUE(judged.ok()) << judged.status();
  std::set<std::string> out;
  for (const oracle::Check& check : judged->checks) {
    if (check.outcome == oracle::Outcome::kFail) out.insert(check.name);
  }
  return out;
}

// Whether a device-tier case reaches beyond the boundary.
bool HasCaseBeyond(const contract::Workload& workload, const Boundary& boundary) {
  return std::any_of(workload.cases.begin(), workload.cases.end(), [&](const contract::Case& at) {
    return at.tier == contract::Tier::kDevice && at.variant == boundary.variant &&
           std::all_of(boundary.dims.begin(), boundary.dims.end(), [&](const auto& dim) {
             const auto mine = at.dims.find(dim.first);
             return mine != at.dims.end() && mine->second > dim.second;
           });
  });
}

class Wrong : public ::testing::Test {
 protected:
  static worker::JobResult Judge(const std::string& source, const contract::Workload& workload,
                                 const std::string& at = "", uint64_t seed = kJobSeed) {
    static const auto evaluator = [] {
      // Values need no compiler.
      auto made = worker::Evaluator::Create({.worker = CAKE_WORKER, .libnvrtc = "/nowhere"});
      EXPECT_TRUE(made.ok()) << made.status();
      return *std::move(made);
    }();
    worker::Job job;
    job.program = {.source = source, .file = "wrong.cake"};
    job.workload = workload;
    job.seed = seed;
    if (!at.empty()) job.cases = {at};
    auto result = evaluator->Run(job, [](const std::string&, int) {});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : worker::JobResult{};
  }

  static void ExpectToPassTheGates(const std::string& source) {
    const server::pipeline::Candidate candidate(source, {.emit_cuda = false});
    ASSERT_TRUE(candidate.ok()) << compiler::diag::RenderText(candidate.report(), "", source);
    const auto member = candidate.CheckMember(candidate.Bind({}).value());
    if (member.verdict == server::pipeline::Verdict::kPassed) return;
    // Outputs that are left out the gates find too; the oracle has to without them.
    EXPECT_THAT(server::pipeline::ToText(candidate, member, false),
                testing::HasSubstr("error[CK2546]"));
  }
};

std::set<std::string> FailedChecks(const worker::JobResult& result) {
  std::set<std::string> out;
  for (const auto& at : result.cases) {
    for (const auto& check : at.checks) {
      if (check.outcome == oracle::Outcome::kFail) out.insert(check.name);
    }
  }
  return out;
}

struct Row {
  const WrongKernel* kernel = nullptr;
  std::string at;  // the case
  bool close = false, refused = false;
};

std::string Page(const std::vector<Row>& rows) {
  std::map<std::string, std::pair<int, int>> faults;  // wrong kernels, of these called close
  int wrong = 0, close = 0, refused = 0;
  std::ostringstream table, out;
  for (const Row& row : rows) {
    const WrongKernel& kernel = *row.kernel;
    table << "| " << kernel.name << " | " << kernel.fault << " | " << kernel.says << " | "
          << (kernel.good() ? "accepted" : kernel.check + ", " + row.at) << " | "
          << (row.close ? "accepted" : "refused") << " |\n";
    if (kernel.good()) continue;
    ++wrong, close += row.close, refused += row.refused;
    ++faults[kernel.fault].first;
    faults[kernel.fault].second += row.close;
  }
  out << "# Wrong kernels\n\n"
         "Programs of the corpus with a fault of value (kernels.txt): all pass the gates, and a "
         "check of the oracle refuses each on the\nreference machine. Beside it what is usual: one "
         "random case, every element within 1e-2 + 1e-2 |want|. `wrong_test` finds what this\npage "
         "says, and that every base is accepted; `CAKE_GOLDEN_UPDATE=1` writes it.\n\n"
      << wrong << " wrong kernels: the oracle refuses " << refused << ", the usual comparison "
      << wrong - close
      << ".\n\n| fault | kernels | refused by the usual comparison |\n|---|---|---|\n";
  for (const auto& [fault, counts] : faults) {
    out << "| " << fault << " | " << counts.first << " | " << counts.first - counts.second
        << " |\n";
  }
  out << "\n| kernel | fault | what it does | oracle: check, first case | usual comparison |\n"
         "|---|---|---|---|---|\n"
      << table.str();
  return out.str();
}

TEST_F(Wrong, KernelsAreRefusedByTheNamedCheckAndTheirTwinsAreNot) {
  const auto kernels = ReadWrongKernels(kList);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  std::vector<Row> rows;
  std::set<std::string> names, bases;
  int wrong = 0;
  for (const WrongKernel& kernel : *kernels) {
    SCOPED_TRACE(kernel.name);
    EXPECT_TRUE(names.insert(kernel.name).second);
    const auto source = SourceOf(kernel, BaseOf(kernel));
    if (!source.ok()) {
      ADD_FAILURE() << source.status();
      continue;
    }
    const contract::Workload workload = ContractOf(kernel.base);
    ExpectToPassTheGates(*source);
    if (HasFatalFailure()) continue;
    if (bases.insert(kernel.base).second) {
      EXPECT_EQ(Judge(BaseOf(kernel), workload).verdict, contract::Verdict::kCorrect)
          << kernel.base;
    }
    const worker::JobResult result = Judge(*source, workload);
    rows.push_back({&kernel, result.cases.empty() ? "" : result.cases.back().name,
                    AllClose(*source, workload), result.verdict != contract::Verdict::kCorrect});
    if (kernel.good()) {
      EXPECT_EQ(result.verdict, contract::Verdict::kCorrect) << result.detail;
      continue;
    }
    ++wrong;
    EXPECT_NE(result.verdict, contract::Verdict::kCorrect);
    EXPECT_EQ(result.blame, contract::Blame::kCandidate);
    EXPECT_THAT(FailedChecks(result), testing::Contains(kernel.check)) << result.detail;
  }
  EXPECT_GE(wrong, 40);
  if (std::getenv("CAKE_GOLDEN_UPDATE") != nullptr) std::ofstream(kPage) << Page(rows);
  EXPECT_EQ(Page(rows), Read(kPage));
}

// What the gates and, unless they refuse it, the oracle on some cases make of a kernel.
class Others : public Wrong {
 protected:
  // The code of the gates, the failed checks, or nothing.
  static std::set<std::string> Found(const WrongKernel& kernel, const std::string& source,
                                     const contract::Workload& workload,
                                     const std::string& at = "") {
    if (kernel.gated()) {
      compiler::diag::Report report;
      const auto program = launch::Elaborate({.source = source, .file = "wrong.cake"}, report);
      if (program.program != nullptr) contract::CheckBinding(workload, *program.program, report);
      const server::pipeline::Candidate candidate(source, {.emit_cuda = false});
      std::string text = compiler::diag::RenderText(report, "", source);
      if (candidate.ok()) {
        const auto member = candidate.CheckMember(candidate.Bind({}).value());
        text += server::pipeline::ToText(candidate, member, false);
      }
      if (text.find("error[" + kernel.check + "]") == std::string::npos) return {};
      return {kernel.check};
    }
    const uint64_t seed = kernel.seed.empty() ? kJobSeed : std::stoull(kernel.seed);
    return FailedChecks(Judge(source, workload, at, seed));
  }

  // With a number of the source smaller, in the case that then shows it.
  static std::set<std::string> FoundWhereSmaller(const WrongKernel& kernel,
                                                 const contract::Workload& workload) {
    std::istringstream words(kernel.small);
    std::string large, arrow, small, word, at;
    words >> large >> arrow >> small >> word >> at;
    std::string source = SourceOf(kernel, BaseOf(kernel)).value();
    const size_t place = source.find(large);
    if (place == std::string::npos) return {};
    return FailedChecks(Judge(source.replace(place, large.size(), small), workload, at));
  }
};

// The case of a wrong kernel stands for it and for the twin behind it.
TEST_F(Others, CheapOnesAreRefusedByTheNamedCheckAtTheNamedCase) {
  const auto kernels = ReadWrongKernels(kOthers);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  std::set<std::string> faults;
  for (const WrongKernel& kernel : *kernels) {
    if (kernel.form != "short") continue;
    SCOPED_TRACE(kernel.name);
    const auto source = SourceOf(kernel, BaseOf(kernel));
    if (!source.ok()) {
      ADD_FAILURE() << source.status();
      continue;
    }
    const auto found = Found(kernel, *source, ContractOf(kernel.base), kernel.at);
    if (kernel.good()) {
      EXPECT_THAT(found, testing::IsEmpty());
    } else {
      EXPECT_THAT(found, testing::Contains(kernel.check));
      faults.insert(kernel.fault);
    }
  }
  EXPECT_GE(faults.size(), 8u);
}

// What shows at device sizes alone: the contract has a case of such a size, and where a smaller
// number does the same, a check of the machine tier finds it.
TEST_F(Others, WhatOnlyDeviceSizesShowHasADeviceCaseBeyondItsBoundary) {
  const auto kernels = ReadWrongKernels(kOthers);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  for (const WrongKernel& kernel : *kernels) {
    if (!kernel.missed()) continue;
    SCOPED_TRACE(kernel.name);
    const contract::Workload workload = ContractOf(kernel.base);
    const auto beyond = ParseBoundary(kernel.beyond);
    ASSERT_TRUE(beyond.ok()) << beyond.status();
    EXPECT_FALSE(beyond->dims.empty());
    EXPECT_TRUE(HasCaseBeyond(workload, *beyond));
    EXPECT_NE(kernel.shows.empty(), kernel.small.empty());
    if (!kernel.small.empty()) {
      EXPECT_THAT(FoundWhereSmaller(kernel, workload), testing::Not(testing::IsEmpty()));
    }
  }
}

// A row of the page.
struct Finding {
  const WrongKernel* kernel = nullptr;
  std::set<std::string> found;  // failed checks, or the code of the gates; of a missed one: where
                                // its boundary is nearer
  bool close = false;           // by the usual comparison
};

std::string OthersPage(const std::vector<Finding>& rows, int twins) {
  std::map<std::string, std::pair<int, int>> checks;  // wrong kernels, of these called close
  std::ostringstream table, missed, out;
  int close = 0, gated = 0, found = 0;
  for (const Finding& row : rows) {
    const WrongKernel& kernel = *row.kernel;
    const std::string all = absl::StrJoin(row.found, ", ");
    if (kernel.missed()) {
      missed << "| " << kernel.name << " | " << kernel.says << " | " << kernel.beyond << " | "
             << (kernel.shows.empty() ? kernel.small : kernel.shows) << ": " << all << " |\n";
      continue;
    }
    const std::string usual = kernel.gated() ? "not run" : row.close ? "accepted" : "refused";
    table << "| " << kernel.name << " | " << kernel.base << " | " << kernel.fault << " | "
          << kernel.says << " | " << all << " | " << usual << " |\n";
    ++checks[kernel.check].first;
    checks[kernel.check].second += row.close;
    (kernel.gated() ? gated : found) += 1;
    close += row.close;
  }
  out << "# Wrong kernels of an independent author\n\n"
         "Programs of the corpus as an author changed them who knew their contracts and not the "
         "oracle (independent.txt). `CAKE_WRONG_ALL=1 wrong_test\n--gtest_filter=Others.*` judges "
         "all of them in all machine-tier cases and writes this page.\n\n"
      << rows.size() << " wrong kernels: the gates refuse " << gated
      << ", the oracle on the machine tier " << found << ", " << rows.size() - gated - found
      << " show at device sizes alone. Of the " << found
      << " the usual comparison (one random case, 1e-2 + 1e-2 |want|)\nrefuses " << found - close
      << ". " << twins
      << " right twins are accepted.\n\n| check | wrong kernels | refused by the usual comparison "
         "|\n|---|---|---|\n";
  for (const auto& [check, counts] : checks)
    out << "| " << check << " | " << counts.first << " | "
        << (check.starts_with("CK") ? "-" : std::to_string(counts.first - counts.second)) << " |\n";
  out << "\n| kernel | program | fault | what it does | failed checks | usual comparison "
         "|\n|---|---|---|---|---|---|\n"
      << table.str()
      << "\nWhat shows at device sizes alone: a device-tier case is beyond the boundary, and the "
         "machine finds it where the boundary is nearer.\n\n"
         "| kernel | what it does | boundary | nearer boundary: failed checks |\n"
         "|---|---|---|---|\n"
      << missed.str();
  return out.str();
}

// The row that the page has of a kernel; false: none.
bool ReadRow(const std::string& page, const WrongKernel& kernel, Finding& row) {
  const size_t begin = page.find("\n| " + kernel.name + " | ");
  if (begin == std::string::npos) return false;
  const std::string line = page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
  const std::vector<std::string> columns = absl::StrSplit(line, " | ");
  const std::string last(absl::StripSuffix(columns.back(), " |"));
  const std::string checks =
      kernel.missed() ? last.substr(last.rfind(": ") + 2) : columns[columns.size() - 2];
  const std::vector<std::string> found = absl::StrSplit(checks, ", ");
  row = {&kernel, {found.begin(), found.end()}, !kernel.missed() && last == "accepted"};
  return true;
}

// The long form, of all cases of all of them: an hour of one core. CAKE_WRONG_ALL=1 asks for it and
// writes the page; CAKE_WRONG_ALL=NAME,.. judges these again and takes the other rows from the
// page.
TEST_F(Others, AllAreRefusedByTheNamedCheckOrMissedForTheReasonGiven) {
  const auto kernels = ReadWrongKernels(kOthers);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  const char* const asked = std::getenv("CAKE_WRONG_ALL");
  const std::vector<std::string> words = absl::StrSplit(asked == nullptr ? "" : asked, ',');
  const std::set<std::string> names(words.begin(), words.end());
  const std::string page = Read(kOthersPage);
  std::vector<Finding> rows;
  int twins = 0;
  for (const WrongKernel& kernel : *kernels) {
    SCOPED_TRACE(kernel.name);
    const auto source = SourceOf(kernel, BaseOf(kernel));
    if (!source.ok()) {
      ADD_FAILURE() << source.status();
      continue;
    }
    twins += kernel.good();
    if (asked == nullptr) continue;
    if (!names.contains("1") && !names.contains(kernel.name)) {
      Finding row;
      if (!kernel.good() && ReadRow(page, kernel, row)) rows.push_back(row);
      continue;
    }
    const contract::Workload workload = ContractOf(kernel.base);
    auto found = Found(kernel, *source, workload);
    if (kernel.good() || kernel.missed()) {
      EXPECT_THAT(found, testing::IsEmpty());
    } else {
      EXPECT_THAT(found, testing::Contains(kernel.check));
    }
    if (kernel.good()) continue;
    if (kernel.missed()) {
      found = kernel.shows.empty()
                  ? FoundWhereSmaller(kernel, workload)
                  : FailedAt(*source, workload, ParseBoundary(kernel.shows).value());
      EXPECT_THAT(found, testing::Not(testing::IsEmpty()));
    }
    rows.push_back({&kernel, found, !kernel.gated() && AllClose(*source, workload)});
  }
  EXPECT_GE(twins, 100);
  if (asked != nullptr) std::ofstream(kOthersPage) << OthersPage(rows, twins);
}

}  // namespace
}  // namespace tests
