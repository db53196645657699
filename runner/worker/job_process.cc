#include "runner/worker/job_process.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "absl/strings/str_cat.h"
#include "runner/child/json_field.h"
#include "runner/child/pack.h"
#include "runner/contract/hash.h"
#include "runner/worker/passport.h"

namespace runner::worker {
namespace {

using nlohmann::json;

constexpr uint8_t kHelloFrame = 1, kRefusedFrame = 2, kJobFrame = 3, kProgressFrame = 4,
                  kResultFrame = 5;
constexpr int64_t kStartMs = 180'000;
constexpr int kExitWorld = 3;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

Capabilities ReadCapabilities(const std::string& text) {
  const json in = json::parse(text, nullptr, false);
  Capabilities out;
  out.device_json = child::TextField(in, "device");
  const auto noise = in.find("noise");
  if (noise != in.end() && noise->is_object()) {
    for (const auto& [name, floor] : noise->items())
      if (floor.is_number()) out.noise[name] = floor.get<double>();
  }
  out.noise_missing = child::TextField(in, "noise_missing");
  out.compiler = child::TextField(in, "compiler");
  out.compiler_missing = child::TextField(in, "compiler_missing");
  const auto direct = in.find("direct");
  out.direct = direct != in.end() && direct->is_boolean() && direct->get<bool>();
  out.sandbox_level = child::TextField(in, "sandbox");
  out.sandbox_evidence = child::TextsField(in, "evidence");
  return out;
}

}  // namespace

absl::StatusOr<Capabilities> JobProcess::Spawn(bool measure_noise, bool golden) {
  child::SpawnOptions spawn{
      .argv = {options_.worker, "--judge-child", "--device", options_.cuda ? "cuda" : "cpu",
               "--sandbox-min", std::string(ToString(options_.sandbox_min)), "--direct-sandbox-min",
               std::string(ToString(options_.direct_sandbox_min))},
      .environment = child::CleanEnvironment()};
  const auto flag = [&](const char* name, const std::string& value) {
    if (!value.empty()) spawn.argv.insert(spawn.argv.end(), {name, value});
  };
  flag("--work-dir", options_.work_dir);
  flag("--libcuda", options_.libcuda);
  flag("--libnvrtc", options_.libnvrtc);
  flag("--libcupti", options_.libcupti);
  for (const std::string& folder : options_.tool_folders) flag("--tools", folder);
  flag("--libcublaslt", options_.libcublaslt);
  flag("--library-path", options_.library_path);
  flag("--baselines", options_.baselines);
  flag("--device-references-from", std::to_string(options_.reference_work_min));
  if (options_.known_bytes > 0) flag("--known-bytes", std::to_string(options_.known_bytes));
  if (!options_.tools) spawn.argv.emplace_back("--no-tools");
  if (measure_noise) spawn.argv.emplace_back("--measure-noise");
  if (golden) spawn.argv.emplace_back("--golden");
  spawn.environment.insert(spawn.environment.end(), options_.environment.begin(),
                           options_.environment.end());
  spawn.limits.open_files = 4096;
  auto process = child::Process::Spawn(spawn);
  if (!process.ok()) return process.status();
  auto frame = process->channel().Receive(kStartMs);
  if (!frame.ok() || !frame->has_value()) {
    const child::Exit exit = process->Kill();
    return absl::UnavailableError(
        absl::StrCat("the job process does not start: ", exit.ToString(), " ", exit.error_tail));
  }
  if ((*frame)->type != kHelloFrame) return absl::UnavailableError((*frame)->payload);
  process_ = std::make_unique<child::Process>(*std::move(process));
  return ReadCapabilities((*frame)->payload);
}

absl::StatusOr<Capabilities> JobProcess::Describe() {
  return Spawn(options_.measure_noise, options_.cuda);
}

absl::Status JobProcess::Start(const Job& job) {
  std::string text;
  try {
    text = ToJson(job);
  } catch (const json::exception& error) {  // a text that is not UTF-8
    return absl::InvalidArgumentError(absl::StrCat("the job has no JSON form: ", error.what()));
  }
  if (process_ == nullptr) {
    if (auto spawned = Spawn(false, false); !spawned.ok()) return spawned.status();
  }
  running_ = true;
  const auto status = process_->channel().Send(kJobFrame, text);
  if (status.ok()) return status;
  Kill();
  return status;
}

std::optional<JobEvent> JobProcess::Poll() {
  if (!running_ || process_ == nullptr) return std::nullopt;
  auto frame = process_->channel().Receive(0);
  if (!frame.ok() && frame.status().code() == absl::StatusCode::kDeadlineExceeded)
    return std::nullopt;
  const auto died = [&](std::string reason) {
    Kill();
    return JobEvent{.kind = JobEvent::Kind::kDied, .reason = std::move(reason)};
  };
  if (!frame.ok()) return died(Message(frame.status()));
  if (!frame->has_value()) {
    const child::Exit exit = process_->Finish(1000);
    return died(absl::StrCat("the job process died: ", exit.ToString(), " ", exit.error_tail));
  }
  if ((*frame)->type == kProgressFrame) {
    const json in = json::parse((*frame)->payload, nullptr, false);
    if (!in.is_object()) return died("the job process sent a broken progress frame");
    return JobEvent{.stage = child::TextField(in, "stage"),
                    .percent = static_cast<int>(
                        std::clamp<int64_t>(child::IntegerField(in, "percent"), 0, 100))};
  }
  running_ = false;
  if ((*frame)->type == kRefusedFrame)
    return JobEvent{.kind = JobEvent::Kind::kDied, .reason = (*frame)->payload};
  auto parts = child::Unpack((*frame)->payload);
  if ((*frame)->type != kResultFrame || !parts || parts->size() % 2 != 0 || parts->empty())
    return died("the job process sent a broken result");
  auto result = JobResultFromJson((*parts)[0]);
  if (!result.ok()) return died(Message(result.status()));
  for (size_t i = 2; i < parts->size(); i += 2) result->objects[(*parts)[i]] = (*parts)[i + 1];
  return JobEvent{
      .kind = JobEvent::Kind::kResult, .result = *std::move(result), .receipt_json = (*parts)[1]};
}

void JobProcess::Kill() {
  running_ = false;
  process_.reset();  // its children die with it
}

namespace {

absl::StatusOr<std::map<std::string, double>> MeasureNoise(Evaluator& evaluator) {
  const auto job = PassportJob();
  if (!job.ok()) return job.status();
  const auto result = evaluator.Run(*job, [](const std::string&, int) {});
  if (!result.ok()) return result.status();
  return FloorsOf(*result);
}

absl::Status RunGolden(Evaluator& evaluator) {
  std::random_device random;  // a candidate cannot know the inputs
  const auto job = GoldenJob(uint64_t{random()} << 32 | random());
  if (!job.ok()) return job.status();
  const auto result = evaluator.Run(*job, [](const std::string&, int) {});
  return result.ok() ? Admits(*result) : result.status();
}

}  // namespace

int JobProcessMain(const EvaluatorOptions& options) {
  child::Channel channel{child::UniqueFd(child::kChannelFd)};
  auto evaluator = Evaluator::Create(options);
  auto device =
      evaluator.ok() && options.cuda ? (*evaluator)->DeviceJson() : absl::StatusOr<std::string>("");
  absl::Status ready = evaluator.ok() ? device.status() : evaluator.status();
  const auto compiler =
      ready.ok() ? (*evaluator)->CompilerVersion() : absl::StatusOr<std::string>(ready);
  if (ready.ok() && compiler.ok() && options.golden) ready = RunGolden(**evaluator);
  if (!ready.ok()) return channel.Send(kRefusedFrame, Message(ready)).ok() ? kExitWorld : 1;
  const auto noise = options.measure_noise
                         ? MeasureNoise(**evaluator)
                         : absl::StatusOr<std::map<std::string, double>>(absl::UnknownError(""));
  const json hello = {{"device", *device},
                      {"noise", noise.ok() ? *noise : std::map<std::string, double>()},
                      {"noise_missing", noise.ok() ? "" : Message(noise.status())},
                      {"compiler", compiler.ok() ? *compiler : ""},
                      {"compiler_missing", compiler.ok() ? "" : Message(compiler.status())},
                      {"direct", (*evaluator)->RunsDirect()},
                      {"sandbox", std::string(ToString((*evaluator)->sandbox().level))},
                      {"evidence", (*evaluator)->sandbox().evidence}};
  if (!channel.Send(kHelloFrame, hello.dump()).ok()) return 1;
  for (;;) {
    auto frame = channel.Receive(-1);
    if (!frame.ok()) return 1;
    if (!frame->has_value()) return 0;
    const auto job = JobFromJson((*frame)->payload);
    auto result = job.ok()
                      ? (*evaluator)
                            ->Run(*job,
                                  [&](const std::string& stage, int percent) {
                                    // A supervisor that is gone is noticed at the next receive.
                                    channel
                                        .Send(kProgressFrame,
                                              json({{"stage", stage}, {"percent", percent}}).dump())
                                        .IgnoreError();
                                  })
                      : absl::StatusOr<JobResult>(job.status());
    if (!result.ok()) {
      if (!channel.Send(kRefusedFrame, Message(result.status())).ok()) return 1;
      continue;
    }
    result->objects["job"] = contract::CanonicalJson(ToJson(*job));  // to run it again elsewhere
    const std::string body = ToJson(*result), receipt = ReceiptJson(*job, *result);
    std::vector<std::string_view> parts = {body, receipt};
    for (const auto& [name, bytes] : result->objects) parts.insert(parts.end(), {name, bytes});
    if (!channel.Send(kResultFrame, child::Pack(parts)).ok()) return 1;
  }
}

}  // namespace runner::worker
