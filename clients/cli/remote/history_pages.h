// Lists of the History service, page by page: printed as a table, or whole as CSV or JSON lines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/verbs.h"

namespace clients::cli::remote {

inline constexpr uint32_t kPageRows = 500;

// One row: a cell for each column, and the message that it is of.
struct HistoryRow {
  std::vector<std::string> cells;
  const google::protobuf::Message* message = nullptr;
};

// One page: rows that live as long as it does, and the token of the next page ("" at the end).
struct HistoryPage {
  std::vector<HistoryRow> rows;
  std::string next_token;
  std::shared_ptr<const google::protobuf::Message> reply;
};

// Reads the page of a token with at most so many rows.
using ReadPage = std::function<grpc::Status(const std::string& token, uint32_t rows, HistoryPage*)>;

struct HistoryList {
  std::vector<std::string> columns;
  ReadPage read;
  std::string nothing;  // what is said of an empty list
};

// candidates, runs, experiments, findings, evaluations, events, queue or devices, by the options'
// filters; columns empty for another word.
HistoryList ListOf(const Client& client, const HistoryOptions& options);

// Prints the list in the form that the options ask for, at most options.limit rows of a table and
// all rows of a file unless a limit was given. `first`: the first cell of the first row.
int PrintList(const Client& client, const HistoryList& list, const HistoryOptions& options,
              std::string* first);

// RFC 4180: quoted where a comma, a quote or a line break makes it necessary.
std::string CsvCell(const std::string& text);

}  // namespace clients::cli::remote
