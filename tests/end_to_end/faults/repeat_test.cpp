// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// An arm with an operator that does not repeat itself: the verdict about its golden names that operator.
#include <gmock/gmock.h>

#include "harness/bisect/traces/update_difference.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RepeatTest : public TrainedCaseTest {
 protected:
  /// A case with a golden of one arm. \param noisy_from  the update from which its SiLU has noise
  suite::Case source(int64_t noisy_from, const std::string& settings = "") const {
    return write_case(
        "c",
        "reference = \"x\"\n" + base() + "[golden]\narms = [\"x\"]\n[arms.y]\n[arms.x]\n" + settings +
            fmt::format(
                "environment = {{ LD_PRELOAD = \"{}/lib/libnoisy_operator.so\", NOISY_FROM = \"{}\" }}\n",
                places::build, noisy_from) +
            check("channel = \"lr\"", "identical"));
  }
  /// Returns the golden's checks that failed.
  std::string judged(const suite::Case& source, golden::GoldenMode mode = golden::GoldenMode::compare) const {
    suite::SuiteOptions with_golden = options();
    with_golden.golden_mode = mode;
    with_golden.golden_reason = "the test says so";
    with_golden.producer = {{"name", "parity"}, {"version", "0"}};
    with_golden.compare_update = bisect::describe_update_difference;
    Progress progress(stderr, false);
    run_suite({source}, with_golden, progress, [](const results::Case&) {});
    return failures(Json::parse(read_file(with_golden.out / "results.json")).at("cases").at(0));
  }
};

TEST_F(RepeatTest, NoisyOperator_IsNamedWithItsUpdate) {
  const suite::Case noisy = source(3);
  judged(noisy, golden::GoldenMode::update_all);
  const std::string found = judged(noisy);
  EXPECT_THAT(found, HasSubstr("x does not repeat itself, so the golden cannot judge it"));
  EXPECT_THAT(found,
              HasSubstr("two further runs that recorded update 3 differ first in forward "
                        "layers.0.feed_forward.w2 at step 3: aten::silu of layers.0.feed_forward gives a "
                        "different result from the same inputs"));
}

TEST_F(RepeatTest, OtherNumbersThatRepeat_BlameNoOperator) {
  judged(source(1000), golden::GoldenMode::update_all);
  const std::string found = judged(source(1000, "optimizer.eps = 1e-4\n"));
  EXPECT_THAT(found, AllOf(HasSubstr("a second run of x has the same bits"), Not(HasSubstr("further runs"))));
}

}  // namespace
}  // namespace parity
