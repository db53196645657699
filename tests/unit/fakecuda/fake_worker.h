// A worker on the fake libraries, in a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/worker/evaluator.h"

namespace runner::worker {

namespace fs = std::filesystem;

inline std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A job of machine-tier size; what is timed is made small too, because a launch runs on the
// machine.
inline Job CorpusJob(const std::string& name, const std::string& family) {
  Job job;
  job.program.source = Read("tests/corpus/" + family + "/" + name + ".cake");
  job.program.file = name + ".cake";
  job.workload =
      contract::ParseTextproto(Read("tests/corpus/" + family + "/" + name + ".workload.textproto"))
          .value();
  for (const contract::Case& at : job.workload.cases) {
    if (at.tier == contract::Tier::kMachine) job.cases.push_back(at.name);
  }
  job.seed = 11;
  job.timing = false;
  job.rounds = 4;
  job.limits.launch_ms = 300;
  return job;
}

inline Job CorpusJob(const std::string& name) { return CorpusJob(name, name); }

inline Job AddJob(const std::string& body) {
  Job job = CorpusJob("vector_add");
  job.program.source =
      "program add target sm_80\n"
      "dim N in 0..=1073741824\n"
      "in a: f32[N], b: f32[N]\n"
      "out c: f32[N]\n"
      "kernel add {\n"
      "  grid (ceildiv(N, 256))\n"
      "  role main: warps 8 {\n"
      "    let i = cta*256 + thread\n" +
      body + "\n  }\n}\n";
  return job;
}

inline constexpr char kRight[] = "    if i < N { st c[i] <- (ld a[i]) + (ld b[i]) }";

// Small device cases, timed.
inline Job TimedJob() {
  Job job = AddJob(kRight);
  job.timing = true;
  for (contract::Case& at : job.workload.cases) {
    if (at.tier == contract::Tier::kDevice) at.dims["N"] = 3000;
  }
  job.cases.clear();
  return job;
}

// The device cases of a corpus program, made small, with itself as the baseline.
inline Job TimedCorpusJob(const std::string& name, const std::string& family,
                          const std::map<std::string, int64_t>& dims) {
  Job job = CorpusJob(name, family);
  job.cases.clear();
  for (contract::Case& at : job.workload.cases) {
    if (at.tier != contract::Tier::kDevice) continue;
    at.dims = dims;
    job.cases.push_back(at.name);
  }
  job.baseline = job.program;
  job.timing = true;
  job.rounds = 4;
  return job;
}

inline Job TimedCorpusJob(const std::string& name, const std::map<std::string, int64_t>& dims) {
  return TimedCorpusJob(name, name, dims);
}

class Fake : public ::testing::Test {
 protected:
  Fake() {
    std::string pattern = (fs::temp_directory_path() / "cake-fake-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    dir_ = pattern;
    // Children of a root worker run as another user.
    for (const char* name : {"", "/work", "/work/programs", "/state"}) {
      fs::create_directory(dir_ + name);
      chmod((dir_ + name).c_str(), 0777);
    }
  }
  ~Fake() override {
    evaluator_.reset();
    fs::remove_all(dir_);
  }

  EvaluatorOptions Options(const std::string& plan) {
    std::ofstream(dir_ + "/plan.json") << plan;
    const std::string libraries = CAKE_FAKE_FOLDER;
    return {.worker = CAKE_WORKER,
            .cuda = true,
            .libcuda = libraries + "/libcuda.so.1",
            .libnvrtc = libraries + "/libnvrtc.so.13",
            .libcupti = libraries + "/libcupti.so.13",
            .work_dir = dir_ + "/work",
            .sandbox_min = child::Level::kL1,
            .sandbox_max = child::Level::kL1,  // the state folder is written by children
            .environment = {"CAKE_FAKE_OBJECTS=" + dir_ + "/work/programs",
                            "CAKE_FAKE_PLAN=" + dir_ + "/plan.json",
                            "CAKE_FAKE_STATE=" + dir_ + "/state"},
            .visible = {dir_}};
  }

  JobResult Run(const Job& job, const std::string& plan = "{}") {
    return RunWith(Options(plan), job);
  }
  JobResult RunWith(const EvaluatorOptions& options, const Job& job) {
    auto evaluator = Evaluator::Create(options);
    EXPECT_TRUE(evaluator.ok()) << evaluator.status();
    if (!evaluator.ok()) return {};
    evaluator_ = *std::move(evaluator);
    return Again(job);
  }
  // The next candidate of the same worker.
  JobResult Again(const Job& job) {
    auto result = evaluator_->Run(job, [](const std::string&, int) {});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : JobResult{};
  }

  std::string dir_;
  std::unique_ptr<Evaluator> evaluator_;
};

inline const oracle::Check& CheckOf(const JobResult& result, std::string_view name) {
  static const oracle::Check kNone;
  for (const auto& check : result.checks) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << "no check " << name;
  return kNone;
}

}  // namespace runner::worker
