// The facts of one candidate as tables: what learnt rules ask. The list below is the documented
// schema (FACTS.md is made from it), so a table or a column is added, never renamed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"
#include "verifier/verify.h"

namespace verifier::learnt {

// What the facts are of. `verdict`: of the built-in gates, which the program has passed.
struct Source {
  const compiler::ir::Program& program;
  const compiler::facts::Facts& facts;
  const compiler::arch::Device& device;
  const Verdict& verdict;
};

struct Null {};
using Cell = std::variant<Null, int64_t, std::string_view>;

// Where a table's rows go.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual void Add(std::initializer_list<Cell> cells) = 0;  // one a column
};

struct Column {
  std::string_view name;
  std::string_view type;  // INTEGER or TEXT
  std::string_view meaning;
};

struct Table {
  std::string_view name, meaning;
  std::vector<Column> columns;
  void (*fill)(const Source&, Rows&);
};

std::span<const Table> Tables();
// CREATE TABLE of one of them.
std::string TableSql(const Table& table);
// FACTS.md whole.
std::string FactsText();

// The fillers, by where the facts come from. tables_program.cc:
void FillProgram(const Source& source, Rows& rows);
void FillDevice(const Source& source, Rows& rows);
void FillParams(const Source& source, Rows& rows);
void FillSymbols(const Source& source, Rows& rows);
void FillTensors(const Source& source, Rows& rows);
void FillKernels(const Source& source, Rows& rows);
void FillRoles(const Source& source, Rows& rows);
void FillBuffers(const Source& source, Rows& rows);
void FillOverlaps(const Source& source, Rows& rows);
void FillRings(const Source& source, Rows& rows);
void FillRingRoles(const Source& source, Rows& rows);
void FillEvents(const Source& source, Rows& rows);
void FillBarriers(const Source& source, Rows& rows);
void FillProperties(const Source& source, Rows& rows);
void FillPremises(const Source& source, Rows& rows);
void FillFindings(const Source& source, Rows& rows);
// tables_statements.cc:
void FillStatements(const Source& source, Rows& rows);
void FillModifiers(const Source& source, Rows& rows);
void FillInside(const Source& source, Rows& rows);
void FillReaches(const Source& source, Rows& rows);
void FillOperations(const Source& source, Rows& rows);
void FillAccesses(const Source& source, Rows& rows);

}  // namespace verifier::learnt
