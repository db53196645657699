#include "compiler/ops/lane_meaning.h"

#include "compiler/ir/packed.h"
#include "compiler/ops/extreme.h"
#include "compiler/ops/packed_meaning.h"

namespace compiler::ops {
namespace {

constexpr std::string_view kPartial = "not all lanes of the group take part";
constexpr uint32_t kAllLanes = 0xffffffff;

uint32_t Bit(int lane) { return uint32_t{1} << lane; }
int GroupStart(int lane, int width) { return lane & ~(width - 1); }
uint32_t GroupMask(int lane, int width) {
  return (width == kLanes ? kAllLanes : Bit(width) - 1) << GroupStart(lane, width);
}

bool WholeGroups(const MeaningArgs& args) {
  for (int lane = 0; lane < kLanes; lane += args.width) {
    const uint32_t group = GroupMask(lane, args.width);
    if ((args.mask & group) != 0 && (args.mask & group) != group) return false;
  }
  return true;
}

// Lanes of groups in which any lane is undefined.
uint32_t SpreadOverGroups(uint32_t undefined, int width) {
  uint32_t spread = 0;
  for (int lane = 0; lane < kLanes; lane += width) {
    const uint32_t group = GroupMask(lane, width);
    if ((undefined & group) != 0) spread |= group;
  }
  return spread;
}

template <typename T>
std::string_view AddInto(T a, T b, T* sum) {
  if constexpr (std::is_same_v<T, float>) {
    *sum = Canonical(a + b);
  } else {
    if (__builtin_add_overflow(a, b, sum) && std::is_signed_v<T>) return kOverflow;
  }
  return {};
}

template <typename T, bool kMax>
std::string_view ExtremeInto(T a, T b, T* result) {
  if constexpr (std::is_same_v<T, float>) {
    *result = Extreme<kMax>(a, b, false);
  } else {
    *result = (a < b) == kMax ? b : a;
  }
  return {};
}

// Butterfly over the groups; combine(own, other, &result) returns "" or an error.
template <typename T, typename Combine>
std::string_view Butterfly(const MeaningArgs& args, Combine combine) {
  LaneVector current = *args.in[0];
  const uint32_t undefined = SpreadOverGroups(current.undefined, args.width);
  const uint32_t live = args.mask & ~undefined;
  for (int step = 1; step < args.width; step *= 2) {
    LaneVector next = current;
    for (uint32_t rest = live; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      T result{};
      const std::string_view error =
          combine(Get<T>(current, lane), Get<T>(current, lane ^ step), &result);
      if (!error.empty()) return error;
      Set<T>(next, lane, result);
    }
    current = next;
  }
  LaneVector& out = *args.out[0];
  for (uint32_t rest = Begin(args, undefined, out); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rest));
    out.bits[at] = current.bits[at];
  }
  return {};
}

// The same of packed values: `combine` is an entry's meaning of two operands.
std::string_view PackedButterfly(const MeaningArgs& args, ir::Meaning combine) {
  LaneVector current = *args.in[0];
  const uint32_t undefined = SpreadOverGroups(current.undefined, args.width);
  for (int step = 1; step < args.width; step *= 2) {
    LaneVector other = current;
    for (int lane = 0; lane < kLanes; ++lane) {
      other.bits[static_cast<size_t>(lane)] = current.bits[static_cast<size_t>(lane ^ step)];
    }
    LaneVector next = current;
    const LaneVector* in[] = {&current, &other};
    LaneVector* out[] = {&next};
    MeaningArgs both = args;
    both.in = in;
    both.out = out;
    both.modifiers = {};
    both.mask = args.mask & ~undefined;
    both.ftz = false;
    combine(both);
    current = next;
  }
  LaneVector& out = *args.out[0];
  for (uint32_t rest = Begin(args, undefined, out); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rest));
    out.bits[at] = current.bits[at];
  }
  return {};
}

template <bool kMax>
std::string_view Extremes(const MeaningArgs& args) {
  if (!WholeGroups(args)) return kPartial;
  if (ir::IsPacked(args.operand_type)) return PackedButterfly(args, kMax ? PackedMax : PackedMin);
  return WithNumber(args.operand_type,
                    [&]<typename T>() { return Butterfly<T>(args, ExtremeInto<T, kMax>); });
}

// Whether (value, index) of the other lane replaces the own one.
template <typename T, bool kMax>
bool Wins(T other, int64_t other_index, T own, int64_t own_index) {
  if constexpr (std::is_same_v<T, float>) {
    if (std::isnan(other) || std::isnan(own)) {
      if (std::isnan(other) && std::isnan(own)) return other_index < own_index;
      return std::isnan(own);
    }
  }
  if (other == own) return other_index < own_index;
  return (own < other) == kMax;
}

template <typename T, bool kMax>
std::string_view ArgExtremeOf(const MeaningArgs& args) {
  LaneVector value = *args.in[0];
  LaneVector index = *args.in[1];
  const uint32_t undefined = SpreadOverGroups(value.undefined | index.undefined, args.width);
  const uint32_t live = args.mask & ~undefined;
  for (int step = 1; step < args.width; step *= 2) {
    const LaneVector old_value = value;
    const LaneVector old_index = index;
    for (uint32_t rest = live; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const int other = lane ^ step;
      if (Wins<T, kMax>(Get<T>(old_value, other), Get<int64_t>(old_index, other),
                        Get<T>(old_value, lane), Get<int64_t>(old_index, lane))) {
        value.bits[static_cast<size_t>(lane)] = old_value.bits[static_cast<size_t>(other)];
        index.bits[static_cast<size_t>(lane)] = old_index.bits[static_cast<size_t>(other)];
      }
    }
  }
  Begin(args, undefined, *args.out[1]);
  for (uint32_t rest = Begin(args, undefined, *args.out[0]); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rest));
    args.out[0]->bits[at] = value.bits[at];
    args.out[1]->bits[at] = index.bits[at];
  }
  return {};
}

template <bool kMax>
std::string_view ArgExtreme(const MeaningArgs& args) {
  if (!WholeGroups(args)) return kPartial;
  return WithNumber(args.operand_type, [&]<typename T>() { return ArgExtremeOf<T, kMax>(args); });
}

// Lanes whose condition holds; undefined ones are left out.
uint32_t Holds(const LaneVector& condition) {
  uint32_t holds = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (Get<bool>(condition, lane)) holds |= Bit(lane);
  }
  return holds & ~condition.undefined;
}

template <typename F>
std::string_view Vote(const MeaningArgs& args, F decide) {
  if (!WholeGroups(args)) return kPartial;
  const uint32_t holds = Holds(*args.in[0]);
  const uint32_t undefined = SpreadOverGroups(args.in[0]->undefined, args.width);
  for (uint32_t rest = Begin(args, undefined, *args.out[0]); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    args.out[0]->bits[static_cast<size_t>(lane)] = decide(holds, GroupMask(lane, args.width));
  }
  return {};
}

// Copies, lane by lane, from source(lane); a source that takes no part is an error.
template <typename F>
std::string_view Shuffle(const MeaningArgs& args, uint32_t undefined, F source) {
  const LaneVector value = *args.in[0];
  for (uint32_t rest = args.mask & ~undefined; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int from = source(lane);
    if ((args.mask & Bit(from)) == 0) return "the source lane takes no part in the shuffle";
    if ((value.undefined & Bit(from)) != 0) undefined |= Bit(lane);
  }
  LaneVector sources;
  for (uint32_t rest = args.mask & ~undefined; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    sources.bits[static_cast<size_t>(lane)] = value.bits[static_cast<size_t>(source(lane))];
  }
  for (uint32_t rest = Begin(args, undefined, *args.out[0]); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rest));
    args.out[0]->bits[at] = sources.bits[at];
  }
  return {};
}

// source(lane, distance) for shuffles whose second operand is a distance.
template <typename F>
std::string_view ShuffleBy(const MeaningArgs& args, F source) {
  const LaneVector distance = *args.in[1];
  const uint32_t undefined = distance.undefined;
  for (uint32_t rest = args.mask & ~undefined; rest != 0; rest &= rest - 1) {
    const auto d = Get<int64_t>(distance, std::countr_zero(rest));
    if (d < 0 || d >= kLanes) return "shuffle distance outside 0..32";
  }
  return Shuffle(args, undefined, [&](int lane) {
    return source(lane, static_cast<int>(Get<int64_t>(distance, lane)));
  });
}

template <typename T>
std::string_view ScanOf(const MeaningArgs& args, LaneVector* scan) {
  *scan = *args.in[0];
  const uint32_t live = args.mask & ~SpreadOverGroups(scan->undefined, args.width);
  for (int step = 1; step < args.width; step *= 2) {
    const LaneVector old = *scan;
    for (uint32_t rest = live; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (lane - step < GroupStart(lane, args.width)) continue;
      T sum{};
      const std::string_view error = AddInto(Get<T>(old, lane - step), Get<T>(old, lane), &sum);
      if (!error.empty()) return error;
      Set<T>(*scan, lane, sum);
    }
  }
  return {};
}

std::string_view Scan(const MeaningArgs& args, bool exclusive) {
  if (!WholeGroups(args)) return kPartial;
  LaneVector scan;
  const std::string_view error =
      WithNumber(args.operand_type, [&]<typename T>() { return ScanOf<T>(args, &scan); });
  if (!error.empty()) return error;
  const uint32_t undefined = SpreadOverGroups(args.in[0]->undefined, args.width);
  for (uint32_t rest = Begin(args, undefined, *args.out[0]); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    if (!exclusive) {
      args.out[0]->bits[at] = scan.bits[at];
    } else {
      args.out[0]->bits[at] = lane == GroupStart(lane, args.width) ? 0 : scan.bits[at - 1];
    }
  }
  return {};
}

}  // namespace

std::string_view LanesSum(const MeaningArgs& args) {
  if (!WholeGroups(args)) return kPartial;
  if (ir::IsPacked(args.operand_type)) return PackedButterfly(args, PackedAdd);
  return WithNumber(args.operand_type,
                    [&]<typename T>() { return Butterfly<T>(args, AddInto<T>); });
}

std::string_view LanesMax(const MeaningArgs& args) { return Extremes<true>(args); }
std::string_view LanesMin(const MeaningArgs& args) { return Extremes<false>(args); }
std::string_view LanesArgMax(const MeaningArgs& args) { return ArgExtreme<true>(args); }
std::string_view LanesArgMin(const MeaningArgs& args) { return ArgExtreme<false>(args); }

std::string_view LanesAny(const MeaningArgs& args) {
  return Vote(args,
              [](uint32_t holds, uint32_t group) -> uint64_t { return (holds & group) != 0; });
}

std::string_view LanesAll(const MeaningArgs& args) {
  return Vote(args,
              [](uint32_t holds, uint32_t group) -> uint64_t { return (holds & group) == group; });
}

std::string_view LanesBallot(const MeaningArgs& args) {
  return Vote(args, [](uint32_t holds, uint32_t) -> uint64_t { return holds; });
}

std::string_view LanesFirst(const MeaningArgs& args) {
  if (!WholeGroups(args)) return kPartial;
  return Shuffle(args, 0, [&](int lane) { return GroupStart(lane, args.width); });
}

std::string_view LanesScanSum(const MeaningArgs& args) { return Scan(args, false); }
std::string_view LanesExclusiveScanSum(const MeaningArgs& args) { return Scan(args, true); }

std::string_view ShuffleIndex(const MeaningArgs& args) {
  const LaneVector index = *args.in[1];
  return Shuffle(args, index.undefined, [&](int lane) {
    const auto within = static_cast<int>(index.bits[static_cast<size_t>(lane)] &
                                         static_cast<uint64_t>(args.width - 1));
    return GroupStart(lane, args.width) + within;
  });
}

std::string_view ShuffleUp(const MeaningArgs& args) {
  return ShuffleBy(args, [&](int lane, int d) {
    return lane - d >= GroupStart(lane, args.width) ? lane - d : lane;
  });
}

std::string_view ShuffleDown(const MeaningArgs& args) {
  return ShuffleBy(args, [&](int lane, int d) {
    return lane + d < GroupStart(lane, args.width) + args.width ? lane + d : lane;
  });
}

// PTX ISA, shfl.bfly: lanes of lower groups can be read, lanes of higher groups cannot.
std::string_view ShuffleXor(const MeaningArgs& args) {
  return ShuffleBy(args, [&](int lane, int d) {
    const int from = lane ^ d;
    return from < GroupStart(lane, args.width) + args.width ? from : lane;
  });
}

}  // namespace compiler::ops
