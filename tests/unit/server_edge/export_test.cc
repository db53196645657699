// What exports hold for readers that do not read.
#include "server/edge/export.h"

#include <gtest/gtest.h>

#include <future>

#include "server/state/error.h"
#include "tests/unit/store/fixtures.h"

namespace server::edge {
namespace {

namespace wire = cake::v1;

TEST(HeldBytes, AllOpenExportsTogetherAreBoundedAndEndedOnesGiveBack) {
  const auto all = std::make_shared<std::atomic<uint64_t>>(0);
  auto first = std::make_unique<HeldBytes>(all);
  HeldBytes second(all);
  EXPECT_TRUE(first->Take(kExportsHeldMax - 1));
  EXPECT_TRUE(second.Take(1));
  EXPECT_FALSE(second.Take(1));
  first.reset();
  EXPECT_EQ(*all, 1u);
  EXPECT_TRUE(second.Take(kExportsHeldMax - 1));
}

class Exports : public testing::Test {
 protected:
  Exports() : store_(*store::Store::Open({.dir = dir_.path(), .disk_reserve_bytes = 0})) {}

  absl::Status Export(Queries& queries, const std::function<bool(wire::ExportReply)>& part) {
    std::promise<absl::Status> ended;
    queries.Export("SELECT * FROM v_candidate", wire::EXPORT_FORMAT_CSV, [] { return false; }, part,
                   [&](const absl::Status& status) { ended.set_value(status); });
    return ended.get_future().get();
  }

  store::TempDir dir_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(Exports, EndWhereThereIsNoRoomForThem) {
  Queries queries(*store_);
  int parts = 0;
  EXPECT_TRUE(Export(queries, [&](const wire::ExportReply& part) {
                parts += part.last() ? 1 : 0;
                return true;
              }).ok());
  EXPECT_EQ(parts, 1);
  HeldBytes others(queries.held());
  ASSERT_TRUE(others.Take(kExportsHeldMax));
  HeldBytes mine(queries.held());
  const absl::Status refused = Export(
      queries, [&](const wire::ExportReply& part) { return mine.Take(part.data().size()); });
  EXPECT_EQ(state::ReasonOf(refused), state::Reason::kRate) << refused;
}

}  // namespace
}  // namespace server::edge
