// Tables of what a program declares and what follows from it.
#include <algorithm>

#include "compiler/facts/overlay.h"
#include "verifier/learnt/tables.h"

namespace verifier::learnt {
namespace {

namespace facts = compiler::facts;
namespace ir = compiler::ir;

int64_t Id(auto id) { return static_cast<int64_t>(id); }
Cell OrNull(auto id) { return Id(id) < 0 ? Cell(Null{}) : Cell(Id(id)); }
int64_t Begin(const compiler::diag::Span& span) { return span.begin; }
int64_t End(const compiler::diag::Span& span) { return span.end; }
int64_t Flag(bool flag) { return flag ? 1 : 0; }

std::string_view WordOf(ir::SymbolKind kind) {
  switch (kind) {
    case ir::SymbolKind::kDim: return "dim";
    case ir::SymbolKind::kArg: return "arg";
    case ir::SymbolKind::kStride: return "stride";
    case ir::SymbolKind::kSms: return "sms";
  }
  return "";
}

std::string_view WordOf(ir::Direction direction) {
  switch (direction) {
    case ir::Direction::kIn: return "in";
    case ir::Direction::kOut: return "out";
    case ir::Direction::kInOut: return "inout";
    case ir::Direction::kWorkspace: return "workspace";
  }
  return "";
}

std::string_view WordOf(ir::SharedForm form) {
  switch (form) {
    case ir::SharedForm::kRows: return "rows";
    case ir::SharedForm::kSwizzle: return "swizzle";
    case ir::SharedForm::kPadded: return "padded";
  }
  return "";
}

int64_t Bits(ir::DType dtype) { return ir::Info(dtype).bits; }

// Calls `visit(number, kernel, its facts)`.
void ForEachKernel(const Source& source, auto visit) {
  for (size_t k = 0; k < source.program.kernels.size(); ++k) {
    visit(static_cast<int64_t>(k), source.program.kernels[k], source.facts.kernels[k]);
  }
}

}  // namespace

void FillProgram(const Source& source, Rows& rows) {
  rows.Add({std::string_view(source.program.name), std::string_view(source.program.target)});
}

void FillDevice(const Source& source, Rows& rows) {
  const compiler::arch::Device& d = source.device;
  rows.Add({std::string_view(d.arch), d.sm_count, d.shared_bytes_per_block_optin,
            d.max_threads_per_block, d.registers_per_sm, d.max_cluster_size});
}

void FillParams(const Source& source, Rows& rows) {
  for (const ir::BoundParam& param : source.program.params) {
    rows.Add({std::string_view(param.name), param.value});
  }
}

void FillSymbols(const Source& source, Rows& rows) {
  int64_t id = 0;
  for (const ir::Symbol& symbol : source.program.symbols) {
    const auto end = [&](int64_t value) { return symbol.has_range ? Cell(value) : Cell(Null{}); };
    rows.Add({id++, std::string_view(symbol.name), WordOf(symbol.kind), ToString(symbol.dtype),
              end(symbol.low), end(symbol.high)});
  }
}

void FillTensors(const Source& source, Rows& rows) {
  int64_t id = 0;
  for (const ir::Tensor& t : source.program.tensors) {
    rows.Add({id++, std::string_view(t.name), WordOf(t.direction), ToString(t.dtype), Bits(t.dtype),
              static_cast<int64_t>(t.shape.size()), t.alignment, Flag(t.is_static),
              Flag(t.written_by_program), Begin(t.declared), End(t.declared)});
  }
}

void FillKernels(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t id, const ir::Kernel& k, const facts::KernelFacts& f) {
    rows.Add({id, std::string_view(k.name), f.threads, k.cluster, f.ctas_per_sm, f.shared_bytes,
              f.tmem_columns, f.named_barriers, f.mbarriers, Flag(f.cooperative), Flag(k.pdl),
              Flag(f.reaches_other_ctas), Begin(k.declared), End(k.declared)});
  });
}

void FillRoles(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t kernel, const ir::Kernel& k, const facts::KernelFacts& f) {
    for (size_t r = 0; r < k.roles.size(); ++r) {
      const ir::Role& role = k.roles[r];
      const bool reads = r < f.proxies.reads_filled.size() && f.proxies.reads_filled[r];
      rows.Add({kernel, static_cast<int64_t>(r), std::string_view(role.name), f.roles[r].first_warp,
                role.warps, role.regs, Flag(reads), Begin(role.declared), End(role.declared)});
    }
  });
}

void FillBuffers(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t kernel, const ir::Kernel& k, const facts::KernelFacts& f) {
    for (size_t b = 0; b < k.shared.size(); ++b) {
      const ir::SharedBuffer& buffer = k.shared[b];
      const facts::SharedPlacement& at = f.shared[b];
      rows.Add({kernel, static_cast<int64_t>(b), "shared", std::string_view(buffer.name),
                ToString(buffer.dtype), Bits(buffer.dtype),
                static_cast<int64_t>(buffer.shape.size()),
                buffer.shape.empty() ? int64_t{1} : buffer.shape.back(), WordOf(buffer.form),
                buffer.form_amount, at.offset_bytes, at.total_bytes, buffer.stages, at.stage_bytes,
                OrNull(buffer.ring), Begin(buffer.declared), End(buffer.declared)});
    }
    for (size_t t = 0; t < k.tmem.size(); ++t) {
      const ir::TmemBuffer& buffer = k.tmem[t];
      rows.Add({kernel, static_cast<int64_t>(t), "tmem", std::string_view(buffer.name),
                ToString(buffer.dtype), Bits(buffer.dtype), int64_t{2}, buffer.columns, "",
                int64_t{0}, f.tmem[t].first_column, f.tmem[t].columns, int64_t{1}, int64_t{0},
                Null{}, Begin(buffer.declared), End(buffer.declared)});
    }
  });
}

void FillOverlaps(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t kernel, const ir::Kernel& k, const facts::KernelFacts& f) {
    for (size_t a = 0; a < k.shared.size(); ++a) {
      for (size_t b = 0; b < k.shared.size(); ++b) {
        const facts::SharedPlacement &one = f.shared[a], &other = f.shared[b];
        const bool meet = one.offset_bytes < other.offset_bytes + other.total_bytes &&
                          other.offset_bytes < one.offset_bytes + one.total_bytes;
        // Slots of a ring with alternatives interleave: their hulls meet, their bytes need not.
        if (a == b || !meet || !facts::Exclusive(k.shared[a], k.shared[b])) continue;
        rows.Add({kernel, static_cast<int64_t>(a), static_cast<int64_t>(b)});
      }
    }
  });
}

void FillRings(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t kernel, const ir::Kernel& k, const facts::KernelFacts& f) {
    for (size_t r = 0; r < k.rings.size(); ++r) {
      const ir::Ring& ring = k.rings[r];
      rows.Add({kernel, static_cast<int64_t>(r), std::string_view(ring.name), ring.stages,
                Flag(ring.cluster), f.rings[r].full_count, f.rings[r].empty_count,
                Begin(ring.declared), End(ring.declared)});
    }
  });
}

void FillRingRoles(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t kernel, const ir::Kernel& k, const facts::KernelFacts& f) {
    const auto side = [&](size_t ring, const std::vector<int>& roles, std::string_view word,
                          const std::vector<int64_t>& warps) {
      for (size_t i = 0; i < roles.size(); ++i) {
        rows.Add({kernel, static_cast<int64_t>(ring), int64_t{roles[i]}, word,
                  i < warps.size() ? Cell(warps[i]) : Cell(Null{})});
      }
    };
    for (size_t r = 0; r < k.rings.size(); ++r) {
      side(r, k.rings[r].from, "from", f.rings[r].committing);
      side(r, k.rings[r].to, "to", f.rings[r].releasing);
    }
  });
}

void FillEvents(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t kernel, const ir::Kernel& k, const facts::KernelFacts&) {
    int64_t id = 0;
    for (const ir::Event& event : k.events) {
      rows.Add({kernel, id++, std::string_view(event.name), event.stages, event.count,
                Begin(event.declared), End(event.declared)});
    }
  });
}

void FillBarriers(const Source& source, Rows& rows) {
  ForEachKernel(source, [&](int64_t kernel, const ir::Kernel& k, const facts::KernelFacts& f) {
    for (size_t b = 0; b < k.barriers.size(); ++b) {
      const ir::Barrier& barrier = k.barriers[b];
      rows.Add({kernel, static_cast<int64_t>(b), std::string_view(barrier.name),
                f.barriers[b].first_id, barrier.count, barrier.threads, Begin(barrier.declared),
                End(barrier.declared)});
    }
  });
}

void FillProperties(const Source& source, Rows& rows) {
  for (const PropertyStatus& status : source.verdict.properties) {
    rows.Add({std::string_view(status.property), ToString(status.how),
              std::string_view(status.coverage)});
  }
}

void FillPremises(const Source& source, Rows& rows) {
  for (const Premise& premise : source.verdict.premises) {
    rows.Add({std::string_view(premise.id), std::string_view(premise.name), ToString(premise.met)});
  }
}

void FillFindings(const Source& source, Rows& rows) {
  for (const compiler::diag::Diagnostic& d : source.verdict.report.diagnostics()) {
    rows.Add({d.code, compiler::diag::ToString(d.category), compiler::diag::ToString(d.severity),
              std::string_view(d.message), Begin(d.primary), End(d.primary)});
  }
}

}  // namespace verifier::learnt
