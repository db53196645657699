// Evidence of another machine becomes runs of this store: whole or not at all, once for each
// manifest.
#pragma once

#include "absl/status/statusor.h"
#include "server/core/context.h"
#include "server/core/experiments.h"

namespace server::core {

class Importing {
 public:
  Importing(Context& context, Experiments& experiments) : c_(context), experiments_(experiments) {}

  // The manifest, the log and every object that the log names are stored already. INVALID_ARGUMENT
  // says what of the evidence cannot be; nothing of it is then part of the store.
  absl::StatusOr<ImportReply> Import(const ImportRequest& request);

 private:
  absl::StatusOr<store::Batch> BatchOf(const ImportRequest& request, const std::string& manifest,
                                       int64_t& left_out);
  ImportReply Reply(const state::Import& row, bool already) const;

  Context& c_;
  Experiments& experiments_;
};

}  // namespace server::core
