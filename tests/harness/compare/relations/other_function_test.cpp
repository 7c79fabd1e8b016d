// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/harness/compare/relations/function_fixture.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;
using OtherFunctionTest = FunctionTest;

TEST_F(OtherFunctionTest, OneResidue_IsEnough_AndNoneIsNoEffect) {
  EXPECT_TRUE(judge_twins(twin(), changed(1, 3), Relation::other_function).passed);
  const CheckResult result = judge_twins(twin(), twin(), Relation::other_function);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("has no effect"));
}

TEST_F(OtherFunctionTest, LackOfEvidence_IsNoDifference) {
  PlantedRun none = twin();
  none.tensors.clear();
  for (const auto& [a, b] : {std::pair{twin(), none}, {none, none}}) {
    const CheckResult result = judge_twins(a, b, Relation::other_function);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.verdict, Verdict::missing) << result.sentence;
  }
}

}  // namespace
}  // namespace parity::compare
