// Where this program and its data are.
#pragma once

#include <string>

namespace clients::cli {

// The folder of the running executable: its companions (cake-worker, cake-remote) are beside it.
std::string FolderOfThisProgram();

// How this program is called from the current folder: "cake" if that is what PATH finds, else its
// path, relative where that is shorter.
std::string CakeCommand();

// $CAKE_HOME, else ./.cake if it exists, else ~/.local/share/cake.
std::string DataFolder();

}  // namespace clients::cli
