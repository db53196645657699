// Jobs that are answered from a table of recorded evaluations, and the recording of such a table
// while a worker serves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runner/child/fd.h"
#include "runner/replay/table.h"
#include "runner/worker/supervisor.h"

namespace runner::worker {

// The named check of each replayed job: whether the table has it.
inline constexpr std::string_view kCheckRecorded = "recorded";

// What the table says of a job. Without an entry a MEASUREMENT_FAULT whose check "recorded" fails
// and says what is there instead: nothing is guessed.
JobResult ReplayOf(const replay::Table& table, const Job& job);

// What a worker on this table registers as its device.
DeviceInfo ReplayDevice(const replay::Table& table);

class ReplayJobs : public Spawner {
 public:
  // `log` gets a line for each job that the table has not, with the counts so far.
  ReplayJobs(replay::Table table, std::function<void(const std::string&)> log);

  absl::Status Start(const Job& job) override;
  std::optional<JobEvent> Poll() override;
  int fd() const override { return ready_.get(); }
  void Kill() override;

  int64_t answered() const { return answered_; }
  int64_t missing() const { return missing_; }

 private:
  replay::Table table_;
  std::function<void(const std::string&)> log_;
  child::UniqueFd ready_;
  std::optional<JobEvent> event_;
  int64_t answered_ = 0, missing_ = 0;
};

// Lets another spawner run the jobs and writes what they come to into a replay file.
class RecordingJobs : public Spawner {
 public:
  RecordingJobs(Spawner& inner, replay::Recorder recorder,
                std::function<void(const std::string&)> log)
      : inner_(inner), recorder_(std::move(recorder)), log_(std::move(log)) {}

  absl::Status Start(const Job& job) override;
  std::optional<JobEvent> Poll() override;
  int fd() const override { return inner_.fd(); }
  void Kill() override { inner_.Kill(); }
  absl::Status Probe() override { return inner_.Probe(); }

 private:
  void Record(const JobEvent& event);

  Spawner& inner_;
  replay::Recorder recorder_;
  std::function<void(const std::string&)> log_;
  std::string purpose_;
};

}  // namespace runner::worker
