// The memory of a case as an honest evaluation leaves it, for tests to spoil.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/oracle/compare.h"
#include "runner/oracle/generate.h"
#include "runner/oracle/judge.h"
#include "runner/reference/numbers.h"

namespace runner::oracle {

inline std::vector<std::string> CorpusContracts() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".textproto") paths.push_back(entry.path().string());
  }
  return paths;
}

inline contract::Workload LoadPath(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto workload = contract::ParseTextproto(text.str());
  EXPECT_TRUE(workload.ok()) << workload.status();
  return *workload;
}

inline contract::Workload Load(const std::string& name, const std::string& family = "") {
  return LoadPath("tests/corpus/" + (family.empty() ? name : family) + "/" + name +
                  ".workload.textproto");
}

// The memory of a case as an honest evaluation would leave it: right outputs, everything else
// untouched.
class Arena {
 public:
  Arena(const contract::Workload& workload, const std::string& name, uint64_t seed)
      : workload_(workload), at_(*contract::FindCase(workload, name)), seed_(seed) {
    tensors_ = contract::TensorsOf(workload_, at_).value();
  }

  void AddRun(uint64_t poison, int input_set, bool write_outputs = true) {
    AddRun({.poison = poison, .input_set = input_set}, write_outputs);
  }
  void AddRun(const Run& how, bool write_outputs = true) {
    Memory run{.how = how};
    const uint64_t poison = how.poison;
    const int input_set = how.input_set;
    const auto drawn = DrawInputs(workload_, at_, tensors_, seed_, input_set, 1).value();
    const auto& builtin = *reference::FindBuiltin(workload_.reference.builtin).value();
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const auto& tensor = tensors_[i];
      std::vector<std::byte> data(static_cast<size_t>(tensor.bytes) + 2 * kGuardBytes);
      const std::span<std::byte> all(data);
      FillGuard(poison, static_cast<int>(i), 0, all.first(kGuardBytes));
      FillGuard(poison, static_cast<int>(i), 1, all.last(kGuardBytes));
      auto body = all.subspan(kGuardBytes, static_cast<size_t>(tensor.bytes));
      if (tensor.tensor->role != contract::Role::kOut) {
        const auto& input = drawn.memory.at(tensor.tensor->name);
        std::copy(input.begin(), input.end(), body.begin());
      } else {
        FillPoison(tensor.tensor->dtype, poison, static_cast<int>(i), body, 1);
      }
      if (tensor.tensor->role != contract::Role::kIn && write_outputs) {
        Write(builtin, drawn.inputs, tensor, body);
      }
      run.buffers.push_back(std::move(data));
    }
    runs_.push_back(std::move(run));
  }

  // Bytes of a buffer's data in one run.
  std::span<std::byte> Data(int run, const std::string& tensor) {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].tensor->name != tensor) continue;
      auto& bytes = runs_[static_cast<size_t>(run)].buffers[i];
      return std::span(bytes).subspan(kGuardBytes, bytes.size() - 2 * kGuardBytes);
    }
    ADD_FAILURE() << "no tensor " << tensor;
    return {};
  }

  CaseResult Judge() const {
    std::vector<Run> runs;
    for (const Memory& memory : runs_) {
      Run run = memory.how;
      for (size_t i = 0; i < tensors_.size(); ++i) {
        const std::span<const std::byte> all(memory.buffers[i]);
        run.buffers.push_back({tensors_[i].tensor->name, all.first(kGuardBytes),
                               all.subspan(kGuardBytes, all.size() - 2 * kGuardBytes),
                               all.last(kGuardBytes)});
      }
      runs.push_back(std::move(run));
    }
    auto result = JudgeCase(workload_, at_, seed_, runs, 1);
    EXPECT_TRUE(result.ok()) << result.status();
    return *result;
  }

 private:
  struct Memory {
    Run how;
    std::vector<std::vector<std::byte>> buffers;
  };
  static void Write(const reference::Builtin& builtin, const reference::Inputs& inputs,
                    const contract::CaseTensor& tensor, std::span<std::byte> body) {
    std::vector<double> want(static_cast<size_t>(tensor.elements)), scale(want.size());
    if (want.empty()) return;
    builtin.evaluate(inputs, tensor.tensor->name, {0, tensor.elements, want.data(), scale.data()});
    const int64_t bytes = reference::ElementBytes(tensor.tensor->dtype);
    for (size_t i = 0; i < want.size(); ++i) {
      const int64_t at = reference::OffsetOf(tensor, static_cast<int64_t>(i)) * bytes;
      reference::StoreElement(tensor.tensor->dtype, want[i], body.data() + at);
    }
  }

  const contract::Workload& workload_;
  const contract::Case& at_;
  uint64_t seed_;
  std::vector<contract::CaseTensor> tensors_;
  std::vector<Memory> runs_;
};

inline std::vector<std::string> Failed(const CaseResult& result) {
  std::vector<std::string> names;
  for (const Check& check : result.checks) {
    if (check.outcome == Outcome::kFail) names.push_back(check.name);
  }
  return names;
}

class Judging : public ::testing::Test {
 protected:
  const contract::Workload workload_ = Load("rmsnorm");
  Arena Honest(const std::string& name = "ragged") {
    Arena arena(workload_, name, 42);
    arena.AddRun(1001, 0);
    arena.AddRun(1002, 0);
    arena.AddRun(1003, 1);
    return arena;
  }
};

}  // namespace runner::oracle
