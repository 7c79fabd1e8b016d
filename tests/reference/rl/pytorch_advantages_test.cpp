// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"
#include "reference/rl/advantages.hpp"
#include "tests/support/places.hpp"
#include "tests/support/pytorch/pytorch.hpp"
#include "tests/support/pytorch/pytorch_server.hpp"
#include "tests/support/scratch.hpp"

// The advantages of groups of other sizes by PyTorch's mean and std, in float64.

namespace parity::reference {
namespace {

struct Groups {
  std::vector<double> rewards;
  std::vector<int64_t> sizes;
  AdvantageRule rule;
  DeviationScope scope;
};

class PyTorchAdvantagesTest : public FolderTest {
 protected:
  static std::vector<double> ours(const Groups& groups) {
    std::vector<RewardGroup> parts;
    for (size_t first = 0; const int64_t size : groups.sizes) {
      parts.push_back({first, static_cast<size_t>(size)});
      first += static_cast<size_t>(size);
    }
    return update_advantages(groups.rewards, parts, groups.rule, groups.scope);
  }

  Json theirs(const std::vector<Groups>& all) const {
    Json given = Json::array();
    for (const Groups& each : all)
      given.push_back({{"rewards", each.rewards},
                       {"sizes", each.sizes},
                       {"rule", std::string(name_of(each.rule))},
                       {"deviation", std::string(name_of(each.scope))}});
    const std::string in = (folder / "in.json").string(), out = (folder / "out.json").string();
    write_file(in, given.dump());
    const CommandResult result =
        run_pytorch({{{places::source + "/tests/support/pytorch/pytorch_groups.py", in, out}, {}}}, folder);
    EXPECT_EQ(result.status, 0) << result.output;
    return Json::parse(read_file(out));
  }
};

TEST_F(PyTorchAdvantagesTest, UnevenGroups_HaveItsMeansAndDeviations) {
  if (!places::has_pytorch)
    GTEST_SKIP() << needs_pytorch;
  std::vector<Groups> all;
  for (const AdvantageRule rule :
       {AdvantageRule::mean, AdvantageRule::population_std, AdvantageRule::sample_std})
    for (const DeviationScope scope : {DeviationScope::group, DeviationScope::update})
      all.push_back({{0.3, 1, -1, 0.25, 0.1, 0.7, 0.7, 0.5, 1}, {2, 4, 1, 2}, rule, scope});
  const Json expected = theirs(all);
  ASSERT_EQ(expected.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < all[i].rewards.size(); ++j)
      EXPECT_NEAR(ours(all[i])[j], expected[i][j].get<double>(), 1e-15 * 8) << i << " " << j;
}

}  // namespace
}  // namespace parity::reference
