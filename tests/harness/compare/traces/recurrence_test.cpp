// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/recurrence.hpp"

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

constexpr Rerun usual{true, false, false}, odd{false, true, false}, other{false, false, false},
    usual_elsewhere{true, false, true}, odd_elsewhere{false, true, true}, unknown{};

struct Example {
  std::string name;
  std::vector<Rerun> reruns;
  bool symmetric;
  Recurrence expected;
};

class ClassifyTest : public testing::TestWithParam<Example> {};

TEST_P(ClassifyTest, Reruns_AreClassified) {
  EXPECT_EQ(classify(GetParam().reruns, GetParam().symmetric), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, ClassifyTest,
    testing::Values(Example{"nothing", {}, false, Recurrence::unknown},
                    Example{"silent", {unknown, unknown}, false, Recurrence::unknown},
                    Example{"gone", {usual, usual}, false, Recurrence::transient},
                    Example{"again", {odd, odd}, false, Recurrence::persistent_here},
                    Example{"elsewhere_not", {odd, odd, usual_elsewhere}, false, Recurrence::persistent_here},
                    Example{"elsewhere_too", {odd, odd_elsewhere}, false, Recurrence::persistent_everywhere},
                    Example{"sometimes", {odd, usual}, false, Recurrence::nondeterministic},
                    Example{"each_other", {other, other}, false, Recurrence::nondeterministic},
                    Example{"first_was_odd", {odd, odd}, true, Recurrence::transient}),
    [](const auto& each) { return each.param.name; });

TEST(OperatorListTest, Operators_HaveTheirReason) {
  EXPECT_FALSE(reason_not_deterministic("aten::index_put_").empty());
  EXPECT_NE(reason_not_deterministic("aten::normal_").find("random"), std::string_view::npos);
  EXPECT_TRUE(reason_not_deterministic("aten::mm").empty());
  EXPECT_TRUE(reason_not_deterministic("ours::index_put_").empty());
}

}  // namespace
}  // namespace parity::compare
