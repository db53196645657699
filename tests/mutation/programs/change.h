// One change of a right program: what it does to it, and what is known of the result from how it
// is made. No one who judges programs is asked here.
//
// `known` is the breakage by construction of each operator: kBroken only where the conditions at
// the site (one wait of that ring, a loop as long as the shape, a copy that fills ..) leave no
// doubt; kEqual where synchronisation is only added or an expression only said otherwise; kOpen
// where another oracle has to say.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/mutation/programs/base.h"

namespace mutation {

enum class Known : uint8_t { kBroken, kEqual, kOpen };

struct TextEdit {
  Span span;  // of the right program
  std::string text;
  bool operator==(const TextEdit&) const = default;
};

struct Change {
  std::string name;    // the operator
  std::string family;  // of operators
  // What may come of it, the first what it is by its kind: R race, D deadlock, P premise of the
  // protocol, X proxy, L lifetime, I unwritten, T bytes, B bounds and coverage, A alignment and
  // form, S resource, C convergence, W scope.
  std::string hazards;
  Known known = Known::kOpen;
  std::vector<TextEdit> edits;
  std::vector<Span> places;  // of the right program: what has part in it
};

// All changes that the operators make of it, in a fixed order.
std::vector<Change> AllChanges(const Base& base);

std::string Apply(const Base& base, const Change& change);
// Lines of the changed program, from 1, where what has part in it stands.
std::set<int> Lines(const Base& base, const Change& change);

// What the families of operators are made with.
class Maker {
 public:
  Maker(const Base& base, std::vector<Change>& out) : base_(base), out_(out) {}
  const Base& base() const { return base_; }

  // `words`: what it is about; each statement of the kernel that names one has part in it.
  void Add(std::string_view name, std::string_view family, std::string_view hazards, Known known,
           std::vector<TextEdit> edits, const Site* at, const std::set<std::string>& words,
           const text::Kernel* kernel);

  std::vector<TextEdit> Drop(const Site& site) const;
  std::vector<TextEdit> Twice(const Site& site) const;
  // Behind or before another statement of the same block.
  std::vector<TextEdit> MoveBehind(const Site& site, const text::Stmt& other) const;
  std::vector<TextEdit> MoveBefore(const Site& site, const text::Stmt& other) const;
  // What is written behind the last `@` of a path, with its parentheses; empty span: none.
  Span UseSpan(const text::Expr* path) const;
  // The same as an expression, without parentheses.
  std::string UseText(const text::Expr* path) const;
  std::vector<TextEdit> ShiftUse(const text::Expr* path, int by) const;

 private:
  const Base& base_;
  std::vector<Change>& out_;
};

// The families.
void RingChanges(Maker& make);
void EventChanges(Maker& make);
void BarrierChanges(Maker& make);
void AsyncChanges(Maker& make);
void ProxyChanges(Maker& make);
void MemoryChanges(Maker& make);
void GuardChanges(Maker& make);
void InitChanges(Maker& make);
void FormChanges(Maker& make);
void ResourceChanges(Maker& make);
void ClusterChanges(Maker& make);
void LaunchChanges(Maker& make);
void EqualChanges(Maker& make);

}  // namespace mutation
