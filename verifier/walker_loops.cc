// Loops: what one keeps of the variables that it assigns, and what is known of them behind it.
#include <map>
#include <utility>

#include "verifier/walker.h"

namespace verifier {
namespace {

constexpr size_t kMaxSymbolicRates = 2;  // of one variable of one loop

bool SharesAnAtom(const Linear& a, const Linear& b) {
  return std::any_of(a.terms.begin(), a.terms.end(), [&](const Term& s) {
    return std::any_of(b.terms.begin(), b.terms.end(),
                       [&](const Term& t) { return s.atom == t.atom; });
  });
}

}  // namespace

// A loop makes ceildiv(high - low, step) trips, none where high <= low.
Walker::Trips Walker::TripsOf(const Linear& low, const Linear& high, const Linear& step,
                              std::string_view name) {
  const Interval room_range =
      Add(analysis_.atoms.RangeOf(high), Scale(analysis_.atoms.RangeOf(low), -1));
  const bool constant = step.is_constant() && step.constant > 0;
  Trips trips{.step = constant ? step.constant : 1};
  Interval range{.low = 0};
  if (room_range.has_high()) {
    range.high = std::max<int64_t>(0, (room_range.high - 1) / trips.step);
  }
  trips.counter = Linear::Atom(
      analysis_.atoms.Add({.kind = AtomKind::kCounter, .name = std::string(name), .range = range}));
  const std::optional<Linear> room = Minus(high, low);
  if (!room) {
    trips.most = e_.Fresh(std::string(name), {.low = 0});
    return trips;
  }
  Linear steps = *room;
  if (!e_.prover.NonNegative(*room, e_.facts)) {
    // The larger of the room and 0, without the proofs by cases that a maximum would ask for.
    Atom larger{.name = "room", .range = {0, std::max<int64_t>(0, room_range.high)}};
    larger.uniform = analysis_.atoms.Uniform(*room);
    const Linear self = Linear::Atom(static_cast<AtomId>(analysis_.atoms.size()));
    if (const auto above = Minus(self, *room)) larger.facts.push_back(*above);
    // From a low end that is not negative it is no farther than the high one is from 0.
    if (analysis_.atoms.RangeOf(low).low >= 0) larger.right = high;
    steps = Linear::Atom(analysis_.atoms.Add(std::move(larger)));
  }
  trips.distance = steps;
  trips.most =
      constant ? analysis_.atoms.FloorQuotient(Shift(steps, trips.step - 1), trips.step) : steps;
  if (constant) trips.all = trips.most;
  return trips;
}

void Walker::For(const Stmt& stmt) {
  for (const ExprId id : {stmt.low, stmt.high, stmt.step}) Visit(id);
  const Linear low = e_.IndexValue(stmt.low), high = e_.IndexValue(stmt.high);
  const Linear step = stmt.step == ExprId::kNone ? Linear::Constant(1) : e_.IndexValue(stmt.step);
  const bool constant = step.is_constant() && step.constant > 0;
  if (!constant) e_.Require(Requirement::Kind::kStep, stmt.step, step, {.low = 1});
  const std::string& name = e_.kernel.locals[static_cast<size_t>(stmt.local)].name;
  if (const auto room = Minus(high, low); e_.dry == 0 && room) {
    analysis_.loops.push_back({e_.stmt, *room, constant ? step.constant : 0, e_.facts});
  }
  Trips trips = TripsOf(low, high, step, name);
  trips.loop = &stmt;
  trips.low = low;
  trips.high = high;
  Facts head;
  std::optional<Linear> variable;
  if (constant) {
    variable = Combine(low, 1, trips.counter, step.constant);
  } else {
    const Interval range{analysis_.atoms.RangeOf(low).low, analysis_.atoms.RangeOf(high).high};
    variable = Linear::Atom(analysis_.atoms.Add({.kind = AtomKind::kCounter,
                                                 .name = name,
                                                 .range = range,
                                                 .start = low,
                                                 .step = step,
                                                 .has_step = true}));
    // Each trip moves by 1 at least.
    const auto moved = Minus(*variable, low);
    if (const auto more = moved ? Minus(*moved, trips.counter) : std::nullopt) {
      head.push_back(*more);
    }
  }
  if (!variable) variable = e_.Fresh(name, RangeOfDType(ir::DType::kI32));
  if (const auto above = Minus(*variable, low)) head.push_back(*above);
  if (const auto below = Minus(high, *variable)) head.push_back(Shift(*below, -1));
  if (const auto below = BelowByElements(*variable, high)) head.push_back(*below);
  Loop(stmt.body, trips, [&] {
    e_.facts.insert(e_.facts.end(), head.begin(), head.end());
    e_.locals[static_cast<size_t>(stmt.local)] = {.value = variable};
  });
}

void Walker::While(const Stmt& stmt) {
  ends_ = EndsOf(stmt);
  Loop(stmt.body, std::nullopt, [&] {
    Visit(stmt.value);
    e_.Assume(stmt.value, true);
  });
  e_.Assume(stmt.value, false);
}

// Enters the loop's head with the candidates as facts.
void Walker::Head(const std::vector<Candidate>& candidates, const std::vector<LocalValue>& heads,
                  const Enter& enter) {
  e_.locals = heads;
  for (const Candidate& candidate : candidates) {
    std::optional<Linear> distance = Minus(candidate.head, candidate.base);
    if (distance && candidate.partner != Candidate::kNone) {
      distance = Minus(*distance, candidate.partner_head);
    }
    if (distance) Keep(Times(*distance, candidate.sign));
    // What contracts say of the element that a loop over groups began with.
    if (const Candidate::Span& span = candidate.span; span.tensor >= 0) {
      e_.ElementValue(static_cast<ir::TensorId>(span.tensor), {span.first});
    }
  }
  enter();
}

// What a loop keeps of the variables it assigns is guessed and the guesses that one iteration
// breaks are dropped until none is (Houdini); then the body is read once for good.
void Walker::Loop(const std::vector<StmtId>& body, const std::optional<Trips>& trips,
                  const Enter& enter) {
  const size_t depth = e_.facts.size();
  const std::vector<size_t> assigned = AssignedLocals(program_, body);
  statements_read_ += static_cast<int64_t>(e_.locals.size());  // they are copied for every loop
  const std::vector<LocalValue> before = e_.locals;
  std::vector<LocalValue> heads = before;
  std::vector<Candidate> candidates;
  for (const size_t local : assigned) {
    const ir::Local& declared = e_.kernel.locals[local];
    heads[local] = {.version = before[local].version + 1};
    if (!IsIntegerScalar(declared.type) || declared.type.dtype == ir::DType::kBool) continue;
    const Linear head = e_.Fresh(declared.name, RangeOfLocal(local));
    analysis_.atoms.Mutable(head.terms[0].atom).of_local = true;
    heads[local].value = head;
    if (!before[local].value) continue;
    const Linear& start = *before[local].value;
    candidates.push_back({.local = local, .head = head, .base = start, .sign = 1});
    candidates.push_back({.local = local, .head = head, .base = start, .sign = -1});
    if (e_.prover.NonNegative(start, e_.facts)) {
      candidates.push_back({.local = local, .head = head, .sign = 1});
    }
  }
  for (const End& end : std::exchange(ends_, {})) {
    if (heads[end.local].value) {
      candidates.push_back(
          {.local = end.local, .head = *heads[end.local].value, .base = end.value, .sign = -1});
    }
  }
  if (trips) MarkAlike(*trips, assigned, before, heads);
  if (!candidates.empty()) Infer(body, trips, enter, before, heads, candidates);
  Head(candidates, heads, enter);
  Block(body);
  e_.facts.resize(depth);
  e_.locals = before;
  Exit(candidates, heads, assigned, trips);
}

// Behind the loop the same relations hold of some last value, after all trips.
void Walker::Exit(const std::vector<Candidate>& candidates, const std::vector<LocalValue>& heads,
                  const std::vector<size_t>& assigned, const std::optional<Trips>& trips) {
  for (const size_t local : assigned) {
    e_.locals[local] = {.version = heads[local].version + 1};
    if (!heads[local].value) continue;
    const ir::Local& declared = e_.kernel.locals[local];
    e_.locals[local].value = e_.Fresh(declared.name, RangeOfLocal(local));
    analysis_.atoms.Mutable(e_.locals[local].value->terms[0].atom).of_local = true;
  }
  const auto counted = [&](const Candidate& c) -> std::optional<Linear> {
    if (c.span.tensor >= 0) return std::nullopt;
    if (c.still()) return c.base;
    const auto start = trips ? analysis_.atoms.Product(c.rate, trips->counter) : std::nullopt;
    const auto first = start ? Minus(c.base, *start) : std::nullopt;
    if (!first) return std::nullopt;
    // What grows by a number a trip is bounded by the most trips; how many it is where that is
    // known.
    if (!trips->all && (c.sign > 0 || analysis_.atoms.RangeOf(c.rate).low < 0)) return std::nullopt;
    const auto grown = analysis_.atoms.Product(c.rate, trips->most);
    return grown ? Plus(*first, *grown) : std::nullopt;
  };
  std::map<size_t, Linear> at_least, at_most;
  for (const Candidate& candidate : candidates) {
    const std::optional<Linear> base = counted(candidate);
    if (!base || candidate.partner != Candidate::kNone) continue;
    (candidate.sign > 0 ? at_least : at_most)[candidate.local] = *base;
    const auto low = at_least.find(candidate.local), high = at_most.find(candidate.local);
    const bool known = low != at_least.end() && high != at_most.end();
    if (known && low->second == high->second) e_.locals[candidate.local].value = *base;
  }
  for (const Candidate& candidate : candidates) {
    const std::optional<Linear> base = counted(candidate);
    std::optional<Linear> value = e_.locals[candidate.local].value;
    if (candidate.partner != Candidate::kNone) {
      value = Minus(*value, *e_.locals[candidate.partner].value);
    }
    const auto distance = base && value ? Minus(*value, *base) : std::nullopt;
    if (distance) Keep(Times(*distance, candidate.sign));
  }
}

void Walker::Infer(const std::vector<StmtId>& body, const std::optional<Trips>& trips,
                   const Enter& enter, const std::vector<LocalValue>& before,
                   const std::vector<LocalValue>& heads, std::vector<Candidate>& candidates) {
  if (statements_read_ > kMaxStatementsRead) {
    candidates.clear();
    return;
  }
  const size_t depth = e_.facts.size();
  ++e_.dry;
  bool stable = false;
  for (int round = 0; round < kMaxRounds && !stable; ++round) {
    Head(candidates, heads, enter);
    Block(body);
    if (round == 0) {
      AddRates(trips, before, heads, candidates);
      AddPairs(before, heads, candidates);
      if (trips) AddSpans(*trips, before, heads, candidates);
    }
    const auto broken = [&](const Candidate& c) {
      if (c.span.tensor >= 0) return !KeepsSpan(c);
      return !c.leans && !e_.Keeps(c, true);
    };
    stable = std::erase_if(candidates, broken) == 0;
    for (Candidate& candidate : candidates) {
      stable = stable && !candidate.leans;
      candidate.leans = false;
    }
    e_.facts.resize(depth);
  }
  if (!stable) candidates.clear();
  --e_.dry;
}

// A variable that each iteration moves by a constant is its start plus that times the counter;
// one that it moves by a number with bounds lies between two such.
void Walker::AddRates(const std::optional<Trips>& trips, const std::vector<LocalValue>& before,
                      const std::vector<LocalValue>& heads, std::vector<Candidate>& candidates) {
  if (!trips) return;
  for (size_t local = 0; local < heads.size(); ++local) {
    if (heads[local].version == before[local].version || !heads[local].value) continue;
    if (!e_.locals[local].value || !before[local].value) continue;
    const std::optional<Linear> moved = Minus(*e_.locals[local].value, *heads[local].value);
    if (!moved) continue;
    const Candidate still{
        .local = local, .head = *heads[local].value, .base = *before[local].value};
    const Interval rates =
        moved->is_constant() ? Interval{moved->constant, moved->constant} : e_.RangeOfMove(*moved);
    for (const int sign : {1, -1}) {
      const int64_t rate = sign > 0 ? rates.low : rates.high;
      if (rate == 0 || std::abs(rate / 2) > kLargestRate) continue;
      const std::optional<Linear> base = Combine(still.base, 1, trips->counter, rate);
      if (!base) continue;
      Candidate more = still;
      more.base = *base;
      more.rate = Linear::Constant(rate);
      more.sign = sign;
      candidates.push_back(more);
    }
    // A loop whose body makes one to `step` moves a trip may leave out the last of them.
    if (rates.low >= 0 && rates.low < rates.high && rates.high <= trips->step && trips->distance) {
      if (const auto behind = Plus(still.base, *trips->distance)) {
        Candidate more = still;
        more.base = *behind;
        more.leans = true;
        more.sign = -1;
        candidates.push_back(more);
      }
    }
    if (!moved->is_constant()) AddSymbolicRates(*trips, *moved, still, candidates);
  }
}

// Facts of the place that say: moved no more than a term of the launch.
void Walker::AddSymbolicRates(const Trips& trips, const Linear& moved, const Candidate& still,
                              std::vector<Candidate>& candidates) {
  size_t added = 0;
  const auto add = [&](const Linear& rate, int sign) {
    const auto grown = analysis_.atoms.Product(rate, trips.counter);
    const auto base = grown ? Plus(still.base, *grown) : std::nullopt;
    if (!base) return;
    Candidate more = still;
    more.base = *base;
    more.rate = rate;
    more.sign = sign;
    candidates.push_back(more);
    ++added;
  };
  if (analysis_.atoms.Uniform(moved)) {
    add(moved, 1);
    return add(moved, -1);
  }
  for (size_t i = e_.facts.size(); i-- > 0 && added < kMaxSymbolicRates;) {
    if (!SharesAnAtom(e_.facts[i], moved)) continue;
    const auto rate = Plus(moved, e_.facts[i]);
    if (!rate || rate->is_constant() || !analysis_.atoms.Uniform(*rate)) continue;
    add(*rate, -1);
  }
}

// Two variables that an iteration moves alike keep their distance.
void Walker::AddPairs(const std::vector<LocalValue>& before, const std::vector<LocalValue>& heads,
                      std::vector<Candidate>& candidates) {
  std::vector<std::pair<size_t, Linear>> moves;
  for (size_t local = 0; local < heads.size(); ++local) {
    if (heads[local].version == before[local].version || !heads[local].value) continue;
    if (!e_.locals[local].value || !before[local].value) continue;
    const auto moved = Minus(*e_.locals[local].value, *heads[local].value);
    if (moved && !moved->is_constant()) moves.emplace_back(local, *moved);
  }
  if (moves.size() != 2) return;
  const auto [a, of_a] = moves[0];
  const auto [b, of_b] = moves[1];
  const auto distance = Minus(*before[a].value, *before[b].value);
  if (!distance) return;
  for (const int sign : {1, -1}) {
    candidates.push_back({.local = a,
                          .head = *heads[a].value,
                          .base = *distance,
                          .sign = sign,
                          .partner = b,
                          .partner_head = *heads[b].value});
  }
}

}  // namespace verifier
