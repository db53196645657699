// The noise passport of a device: how far apart two timings of one program lie there, for each
// class of kernel. It is measured when a worker starts to serve, before it asks for work, and the
// daemon promotes nothing whose gain is inside it.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "runner/worker/job.h"

namespace runner::worker {

// Times a copy of our own against itself, at one size of each class. About two seconds on a GPU.
absl::StatusOr<Job> PassportJob();

// Class (contract::kKernelClasses) -> relative floor, from the result of that job.
// FailedPrecondition: the job did not end as it should; the message says how.
absl::StatusOr<std::map<std::string, double>> FloorsOf(const JobResult& result);

// A program whose results are known, on inputs from `seed`, judged like any candidate: a device
// that gets it wrong gets no work.
absl::StatusOr<Job> GoldenJob(uint64_t seed);
// OK, or what the device got wrong.
absl::Status Admits(const JobResult& result);
// Prints the noise floor of a file with the median ratios of equal programs, a JSON array. Exit
// code: 0, or 2 where the file says none.
int PrintNoiseFloor(const std::string& file);

}  // namespace runner::worker
