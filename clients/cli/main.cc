// `cake`: local verbs run here, without gRPC (its shared libraries would cost more than a check
// does); verbs that talk to the daemon are the program `cake-remote` beside this one.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "clients/cli/options.h"
#include "clients/cli/place.h"
#include "clients/cli/terminal.h"

namespace {

int ExecRemote(char** argv) {
  const std::string program = clients::cli::FolderOfThisProgram() + "/cake-remote";
  argv[0] = const_cast<char*>(program.c_str());
  execv(program.c_str(), argv);
  std::fprintf(stderr, "cake: %s: %s; build the target cake-remote\n", program.c_str(),
               std::strerror(errno));
  return clients::cli::kWorldAtFault;
}

bool IsRemoteRuleVerb(const char* word) {
  static const std::set<std::string> kVerbs = {"gate",   "shadow", "approve", "demote",
                                               "reject", "retire", "list",    "show"};
  return kVerbs.count(word) > 0;
}

}  // namespace

int main(int argc, char** argv) {
  static const std::set<std::string> kRemote = {"submit",     "watch",   "diagnose", "evolve",
                                                "experiment", "history", "sql",      "usage",
                                                "diff",       "import",  "admin",    "portfolio"};
  if (argc > 1 && kRemote.count(argv[1]) > 0) return ExecRemote(argv);
  // A rule is tried here, and kept, gated and decided on by the daemon.
  if (argc > 2 && std::strcmp(argv[1], "rule") == 0 && IsRemoteRuleVerb(argv[2])) {
    return ExecRemote(argv);
  }
  // The receipts of candidates are the daemon's; those of this machine have ids and folders.
  const bool candidate = argc > 2 && std::strncmp(argv[2], "c-", 2) == 0;
  if (candidate && std::strcmp(argv[1], "replay") == 0) return ExecRemote(argv);
  return clients::cli::RunLocal(argc, argv);
}
