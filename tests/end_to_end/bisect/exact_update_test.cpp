// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The search of exact twins at one later update: both begin it from a checkpoint of values.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/bisect/runs/search_run.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

class ExactUpdateTest : public TrainedCaseTest {
 protected:
  suite::Case exact_case(const std::string& right, const std::string& wrong) const {
    return write_case("c", base("dtype = \"exact\"\n") + arms(right, wrong) +
                               check("channel = \"loss\"", "identical") + no_golden());
  }
  /// Returns arms of which the second has another bit in one gradient of update 7.
  suite::Case with_fault(const std::string& wrong = "") const {
    suite::Case source = exact_case("", wrong);
    trace::Fault fault;
    fault.kind = trace::FaultKind::ulp;
    fault.steps = {7};
    fault.name = "layers.0.feed_forward.w2.weight";
    source.arms.back().faults = {fault};
    return source;
  }
  bisect::SearchRecord search(const suite::Case& source, int64_t update) const {
    Progress progress(stderr, false);
    return bisect::search_run({source, "right", "wrong", update}, options(), progress);
  }
  std::string complaint(const suite::Case& source, int64_t update) const {
    try {
      search(source, update);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(ExactUpdateTest, UlpOfALateUpdate_IsNamed) {
  const bisect::SearchRecord record = search(with_fault(), 7);
  EXPECT_TRUE(record.differs);
  EXPECT_THAT(record.sentence, HasSubstr("grad layers.0.feed_forward.w2.weight at step 7"));
}

TEST_F(ExactUpdateTest, UlpInAShard_IsNamed) {
  const bisect::SearchRecord record = search(with_fault("parallel.dp_shard = 2"), 7);
  EXPECT_TRUE(record.differs);
  EXPECT_THAT(record.sentence, HasSubstr("grad layers.0.feed_forward.w2.weight at step 7"));
}

TEST_F(ExactUpdateTest, UpdatesWithoutTheFault_AreTheSame) {
  for (const int64_t update : {0, 6, 8}) {
    const bisect::SearchRecord record = search(with_fault(), update);
    EXPECT_FALSE(record.differs) << update;
    EXPECT_THAT(record.sentence, HasSubstr("compute the same function in update")) << update;
  }
}

TEST_F(ExactUpdateTest, RateThatDecaysLater_IsNamed) {
  const suite::Case source = exact_case("lr.schedule = \"titan\"\nlr.decay_ratio = 0.3",
                                        "lr.schedule = \"titan\"\nlr.decay_ratio = 0.5");
  EXPECT_FALSE(search(source, 0).differs);
  const bisect::SearchRecord record = search(source, 8);
  EXPECT_TRUE(record.differs);
  EXPECT_THAT(record.sentence, HasSubstr("lr of update 8 is 0.02 against 0.012"));
}

TEST_F(ExactUpdateTest, OtherLayout_IsTheSameFunctionLater) {
  EXPECT_FALSE(search(exact_case("", "parallel.dp_shard = 2\ndata.micro_batches = 2"), 9).differs);
}

TEST_F(ExactUpdateTest, SidesThatCannotBeginThere_AreRefused) {
  EXPECT_THAT(complaint(exact_case("", "seed = 43"), 11), HasSubstr("the arms make 10 updates"));
  EXPECT_THAT(complaint(exact_case("", "checkpoint.restart_after = 3"), 4), HasSubstr("an arm restarts"));
  EXPECT_THAT(complaint(exact_case("dtype = \"float32\"", ""), 4), HasSubstr("add --exact"));
  EXPECT_THAT(complaint(exact_case("", "optimizer.name = \"sgd\"\noptimizer.momentum = 0.9"), 4),
              HasSubstr("comes from another model or optimizer"));
}

}  // namespace
}  // namespace parity
