// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/case_sentence.hpp"

#include <gmock/gmock.h>

namespace parity::suite {
namespace {

JudgedCheck failed_check(results::CheckKind kind, const std::string& quantity, int64_t step) {
  compare::CheckResult result;
  result.verdict = compare::Verdict::different;
  result.sentence = quantity + " differs";
  result.worst.emplace().step = step;
  return {kind, quantity, {}, std::move(result)};
}

TEST(CaseSentenceTest, QuotesTheEarliestDifferenceFromAGolden) {
  Case source;
  source.arms.resize(1);
  source.arms.front().name = "a";
  const auto golden = results::CheckKind::golden, pair = results::CheckKind::pair;
  EXPECT_EQ(sentence_of(source,
                        {failed_check(golden, "grad_norm", 7), failed_check(golden, "loss", 3),
                         failed_check(golden, "lr", 3)},
                        compare::Verdict::different, {}),
            "3 of 3 checks failed: loss differs");
  EXPECT_EQ(sentence_of(source, {failed_check(pair, "grad_norm", 7), failed_check(golden, "loss", 3)},
                        compare::Verdict::different, {}),
            "2 of 2 checks failed: grad_norm differs")
      << "a claim of the case comes first";
}

TEST(CaseSentenceTest, NamesOnlyTheArmsThatShouldDiffer) {
  Case source;
  for (const char* name : {"a", "b", "c"})
    source.arms.emplace_back().name = name;
  const auto check = [](compare::Relation relation, const std::string& other, compare::Verdict verdict) {
    JudgedCheck judged;
    judged.kind = results::CheckKind::pair;
    judged.claim.relation = relation;
    judged.claim.arms = {"a", other};
    judged.result.passed = true;
    judged.result.verdict = verdict;
    judged.result.sentence = "loss of a and " + other + ": 1";
    return judged;
  };
  EXPECT_THAT(sentence_of(source,
                          {check(compare::Relation::identical, "b", compare::Verdict::identical),
                           check(compare::Relation::distinct, "c", compare::Verdict::different)},
                          compare::Verdict::different, {}),
              testing::StartsWith("a and c differ exactly as the case expects (2 checks passed)"));
}

}  // namespace
}  // namespace parity::suite
