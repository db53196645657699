#include "store/object_names.h"

#include <algorithm>

#include "store/events.h"
#include "store/try.h"

namespace store {
namespace {

constexpr int64_t kEventsAtOnce = 2000;
constexpr size_t kHashDigits = 64;

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

absl::StatusOr<NamedObjects> NamedByEvents(Database& db, int64_t through_seq,
                                           const Cancelled& cancelled) {
  NamedObjects named;
  for (int64_t after = 0; after < through_seq; after += kEventsAtOnce) {
    if (cancelled()) return absl::CancelledError("cancelled while the log was read");
    Statement s = db.Use("SELECT seq, kind, schema, body FROM event WHERE seq > ?1 AND seq <= ?2");
    s.Bind(after, std::min(after + kEventsAtOnce, through_seq));
    for (;;) {
      CAKE_STORE_ASSIGN(const bool more, s.Step());
      if (!more) break;
      const int64_t seq = s.Int(0);
      CAKE_STORE_ASSIGN(const EventBody body,
                        BodyFromJson(s.Text(1), static_cast<int>(s.Int(2)), s.Text(3)));
      std::vector<ObjectHash> objects;
      CAKE_STORE_TRY(CheckBody(body, &objects));
      for (ObjectHash& object : objects) named.try_emplace(std::move(object.hex), seq);
    }
  }
  return named;
}

std::vector<std::string> HashesIn(std::string_view text) {
  std::vector<std::string> found;
  for (size_t at = 0; at < text.size();) {
    if (!IsHexDigit(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && IsHexDigit(text[end])) ++end;
    if (end - at == kHashDigits) found.emplace_back(text.substr(at, kHashDigits));
    at = end;
  }
  return found;
}

}  // namespace store
