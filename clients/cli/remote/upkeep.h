// The store of a daemon, or of a folder that none has: fsck, backup, restore, gc, doctor.
#pragma once

#include <cstdint>
#include <vector>

#include "clients/cli/remote/verbs.h"

namespace clients::cli::remote {

// `worker_pids`: of this folder's workers on this machine.
int Doctor(const AdminOptions& options, const std::vector<int64_t>& worker_pids);
int Fsck(const AdminOptions& options);
int Backup(const AdminOptions& options);
int Restore(const AdminOptions& options);
int CollectGarbage(const AdminOptions& options);
int CreateToken(const AdminOptions& options);
int RevokeToken(const AdminOptions& options);
int SetQuota(const AdminOptions& options);
int DrainWorker(const AdminOptions& options);
int QuarantineDevice(const AdminOptions& options);
int ActivateCalibration(const AdminOptions& options);

}  // namespace clients::cli::remote
