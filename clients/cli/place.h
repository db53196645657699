// Where this program and its data are.
#pragma once

#include <string>

namespace clients::cli {

// The folder of the running executable: its companions (cake-worker, cake-remote) are beside it.
std::string FolderOfThisProgram();

// $CAKE_HOME, else ./.cake if it exists, else ~/.local/share/cake.
std::string DataFolder();

}  // namespace clients::cli
