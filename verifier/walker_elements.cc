// What loops over groups keep: the groups' offsets are elements of tensors that nothing writes.
#include "verifier/alike.h"
#include "verifier/spans.h"
#include "verifier/walker.h"

namespace verifier {
namespace {

constexpr size_t kMaxPairs = 4;  // of neighbouring elements that a bound is looked for with

struct Pair {
  AtomId earlier = -1, later = -1;
  int64_t distance = 0;  // that all of them have together
};

int64_t Ceil(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }  // b > 0

// The last loaded neighbours of tensors with one dimension whose elements never fall.
std::vector<Pair> NeighboursOf(const Evaluator& e) {
  std::vector<Pair> pairs;
  const std::vector<AtomId>& loaded = e.analysis.loaded;
  const Atoms& atoms = e.analysis.atoms;
  const auto rises = [&](int32_t tensor) {
    return std::any_of(e.program.contracts.begin(), e.program.contracts.end(), [&](const auto& c) {
      return c.kind == ir::ContentContract::Kind::kSteps &&
             static_cast<int32_t>(c.tensor) == tensor;
    });
  };
  for (size_t i = loaded.size(); i-- > 0 && pairs.size() < kMaxPairs;) {
    const Atom& later = atoms[loaded[i]];
    if (later.indices.size() != 1 || !rises(later.tensor)) continue;
    for (const AtomId other : loaded) {
      const Atom& earlier = atoms[other];
      if (earlier.tensor != later.tensor) continue;
      const auto ahead = Minus(later.indices[0], earlier.indices[0]);
      if (!ahead || !(*ahead == Linear::Constant(1))) continue;
      if (!e.prover.AtMost(Linear::Atom(other), Linear::Atom(loaded[i]), e.facts)) continue;
      const Interval highest = e.KnownRange(Linear::Atom(loaded[i]));
      const Interval lowest = e.KnownRange(Linear::Atom(other));
      if (!highest.has_high() || !lowest.has_low()) continue;
      pairs.push_back({other, loaded[i], highest.high - std::max<int64_t>(lowest.low, 0)});
    }
  }
  return pairs;
}

}  // namespace

// Variables that run alike are elements of a tensor of their own, one a trip: in trips of one
// number they are equal.
void Walker::MarkAlike(const Trips& trips, const std::vector<size_t>& assigned,
                       const std::vector<LocalValue>& before,
                       const std::vector<LocalValue>& heads) {
  constexpr int32_t kOfTrips = 1 << 30;  // no tensor has this number
  const bool of_launch = trips.loop != nullptr && trips.all && analysis_.atoms.Uniform(trips.low);
  if (!of_launch) return;
  const auto uniform = [&](ir::LocalId local) {
    const std::optional<Linear>& value = before[static_cast<size_t>(local)].value;
    return value && analysis_.atoms.Uniform(*value);
  };
  const auto started = [&](size_t local) {
    return heads[local].value && uniform(static_cast<ir::LocalId>(local));
  };
  if (std::none_of(assigned.begin(), assigned.end(), started)) return;
  const std::vector<bool> alike = AlikeLocals(
      program_, e_.kernel, *trips.loop,
      {.uniform = uniform, .constant = [&](ir::TensorId t) { return e_.ConstantContents(t); }});
  for (const size_t local : assigned) {
    if (!alike[local] || !started(local)) continue;
    Atom& head = analysis_.atoms.Mutable(heads[local].value->terms[0].atom);
    head.tensor = kOfTrips;
    head.indices = {trips.counter};
  }
}

// Of a loop over the tiles of a group: its variable lies below what the group's size says, which is
// said without the products of the number of tiles.
std::optional<Linear> Walker::BelowByElements(const Linear& variable, const Linear& high) const {
  constexpr int64_t kGroups = 64;  // a bound that is good for many groups, not for one
  if (!analysis_.atoms.OfElements(high)) return std::nullopt;
  for (const Pair& pair : NeighboursOf(e_)) {
    const SpanBounds bounds(analysis_.atoms, e_.facts, pair.later, pair.earlier, pair.distance,
                            kGroups);
    const auto found = bounds.Upper(high);
    if (!found || found->rise <= 0) continue;
    const auto span = Minus(Linear::Atom(pair.later), Linear::Atom(pair.earlier));
    const auto room = Combine(*span, found->rise, Shift(variable, 1), -found->denominator);
    return room ? std::optional(Shift(*room, found->constant)) : std::nullopt;
  }
  return std::nullopt;
}

// A loop over groups that moves a variable by no more than a multiple of the group's size, and a
// number, has moved it by no more than that multiple of all offsets so far, and the number a trip.
void Walker::AddSpans(const Trips& trips, const std::vector<LocalValue>& before,
                      const std::vector<LocalValue>& heads, std::vector<Candidate>& candidates) {
  const Interval count = analysis_.atoms.RangeOf(trips.most);
  if (trips.loop == nullptr || !trips.all || trips.step != 1 || !count.has_high()) return;
  const auto index = Plus(trips.low, trips.counter);
  for (const Pair& pair : NeighboursOf(e_)) {
    const Atom& earlier = analysis_.atoms[pair.earlier];
    if (!index || !(earlier.indices[0] == *index)) continue;
    const SpanBounds bounds(analysis_.atoms, e_.facts, pair.later, pair.earlier, pair.distance,
                            count.high);
    const int32_t tensor = earlier.tensor;
    const Linear first =
        Linear::Atom(analysis_.atoms.Element(tensor, {trips.low}, RangeOfDType(ir::DType::kI32)));
    for (size_t local = 0; local < heads.size(); ++local) {
      if (heads[local].version == before[local].version || !heads[local].value) continue;
      if (!e_.locals[local].value || !before[local].value) continue;
      const auto moved = Minus(*e_.locals[local].value, *heads[local].value);
      if (!moved || moved->is_constant()) continue;
      const auto found = bounds.Upper(*moved);
      if (!found || found->rise <= 0) continue;
      Candidate more{.local = local, .head = *heads[local].value, .sign = -1};
      more.span = {.tensor = tensor,
                   .first = trips.low,
                   .earlier = pair.earlier,
                   .later = pair.later,
                   .distance = pair.distance,
                   .count = count.high,
                   .rise = Ceil(found->rise, found->denominator),
                   .constant = Ceil(found->constant, found->denominator)};
      if (more.span.rise > kLargestRate || std::abs(more.span.constant) > kLargestRate) continue;
      const auto so_far = Minus(Linear::Atom(pair.earlier), first);
      const auto started = Combine(*before[local].value, 1, trips.counter, more.span.constant);
      const auto base = started ? Combine(*started, 1, *so_far, more.span.rise) : std::nullopt;
      if (!base) continue;
      more.base = *base;
      candidates.push_back(more);
    }
    return;
  }
}

// At the next head the earlier element is what the later one is now, so what is to be shown is that
// the iteration moved the variable by no more than their distance times the rise, and the constant.
bool Walker::KeepsSpan(const Candidate& candidate) const {
  const Candidate::Span& span = candidate.span;
  const std::optional<Linear>& now = e_.locals[candidate.local].value;
  const auto moved = now ? Minus(*now, candidate.head) : std::nullopt;
  if (!moved) return false;
  const bool rises =
      e_.prover.AtMost(Linear::Atom(span.earlier), Linear::Atom(span.later), e_.facts);
  if (!rises) return false;
  const SpanBounds bounds(analysis_.atoms, e_.facts, span.later, span.earlier, span.distance,
                          span.count);
  const auto found = bounds.Upper(*moved);
  return found && Ceil(found->rise, found->denominator) <= span.rise &&
         Ceil(found->constant, found->denominator) <= span.constant;
}

}  // namespace verifier
