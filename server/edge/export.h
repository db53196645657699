// Whole tables as text, for programs that are not ours.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/edge/door.h"
#include "server/edge/sql.h"
#include "store/query.h"

namespace server::edge {

// An answer waits whole for its reader, so that a slow one holds no snapshot open.
inline constexpr size_t kExportBytesMax = size_t{64} << 20;
inline constexpr size_t kExportChunkBytes = size_t{256} << 10;
// What all open exports hold for their readers.
inline constexpr uint64_t kExportsHeldMax = uint64_t{kQueriesMax} * kExportBytesMax;

// The part of one export in what all of them hold; given back when it ends.
class HeldBytes {
 public:
  explicit HeldBytes(std::shared_ptr<std::atomic<uint64_t>> all) : all_(std::move(all)) {}
  ~HeldBytes() { *all_ -= mine_; }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;

  // False, and nothing is taken, where readers leave too much unread. One thread.
  bool Take(uint64_t bytes);

 private:
  std::shared_ptr<std::atomic<uint64_t>> all_;
  uint64_t mine_ = 0;
};

// Lines of one format. The cells of a row are those of `names`.
std::string ExportHead(wire::ExportFormat format, const std::vector<std::string>& names);
std::string ExportLine(wire::ExportFormat format, const std::vector<std::string>& names,
                       const std::vector<store::QueryCell>& row);

// The question of an export; INVALID_ARGUMENT where it names no documented view.
absl::StatusOr<std::string> ExportSql(const wire::ExportRequest& request);

grpc::ServerWriteReactor<wire::ExportReply>* MakeExport(Queries& queries,
                                                        const absl::StatusOr<Caller>& caller,
                                                        const wire::ExportRequest& request);

}  // namespace server::edge
