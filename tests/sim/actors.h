// Who talks to the simulated daemon: agents that repeat what was not answered, workers that die,
// lose replies and lose their leases, a reader that follows the log across restarts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/state/philox.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {

using Dice = state::Rng;

inline bool Chance(Dice& dice, int percent) {
  return dice.Below(100) < static_cast<uint64_t>(percent);
}

// Hands candidates in. An answer may be lost: then the same request is sent again, sometimes after
// the daemon restarted, until one arrives. What arrived is the witness.
class Agent {
 public:
  explicit Agent(std::string experiment) : experiment_(std::move(experiment)) {}

  void Act(World& world, Dice& dice) {
    if (!pending_) {
      if (sent_ >= kSubmitsMax) return;
      pending_ = world.Request(NewSource(dice), world.NewMeta());
      pending_->meta.experiment = experiment_;
      ++sent_;
    }
    if (!answer_) {
      answer_ = std::make_shared<std::optional<Reply>>();
      world.core->Submit(*pending_, [to = answer_](Reply reply) { *to = std::move(reply); });
    }
    // Others come before its commit, and share it.
    if (!answer_->has_value() && Chance(dice, 60)) return;
    if (!answer_->has_value()) world.core->TakeCommitted();
    ASSERT_TRUE(answer_->has_value());
    const Reply reply = **answer_;
    answer_.reset();
    if (!reply.ok()) {
      EXPECT_TRUE(IsExpected(reply.status())) << reply.status();
      if (!absl::IsUnavailable(reply.status())) pending_.reset();
      return;
    }
    if (Chance(dice, 20)) return;  // the answer is lost
    const auto [it, fresh] = witness.try_emplace(pending_->meta.request_id, reply->candidate);
    EXPECT_TRUE(fresh || it->second == reply->candidate);
    sources[reply->candidate] = pending_->source.text;
    pending_.reset();
  }

  void Lost() { answer_.reset(); }  // the daemon is another process now: it asks again

  std::map<std::string, std::string> witness;  // request id -> candidate
  std::map<std::string, std::string> sources;  // candidate -> text

 private:
  using Reply = absl::StatusOr<core::SubmitReply>;
  static constexpr int kSubmitsMax = 6;

  static bool IsExpected(const absl::Status& status) {
    // The run may have ended; nothing else may refuse.
    return absl::IsFailedPrecondition(status);
  }

  std::string NewSource(Dice& dice) {
    std::string source =
        absl::StrCat("name=", experiment_, dice.Below(8), " members=", 1 + dice.Below(12),
                     " ns=", 500 + dice.Below(2000));
    if (Chance(dice, 30)) absl::StrAppend(&source, " bad=", dice.Below(12));
    if (Chance(dice, 8)) absl::StrAppend(&source, " crash");
    if (Chance(dice, 8)) absl::StrAppend(&source, " broken");
    return source;
  }

  std::string experiment_;
  std::optional<core::SubmitRequest> pending_;
  std::shared_ptr<std::optional<Reply>> answer_;  // of the request that is on its way
  int sent_ = 0;
};

// Runs jobs. Its result depends on the job alone, so that two runs of one job agree.
class SimWorker {
 public:
  explicit SimWorker(std::string name) : name_(std::move(name)) {}

  void Act(World& world, Dice& dice) {
    if (!registered_ || Chance(dice, 2)) return Register(world);  // dies and comes back
    if (Chance(dice, 3)) return;                                  // stalls
    if (!grant_) return Acquire(world, dice);
    if (Chance(dice, 40)) return Report(world);
    Complete(world, dice);
  }

  int accepted = 0;

 private:
  void Register(World& world) {
    world.RegisterWorker(name_, ++incarnation_);
    registered_ = true;
    grant_.reset();  // the child died with it
  }

  void Acquire(World& world, Dice& dice) {
    std::optional<absl::StatusOr<core::AcquireReply>> reply;
    const uint64_t incarnation = incarnation_;
    world.core->Acquire(name_, incarnation, 0, [&](auto r) { reply = std::move(r); });
    if (!reply) world.core->Step();
    ASSERT_TRUE(reply.has_value());
    ASSERT_TRUE(reply->ok()) << reply->status();
    if (Chance(dice, 10)) return;  // the lease is granted, but nobody learns of it
    grant_ = (*reply)->grant;
    if (grant_) renewed_ns_ = world.clock.now_ns;
  }

  void Report(World& world) {
    core::ReportRequest request;
    request.worker = name_;
    request.incarnation = incarnation_;
    request.held = {{grant_->lease, grant_->fencing_token}};
    auto reply = std::make_shared<std::optional<core::ReportReply>>();
    world.core->Report(request, [reply](auto r) {
      if (r.ok()) *reply = *r;
    });
    if (!*reply) {
      renewed_ns_ = world.clock.now_ns;
      return;  // held: nothing is desired
    }
    if ((*reply)->desired.front() != core::Desired::kContinue) grant_.reset();
  }

  void Complete(World& world, Dice& dice) {
    // Self-fencing: after so long without an answer the child is killed and nothing is sent; a late
    // one now and then tries all the same, and must be refused.
    const bool fenced = world.clock.now_ns - renewed_ns_ > 22'000'000'000;
    if (fenced && Chance(dice, 50)) return grant_.reset();
    auto request = world.Result(*grant_, VerdictOf(*grant_), name_);
    request.incarnation = incarnation_;
    auto reply = world.core->Complete(request);
    if (!reply.ok()) {
      EXPECT_EQ(state::ReasonOf(reply.status()), state::Reason::kStaleToken) << reply.status();
      return grant_.reset();
    }
    if (Chance(dice, 15)) return;  // the answer is lost: the same result goes again
    if (reply->final) ++accepted;
    grant_.reset();
  }

  static store::Verdict VerdictOf(const core::Grant& grant) {
    const int64_t hash = *store::ParseRowName('j', grant.job);
    if (hash % 11 == 0) return store::Verdict::kHang;
    if (hash % 7 == 0) return store::Verdict::kWrongResult;
    return store::Verdict::kCorrect;
  }

  std::string name_;
  uint64_t incarnation_ = 0;
  bool registered_ = false;
  std::optional<core::Grant> grant_;
  int64_t renewed_ns_ = 0;
};

// Follows the whole log; its stream breaks now and then and goes on from what it saw last.
class Reader {
 public:
  void Act(World& world, Dice& dice) {
    if (open_ && !Chance(dice, 10)) return;
    if (open_) world.core->Unwatch(id_);
    core::WatchSink sink;
    sink.item = [this](const core::WatchItem& item) {
      if (item.event.seq == 0) return true;
      EXPECT_EQ(item.event.seq, last_ + 1);
      last_ = item.event.seq;
      return true;
    };
    sink.end = [this](absl::Status) { open_ = false; };
    auto opened = world.core->Watch({.from_seq = last_}, std::move(sink));
    ASSERT_TRUE(opened.ok()) << opened.status();
    id_ = *opened;
    open_ = true;
  }
  void Lost() { open_ = false; }  // the daemon is another process now
  int64_t last() const { return last_; }

 private:
  bool open_ = false;
  uint64_t id_ = 0;
  int64_t last_ = 0;
};

}  // namespace server::testing
