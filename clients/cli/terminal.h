// What every verb shares towards the person or agent that calls it: exit codes, colours, tables,
// the closing line with the most useful next command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace clients::cli {

// Documented in `cake --help`; scripts rely on them.
enum ExitCode : int {
  kFine = 0,
  kCandidateAtFault = 1,
  kUsage = 2,
  kWorldAtFault = 3,
};

// Whether to colour: stdout is a terminal, NO_COLOR is unset, TERM is not "dumb".
bool UseColor();

enum class Style : uint8_t { kPlain, kBold, kGood, kBad, kDim };
std::string Paint(std::string_view text, Style style);

// Columns two blanks apart, each row as long as the header. A column of numbers (their first byte
// is a digit) is right-aligned with its header, every other one left-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// One line on stderr that is overwritten, on a terminal only.
void ShowProgress(std::string_view text);
void ClearProgress();

// "next: cake explain k.cake", dimmed, with `cake` as it can be called from here; on stderr where
// stdout is the product itself (CUDA text, a formatted program). Text form only.
enum class Stream : uint8_t { kOut, kErr };
void PrintNext(std::string_view command, Stream stream = Stream::kOut);

// The error in one line on stderr ("cake: place: reason; remedy") and the exit code for it: usage
// errors (InvalidArgument, NotFound of a named file) 2, everything else 3.
int Fail(const absl::Status& status);

// Quotes for a shell, only where needed.
std::string ShellWord(std::string_view text);

// Escapes control and bidirectional characters: other people's text never drives the terminal.
std::string Printable(std::string_view text);

// "1.23 us", "4.56 ms".
std::string Duration(double ns);

}  // namespace clients::cli
