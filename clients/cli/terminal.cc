#include "clients/cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clients/cli/place.h"

namespace clients::cli {
namespace {

// Display width of UTF-8 text: continuation bytes take no column.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool StartsWithDigit(std::string_view cell) {
  return !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
}

// A column of numbers: nothing but numbers and gaps below its header, and one number at least.
bool HoldsNumbers(const std::vector<std::vector<std::string>>& rows, size_t column) {
  bool any = false;
  for (size_t r = 1; r < rows.size(); ++r) {
    if (column >= rows[r].size() || rows[r][column].empty()) continue;
    if (!StartsWithDigit(rows[r][column])) return false;
    any = true;
  }
  return any;
}

// U+202A..U+202E and U+2066..U+2069 reorder what is shown; returns their length in bytes, or 0.
size_t BidiLength(std::string_view text) {
  if (text.size() < 3 || text[0] != '\xe2') return 0;
  const auto second = static_cast<unsigned char>(text[1]),
             third = static_cast<unsigned char>(text[2]);
  const bool embedding = second == 0x80 && third >= 0xaa && third <= 0xae;
  const bool isolate = second == 0x81 && third >= 0xa6 && third <= 0xa9;
  return embedding || isolate ? 3 : 0;
}

}  // namespace

bool UseColor() {
  static const bool use = [] {
    const char* term = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr &&
           (term == nullptr || std::string_view(term) != "dumb");
  }();
  return use;
}

std::string Paint(std::string_view text, Style style) {
  if (!UseColor() || style == Style::kPlain) return std::string(text);
  const char* code = style == Style::kBold   ? "1"
                     : style == Style::kGood ? "32"
                     : style == Style::kBad  ? "31"
                                             : "2";
  return absl::StrCat("\033[", code, "m", std::string(text), "\033[0m");
}

std::string Table::Text() const {
  const size_t columns = rows_[0].size();
  std::vector<size_t> widths(columns, 0);
  std::vector<bool> right(columns, false);
  for (size_t i = 0; i < columns; ++i) {
    right[i] = HoldsNumbers(rows_, i);
    for (const auto& row : rows_) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string out;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < columns; ++i) {
      const std::string& cell = rows_[r][i];
      const std::string blanks(widths[i] - Width(cell), ' ');
      line += right[i] ? blanks + cell : cell + blanks;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += r == 0 ? Paint(line, Style::kBold) : line;
    out += '\n';
  }
  return out;
}

void ShowProgress(std::string_view text) {
  if (isatty(STDERR_FILENO) != 1) return;
  std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(text.size()), text.data());
  std::fflush(stderr);
}

void ClearProgress() {
  if (isatty(STDERR_FILENO) == 1) std::fputs("\r\033[K", stderr);
}

void PrintNext(std::string_view command, Stream stream) {
  constexpr std::string_view kCake = "cake ";
  const bool ours = command.substr(0, kCake.size()) == kCake;
  const std::string line =
      absl::StrCat("next: ", ours ? ShellWord(CakeCommand()) + " " : std::string(),
                   std::string(command.substr(ours ? kCake.size() : 0)));
  if (stream == Stream::kErr) {
    std::fflush(stdout);  // both may lead to one place
    std::fprintf(stderr, "%s\n", line.c_str());
  } else {
    std::printf("%s\n", Paint(line, Style::kDim).c_str());
  }
}

int Fail(const absl::Status& status) {
  ClearProgress();
  std::fprintf(stderr, "cake: %s\n", Printable(std::string(status.message())).c_str());
  return status.code() == absl::StatusCode::kInvalidArgument ||
                 status.code() == absl::StatusCode::kNotFound
             ? kUsage
             : kWorldAtFault;
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@+";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos)
    return std::string(text);
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string Printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (const size_t bidi = BidiLength(text.substr(i)); bidi > 0) {
      out += "\\u{bidi}";
      i += bidi - 1;
    } else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      absl::StrAppendFormat(&out, "\\x%02x", c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

std::string Duration(double ns) {
  if (ns < 1e3) return absl::StrFormat("%.0f ns", ns);
  if (ns < 1e6) return absl::StrFormat("%.2f us", ns / 1e3);
  if (ns < 1e9) return absl::StrFormat("%.3f ms", ns / 1e6);
  return absl::StrFormat("%.2f s", ns / 1e9);
}

}  // namespace clients::cli
