// Evidence of another store: its runs come in whole, once, closed, under numbers of this store; and
// what is wrong with a file is said and changes nothing.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "server/core/evidence.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using store::RunState;
using store::Verdict;

struct Exported {
  nlohmann::json manifest;
  std::vector<nlohmann::json> lines;
  std::map<std::string, std::string> objects;

  std::string Log() const {
    std::string text;
    for (const auto& line : lines) text += line.dump() + "\n";
    return text;
  }
  // Changes a field of the first event of a kind.
  void Set(const std::string& kind, const std::string& field, const nlohmann::json& value) {
    for (auto& line : lines) {
      if (line["kind"] != kind) continue;
      auto body = nlohmann::json::parse(line["body"].get<std::string>());
      body[field] = value;
      line["body"] = body.dump();
      return;
    }
    FAIL() << "no " << kind;
  }
};

// What tests/device/evidence.py writes, without the packing.
Exported Export(World& world) {
  Exported out;
  auto view = world.store->Snapshot();
  const auto events = *(*view)->reads().EventsAfter(0, 0, 500);
  for (const store::Event& event : events) {
    out.lines.push_back({{"seq", event.seq},
                         {"at_us", event.at_us},
                         {"run", event.run},
                         {"kind", std::string(store::KindOf(event.body))},
                         {"subject", event.subject},
                         {"schema", store::SchemaOf(event.body)},
                         {"body", store::BodyToJson(event.body)}});
    std::vector<store::ObjectHash> hashes;
    EXPECT_TRUE(store::CheckBody(event.body, &hashes).ok());
    for (const auto& hash : hashes) out.objects[hash.hex] = *(*view)->reads().GetObject(hash);
  }
  out.manifest = {{"schema", 1},        {"campaign", "smoke"}, {"git", "abc"},
                  {"script", "s"},      {"bundle_hash", "b"},  {"driver", "580"},
                  {"device", "H200 x"}, {"simulated", true}};
  return out;
}

absl::StatusOr<core::ImportReply> Import(World& world, Exported evidence) {
  for (const auto& [hash, bytes] : evidence.objects) {
    EXPECT_TRUE(world.core->PutObject(store::ObjectKind::kOther, bytes).ok());
  }
  const std::string log = evidence.Log();
  evidence.manifest.emplace("events", store::Sha256Hex(log));
  core::ImportRequest request;
  request.log = *world.core->PutObject(store::ObjectKind::kOther, log);
  request.manifest = *world.core->PutObject(store::ObjectKind::kOther, evidence.manifest.dump());
  return world.core->ImportEvidence(request);
}

// A store with one finished search and one that was cut in the middle: a lease is out, a job waits,
// a family is not judged yet.
void Fill(World& world) {
  world.RegisterWorker();
  world.StartRun("search", 4);
  core::Meta meta = world.NewMeta();
  meta.experiment = "search";
  ASSERT_TRUE(world.Submit(world.Request("name=f members=6 bad=2,3", meta)).ok());
  world.WorkOff();
  world.Submit("name=cut members=3");
  world.Settle();
  ASSERT_TRUE(world.Acquire().has_value());
  core::SubmitRequest late = world.Request("name=late", world.NewMeta());
  world.core->Submit(late, [](auto) {});
  world.core->TakeCommitted();
}

void ExpectRebuilds(World& world) { EXPECT_EQ(world.Refold(), world.state()); }

TEST(Import, RunsComeInWholeAndClosed) {
  World there, here;
  Fill(there);
  here.Submit("name=mine");
  here.RegisterWorker("mine");
  here.Settle();
  const auto reply = Import(here, Export(there));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_FALSE(reply->already);
  ASSERT_EQ(reply->runs.size(), there.state().runs.size());
  for (const core::RunView& run : reply->runs) {
    const state::Run& source = there.state().runs.at(run.row.source_run);
    EXPECT_NE(run.row.id, run.row.source_run);
    EXPECT_EQ(run.row.state, RunState::kStopped);
    EXPECT_EQ(run.row.reason, source.state == RunState::kStopped ? source.reason : "IMPORTED");
    EXPECT_EQ(run.row.candidates.size(), source.candidates.size());
    EXPECT_TRUE(run.progress.terminal);
    EXPECT_EQ(run.workload, "vector_add");
    ASSERT_TRUE(run.imported.has_value());
    EXPECT_EQ(run.imported->device, "H200 x");
    for (size_t i = 0; i < source.candidates.size(); ++i) {
      const auto theirs =
          state::JudgedOf(there.state(), there.state().candidates.at(source.candidates[i]));
      const auto ours =
          state::JudgedOf(here.state(), here.state().candidates.at(run.row.candidates[i]));
      if (theirs.verdict != Verdict::kPending) {
        EXPECT_EQ(ours.verdict, theirs.verdict);
      }
      EXPECT_NE(ours.verdict, Verdict::kPending);
    }
  }
  ExpectRebuilds(here);
  EXPECT_TRUE(here.state().open_leases.empty());
  // What waits here is what waited before: nothing that came in is work.
  here.Settle();
  int jobs = 0;
  while (const auto grant = here.Acquire("mine")) {
    EXPECT_NE(grant->spec_json.find("\"candidate\":\"c-1-1\""), std::string::npos);
    ASSERT_TRUE(here.core->Complete(here.Result(*grant, Verdict::kCorrect, "mine")).ok());
    here.Settle();
    ++jobs;
  }
  EXPECT_EQ(jobs, 1);
}

TEST(Import, TheSameManifestAgainChangesNothing) {
  World there, here;
  Fill(there);
  const Exported evidence = Export(there);
  ASSERT_TRUE(Import(here, evidence).ok());
  const int64_t seq = here.state().last_seq;
  const auto again = Import(here, evidence);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->already);
  EXPECT_EQ(again->runs.size(), there.state().runs.size());
  EXPECT_EQ(here.state().last_seq, seq);
}

TEST(Import, OfAnotherCampaignOfTheSameStoreIsAnotherImport) {
  World there, here;
  Fill(there);
  Exported evidence = Export(there);
  ASSERT_TRUE(Import(here, evidence).ok());
  evidence.manifest["campaign"] = "ops";
  const auto other = Import(here, evidence);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_FALSE(other->already);
  EXPECT_EQ(here.state().runs.size(), 2 * there.state().runs.size());
  ExpectRebuilds(here);
}

TEST(Import, ProgramsThatCameInAreNoDuplicatesOfProgramsHere) {
  World there, here;
  Fill(there);
  ASSERT_TRUE(Import(here, Export(there)).ok());
  here.RegisterWorker();
  const std::string mine = here.Submit("name=f");
  here.WorkOff();
  EXPECT_EQ(here.candidate(mine).duplicates, 0);
  EXPECT_EQ(state::JudgedOf(here.state(), here.candidate(mine)).verdict, Verdict::kCorrect);
}

TEST(Import, AContractThatIsNotKnownHereIsKnownByItsHashOnly) {
  World there, here;
  Fill(there);
  Exported evidence = Export(there);
  // Another version of the contract, as an older checkout had it.
  auto contract = nlohmann::json::parse(evidence.objects.begin()->second, nullptr, false);
  std::string text;
  for (const auto& line : evidence.lines) {
    if (line["kind"] != "WorkloadRegistered") continue;
    const auto body = nlohmann::json::parse(line["body"].get<std::string>());
    text = evidence.objects.at(body["canon_hash"]);
  }
  auto workload = *runner::contract::FromJson(text);
  workload.cases.pop_back();
  const std::string canon = runner::contract::ToCanonicalJson(workload);
  evidence.objects[store::Sha256Hex(canon)] = canon;
  evidence.Set("WorkloadRegistered", "hash", runner::contract::Hash(workload));
  evidence.Set("WorkloadRegistered", "canon_hash", store::Sha256Hex(canon));
  for (auto& line : evidence.lines) {
    auto body = nlohmann::json::parse(line["body"].get<std::string>());
    if (!body.contains("contract_hash") || body["contract_hash"] == "") continue;
    body["contract_hash"] = runner::contract::Hash(workload);
    line["body"] = body.dump();
  }
  const std::string known = here.state().FindWorkload("vector_add")->hash;
  ASSERT_TRUE(Import(here, evidence).ok());
  EXPECT_EQ(here.state().FindWorkload("vector_add")->hash, known);
  EXPECT_NE(here.state().FindWorkload(runner::contract::Hash(workload)), nullptr);
  here.RestartCore();  // the contract is read again
  EXPECT_EQ(here.state().FindWorkload("vector_add")->hash, known);
}

TEST(Import, ReportsOfAnyShapeAreShownOrLeftOut) {
  World there, here;
  Fill(there);
  Exported evidence = Export(there);
  const std::string odd = R"({"verdict":5,"diagnostics":"x","estimate":[],"binding":{"P":[1]}})";
  evidence.objects[store::Sha256Hex(odd)] = odd;
  for (auto& line : evidence.lines) {
    auto body = nlohmann::json::parse(line["body"].get<std::string>());
    for (const char* field : {"report_hash", "body_hash"}) {
      if (body.contains(field) && body[field] != "") body[field] = store::Sha256Hex(odd);
    }
    line["body"] = body.dump();
  }
  const auto reply = Import(here, evidence);
  ASSERT_TRUE(reply.ok()) << reply.status();
  for (const auto& [id, candidate] : here.state().candidates) {
    EXPECT_TRUE(here.core->Diagnose(candidate.Name()).ok());
    EXPECT_TRUE(here.core->GetCandidate(candidate.Name(), true, 0).ok());
  }
}

// Each line of evidence that is changed into something else either comes in or is refused; the
// store is as it was, folds to what it is, and goes on.
TEST(Import, WhatDoesNotFollowFromItselfIsRefusedAndChangesNothing) {
  World there, here;
  Fill(there);
  const Exported good = Export(there);
  const int64_t seq = here.state().last_seq;
  int refused = 0;
  for (size_t i = 0; i < good.lines.size(); ++i) {
    const auto body = nlohmann::json::parse(good.lines[i]["body"].get<std::string>());
    Exported without = good;
    without.lines.erase(without.lines.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<Exported> tries = {without};
    Exported twice = good;
    twice.lines.insert(twice.lines.begin() + static_cast<std::ptrdiff_t>(i), twice.lines[i]);
    for (size_t k = 0; k < twice.lines.size(); ++k) twice.lines[k]["seq"] = k + 1;
    tries.push_back(twice);
    for (const auto& [field, value] : body.items()) {
      if (!value.is_number_integer()) continue;
      for (const int64_t other : {int64_t{-1}, int64_t{0}, int64_t{99}}) {
        Exported changed = good;
        auto altered = body;
        altered[field] = other;
        changed.lines[i]["body"] = altered.dump();
        tries.push_back(changed);
      }
    }
    for (const Exported& one : tries) {
      World fresh;
      const auto reply = Import(fresh, one);
      refused += reply.ok() ? 0 : 1;
      if (!reply.ok()) {
        EXPECT_TRUE(absl::IsInvalidArgument(reply.status())) << reply.status();
        EXPECT_EQ(fresh.state().last_seq, seq);
      }
      ExpectRebuilds(fresh);
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Import, FormAndSizesAreChecked) {
  World there, here;
  Fill(there);
  const auto refused = [&](const Exported& evidence, const std::string& why) {
    const auto reply = Import(here, evidence);
    ASSERT_FALSE(reply.ok()) << why;
    EXPECT_TRUE(absl::IsInvalidArgument(reply.status())) << reply.status();
    EXPECT_NE(std::string(reply.status().message()).find(why), std::string::npos) << reply.status();
  };
  const Exported good = Export(there);
  for (const char* field : {"campaign", "git", "script", "driver", "device", "simulated"}) {
    Exported missing = good;
    missing.manifest.erase(field);
    refused(missing, field);
  }
  Exported bad = good;
  bad.manifest["schema"] = 2;
  refused(bad, "reads 1");
  bad = good;
  bad.manifest["campaign"] = "../x";
  refused(bad, "campaign");
  bad = good;
  bad.manifest["git"] = std::string(1000, 'x');
  refused(bad, "1000 bytes");
  bad = good;
  bad.manifest["simulated"] = false;
  refused(bad, "simulated");
  bad = good;
  bad.manifest["events"] = std::string(64, '0');
  refused(bad, "log");
  bad = good;
  bad.lines[3]["kind"] = "Nonsense";
  refused(bad, "events.jsonl:4");
  bad = good;
  bad.lines[3]["schema"] = 9;
  refused(bad, "events.jsonl:4");
  bad = good;
  std::swap(bad.lines[1], bad.lines[2]);
  refused(bad, "does not come after");
  bad = good;
  bad.lines[0]["at_us"] = INT64_MAX;
  refused(bad, "time that cannot be");
  bad = good;
  bad.Set("EvaluationDone", "source", "MEASURED");
  refused(bad, "without a real device");
  bad = good;
  bad.Set("WorkloadRegistered", "hash", std::string(64, 'a'));
  refused(bad, "contract");
}

TEST(Import, ALogThatIsCutShortSaysSo) {
  EXPECT_TRUE(core::ParseLog("")->empty());
  EXPECT_FALSE(core::ParseLog("{}").ok());
  EXPECT_FALSE(core::ParseLog(std::string(core::kLogLineBytesMax + 2, 'x') + "\n").ok());
}

}  // namespace
}  // namespace server::testing
