// What the disk does wrong: full, an fsync that fails, a folder that is taken, a file of another
// program or of a later version. A SQLite VFS between the store and the real one fails on demand.
#include <sqlite3.h>

#include <atomic>
#include <cstring>

#include "store/error.h"
#include "store/failpoint.h"
#include "store/files.h"
#include "store/migrations.h"
#include "tests/unit/store/fixtures.h"

namespace store {
namespace {

using testing::HasSubstr;

// ---- A VFS whose writes or syncs fail while asked to.

std::atomic<bool> disk_full = false;
std::atomic<bool> sync_fails = false;

struct FaultFile {
  sqlite3_file base;
  sqlite3_file* real;
};
sqlite3_file* Real(sqlite3_file* file) { return reinterpret_cast<FaultFile*>(file)->real; }

int Write(sqlite3_file* f, const void* data, int size, sqlite3_int64 at) {
  if (disk_full) return SQLITE_FULL;
  return Real(f)->pMethods->xWrite(Real(f), data, size, at);
}
int Sync(sqlite3_file* f, int flags) {
  if (sync_fails) return SQLITE_IOERR_FSYNC;
  return Real(f)->pMethods->xSync(Real(f), flags);
}

const sqlite3_io_methods* FaultMethods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods m = {};
    m.iVersion = 2;
    m.xClose = [](sqlite3_file* f) { return Real(f)->pMethods->xClose(Real(f)); };
    m.xRead = [](sqlite3_file* f, void* d, int n, sqlite3_int64 at) {
      return Real(f)->pMethods->xRead(Real(f), d, n, at);
    };
    m.xWrite = Write;
    m.xTruncate = [](sqlite3_file* f, sqlite3_int64 n) {
      return Real(f)->pMethods->xTruncate(Real(f), n);
    };
    m.xSync = Sync;
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* n) {
      return Real(f)->pMethods->xFileSize(Real(f), n);
    };
    m.xLock = [](sqlite3_file* f, int l) { return Real(f)->pMethods->xLock(Real(f), l); };
    m.xUnlock = [](sqlite3_file* f, int l) { return Real(f)->pMethods->xUnlock(Real(f), l); };
    m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
      return Real(f)->pMethods->xCheckReservedLock(Real(f), out);
    };
    m.xFileControl = [](sqlite3_file* f, int op, void* arg) {
      return Real(f)->pMethods->xFileControl(Real(f), op, arg);
    };
    m.xSectorSize = [](sqlite3_file* f) { return Real(f)->pMethods->xSectorSize(Real(f)); };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      return Real(f)->pMethods->xDeviceCharacteristics(Real(f));
    };
    m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
      return Real(f)->pMethods->xShmMap(Real(f), page, size, extend, out);
    };
    m.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
      return Real(f)->pMethods->xShmLock(Real(f), offset, n, flags);
    };
    m.xShmBarrier = [](sqlite3_file* f) { Real(f)->pMethods->xShmBarrier(Real(f)); };
    m.xShmUnmap = [](sqlite3_file* f, int del) {
      return Real(f)->pMethods->xShmUnmap(Real(f), del);
    };
    return m;
  }();
  return &methods;
}

int OpenFault(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* fault = reinterpret_cast<FaultFile*>(file);
  auto* inner = static_cast<sqlite3_vfs*>(vfs->pAppData);
  fault->real = reinterpret_cast<sqlite3_file*>(fault + 1);
  std::memset(fault->real, 0, inner->szOsFile);
  const int code = inner->xOpen(inner, name, fault->real, flags, out_flags);
  fault->base.pMethods = fault->real->pMethods == nullptr ? nullptr : FaultMethods();
  return code;
}

// Registered once; the methods that are not about files are the real one's own.
const char* FaultVfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs* inner = sqlite3_vfs_find(nullptr);
    sqlite3_vfs v = *inner;
    v.pNext = nullptr;
    v.zName = "cake-fault";
    v.pAppData = inner;
    v.szOsFile = static_cast<int>(sizeof(FaultFile)) + inner->szOsFile;
    v.xOpen = OpenFault;
    return v;
  }();
  sqlite3_vfs_register(&vfs, /*makeDflt=*/0);
  return vfs.zName;
}

class Disk : public testing::Test {
 protected:
  Disk() { disk_full = sync_fails = false; }
  ~Disk() override { disk_full = sync_fails = false; }

  std::unique_ptr<Store> Open(bool threads = false) {
    return MustOpen({.dir = dir.path(),
                     .threads = threads,
                     .disk_reserve_bytes = kTestReserveBytes,
                     .vfs = FaultVfs()});
  }
  bool ReserveExists() const { return std::filesystem::exists(dir.path() + "/reserve"); }
  TempDir dir;
};

TEST_F(Disk, TheReserveIsThereWithItsSize) {
  auto store = Open();
  EXPECT_EQ(std::filesystem::file_size(dir.path() + "/reserve"),
            static_cast<uintmax_t>(kTestReserveBytes));
}

TEST_F(Disk, WhenFullItGivesUpTheReserveReadsOnAndRecovers) {
  auto store = Open();
  World world(*store);
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  const LeaseGranted lease = world.Grant(world.Queue(variant));
  const int64_t before = *(*store->Snapshot())->reads().LastSeq();

  disk_full = true;
  const auto submit = [&] {
    Batch batch;
    batch.events = {FindingOpened{.fingerprint = "f", .route = "x"}};
    return store->Commit(std::move(batch));
  };
  const Reason first = ReasonOf(submit().status());
  EXPECT_TRUE(first == Reason::kDiskFull || first == Reason::kReadOnly) << ToString(first);
  EXPECT_EQ(store->stats().health, Health::kReadOnly);
  EXPECT_FALSE(ReserveExists());

  disk_full = false;  // the reserve has made room, but only for what ends work
  EXPECT_EQ(ReasonOf(submit().status()), Reason::kReadOnly);
  EXPECT_EQ(*(*store->Snapshot())->reads().LastSeq(), before);
  Batch complete;
  complete.events = {world.Result(lease, Verdict::kCorrect, 1.5)};
  complete.ends_held_work = true;
  EXPECT_TRUE(store->Commit(std::move(complete)).ok());

  store->MaintenanceStep();
  EXPECT_EQ(store->stats().health, Health::kServing);
  EXPECT_TRUE(ReserveExists());
  EXPECT_TRUE(submit().ok());
  store.reset();
  EXPECT_TRUE(RebuildCheck(dir.path())->equal());
}

TEST_F(Disk, OfAGroupThatMeetsAFullDiskOnlyHeldWorkIsTriedAgain) {
  auto store = Open();
  World world(*store);
  const int64_t variant = world.Expand(world.Submit("k"), "c");
  const LeaseGranted lease = world.Grant(world.Queue(variant));
  std::vector<absl::StatusOr<CommitResult>> answers(2);
  for (int i = 0; i < 2; ++i) {
    Batch batch;
    if (i == 0) batch.events = {FindingOpened{.fingerprint = "f", .route = "x"}};
    if (i == 1) batch.events = {world.Result(lease, Verdict::kCorrect, 1.5)};
    batch.ends_held_work = i == 1;
    // The disk has room again once the first command has been refused for good.
    batch.prepare = [i](Reads&, std::vector<EventBody>&) {
      if (i == 1) disk_full = !disk_full;
      return absl::OkStatus();
    };
    store->Enqueue(std::move(batch), [&, i](auto r) { answers[i] = std::move(r); });
  }
  EXPECT_EQ(store->WriterStep(), 2u);
  EXPECT_EQ(ReasonOf(answers[0].status()), Reason::kReadOnly);
  EXPECT_TRUE(answers[1].ok()) << answers[1].status();
}

TEST_F(Disk, AnObjectFileThatCannotBePlacedLeavesNoRow) {
  auto store = Open();
  const std::string large(kMaxInlineObjectBytes + 1, 'x');
  const ObjectHash hash = HashOf(large);
  const std::string folder = dir.path() + "/objects/" + hash.hex.substr(0, 2);
  fclose(fopen(folder.c_str(), "w"));  // a file where the folder should be
  EXPECT_FALSE(store->Put(ObjectKind::kLog, large).ok());
  EXPECT_FALSE(*(*store->Snapshot())->reads().HasObject(hash));
  std::filesystem::remove(folder);
  EXPECT_TRUE(store->Put(ObjectKind::kLog, large).ok());
  EXPECT_TRUE(*(*store->Snapshot())->reads().HasObject(hash));
}

using DiskDeathTest = Disk;

TEST_F(DiskDeathTest, AFailedSyncEndsTheProcess) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        auto store = Open();
        sync_fails = true;
        TryCommit(*store, {FindingOpened{.fingerprint = "f", .route = "x"}}).IgnoreError();
      },
      "fsync of the database failed");
}

TEST_F(Disk, ASecondOpenerIsRefusedWithTheFirstOnesPid) {
  auto store = Open();
  const auto second = Store::Open({.dir = dir.path(), .disk_reserve_bytes = 0});
  EXPECT_EQ(ReasonOf(second.status()), Reason::kLocked);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("in use by process " + std::to_string(getpid())));
  store.reset();
  EXPECT_NE(Open(), nullptr);
}

TEST_F(Disk, AFileOfAnotherProgramIsLeftAlone) {
  {
    auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(db->Exec("PRAGMA application_id = 77; CREATE TABLE t(x)").ok());
  }
  EXPECT_EQ(ReasonOf(Store::Open({.dir = dir.path()}).status()), Reason::kForeignFile);
  auto db = OpenRaw(dir.path());
  EXPECT_EQ(*db->Int("PRAGMA application_id"), 77);
  Statement mode = db->Use("PRAGMA journal_mode");
  ASSERT_TRUE(*mode.Step());
  EXPECT_EQ(mode.Text(0), "delete");
}

TEST_F(Disk, WhatIsNoDatabaseIsRefused) {
  std::filesystem::create_directories(dir.path());
  FILE* file = fopen((dir.path() + "/cake.db").c_str(), "w");
  for (int i = 0; i < 1000; ++i) fputs("not a database ", file);
  fclose(file);
  EXPECT_EQ(ReasonOf(Store::Open({.dir = dir.path()}).status()), Reason::kCorrupt);
}

TEST_F(Disk, ANewerFileIsRefusedWithBothVersions) {
  Open().reset();
  {
    auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
    ASSERT_TRUE(db->Exec("PRAGMA user_version = 41").ok());
  }
  const auto newer = Store::Open({.dir = dir.path()});
  EXPECT_EQ(ReasonOf(newer.status()), Reason::kNewerSchema);
  EXPECT_THAT(std::string(newer.status().message()), HasSubstr("version 41"));
  EXPECT_THAT(std::string(newer.status().message()),
              HasSubstr("up to " + std::to_string(Migrations().back().to)));
}

TEST_F(Disk, TheFileIsSetUpAsItMustBe) {
  auto store = Open();
  auto db = OpenRaw(dir.path());
  EXPECT_EQ(*db->Int("PRAGMA application_id"), kApplicationId);
  EXPECT_EQ(*db->Int("PRAGMA user_version"), Migrations().back().to);
  Statement mode = db->Use("PRAGMA journal_mode");
  ASSERT_TRUE(*mode.Step());
  EXPECT_EQ(mode.Text(0), "wal");
  // STRICT everywhere: a text never hides in an integer column.
  EXPECT_EQ(*db->Int("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = "
                     "'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'"),
            0);
}

TEST_F(Disk, AMigrationCopiesFirstAndAFailedOneLeavesTheFileAsItWas) {
  Open().reset();
  const std::string path = dir.path() + "/cake.db";
  const int64_t now = Migrations().back().to;
  auto db = OpenRaw(dir.path(), OpenMode::kReadWriteCreate);
  std::vector<Migration> steps(Migrations().begin(), Migrations().end());
  steps.push_back({now + 1, "CREATE TABLE good(id INTEGER PRIMARY KEY) STRICT;"});
  steps.push_back({now + 2, "CREATE TABLE later(id INTEGER PRIMARY KEY); SELECT nonsense;"});
  const absl::Status status = Migrate(*db, path, steps);
  EXPECT_THAT(std::string(status.message()), HasSubstr("migration to version"));
  EXPECT_EQ(*db->Int("PRAGMA user_version"), now + 1);  // each step is its own transaction
  EXPECT_EQ(*db->Int("SELECT count(*) FROM sqlite_schema WHERE name = 'good'"), 1);
  EXPECT_EQ(*db->Int("SELECT count(*) FROM sqlite_schema WHERE name = 'later'"), 0);
  auto copy = *Database::Open(path + ".v" + std::to_string(now) + ".bak", OpenMode::kReadOnly, "");
  EXPECT_EQ(*copy->Int("PRAGMA user_version"), now);
  EXPECT_EQ(*copy->Int("SELECT count(*) FROM principal"), 1);
}

TEST_F(Disk, ThePassiveCheckpointKeepsTheLogSmall) {
  auto store = Open();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(
        store->Put(ObjectKind::kSource, std::to_string(i) + std::string(200'000, 'x')).ok());
  }
  EXPECT_GT(store->stats().wal_bytes, 16 << 20);
  store->MaintenanceStep();  // everything is copied; the next write starts the log again
  ASSERT_TRUE(store->Put(ObjectKind::kSource, "small").ok());
  EXPECT_LT(store->stats().wal_bytes, 1 << 20);
}

TEST_F(Disk, PastItsBoundTheWriterWaitsForTheLog) {
  constexpr int64_t kBound = 2 << 20;
  auto store = MustOpen({.dir = dir.path(),
                         .threads = false,
                         .disk_reserve_bytes = kTestReserveBytes,
                         .restart_wal_bytes = kBound});
  for (int i = 0; i < 60; ++i) {  // 12 MB, and nobody steps the maintenance
    ASSERT_TRUE(
        store->Put(ObjectKind::kSource, std::to_string(i) + std::string(200'000, 'x')).ok());
    EXPECT_LT(store->stats().wal_bytes, kBound + (1 << 20));
  }
  EXPECT_LT(std::filesystem::file_size(dir.path() + "/cake.db-wal"),
            static_cast<uintmax_t>(kBound + (1 << 20)));
}

}  // namespace
}  // namespace store
