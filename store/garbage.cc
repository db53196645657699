#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "store/error.h"
#include "store/files.h"
#include "store/object_names.h"
#include "store/sqlite.h"
#include "store/try.h"
#include "store/upkeep.h"

namespace store {
namespace {

constexpr int64_t kRowsAtOnce = 500;
constexpr size_t kLetGoAtOnce = 1000;  // objects in one command, so that writes wait shortly
// Texts that name other objects: specifications of jobs, receipts, reports.
constexpr std::string_view kNamingKinds[] = {"report", "receipt", "other"};

struct Row {
  ObjectHash hash;
  std::string kind;
  int64_t size = 0, created_us = 0;
  bool dropped = false;
};

bool Names(std::string_view kind) {
  return std::find(std::begin(kNamingKinds), std::end(kNamingKinds), kind) !=
         std::end(kNamingKinds);
}

int64_t HoursBefore(int64_t now_us, int64_t hours) { return now_us - hours * kUsPerHour; }

class Collector {
 public:
  Collector(Store& store, Clock& clock, const GarbagePolicy& policy, const Cancelled& cancelled)
      : store_(store), policy_(policy), cancelled_(cancelled), now_us_(clock.UnixMicros()) {}

  absl::StatusOr<GarbageReport> Run() {
    CAKE_STORE_ASSIGN(
        db_, Database::Open(absl::StrCat(store_.dir(), "/cake.db"), OpenMode::kReadOnly, ""));
    // What is named is read up to here; the writer looks at the events that came later.
    CAKE_STORE_ASSIGN(let_go_.seen_through_seq, db_->Int("SELECT max(seq) FROM event"));
    let_go_.created_before_us = HoursBefore(now_us_, policy_.unnamed_hours);
    let_go_.seen_at_us = now_us_;
    CAKE_STORE_TRY(ReadRows());
    CAKE_STORE_TRY(Mark());
    CAKE_STORE_TRY(MarkBest());
    Choose();
    ChooseFiles();
    if (policy_.apply) CAKE_STORE_TRY(Sweep());
    CAKE_STORE_TRY(EmptyTrash());
    report_.applied = policy_.apply;
    return report_;
  }

 private:
  absl::Status ReadRows() {
    std::string after;
    for (;;) {
      if (cancelled_()) return absl::CancelledError("gc was cancelled");
      Statement s = db_->Use(
          "SELECT hash, kind, size, created_us, dropped_us IS NOT NULL FROM object"
          " WHERE hash > ?1 ORDER BY hash LIMIT ?2");
      s.Bind(after, kRowsAtOnce);
      const size_t before = rows_.size();
      for (;;) {
        CAKE_STORE_ASSIGN(const bool more, s.Step());
        if (!more) break;
        Row row;
        s.Get(row.hash).Get(row.kind).Get(row.size).Get(row.created_us).Get(row.dropped);
        after = row.hash.hex;
        rows_.emplace(after, std::move(row));
      }
      if (rows_.size() == before) return absl::OkStatus();
    }
  }

  absl::Status Mark() {
    CAKE_STORE_ASSIGN(const NamedObjects named,
                      NamedByEvents(*db_, let_go_.seen_through_seq, cancelled_));
    std::vector<std::string> roots;
    for (const auto& [hash, seq] : named) roots.push_back(hash);
    // Young objects may be named soon, and so may what they name.
    for (const auto& [hash, row] : rows_) {
      if (row.created_us > let_go_.created_before_us) roots.push_back(hash);
    }
    return Follow(std::move(roots), named_);
  }

  // The receipts of what is the best of a run or of a cell of its archive.
  absl::Status MarkBest() {
    std::vector<std::string> roots;
    Statement s = db_->Use(
        "SELECT DISTINCT e.receipt_hash FROM evaluation e JOIN elite USING(variant_id)"
        " WHERE e.receipt_hash IS NOT NULL");
    for (;;) {
      CAKE_STORE_ASSIGN(const bool more, s.Step());
      if (!more) break;
      roots.push_back(s.Text(0));
    }
    return Follow(std::move(roots), best_);
  }

  // Adds the objects that `todo` leads to through texts.
  absl::Status Follow(std::vector<std::string> todo, std::unordered_set<std::string>& marked) {
    while (!todo.empty()) {
      if (cancelled_()) return absl::CancelledError("gc was cancelled");
      const std::string hash = std::move(todo.back());
      todo.pop_back();
      const auto row = rows_.find(hash);
      if (row == rows_.end() || !marked.insert(hash).second) continue;
      if (!Names(row->second.kind) || row->second.dropped) continue;
      Reads reads(*db_, store_.dir());
      auto text = reads.GetObject({hash});
      // What it names is not known, so nothing can be known to be garbage.
      if (!text.ok()) {
        return Error(Reason::kCorrupt, absl::StrCat("gc cannot read what object ", hash,
                                                    " names: ", text.status().message()));
      }
      for (std::string& name : HashesIn(*text)) todo.push_back(std::move(name));
    }
    return absl::OkStatus();
  }

  bool Take(GarbageCount& count, const Row& row, std::vector<ObjectHash>& into) {
    if (count.count >= policy_.objects_max) {
      report_.limited = true;
      return false;
    }
    ++count.count;
    count.bytes += row.size;
    into.push_back(row.hash);
    return true;
  }

  void Choose() {
    for (const auto& [hash, row] : rows_) {
      if (!named_.contains(hash)) {
        Take(report_.unnamed, row, let_go_.unnamed);
        continue;
      }
      ++report_.kept;
      if (row.dropped) continue;
      if (row.kind == "log" && row.created_us <= HoursBefore(now_us_, policy_.log_hours)) {
        Take(report_.logs, row, let_go_.expired);
      } else if (row.kind == "cubin" && !best_.contains(hash) &&
                 row.created_us <= HoursBefore(now_us_, policy_.cubin_hours)) {
        Take(report_.cubins, row, let_go_.expired);
      }
    }
  }

  absl::Status Sweep() {
    const auto some = [](std::vector<ObjectHash>& from) {
      const size_t size = std::min(from.size(), kLetGoAtOnce);
      std::vector<ObjectHash> out(from.end() - static_cast<int64_t>(size), from.end());
      from.resize(from.size() - size);
      return out;
    };
    while (!let_go_.unnamed.empty() || !let_go_.expired.empty() || !let_go_.strays.empty()) {
      if (cancelled_()) return absl::CancelledError("gc was cancelled");
      Batch batch;
      batch.let_go = {.unnamed = some(let_go_.unnamed),
                      .expired = some(let_go_.expired),
                      .strays = some(let_go_.strays),
                      .seen_through_seq = let_go_.seen_through_seq,
                      .created_before_us = let_go_.created_before_us,
                      .seen_at_us = let_go_.seen_at_us};
      batch.ends_held_work = true;  // it makes room, so a full disk does not stop it
      CAKE_STORE_TRY(store_.Commit(std::move(batch)).status());
    }
    return absl::OkStatus();
  }

  // Files of objects/ that no row holds: a crash between file and row, or between row and trash.
  // The writer moves them, because a row may come for one of them at any time.
  void ChooseFiles() {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(store_.dir() + "/objects", error)) {
      struct stat info {};
      if (stat(entry.path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
      const std::string name = entry.path().filename().string();
      const bool temporary = name.ends_with(".tmp");
      const std::string hash = entry.path().parent_path().filename().string() + name;
      const auto row = rows_.find(hash);
      if (!temporary && row != rows_.end() && !row->second.dropped) continue;
      if (int64_t{info.st_ctime} * 1'000'000 > let_go_.created_before_us) continue;
      ++report_.files.count;
      report_.files.bytes += info.st_size;
      if (!policy_.apply) continue;
      if (temporary)
        unlink(entry.path().c_str());
      else
        let_go_.strays.push_back({hash});
    }
  }

  // A rename sets the change time: how long a file has been in the trash. Reads look there too, so
  // nobody has missed a file that should not be here: it goes back instead.
  absl::Status EmptyTrash() {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(store_.dir() + "/trash", error)) {
      struct stat info {};
      if (stat(entry.path().c_str(), &info) != 0) continue;
      if (int64_t{info.st_ctime} * 1'000'000 > HoursBefore(now_us_, policy_.trash_hours)) continue;
      const std::string hash = entry.path().filename().string();
      CAKE_STORE_ASSIGN(const int64_t held,
                        db_->Int("SELECT count(*) FROM object WHERE hash = ?1"
                                 " AND dropped_us IS NULL AND bytes_inline IS NULL",
                                 hash));
      if (held > 0) {
        if (policy_.apply) EnsurePlaced(store_.dir(), hash);
        continue;
      }
      ++report_.trash.count;
      report_.trash.bytes += info.st_size;
      if (policy_.apply) unlink(entry.path().c_str());
    }
    return absl::OkStatus();
  }

  Store& store_;
  const GarbagePolicy& policy_;
  const Cancelled& cancelled_;
  const int64_t now_us_;
  std::unique_ptr<Database> db_;
  std::unordered_map<std::string, Row> rows_;
  std::unordered_set<std::string> named_, best_;
  LetGo let_go_;
  GarbageReport report_;
};

}  // namespace

absl::StatusOr<GarbageReport> CollectGarbage(Store& store, Clock& clock,
                                             const GarbagePolicy& policy,
                                             const Cancelled& cancelled) {
  return Collector(store, clock, policy, cancelled).Run();
}

}  // namespace store
