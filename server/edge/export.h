// Whole tables as text, for programs that are not ours.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>
#include <vector>

#include "server/edge/door.h"
#include "server/edge/sql.h"
#include "store/query.h"

namespace server::edge {

// An answer waits whole for its reader, so that a slow one holds no snapshot open.
inline constexpr size_t kExportBytesMax = size_t{64} << 20;
inline constexpr size_t kExportChunkBytes = size_t{256} << 10;

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
