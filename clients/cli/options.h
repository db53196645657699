// The command line of `cake`: one place that knows CLI11.
#pragma once

namespace clients::cli {

// Parses and runs one local verb; returns its exit code. Usage errors print what is wrong and how
// to ask for help, and give exit code 2.
int RunLocal(int argc, char** argv);

}  // namespace clients::cli
