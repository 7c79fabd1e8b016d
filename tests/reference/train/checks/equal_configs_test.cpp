// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checks/equal_configs.hpp"

#include <gmock/gmock.h>

#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

using EqualConfigsTest = RanksTest;

TEST_F(EqualConfigsTest, RanksWithOneConfigGoOn) {
  EXPECT_THAT(run_ranks(2, [](Group& world) { check_equal_configs({{"data", {{"rows", 4}}}}, world); }),
              Each(""));
}

TEST_F(EqualConfigsTest, EveryRankNamesTheOneThatDiffersAndItsKeys) {
  EXPECT_THAT(run_ranks(3,
                        [](Group& world) {
                          Json config = {{"data", {{"rows", 4}}}, {"lr", {{"base", 0.5}}}};
                          if (world.rank() == 2) {
                            config["data"]["rows"] = 8;
                            config["lr"].erase("base");
                          }
                          check_equal_configs(config, world);
                        }),
              Each("rank 2 has another config than rank 0 (data.rows is 8 against 4, lr.base is "
                   "null against 0.5); start every rank with the same one"));
}

}  // namespace
}  // namespace parity::reference
