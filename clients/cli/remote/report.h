// Reports and candidates from the wire as text.
#pragma once

#include <string>

#include "cake/v1/common.pb.h"
#include "cake/v1/history.pb.h"
#include "cake/v1/operator.pb.h"

namespace clients::cli::remote {

std::string ReportText(const cake::v1::Report& report);
std::string ProgressText(const cake::v1::Progress& progress);
std::string RunTable(const cake::v1::RunSummary& run);

}  // namespace clients::cli::remote
