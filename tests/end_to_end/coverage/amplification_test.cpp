// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/amplification.hpp"

#include <string>

#include "tests/end_to_end/trained_case.hpp"

namespace parity::coverage {
namespace {

/// A training whose rate is so large that it carries one rounding of its first weights to 1e-5 and more.
class AmplificationEndToEndTest : public TrainedCaseTest {
 protected:
  bool explains(const std::string& settings) const {
    std::string text =
        base() + "[arms.plain]\n[arms.other]\n" + settings + "\n" +
        check("channel = [\"loss\", \"grad_norm\"]\narms = [\"plain\", \"other\"]", "equivalent") +
        no_golden();
    text.replace(text.find("base = 0.02"), 11, "base = 0.5");
    text.replace(text.find("steps = 10"), 10, "steps = 16");
    const suite::Case item = write_case("c", text);
    const Json ran = run_trainer(item);
    for (const Json& arm : ran.at("arms"))
      EXPECT_TRUE(arm.at("failure").is_null()) << arm;
    Progress progress(stderr, false);
    return explains_by_amplification(item, {"other"}, options(), progress);
  }
};

TEST_F(AmplificationEndToEndTest, AnotherLayout_IsExplained) {
  EXPECT_TRUE(explains("parallel.dp_replicate = 2"));
  EXPECT_TRUE(explains("data.micro_batches = 4\nparallel.dp_shard = 2"));
}

TEST_F(AmplificationEndToEndTest, AnotherSetting_IsNotExplained) {
  EXPECT_FALSE(explains("optimizer.eps = 1.1e-8"));
  EXPECT_FALSE(explains("lr.base = 0.5000001"));
  EXPECT_FALSE(explains("architecture.norm_eps = 1.001e-5"));
}

}  // namespace
}  // namespace parity::coverage
