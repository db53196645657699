#include "store/reads.h"

#include "store/apply_body.h"
#include "store/collect.h"
#include "store/event_rows.h"
#include "store/files.h"

#define PRINCIPAL_COLUMNS                                  \
  "id, name, role, token_hash, experiment_id, revoked_us," \
  " weight, checks_max, open_max FROM principal"
#define DEVICE_COLUMNS "id, uuid, name, arch, driver, state, simulated FROM device"
#define WORKER_COLUMNS "id, name, incarnation, state, device_id, capabilities FROM worker"

namespace store {
namespace {

void FillPrincipal(Statement& s, PrincipalRow& r) {
  s.Get(r.id).Get(r.name).Get(r.role).Get(r.token_hash).Get(r.experiment).Get(r.revoked_us);
  s.Get(r.weight).Get(r.checks_max).Get(r.open_max);
}

void FillDevice(Statement& s, DeviceRow& r) {
  s.Get(r.id).Get(r.uuid).Get(r.name).Get(r.arch).Get(r.driver).Get(r.state).Get(r.simulated);
}

void FillWorker(Statement& s, WorkerRow& r) {
  std::string capabilities;
  s.Get(r.id).Get(r.name).Get(r.incarnation).Get(r.state).Get(r.device).Get(capabilities);
  r.capabilities = SplitLines(capabilities);
}

}  // namespace

absl::StatusOr<std::vector<Event>> CollectEvents(Statement& s) {
  std::vector<Event> events;
  for (;;) {
    CAKE_STORE_ASSIGN(const bool more, s.Step());
    if (!more) return events;
    Event event;
    std::string kind, body;
    int schema = 0;
    s.Get(event.seq).Get(event.at_us).Get(event.run).Get(event.subject).Get(kind).Get(schema);
    s.Get(body);
    CAKE_STORE_ASSIGN(event.body, BodyFromJson(kind, schema, body));
    events.push_back(std::move(event));
  }
}

absl::StatusOr<PrincipalRow> Reads::GetPrincipal(int64_t id) {
  Statement s = db_.Use("SELECT " PRINCIPAL_COLUMNS " WHERE id = ?1");
  return CollectOne<PrincipalRow>(s.Bind(id), FillPrincipal, "principal", id);
}

absl::StatusOr<std::optional<PrincipalRow>> Reads::FindPrincipal(std::string_view name) {
  Statement s = db_.Use("SELECT " PRINCIPAL_COLUMNS " WHERE name = ?1");
  return CollectOptional<PrincipalRow>(s.Bind(name), FillPrincipal);
}

absl::StatusOr<DeviceRow> Reads::GetDevice(int64_t id) {
  Statement s = db_.Use("SELECT " DEVICE_COLUMNS " WHERE id = ?1");
  return CollectOne<DeviceRow>(s.Bind(id), FillDevice, "device", id);
}

absl::StatusOr<std::optional<DeviceRow>> Reads::FindDevice(std::string_view uuid) {
  Statement s = db_.Use("SELECT " DEVICE_COLUMNS " WHERE uuid = ?1");
  return CollectOptional<DeviceRow>(s.Bind(uuid), FillDevice);
}

absl::StatusOr<std::vector<DeviceRow>> Reads::ListDevices(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " DEVICE_COLUMNS " WHERE id > ?1 ORDER BY id LIMIT ?2");
  return Collect<DeviceRow>(s.Bind(page.after, page.limit), FillDevice);
}

absl::StatusOr<WorkerRow> Reads::GetWorker(int64_t id) {
  Statement s = db_.Use("SELECT " WORKER_COLUMNS " WHERE id = ?1");
  return CollectOne<WorkerRow>(s.Bind(id), FillWorker, "worker", id);
}

absl::StatusOr<std::optional<WorkerRow>> Reads::FindWorker(std::string_view name) {
  Statement s = db_.Use("SELECT " WORKER_COLUMNS " WHERE name = ?1");
  return CollectOptional<WorkerRow>(s.Bind(name), FillWorker);
}

absl::StatusOr<std::vector<WorkerRow>> Reads::ListWorkers(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " WORKER_COLUMNS " WHERE id > ?1 ORDER BY id LIMIT ?2");
  return Collect<WorkerRow>(s.Bind(page.after, page.limit), FillWorker);
}

absl::StatusOr<std::vector<ProposalRow>> Reads::ListProposals(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use(
      "SELECT id, kind, name, rev, body_hash, state, author_id FROM proposal WHERE id > ?1"
      " ORDER BY id LIMIT ?2");
  return Collect<ProposalRow>(s.Bind(page.after, page.limit), [](Statement& row, ProposalRow& r) {
    row.Get(r.id).Get(r.kind).Get(r.name).Get(r.rev).Get(r.body_hash).Get(r.state).Get(r.author);
  });
}

absl::StatusOr<std::vector<Event>> Reads::EventsAfter(int64_t after, int64_t run, int64_t limit) {
  CAKE_STORE_TRY(CheckLimit(limit));
  if (run == 0) {
    Statement s = db_.Use("SELECT " EVENT_COLUMNS " WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    return CollectEvents(s.Bind(after, limit));
  }
  Statement s =
      db_.Use("SELECT " EVENT_COLUMNS " WHERE run_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3");
  return CollectEvents(s.Bind(run, after, limit));
}

absl::StatusOr<std::vector<Event>> Reads::EventsOfSubject(std::string_view subject, int64_t after,
                                                          int64_t limit) {
  CAKE_STORE_TRY(CheckLimit(limit));
  Statement s =
      db_.Use("SELECT " EVENT_COLUMNS " WHERE subject = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3");
  return CollectEvents(s.Bind(subject, after, limit));
}

absl::StatusOr<int64_t> Reads::LastSeq() { return db_.Int("SELECT max(seq) FROM event"); }

absl::StatusOr<std::string> Reads::GetObject(const ObjectHash& hash) {
  Statement s = db_.Use("SELECT bytes_inline, dropped_us FROM object WHERE hash = ?1");
  CAKE_STORE_ASSIGN(const bool found, s.Bind(hash).Step());
  if (!found) return Error(Reason::kUnknownId, absl::StrCat("no object ", hash.hex));
  if (!s.IsNull(1)) {
    return Error(Reason::kUnknownId, absl::StrCat("the bytes of object ", hash.hex,
                                                  " were kept for their time and are gone"));
  }
  if (s.IsNull(0)) return ReadObject(dir_, hash.hex);
  return s.Text(0);
}

absl::StatusOr<bool> Reads::HasObject(const ObjectHash& hash) {
  CAKE_STORE_ASSIGN(const int64_t found,
                    db_.Int("SELECT count(*) FROM object WHERE hash = ?1", hash));
  return found != 0;
}

absl::StatusOr<std::optional<IdemRow>> Reads::FindReply(int64_t principal, std::string_view method,
                                                        std::string_view request_id) {
  Statement s = db_.Use(
      "SELECT request_hash, reply, at_us FROM idem"
      " WHERE principal_id = ?1 AND method = ?2 AND request_id = ?3");
  return CollectOptional<IdemRow>(
      s.Bind(principal, method, request_id),
      [](Statement& row, IdemRow& r) { row.Get(r.request_hash).Get(r.reply).Get(r.at_us); });
}

}  // namespace store
