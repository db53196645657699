// References that change what they read: caches of keys and values, states of a recurrence.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "runner/reference/families.h"
#include "runner/reference/reader.h"

namespace runner::reference {
namespace {

// Which token writes each slot of the cache: page table[b, pos / PS], slot pos % PS.
std::unordered_map<int64_t, int64_t> Writers(const Inputs& inputs, int64_t page_slots) {
  const Reader lens(inputs, "lens"), table(inputs, "table");
  const int64_t pages = table.extent(1);
  std::unordered_map<int64_t, int64_t> writer;
  for (int64_t b = 0; b < lens.elements(); ++b) {
    const int64_t position = lens.Index(b);
    const int64_t page = table.Index(b * pages + position / page_slots);
    writer[page * page_slots + position % page_slots] = b;
  }
  return writer;
}

// Element d of a head turned by the angles of a position: pairs are (d, d + D/2).
void Rotate(const Reader& x, const Reader& turn, int64_t head, int64_t d, int64_t depth,
            int64_t position, double& want, double& scale) {
  const int64_t half = depth / 2, pair = d % half;
  const double c = turn[position * depth + pair], s = turn[position * depth + half + pair];
  const double a = x[head * depth + d], b = x[head * depth + (d + half) % depth];
  want = d < half ? a * c - b * s : a * c + b * s;
  scale = std::abs(a * c) + std::abs(b * s);
}

int64_t RowOfHead(const Inputs& inputs, std::string_view output) {
  const auto& cache = inputs.tensors.at("kc").at.shape;
  return output == "qr" ? cache[3] : cache[2] * cache[3];
}

// qr = q turned by position lens[b]; kc and vc get the turned k and the plain v of each token in
// the slot of its position and keep everything else. turn: cosines, then sines, a row a position.
void RopeAppend(const Inputs& inputs, std::string_view output, Piece piece) {
  const Reader lens(inputs, "lens"), turn(inputs, "turn");
  const int64_t depth = Extent(inputs, "kc", 3), heads = Extent(inputs, "kc", 2);
  if (output == "qr") {
    const Reader q(inputs, "q");
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      const int64_t b = i / (q.extent(1) * depth);
      Rotate(q, turn, i / depth, i % depth, depth, lens.Index(b), piece.want[i - piece.begin],
             piece.scale[i - piece.begin]);
    }
    return;
  }
  const Reader old(inputs, output), fresh(inputs, output == "kc" ? "k" : "v");
  const auto writers = Writers(inputs, Extent(inputs, "kc", 1));
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    double &want = piece.want[i - piece.begin], &scale = piece.scale[i - piece.begin];
    const auto writer = writers.find(i / (heads * depth));
    if (writer == writers.end() || output == "vc") {
      want = writer == writers.end() ? old[i]
                                     : fresh[writer->second * heads * depth + i % (heads * depth)];
      scale = std::abs(want);
      continue;
    }
    Rotate(fresh, turn, writer->second * heads + i / depth % heads, i % depth, depth,
           lens.Index(writer->second), want, scale);
  }
}

int64_t RowOfState(const Inputs& inputs, std::string_view output) {
  const auto& state = inputs.tensors.at("state").at.shape;
  return output == "y" ? 1 : state[3];
}

// One row of a state: s' = s * exp(dt a) + dt x b, y = s' . c + d x. Row p of head h of batch i.
struct StateRow {
  const Reader x, dt, a, bm, cm, dsk;
  explicit StateRow(const Inputs& inputs)
      : x(inputs, "x"),
        dt(inputs, "dt"),
        a(inputs, "a"),
        bm(inputs, "bm"),
        cm(inputs, "cm"),
        dsk(inputs, "dsk") {}

  // The new state of column n, given the old one.
  void Update(int64_t i, int64_t h, int64_t p, int64_t n, double old, double& want,
              double& scale) const {
    const int64_t heads = x.extent(1), rows = x.extent(2), width = bm.extent(2);
    const double step = dt[i * heads + h], turn = step * a[h];
    const double kept = old * std::exp(turn);
    const double added =
        step * x[(i * heads + h) * rows + p] * bm[(i * bm.extent(1) + Group(h)) * width + n];
    want = kept + added;
    scale = std::abs(kept) * (1 + std::abs(turn)) + std::abs(added);
  }
  int64_t Group(int64_t h) const { return h / (x.extent(1) / bm.extent(1)); }
};

void SsuOutput(const Inputs& inputs, const StateRow& row, Piece piece) {
  const Reader state(inputs, "state"), slots(inputs, "slots");
  const int64_t heads = state.extent(1), rows = state.extent(2), width = state.extent(3);
  for (int64_t at = piece.begin; at < piece.end; ++at) {
    const int64_t i = at / (heads * rows), h = at / rows % heads, p = at % rows;
    double sum = 0, size = 0;
    if (const int64_t slot = slots.Index(i); slot >= 0) {
      for (int64_t n = 0; n < width; ++n) {
        double value = 0, bound = 0;
        const double old = state[((slot * heads + h) * rows + p) * width + n];
        row.Update(i, h, p, n, old, value, bound);
        const double c = row.cm[(i * row.cm.extent(1) + row.Group(h)) * width + n];
        sum += value * c, size += bound * std::abs(c);
      }
      sum += row.dsk[h] * row.x[at], size += std::abs(row.dsk[h] * row.x[at]);
    }
    piece.want[at - piece.begin] = sum, piece.scale[at - piece.begin] = size;
  }
}

// state[slots[i]] is updated by batch i, other slots stay; batches with slot -1 give y = 0.
void SsuDecode(const Inputs& inputs, std::string_view output, Piece piece) {
  const StateRow row(inputs);
  if (output == "y") return SsuOutput(inputs, row, piece);
  const Reader state(inputs, "state"), slots(inputs, "slots");
  std::unordered_map<int64_t, int64_t> batch;
  for (int64_t i = 0; i < slots.elements(); ++i) batch[slots.Index(i)] = i;
  const int64_t heads = state.extent(1), rows = state.extent(2), width = state.extent(3);
  for (int64_t at = piece.begin; at < piece.end; ++at) {
    double &want = piece.want[at - piece.begin], &scale = piece.scale[at - piece.begin];
    const auto found = batch.find(at / (heads * rows * width));
    want = state[at], scale = std::abs(want);
    if (found == batch.end()) continue;
    row.Update(found->second, at / (rows * width) % heads, at / width % rows, at % width, state[at],
               want, scale);
  }
}

}  // namespace

std::vector<Builtin> StateReferences() {
  return {
      {"rope_append",
       {"qr", "kc", "vc"},
       {"q", "k", "v", "turn", "lens", "table", "kc", "vc"},
       {},
       RowOfHead,
       RopeAppend},
      {"ssu_decode",
       {"y", "state"},
       {"state", "x", "dt", "a", "bm", "cm", "dsk", "slots"},
       {},
       RowOfState,
       SsuDecode},
  };
}

}  // namespace runner::reference
