// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Two versions of a user's own program that differ by one patched line: the search names the tensor that this
// line computes.
#include <gmock/gmock.h>

#include "harness/bisect/runs/search_run.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {

/// A patch of user_trainer.cmake, and where it shows first.
struct Patch {
  const char* version;
  int64_t step;
  const char* phase;
  const char* tensor;
};

constexpr Patch patches[] = {
    {"other_batch", 5, "input", "x"},
    {"other_seed", 0, "param", "layers.1.weight"},
    {"shared_weight", 2, "forward", "layers.1"},
    {"mean_over_rows", 1, "backward", "layers.2"},
    {"transposed", 1, "backward", "layers.1"},
    {"lost_row", 1, "grad", "layers.2.weight"},
    {"faster_momentum", 8, "optim", "momentum/layers.1.weight"},
    {"late_rate", 7, "param", "layers.0.weight"},
};

class PatchedTrainers : public TrainedCaseTest {
 protected:
  /// The search between the unpatched program and a version of it.
  bisect::SearchRecord search(const std::string& version) const {
    const auto arm = [](const std::string& name, const std::string& of) {
      return "[arms." + name + "]\ncommand = [\"" + places::build + "/tests/user_trainer_" + of + "\"]\n";
    };
    const suite::Case source =
        write_case("c", "[base]\nsteps = 10\n" + arm("right", "whole") + arm("wrong", version) +
                            losses_identical() + "[golden]\narms = []\n");
    Progress progress(stderr, false);
    return bisect::search_run({source, "right", "wrong"}, options(), progress);
  }
  static const Json& details(const bisect::SearchRecord& record, const std::string& stage) {
    const auto found = std::ranges::find(record.stages, stage, &bisect::SearchStage::name);
    if (found == record.stages.end())
      throw std::runtime_error("no stage " + stage + ": " + record.sentence);
    return found->details;
  }
};

class PatchedTrainerTest : public PatchedTrainers, public testing::WithParamInterface<Patch> {};

TEST_P(PatchedTrainerTest, TheSearchNamesWhatThePatchedLineComputes) {
  const Patch& patch = GetParam();
  const bisect::SearchRecord record = search(patch.version);
  EXPECT_TRUE(record.differs) << record.sentence;
  const Json& found = details(record, "tensor");
  EXPECT_EQ(found.at("step"), patch.step) << record.sentence;
  EXPECT_EQ(found.at("phase"), patch.phase) << record.sentence;
  EXPECT_EQ(found.at("name"), patch.tensor) << record.sentence;
}

/// Versions that compute the norm otherwise. Nothing reads the norm, so no tensor differs.
using PatchedNormTest = PatchedTrainers;

TEST_F(PatchedNormTest, WeightLeftOut_IsNamedByTheLaw) {
  const bisect::SearchRecord record = search("short_norm");
  const Json& law = details(record, "law");
  EXPECT_EQ(law.at("law"), "grad_norm");
  EXPECT_EQ(law.at("side"), "actual");
  EXPECT_EQ(law.at("step"), 1);
  EXPECT_EQ(law.at("tensor"), "layers.1.weight");
  EXPECT_EQ(law.at("other"), "holds");
  EXPECT_THAT(record.sentence,
              testing::HasSubstr("differ from step 1 on, but no tensor does: wrong departs from "
                                 "the law grad_norm at step 1"));
}

TEST_F(PatchedNormTest, HalfAWeightLeftOut_IsADeparture) {
  const Json law = details(search("half_norm"), "law");
  EXPECT_EQ(law.at("law"), "grad_norm");
  EXPECT_EQ(law.at("step"), 1);
  EXPECT_LT(law.at("factor").get<double>(), 1);
  EXPECT_GT(law.at("factor").get<double>(), 0.5);
}

TEST_F(PatchedNormTest, OtherRounding_KeepsTheLaw) {
  const bisect::SearchRecord record = search("other_norm");
  EXPECT_TRUE(record.differs);
  EXPECT_TRUE(details(record, "law").at("law").is_null());
  EXPECT_THAT(record.sentence, testing::HasSubstr("both sides keep grad_norm"));
  EXPECT_THAT(record.sentence, testing::HasSubstr("not asked: "));
}

INSTANTIATE_TEST_SUITE_P(, PatchedTrainerTest, testing::ValuesIn(patches),
                         [](const auto& patch) { return std::string(patch.param.version); });

}  // namespace
}  // namespace parity
