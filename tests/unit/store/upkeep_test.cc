// fsck, backup, restore and gc, each against what it is for.
#include "store/upkeep.h"

#include <fstream>
#include <thread>

#include "store/error.h"
#include "store/files.h"
#include "store/migrations.h"
#include "store/object_names.h"
#include "tests/unit/store/fixtures.h"

namespace store {
namespace {

using testing::HasSubstr;

const std::string kLarge(kMaxInlineObjectBytes + 1, 'L');

class Upkeep : public testing::Test {
 protected:
  Upkeep() { clock.unix_us = kStartUs; }

  static constexpr int64_t kStartUs = int64_t{2'000'000'000} * 1'000'000;
  void AfterHours(int64_t hours) { clock.unix_us += hours * kUsPerHour; }

  GarbageReport Collect(Store& store, const GarbagePolicy& policy) {
    auto report = CollectGarbage(store, clock, policy, Never);
    if (!report.ok()) ADD_FAILURE() << report.status();
    return report.ok() ? *report : GarbageReport();
  }
  bool HasRow(Store& store, const ObjectHash& hash) {
    return *(*store.Snapshot())->reads().HasObject(hash);
  }
  absl::StatusOr<std::string> Bytes(Store& store, const ObjectHash& hash) {
    return (*store.Snapshot())->reads().GetObject(hash);
  }

  TempDir dir, other;
  TestClock clock;
};

TEST_F(Upkeep, ASoundStoreIsSound) {
  auto store = OpenStepped(dir.path(), &clock);
  World world(*store);
  world.Submit("k");
  ASSERT_TRUE(store->Put(ObjectKind::kLog, kLarge).ok());
  const FsckReport report = MustCheck(dir.path());
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.objects, 2);
  EXPECT_EQ(report.named, 1);
  EXPECT_EQ(report.last_seq, report.fold.events);
}

TEST_F(Upkeep, EachKindOfDamageIsNamed) {
  auto store = OpenStepped(dir.path(), &clock);
  World world(*store);
  world.Submit("named");
  const ObjectHash file = *store->Put(ObjectKind::kLog, kLarge);
  const ObjectHash row = *store->Put(ObjectKind::kReport, "row");
  store.reset();
  std::filesystem::remove(ObjectPath(dir.path(), file.hex));
  std::ofstream(dir.path() + "/objects/stray.tmp") << "x";
  {
    auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(
        db->Run("UPDATE object SET bytes_inline = CAST('other' AS BLOB) WHERE hash = ?1", row)
            .ok());
    ASSERT_TRUE(db->Run("DELETE FROM object WHERE hash = ?1", HashOf("named")).ok());
    ASSERT_TRUE(db->Exec("UPDATE candidate SET n = 9").ok());
  }
  const FsckReport report = MustCheck(dir.path());
  EXPECT_FALSE(report.sound());
  EXPECT_EQ(report.stray_files, 1);
  ASSERT_FALSE(report.fold.differences.empty());
  EXPECT_EQ(report.fold.differences[0].table, "candidate");
  std::string faults;
  for (const ObjectFault& fault : report.faults)
    faults += fault.hash.hex + ": " + fault.what + "\n";
  EXPECT_EQ(report.fault_count, 3) << faults;
  EXPECT_THAT(faults, HasSubstr(file.hex + ": object file"));
  EXPECT_THAT(faults, HasSubstr(row.hex + ": the row has other bytes"));
  EXPECT_THAT(faults, HasSubstr(HashOf("named").hex + ": event"));
}

// Writers go on while the copy is made; what it holds is the log up to one event and its fold.
TEST_F(Upkeep, ABackupUnderLoadRestoresToAnEqualFold) {
  auto store = MustOpen({.dir = dir.path(), .disk_reserve_bytes = kTestReserveBytes});
  World world(*store);
  ASSERT_TRUE(store->Put(ObjectKind::kLog, kLarge).ok());
  for (int i = 0; i < 200; ++i) world.Submit("before " + std::to_string(i));
  std::atomic<bool> stop = false;
  std::thread load([&] {
    for (int i = 0; !stop; ++i) world.Submit("during " + std::to_string(i));
  });
  const int64_t at_start = *(*store->Snapshot())->reads().LastSeq();
  const auto backup = Backup(dir.path(), other.path() + "/b", Never);
  stop = true;
  load.join();
  ASSERT_TRUE(backup.ok()) << backup.status();
  EXPECT_GE(backup->last_seq, at_start);
  EXPECT_EQ(backup->objects, 1);
  EXPECT_EQ(ReasonOf(Backup(dir.path(), other.path() + "/b", Never).status()), Reason::kBadState);

  const std::string into = other.path() + "/restored";
  const auto restored = Restore(other.path() + "/b", into, Never);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_TRUE(restored->fold.equal());
  EXPECT_EQ(restored->fold.events, backup->last_seq);
  EXPECT_TRUE(MustCheck(into).sound());
  const auto log = [](const std::string& folder, int64_t through) {
    auto db = OpenRaw(folder);
    Statement s = db->Use("SELECT seq || kind || body FROM event WHERE seq <= ?1 ORDER BY seq");
    s.Bind(through);
    std::string out;
    while (*s.Step()) out += s.Text(0) + "\n";
    return Sha256Hex(out);
  };
  EXPECT_EQ(log(into, backup->last_seq), log(dir.path(), backup->last_seq));
  auto again = MustOpen({.dir = into, .disk_reserve_bytes = kTestReserveBytes});
  EXPECT_EQ(*Bytes(*again, HashOf(kLarge)), kLarge);
}

TEST_F(Upkeep, ABackupThatIsNotWholeIsRefused) {
  auto store = OpenStepped(dir.path(), &clock);
  ASSERT_TRUE(store->Put(ObjectKind::kLog, kLarge).ok());
  const std::string backup = other.path() + "/b", into = other.path() + "/into";
  ASSERT_TRUE(Backup(dir.path(), backup, Never).ok());
  const auto refused = [&] { return ReasonOf(Restore(backup, into, Never).status()); };

  std::filesystem::create_directories(into);
  std::ofstream(into + "/file") << "taken";
  EXPECT_EQ(refused(), Reason::kBadState);
  std::filesystem::remove_all(into);

  const std::string object = ObjectPath(backup, HashOf(kLarge).hex);
  std::filesystem::rename(object, object + ".away");
  EXPECT_EQ(refused(), Reason::kCorrupt);
  EXPECT_FALSE(std::filesystem::exists(into + "/cake.db"));  // what is not whole is no store
  std::filesystem::remove_all(into);
  std::filesystem::rename(object + ".away", object);

  std::fstream(backup + "/cake.db", std::ios::in | std::ios::out).seekp(5000) << 'x';
  EXPECT_EQ(refused(), Reason::kCorrupt);
  std::filesystem::remove(backup + "/manifest.json");
  EXPECT_EQ(refused(), Reason::kUnknownId);
}

TEST_F(Upkeep, ABackupOfANewerProgramIsRefusedWithBothVersions) {
  OpenStepped(dir.path(), &clock).reset();
  {
    auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(db->Exec("PRAGMA user_version = 41").ok());
  }
  ASSERT_TRUE(Backup(dir.path(), other.path() + "/b", Never).ok());
  const auto restored = Restore(other.path() + "/b", other.path() + "/into", Never);
  EXPECT_EQ(ReasonOf(restored.status()), Reason::kNewerSchema);
  EXPECT_THAT(std::string(restored.status().message()), HasSubstr("version 41"));
  EXPECT_THAT(std::string(restored.status().message()),
              HasSubstr("up to " + std::to_string(Migrations().back().to)));
}

TEST_F(Upkeep, ACopyThatIsCancelledIsNoBackup) {
  OpenStepped(dir.path(), &clock).reset();
  int asked = 0;
  auto store = OpenStepped(dir.path(), &clock);
  ASSERT_TRUE(store->Put(ObjectKind::kLog, kLarge).ok());
  const auto cancelled = Backup(dir.path(), other.path() + "/b", [&] { return ++asked > 0; });
  EXPECT_EQ(cancelled.status().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(other.path() + "/b/manifest.json"));
}

TEST_F(Upkeep, GarbageIsWhatNothingNames) {
  auto store = OpenStepped(dir.path(), &clock);
  World world(*store);
  world.Submit("named by an event");
  const ObjectHash inner = *store->Put(ObjectKind::kCuda, "named by a kept text");
  const ObjectHash text = *store->Put(ObjectKind::kOther, "{\"cuda\":\"" + inner.hex + "\"}");
  MustCommit(*store, {FindingOpened{.fingerprint = "f", .route = "verifier"}});
  MustCommit(*store, {FindingUpdated{.finding = 1, .minimised_hash = text}});
  const ObjectHash small = *store->Put(ObjectKind::kReport, "unnamed");
  const ObjectHash large = *store->Put(ObjectKind::kLog, kLarge);

  // Files have the real time, which is years before this test's: the trash is not emptied here.
  GarbagePolicy policy{.trash_hours = 1'000'000, .apply = true};
  EXPECT_EQ(Collect(*store, policy).unnamed.count, 0);  // young
  AfterHours(25);
  policy.apply = false;
  EXPECT_EQ(Collect(*store, policy).unnamed.count, 2);
  EXPECT_TRUE(HasRow(*store, small) && HasRow(*store, large));  // a dry run
  policy.apply = true;
  const GarbageReport gone = Collect(*store, policy);
  EXPECT_EQ(gone.unnamed.count, 2);
  EXPECT_EQ(gone.unnamed.bytes, static_cast<int64_t>(kLarge.size() + 7));
  EXPECT_EQ(gone.kept, 3);
  EXPECT_FALSE(HasRow(*store, small) || HasRow(*store, large));
  EXPECT_TRUE(HasRow(*store, inner));
  EXPECT_FALSE(std::filesystem::exists(ObjectPath(dir.path(), large.hex)));
  EXPECT_TRUE(std::filesystem::exists(TrashPath(dir.path(), large.hex)));
  EXPECT_TRUE(MustCheck(dir.path()).sound());
  // What comes back comes back whole.
  EXPECT_TRUE(store->Put(ObjectKind::kLog, kLarge).ok());
  EXPECT_EQ(*Bytes(*store, large), kLarge);
  EXPECT_TRUE(MustCheck(dir.path()).sound());
}

// Between the look and the sweep: an event names one object, another is stored again.
TEST_F(Upkeep, TheWriterKeepsWhatIsNamedSince) {
  auto store = OpenStepped(dir.path(), &clock);
  const ObjectHash named = *store->Put(ObjectKind::kOther, "named"),
                   again = *store->Put(ObjectKind::kOther, "again"),
                   gone = *store->Put(ObjectKind::kOther, "gone");
  AfterHours(30);
  Batch sweep;
  sweep.let_go = {.unnamed = {named, again, gone},
                  .expired = {named},
                  .seen_through_seq = *(*store->Snapshot())->reads().LastSeq(),
                  .created_before_us = clock.unix_us - 24 * kUsPerHour};
  MustCommit(*store, {FindingOpened{.fingerprint = "f", .route = "verifier"}});
  MustCommit(*store, {FindingUpdated{.finding = 1, .minimised_hash = named}});
  ASSERT_TRUE(store->Put(ObjectKind::kOther, "again").ok());
  const auto done = store->Commit(std::move(sweep));
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->gone, std::vector<ObjectHash>{gone});
  EXPECT_EQ(*Bytes(*store, named), "named");
  EXPECT_EQ(*Bytes(*store, again), "again");
}

TEST_F(Upkeep, RetentionTakesBytesAndLeavesRows) {
  auto store = OpenStepped(dir.path(), &clock);
  World world(*store);
  const int64_t best = world.Expand(world.Submit("a"), "ca"),
                lesser = world.Expand(world.Submit("b"), "cb");
  std::vector<ObjectHash> cubins, receipts;
  for (const int64_t variant : {best, lesser}) {
    cubins.push_back(*store->Put(ObjectKind::kCubin, "cubin of " + std::to_string(variant)));
    receipts.push_back(
        *store->Put(ObjectKind::kReceipt, "{\"cubin\":\"" + cubins.back().hex + "\"}"));
    EvaluationDone done = world.Result(world.Grant(world.Queue(variant)), Verdict::kCorrect, 1.5);
    done.receipt_hash = receipts.back();
    MustCommit(*store, {done});
  }
  MustCommit(*store, {EliteChanged{.run = world.run,
                                   .source = ScoreSource::kMeasured,
                                   .cell = "run",
                                   .variant = best,
                                   .score = 1.5}});
  const ObjectHash log = *store->Put(ObjectKind::kLog, kLarge);
  const ObjectHash report = *store->Put(ObjectKind::kReport, "log " + log.hex);
  MustCommit(*store, {FindingOpened{.fingerprint = "f", .route = "verifier"}});
  MustCommit(*store, {FindingUpdated{.finding = 1, .minimised_hash = report}});

  AfterHours(8 * 24);
  GarbageReport gone = Collect(*store, {.apply = true});
  EXPECT_EQ(gone.cubins.count, 1);
  EXPECT_EQ(gone.logs.count, 0);
  EXPECT_TRUE(Bytes(*store, cubins[0]).ok());  // of the best
  EXPECT_EQ(ReasonOf(Bytes(*store, cubins[1]).status()), Reason::kUnknownId);
  AfterHours(23 * 24);
  gone = Collect(*store, {.apply = true});
  EXPECT_EQ(gone.logs.count, 1);
  EXPECT_EQ(ReasonOf(Bytes(*store, log).status()), Reason::kUnknownId);
  for (const ObjectHash& kept : receipts) EXPECT_TRUE(Bytes(*store, kept).ok());
  const FsckReport check = MustCheck(dir.path());
  EXPECT_TRUE(check.sound());
  EXPECT_EQ(check.let_go, 2);
  EXPECT_EQ(Collect(*store, {.apply = true}).logs.count, 0);  // once
  ASSERT_TRUE(store->Put(ObjectKind::kLog, kLarge).ok());
  EXPECT_EQ(*Bytes(*store, log), kLarge);
}

TEST_F(Upkeep, FilesWithoutARowAndTheTrashGoInTheirTime) {
  auto store = OpenStepped(dir.path(), &clock);
  const std::string orphan(64, 'a');
  std::filesystem::create_directories(dir.path() + "/objects/aa");
  std::ofstream(ObjectPath(dir.path(), orphan)) << "orphan";
  std::ofstream(dir.path() + "/objects/half.tmp") << "half";
  GarbagePolicy policy{.trash_hours = 48, .apply = true};
  clock.unix_us = SystemClock().UnixMicros();  // files have the real time
  EXPECT_EQ(Collect(*store, policy).files.count, 0);
  AfterHours(25);
  EXPECT_EQ(Collect(*store, policy).files.count, 2);
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/objects/half.tmp"));
  EXPECT_EQ(Collect(*store, policy).trash.count, 0);
  EXPECT_TRUE(std::filesystem::exists(TrashPath(dir.path(), orphan)));
  policy.trash_hours = 24;
  EXPECT_EQ(Collect(*store, policy).trash.count, 1);
  EXPECT_FALSE(std::filesystem::exists(TrashPath(dir.path(), orphan)));
}

// One group holds the end of an object and its return, in either order.
TEST_F(Upkeep, AnObjectStoredAgainBesideItsEndKeepsItsFile) {
  for (const bool end_first : {true, false}) {
    for (const bool expired : {true, false}) {
      const TempDir here;
      auto store = OpenStepped(here.path(), &clock);
      const ObjectHash object = *store->Put(ObjectKind::kLog, kLarge);
      AfterHours(30);
      Batch end, again;
      (expired ? end.let_go.expired : end.let_go.unnamed) = {object};
      end.let_go.seen_through_seq = *(*store->Snapshot())->reads().LastSeq();
      end.let_go.created_before_us = clock.unix_us - 24 * kUsPerHour;
      end.let_go.seen_at_us = clock.unix_us++;
      again.objects = {{ObjectKind::kLog, kLarge}};
      int answered = 0;
      const auto count = [&](const absl::StatusOr<CommitResult>& done) { answered += done.ok(); };
      store->Enqueue(end_first ? std::move(end) : again, count);
      store->Enqueue(end_first ? std::move(again) : end, count);
      EXPECT_EQ(store->WriterStep(), 2U);
      EXPECT_EQ(answered, 2);
      EXPECT_TRUE(std::filesystem::exists(ObjectPath(here.path(), object.hex)))
          << end_first << expired;
      EXPECT_EQ(Bytes(*store, object).value_or(""), kLarge);
      EXPECT_TRUE(MustCheck(here.path()).sound());
    }
  }
}

// A file without a row gets one while gc works: after it has read the rows.
TEST_F(Upkeep, AFileWhoseRowComesDuringGcStays) {
  auto store = OpenStepped(dir.path(), &clock);
  const ObjectHash object = HashOf(kLarge);
  ASSERT_TRUE(PlaceObject(dir.path(), object.hex, kLarge).ok());
  clock.unix_us = SystemClock().UnixMicros();
  AfterHours(25);
  int looks = 0, last = 0;
  const GarbagePolicy policy{.trash_hours = 0, .apply = true};
  ASSERT_TRUE(CollectGarbage(*store, clock, {}, [&] { return ++last < 0; }).ok());
  const auto report = CollectGarbage(*store, clock, policy, [&] {
    if (++looks == last) EXPECT_TRUE(store->Put(ObjectKind::kLog, kLarge).ok());
    return false;
  });
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->files.count, 1);  // what it looked like
  EXPECT_TRUE(std::filesystem::exists(ObjectPath(dir.path(), object.hex)));
  EXPECT_TRUE(MustCheck(dir.path()).sound());
}

TEST_F(Upkeep, AFileInTheTrashThatARowHoldsGoesBack) {
  auto store = OpenStepped(dir.path(), &clock);
  clock.unix_us = SystemClock().UnixMicros();
  const ObjectHash object = *store->Put(ObjectKind::kLog, kLarge);
  ASSERT_TRUE(MoveToTrash(dir.path(), object.hex));
  AfterHours(2);
  EXPECT_EQ(Collect(*store, {.trash_hours = 1, .apply = true}).trash.count, 0);
  EXPECT_TRUE(std::filesystem::exists(ObjectPath(dir.path(), object.hex)));
  EXPECT_EQ(Bytes(*store, object).value_or(""), kLarge);
}

// The process died between the row and the trash.
TEST_F(Upkeep, AFileWhoseRowHasLetGoOfItIsTaken) {
  auto store = OpenStepped(dir.path(), &clock);
  clock.unix_us = SystemClock().UnixMicros();
  const ObjectHash log = *store->Put(ObjectKind::kLog, kLarge);
  const ObjectHash report = *store->Put(ObjectKind::kReport, "log " + log.hex);
  MustCommit(*store, {FindingOpened{.fingerprint = "f", .route = "verifier"}});
  MustCommit(*store, {FindingUpdated{.finding = 1, .minimised_hash = report}});
  AfterHours(31 * 24);
  const GarbagePolicy policy{.trash_hours = 1'000'000, .apply = true};
  EXPECT_EQ(Collect(*store, policy).logs.count, 1);
  ASSERT_TRUE(PlaceObject(dir.path(), log.hex, kLarge).ok());
  EXPECT_EQ(Collect(*store, policy).files.count, 1);
  EXPECT_FALSE(std::filesystem::exists(ObjectPath(dir.path(), log.hex)));
}

TEST_F(Upkeep, ATextThatCannotBeReadEndsGc) {
  auto store = OpenStepped(dir.path(), &clock);
  const ObjectHash inner = *store->Put(ObjectKind::kCuda, "named by the text");
  const ObjectHash text = *store->Put(ObjectKind::kOther, inner.hex + kLarge);
  MustCommit(*store, {FindingOpened{.fingerprint = "f", .route = "verifier"}});
  MustCommit(*store, {FindingUpdated{.finding = 1, .minimised_hash = text}});
  std::ofstream(ObjectPath(dir.path(), text.hex)) << "damaged";
  AfterHours(25);
  const auto report = CollectGarbage(*store, clock, {.apply = true}, Never);
  EXPECT_EQ(ReasonOf(report.status()), Reason::kCorrupt);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr(text.hex));
  EXPECT_TRUE(HasRow(*store, inner));
}

TEST_F(Upkeep, OneCallTakesSoManyObjectsAndSaysSo) {
  auto store = OpenStepped(dir.path(), &clock);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(store->Put(ObjectKind::kOther, std::to_string(i)).ok());
  }
  AfterHours(25);
  const GarbagePolicy policy{.objects_max = 3, .apply = true};
  GarbageReport gone = Collect(*store, policy);
  EXPECT_EQ(gone.unnamed.count, 3);
  EXPECT_TRUE(gone.limited);
  gone = Collect(*store, policy);
  EXPECT_EQ(gone.unnamed.count, 2);
  EXPECT_FALSE(gone.limited);
}

TEST(HashesIn, OnlyWholeHashes) {
  const std::string hash(64, 'a');
  EXPECT_EQ(HashesIn("{\"x\":\"" + hash + "\"," + hash + "}"),
            (std::vector<std::string>{hash, hash}));
  EXPECT_TRUE(HashesIn(hash + "b").empty());
  EXPECT_TRUE(HashesIn(hash.substr(1)).empty());
}

}  // namespace
}  // namespace store
