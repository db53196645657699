// `cake-worker --job FILE`: one job without any daemon.
#pragma once

#include <string>

#include "runner/worker/evaluator.h"

namespace runner::worker {

// Exit code: 0 the candidate is correct, 1 the candidate is at fault, 2 the job file is wrong, 3
// the world is. The result goes to `out` (empty: standard output), with the receipt; objects to
// `objects_dir` and the bundle of the receipt to a folder in `receipts_dir`, unless empty.
int RunJobFile(const EvaluatorOptions& options, const std::string& file, const std::string& out,
               const std::string& objects_dir, const std::string& receipts_dir);

// Many jobs by one evaluator, so that its children and caches are shared as they are while it
// serves: one job file a line in, one result a line out, with the wall time of the whole as
// `wall_ns`. Exit code: that of the worst job.
int RunJobLines(const EvaluatorOptions& options, const std::string& file, const std::string& out);

// Whose fault a failure was, where no daemon says so: by what the reference machine makes of it.
void Route(JobResult& result);

// The exit code that stands for a result.
int ExitCodeOf(const JobResult& result);

}  // namespace runner::worker
