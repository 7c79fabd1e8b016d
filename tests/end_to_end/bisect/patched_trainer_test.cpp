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

class PatchedTrainerTest : public TrainedCaseTest, public testing::WithParamInterface<Patch> {};

TEST_P(PatchedTrainerTest, TheSearchNamesWhatThePatchedLineComputes) {
  const Patch& patch = GetParam();
  const auto arm = [](const std::string& name, const std::string& version) {
    return "[arms." + name + "]\ncommand = [\"" + places::build + "/tests/user_trainer_" + version + "\"]\n";
  };
  const suite::Case source =
      write_case("c", "[base]\nsteps = 10\n" + arm("right", "whole") + arm("wrong", patch.version) +
                          losses_identical() + "[golden]\narms = []\n");
  Progress progress(stderr, false);
  const bisect::SearchRecord record = bisect::search_run({source, "right", "wrong"}, options(), progress);
  EXPECT_TRUE(record.differs) << record.sentence;
  const auto stage = std::ranges::find(record.stages, "tensor", &bisect::SearchStage::name);
  ASSERT_NE(stage, record.stages.end()) << record.sentence;
  EXPECT_EQ(stage->details.at("step"), patch.step) << record.sentence;
  EXPECT_EQ(stage->details.at("phase"), patch.phase) << record.sentence;
  EXPECT_EQ(stage->details.at("name"), patch.tensor) << record.sentence;
}

INSTANTIATE_TEST_SUITE_P(, PatchedTrainerTest, testing::ValuesIn(patches),
                         [](const auto& patch) { return std::string(patch.param.version); });

}  // namespace
}  // namespace parity
