// Diagnostics: what is wrong with a candidate, as data. The lowest library; it knows no other
// folder.
//
// A diagnostic is declared once, as a typed constant beside the code that emits it:
//
//   constexpr Def<Name, int64_t> kUnknownName{"CKnnnn", Severity::kError, Category::kType,
//       "unknown name `{0}`; {1} names are visible here", "names are resolved where they are used,
//       ..."};
//   report.Add(kUnknownName, span, Name{"foo"}, 3).Label(decl, "declared here").Fix(...);
//
// A wrong argument type does not compile. Code ranges a folder: CK0 lex and
// parse, CK1 names, types, levels, CK2 safety, CK3 hardware, CK4 data, CK5 schedule, CK6 limits,
// CK7 lowering and build, CK8 run and oracle, CK9 contract and command line. A code is never
// reused.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace compiler::diag {

enum class Severity : uint8_t { kError, kWarning, kAdvice };

enum class Category : uint8_t {
  kSyntax,
  kType,
  kSafety,
  kHardware,
  kData,
  kSchedule,
  kUnproven,
  kLimit,
  kLowering,
  kRun,
  kContract,
};

// MACHINE: applying it gives a program that means what the author meant; MAYBE: a guess; MANUAL:
// words.
enum class Applicability : uint8_t { kMachine, kMaybe, kManual };

// Byte offsets into the source text, end exclusive. {0, 0} is "no place".
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

// A name as the author wrote it; rendered in backticks by the message, never translated.
struct Name {
  std::string text;
  bool operator==(const Name&) const = default;
};

using Arg = std::variant<int64_t, double, Name>;

struct Label {
  Span span;
  std::string text;
};
struct Edit {
  Span span;
  std::string text;
};

struct Fix {
  std::string title;
  std::vector<Edit> edits;
  Applicability applicability = Applicability::kManual;
};

// Which run-time instance of the statement failed; -1 and empty where it does not apply.
struct Instance {
  std::string role;
  int64_t cta = -1, warp = -1, lane = -1, iteration = -1, stage = -1, phase = -1;
  int64_t byte_begin = -1, byte_end = -1;
  std::string shape;  // e.g. "N=1000, SMS=4"
  bool operator==(const Instance&) const = default;
};

// One arrow of a wait-for graph: `waiter` cannot move until `event` gets `needed` arrivals; it has
// `arrived`.
struct WaitEdge {
  std::string waiter, event, missing;
  int64_t arrived = 0, needed = 0;
  Span span;
};

struct Diagnostic {
  std::string_view code;
  Severity severity = Severity::kError;
  Category category = Category::kSyntax;
  Span primary;
  std::string message;    // the fact, lower case, no full stop, no fix in it
  std::string why;        // the hardware's or the language's reason
  std::vector<Arg> args;  // the message's arguments, in slot order
  std::vector<Label> labels;
  std::vector<Fix> fixes;
  std::vector<WaitEdge> wait_graph;
  Instance instance;
};

// Declaration of a diagnostic: `message` has slots {0}, {1}, .. filled from typed arguments.
template <typename... Args>
struct Def {
  std::string_view code;
  Severity severity;
  Category category;
  std::string_view message;
  std::string_view why;
};

// Fills the slots {0} to {9}; any other brace is itself. Names are cut by ShortName.
std::string FormatMessage(std::string_view message, const std::vector<Arg>& args);

// A name as a rendering shows it: at most kMaxNameBytes and then "...", cut between code points.
constexpr size_t kMaxNameBytes = 80;
std::string ShortName(std::string_view text);

// Collects diagnostics. Add never stops the caller: every finding of a program is reported.
class Report {
 public:
  // Adds labels, fixes, an instance or a wait graph to a diagnostic just added.
  class Builder {
   public:
    explicit Builder(Diagnostic& d) : d_(d) {}
    Builder& Label(Span span, std::string text) {
      d_.labels.push_back({span, std::move(text)});
      return *this;
    }
    Builder& Fix(std::string title, std::vector<Edit> edits, Applicability applicability) {
      d_.fixes.push_back({std::move(title), std::move(edits), applicability});
      return *this;
    }
    Builder& At(Instance instance) {
      d_.instance = std::move(instance);
      return *this;
    }
    Builder& Waits(std::vector<WaitEdge> edges) {
      d_.wait_graph = std::move(edges);
      return *this;
    }

   private:
    Diagnostic& d_;
  };

  template <typename... Args>
  Builder Add(const Def<Args...>& def, Span primary, std::type_identity_t<Args>... args) {
    return AddErased(def.code, def.severity, def.category, def.message, def.why, primary,
                     {Arg(std::move(args))...});
  }

  const std::deque<Diagnostic>& diagnostics() const { return diagnostics_; }
  bool has_errors() const;
  void Append(const Report& other);
  // A diagnostic made elsewhere, kept as it is: for readers that merge or annotate reports.
  void AddMade(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }
  // Orders by (span, code, message): the same whatever order the checks ran in. Drops exact
  // repeats.
  void Sort();

 private:
  Builder AddErased(std::string_view code, Severity severity, Category category,
                    std::string_view message, std::string_view why, Span primary,
                    std::vector<Arg> args);
  std::deque<Diagnostic> diagnostics_;  // a deque: Builder holds a reference across later Adds
};

std::string_view ToString(Severity severity);            // "error" | "warning" | "advice"
std::string_view ToString(Category category);            // "syntax" | "type" | "safety" | ..
std::string_view ToString(Applicability applicability);  // "machine" | "maybe" | "manual"

}  // namespace compiler::diag
