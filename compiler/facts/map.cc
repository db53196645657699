#include "compiler/facts/map.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/facts/launch.h"
#include "compiler/facts/overlay.h"
#include "compiler/facts/registers.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

std::string FormOf(const ir::SharedBuffer& buffer) {
  switch (buffer.form) {
    case ir::SharedForm::kSwizzle: return absl::StrCat("swizzle ", buffer.form_amount);
    case ir::SharedForm::kPadded: return absl::StrCat("padded ", buffer.form_amount);
    case ir::SharedForm::kRows: break;
  }
  return "rows";
}

int LineOf(const ir::Program& program, diag::Span span) {
  const auto end = program.source.begin() +
                   std::min<ptrdiff_t>(span.begin, static_cast<ptrdiff_t>(program.source.size()));
  return 1 + static_cast<int>(std::count(program.source.begin(), end, '\n'));
}

void AddRoles(const ir::Kernel& kernel, const KernelFacts& facts, const arch::Device& device,
              KernelMap& map) {
  const int64_t given = LaunchRegisters(device.registers_per_sm, device.registers_per_thread,
                                        facts.threads, kernel.ctas_per_sm);
  int64_t next = 0;
  const auto idle_until = [&](int64_t warp) {
    if (warp > next) map.roles.push_back({.first_warp = next, .warps = warp - next, .most = given});
  };
  for (size_t i = 0; i < facts.roles.size(); ++i) {
    const RolePlacement& at = facts.roles[i];
    idle_until(at.first_warp);
    next = at.first_warp + at.warps;
    const int64_t regs = kernel.roles[i].regs;
    map.roles.push_back({.name = kernel.roles[i].name,
                         .first_warp = at.first_warp,
                         .warps = at.warps,
                         .registers = regs,
                         .most = given,
                         .setmaxnreg = regs == 0 || regs == given ? ""
                                       : regs < given             ? "dec"
                                                                  : "inc"});
  }
  idle_until(facts.threads / ir::kLanes);
}

template <typename Buffer>
std::vector<std::string> SameRoom(const std::vector<Buffer>& buffers, size_t index) {
  std::vector<std::string> names;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (i == index) continue;
    if (Exclusive(buffers[index].alternatives, buffers[i].alternatives)) {
      names.push_back(buffers[i].name);
    }
  }
  return names;
}

void AddShared(const ir::Kernel& kernel, const KernelFacts& facts, const arch::Device& device,
               KernelMap& map) {
  map.shared_bytes = facts.shared_bytes;
  map.shared_limit = device.shared_bytes_per_block_optin;
  std::vector<bool> used(static_cast<size_t>(facts.shared_bytes));
  const auto take = [&](int64_t first, int64_t bytes) {
    const int64_t end = std::min(first + bytes, facts.shared_bytes);
    for (int64_t i = first; i < end; ++i) used[static_cast<size_t>(i)] = true;
  };
  for (size_t i = 0; i < facts.shared.size(); ++i) {
    const ir::SharedBuffer& buffer = kernel.shared[i];
    const SharedPlacement& place = facts.shared[i];
    const int64_t size = place.total_bytes - (buffer.stages - 1) * place.stage_bytes;
    for (int64_t stage = 0; stage < buffer.stages; ++stage) {
      take(place.offset_bytes + stage * place.stage_bytes, size);
    }
    map.shared.push_back(
        {.name = buffer.name,
         .type = absl::StrCat(std::string(ir::ToString(buffer.dtype)), ir::ShapeText(buffer.shape)),
         .form = FormOf(buffer),
         .first = place.offset_bytes,
         .size = size,
         .stages = buffer.stages,
         .distance = buffer.stages > 1 ? place.stage_bytes : size,
         .same_room = SameRoom(kernel.shared, i)});
  }
  take(facts.mbarrier_offset_bytes, facts.mbarriers * kMbarrierBytes);
  if (facts.tmem_columns > 0) take(facts.tmem_word_offset_bytes, 4);
  map.padding_bytes = std::count(used.begin(), used.end(), false);
  std::stable_sort(map.shared.begin(), map.shared.end(),
                   [](const MapBuffer& a, const MapBuffer& b) { return a.first < b.first; });
}

void AddTmem(const ir::Kernel& kernel, const KernelFacts& facts, const arch::Device& device,
             KernelMap& map) {
  map.tmem_columns = facts.tmem_columns;
  map.tmem_limit = device.tensor_memory_columns;
  map.tmem_word_byte = facts.tmem_word_offset_bytes;
  for (size_t i = 0; i < facts.tmem.size(); ++i) {
    const ir::TmemBuffer& buffer = kernel.tmem[i];
    map.tmem.push_back({.name = buffer.name,
                        .type = absl::StrCat(std::string(ir::ToString(buffer.dtype)), "[",
                                             buffer.rows, ", ", buffer.columns, "]"),
                        .first = facts.tmem[i].first_column,
                        .size = facts.tmem[i].columns,
                        .same_room = SameRoom(kernel.tmem, i)});
  }
  std::stable_sort(map.tmem.begin(), map.tmem.end(),
                   [](const MapBuffer& a, const MapBuffer& b) { return a.first < b.first; });
}

void AddMbarriers(const ir::Kernel& kernel, const KernelFacts& facts, KernelMap& map) {
  map.mbarrier_byte = facts.mbarrier_offset_bytes;
  map.mbarriers = facts.mbarriers;
  for (size_t i = 0; i < facts.rings.size(); ++i) {
    const ir::Ring& ring = kernel.rings[i];
    const RingPlacement& place = facts.rings[i];
    map.events.push_back({.name = ring.name,
                          .kind = MapEvent::Kind::kFull,
                          .first_byte = place.full_offset_bytes,
                          .stages = ring.stages,
                          .arrivals = place.full_count});
    map.events.push_back({.name = ring.name,
                          .kind = MapEvent::Kind::kEmpty,
                          .first_byte = place.empty_offset_bytes,
                          .stages = ring.stages,
                          .arrivals = place.empty_count,
                          .cluster = ring.cluster && kernel.cluster > 1});
  }
  for (size_t i = 0; i < facts.events.size(); ++i) {
    map.events.push_back({.name = kernel.events[i].name,
                          .first_byte = facts.events[i].offset_bytes,
                          .stages = kernel.events[i].stages,
                          .arrivals = kernel.events[i].count});
  }
}

// Whose mbarrier a load completes its bytes on.
std::pair<ir::RingId, ir::EventId> TargetOf(const ir::Program& program, const ir::Kernel& kernel,
                                            const ir::Stmt& stmt) {
  if (stmt.on_ring != ir::RingId::kNone || stmt.on_event != ir::EventId::kNone) {
    return {stmt.on_ring, stmt.on_event};
  }
  const ir::SharedId shared = stmt.destination == ir::ViewId::kNone
                                  ? ir::SharedId::kNone
                                  : program[stmt.destination].shared;
  if (shared == ir::SharedId::kNone) return {ir::RingId::kNone, ir::EventId::kNone};
  return {kernel.shared[static_cast<size_t>(shared)].ring, ir::EventId::kNone};
}

MapEvent* EventOf(KernelMap& map, const ir::Kernel& kernel, ir::RingId ring, ir::EventId event,
                  bool empty) {
  if (ring != ir::RingId::kNone)
    return &map.events[2 * static_cast<size_t>(ring) + (empty ? 1 : 0)];
  if (event == ir::EventId::kNone) return nullptr;
  return &map.events[2 * kernel.rings.size() + static_cast<size_t>(event)];
}

void Add(MapUse use, std::vector<MapUse>& list) {
  const bool known = std::any_of(list.begin(), list.end(), [&](const MapUse& other) {
    return other.role == use.role && other.line == use.line && other.verb == use.verb;
  });
  if (!known) list.push_back(std::move(use));
}

void AddUsesOf(const ir::Program& program, const ir::Kernel& kernel, const Facts& facts,
               const ir::Role& role, KernelMap& map) {
  const auto use = [&](diag::Span span, std::string_view verb) {
    return MapUse{.role = role.name, .line = LineOf(program, span), .verb = std::string(verb)};
  };
  ForEachStmt(program, role.body, [&](ir::StmtId id, const ir::Stmt& stmt) {
    if (stmt.op != nullptr) {
      const ir::SyncEffect sync = stmt.op->effects.sync;
      const bool empty = sync == ir::SyncEffect::kAcquire || sync == ir::SyncEffect::kRelease;
      const bool waits = sync == ir::SyncEffect::kAcquire || sync == ir::SyncEffect::kWait;
      MapEvent* at = EventOf(map, kernel, stmt.ring, stmt.event, empty);
      if (at != nullptr && sync != ir::SyncEffect::kNone) {
        Add(use(stmt.source.span, stmt.op->name), waits ? at->wait : at->arrive);
      }
      if (IsMbarrierLoad(stmt.op->effects.copy)) {
        const auto [ring, event] = TargetOf(program, kernel, stmt);
        MapUse load = use(stmt.source.span, stmt.op->name);
        const CopyPlan* plan = facts.copies.Find(id);
        load.bytes = plan == nullptr ? CopyBytes(program, kernel, stmt) : plan->bytes;
        if (MapEvent* on = EventOf(map, kernel, ring, event, false)) Add(load, on->arrive);
      }
    }
    for (const ir::ExprId root : OwnExprs(program, stmt)) {
      ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.kind != ir::ExprKind::kTest) return;
        MapEvent* at = EventOf(map, kernel, expr.ring, expr.event, false);
        if (at != nullptr) Add(use(expr.source.span, "test"), at->wait);
      });
    }
  });
}

void AddTensorMaps(const ir::Program& program, const Facts& facts, size_t kernel, KernelMap& map) {
  int64_t slots = 0;
  const std::vector<PatchedMap> patched =
      PatchedMaps(program, program.kernels[kernel], facts.copies, &slots);
  for (const TensorMap& one : facts.copies.maps) {
    if (std::find(one.kernels.begin(), one.kernels.end(), kernel) == one.kernels.end()) continue;
    const ir::Tensor& tensor = program[one.tensor];
    map.maps.push_back({.name = one.name,
                        .tensor = tensor.name,
                        .dtype = std::string(ir::ToString(one.dtype)),
                        .box = one.box,
                        .swizzle_bytes = one.swizzle_bytes});
    for (const PatchedMap& copy : patched) {
      if (copy.map != &one - facts.copies.maps.data()) continue;
      map.maps.back().patched_by.push_back(program.kernels[kernel].roles[copy.role].name);
    }
  }
}

KernelMap MapOfKernel(const ir::Program& program, const Facts& facts, const arch::Device& device,
                      size_t index) {
  const ir::Kernel& kernel = program.kernels[index];
  const KernelFacts& own = facts.kernels[index];
  KernelMap map{.name = kernel.name,
                .function = EmittedName(program, kernel),
                .threads = own.threads,
                .cluster = kernel.cluster,
                .ctas_per_sm = own.ctas_per_sm,
                .meets_in_cluster = own.reaches_other_ctas,
                .cooperative = own.cooperative,
                .pdl = kernel.pdl,
                .barriers = own.barriers,
                .named_barriers = own.named_barriers,
                .barrier_limit = device.named_barriers};
  std::vector<std::string> grid;
  for (const ir::ExprId id : kernel.grid) {
    grid.emplace_back(TextOf(program, program[id].source.span));
  }
  map.grid = absl::StrCat("(", absl::StrJoin(grid, ", "), ")");
  if (kernel.when != ir::ExprId::kNone) {
    map.when = std::string(TextOf(program, program[kernel.when].source.span));
  }
  for (const ir::Tensor& tensor : program.tensors) {
    if (tensor.direction == ir::Direction::kWorkspace && tensor.zero) {
      map.cleared.push_back(tensor.name);
    }
  }
  for (const ir::Barrier& barrier : kernel.barriers) map.barrier_names.push_back(barrier.name);
  AddRoles(kernel, own, device, map);
  AddShared(kernel, own, device, map);
  AddTmem(kernel, own, device, map);
  AddMbarriers(kernel, own, map);
  for (const ir::Role& role : kernel.roles) AddUsesOf(program, kernel, facts, role, map);
  AddTensorMaps(program, facts, index, map);
  return map;
}

}  // namespace

std::vector<KernelMap> MapOf(const ir::Program& program, const Facts& facts,
                             const arch::Device& device) {
  std::vector<KernelMap> maps;
  for (size_t k = 0; k < facts.kernels.size(); ++k) {
    maps.push_back(MapOfKernel(program, facts, device, k));
  }
  return maps;
}

}  // namespace compiler::facts
