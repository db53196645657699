// A process that writes is killed at every named point, and at random moments. Whatever it
// acknowledged to this process, which outlives it, must be there afterwards.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "store/failpoint.h"
#include "store/migrations.h"
#include "tests/unit/store/fixtures.h"

namespace store {
namespace {

struct Outcome {
  bool killed = false;
  int exit_code = -1;
  std::vector<std::string> acknowledged;  // whole lines only
};

// A child process whose standard output this process reads to its end.
class Child {
 public:
  Child(std::vector<std::string> args, const std::string& failpoints) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      setenv("CAKE_FAILPOINTS", failpoints.c_str(), 1);
      if (failpoints.empty()) unsetenv("CAKE_FAILPOINTS");
      args.insert(args.begin(), CRASH_CHILD);
      std::vector<char*> argv;
      for (std::string& arg : args) argv.push_back(arg.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    out_ = ends[0];
  }

  // Reads until `lines` acknowledgements have come, or the end.
  void ReadLines(size_t lines) {
    while (Lines() < lines && ReadSome()) {
    }
  }
  void Kill() { kill(pid_, SIGKILL); }

  Outcome Finish() {
    while (ReadSome()) {
    }
    close(out_);
    int status = 0;
    waitpid(pid_, &status, 0);
    Outcome outcome;
    outcome.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    size_t begin = 0;
    for (size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      outcome.acknowledged.push_back(text_.substr(begin, end - begin));
    }
    return outcome;
  }

 private:
  size_t Lines() const { return std::count(text_.begin(), text_.end(), '\n'); }
  bool ReadSome() {
    char buffer[4096];
    const ssize_t size = read(out_, buffer, sizeof(buffer));
    if (size <= 0) return false;
    text_.append(buffer, size);
    return true;
  }

  pid_t pid_ = -1;
  int out_ = -1;
  std::string text_;
};

// The store recovers, is whole, and has everything that was acknowledged.
void ExpectNothingLost(const std::string& dir, const std::vector<std::string>& acknowledged) {
  auto store = OpenStepped(dir);
  ASSERT_NE(store, nullptr);
  {
    auto view = *store->Snapshot();
    std::set<std::string> replies;
    for (const std::string& line : acknowledged) {
      std::istringstream words(line);
      std::string what, id, value;
      words >> what >> id >> value;
      if (what == "submit") {
        const auto reply =
            view->reads().FindReply(store->local_principal(), "Submit", "request-" + id);
        ASSERT_TRUE(reply.ok() && reply->has_value()) << line;
        EXPECT_EQ((*reply)->reply, value);
        const auto key = ParseCandidateName(value);
        ASSERT_TRUE(key) << line;
        const auto row = view->reads().GetCandidate(key->run, key->n);
        ASSERT_TRUE(row.ok()) << line;
        EXPECT_EQ(row->intent, id);
        EXPECT_TRUE(view->reads().GetObject(row->source_hash).ok()) << line;
      } else if (what == "done") {
        const auto evaluation = view->reads().EvaluationOfJob(std::stoll(value));
        ASSERT_TRUE(evaluation.ok() && evaluation->has_value()) << line;
        EXPECT_EQ((*evaluation)->verdict, Verdict::kCorrect);
      }
    }
  }
  store.reset();
  const auto report = RebuildCheck(dir);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->integrity, "ok");
  for (const auto& d : report->differences) {
    ADD_FAILURE() << d.table << " " << d.key << ": " << d.expected << " / " << d.found;
  }
  EXPECT_EQ(MustCheck(dir).fault_count, 0);
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

TEST(Crash, AtEveryNamedPointNothingAcknowledgedIsLost) {
  for (const std::string_view point : failpoint::ListFailpoints()) {
    if (!StartsWith(point, "store.") || StartsWith(point, "store.migrate.")) continue;
    SCOPED_TRACE(point);
    const bool checkpoint = StartsWith(point, "store.checkpoint.");
    TempDir dir;
    std::vector<std::string> acknowledged;
    // Three kills of one store: at the first hit, and later, with what the kills before left.
    for (const int hit : {1, 4, 9}) {
      if (checkpoint && hit > 1) continue;  // one needs 16 MiB of log
      Child child({"work", dir.path(), "4", "500"},
                  std::string(point) + "=kill@" + std::to_string(hit));
      const Outcome outcome = child.Finish();
      ASSERT_TRUE(outcome.killed) << "the point was never hit; exit " << outcome.exit_code;
      acknowledged.insert(acknowledged.end(), outcome.acknowledged.begin(),
                          outcome.acknowledged.end());
      ExpectNothingLost(dir.path(), acknowledged);
    }
    EXPECT_TRUE(!checkpoint || !acknowledged.empty());
  }
}

TEST(Crash, AtRandomMomentsNothingAcknowledgedIsLost) {
  TempDir dir;
  std::vector<std::string> acknowledged;
  std::mt19937 random(20240701);
  for (int i = 0; i < 12; ++i) {
    Child child({"work", dir.path(), "4", "500"}, "");
    child.ReadLines(random() % 12);  // a moment of progress, not of time
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    child.Kill();
    const Outcome outcome = child.Finish();
    ASSERT_TRUE(outcome.killed);
    acknowledged.insert(acknowledged.end(), outcome.acknowledged.begin(),
                        outcome.acknowledged.end());
    ExpectNothingLost(dir.path(), acknowledged);
  }
  EXPECT_FALSE(acknowledged.empty());
}

TEST(Crash, AMigrationThatIsKilledHappensWholeOrNotAtAll) {
  for (const char* point : {"store.migrate.copied", "store.migrate.before_commit"}) {
    SCOPED_TRACE(point);
    TempDir dir;
    {
      auto store = OpenStepped(dir.path());
      World world(*store);
      world.Submit("k");
    }
    Child child({"migrate", dir.path()}, std::string(point) + "=kill@1");
    ASSERT_TRUE(child.Finish().killed);
    ExpectNothingLost(dir.path(), {});
    EXPECT_EQ(*OpenRaw(dir.path())->Int("PRAGMA user_version"), Migrations().back().to);
    Child again({"migrate", dir.path()}, "");  // the copy of the attempt before is no obstacle
    EXPECT_EQ(again.Finish().acknowledged, std::vector<std::string>{"migrated"});
    EXPECT_EQ(*OpenRaw(dir.path())->Int("PRAGMA user_version"), Migrations().back().to + 1);
  }
}

TEST(Crash, AFailpointThatCannotBeReadEndsTheProcess) {
  for (const char* spec : {"store.commit.befor=kill@1", "store.commit.before",
                           "store.commit.before=kill@0", "store.commit.before=stop@1"}) {
    TempDir dir;
    Child child({"work", dir.path(), "1", "1"}, spec);
    const Outcome outcome = child.Finish();
    EXPECT_FALSE(outcome.killed);
    EXPECT_EQ(outcome.exit_code, -1) << spec;  // it was aborted
  }
}

TEST(Crash, WithoutKillsTheChildEndsAndItsWorkIsWhole) {
  TempDir dir;
  Child child({"work", dir.path(), "2", "4"}, "");
  const Outcome outcome = child.Finish();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.acknowledged.size(), 16u);
  ExpectNothingLost(dir.path(), outcome.acknowledged);
}

}  // namespace
}  // namespace store
