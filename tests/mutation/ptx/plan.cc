#include "tests/mutation/ptx/plan.h"

#include <sstream>

namespace ptx {

Plan ReadPlan(std::istream& lines) {
  Plan plan;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    if (what == "arg") {
      Argument a;
      std::string kind;
      in >> kind;
      a.kind = kind == "tensor" ? 't' : kind == "symbol" ? 's' : 'm';
      if (a.kind == 's') {
        in >> a.bytes;
        for (int64_t v; in >> v;) a.values.push_back(static_cast<uint64_t>(v));
      } else {
        in >> a.name;
      }
      plan.arguments.push_back(a);
    } else if (what == "tensor") {
      Tensor t;
      in >> t.name >> t.direction >> t.kind >> t.bytes >> t.zero >> t.element_bytes;
      plan.tensors.push_back(t);
    } else if (what == "map") {
      Map m;
      in >> m.name >> m.tensor >> m.element_bytes >> m.swizzle >> m.rank;
      for (auto* all : {&m.extents, &m.strides, &m.box}) {
        all->resize(static_cast<size_t>(m.rank));
        for (int64_t& v : *all) in >> v;
      }
      plan.maps.push_back(m);
    } else if (what == "kernel") {
      Launch k;
      in >> k.name >> k.grid[0] >> k.grid[1] >> k.grid[2] >> k.block >> k.shared >> k.cluster >>
          k.skipped;
      plan.launches.push_back(k);
    }
  }
  return plan;
}

}  // namespace ptx
