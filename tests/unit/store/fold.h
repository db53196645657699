// What the fold tests share: a small world in memory, and the list of kinds that have a test.
#pragma once

#include <set>

#include "store/error.h"
#include "tests/unit/store/fixtures.h"

namespace store {

class Fold : public testing::Test {
 protected:
  Fold() : store(OpenStepped("")), world(*store), view(*store->Snapshot()), reads(view->reads()) {}

  Reason Refused(EventBody event) { return ReasonOf(TryCommit(*store, {std::move(event)})); }
  ObjectHash Stored(const std::string& text) { return *store->Put(ObjectKind::kReport, text); }

  std::unique_ptr<Store> store;
  World world;
  std::unique_ptr<SnapshotView> view;
  Reads& reads;
};

// Names the kinds that a test is about.
inline std::set<std::string>& TestedKinds() {
  static std::set<std::string> kinds;
  return kinds;
}
#define FOLD_TEST(Kind)                                                            \
  const bool Tested##Kind = TestedKinds().insert(std::string(Kind::kKind)).second; \
  TEST_F(Fold, Kind)

}  // namespace store
