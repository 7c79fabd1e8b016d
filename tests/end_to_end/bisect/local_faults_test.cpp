// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tensors are computed wrongly, and which only received wrong inputs: runs that receive the good side's
// numbers, and the rounding floor where no float64 run can decide.
#include <gmock/gmock.h>

#include "tests/end_to_end/faults/planted_fault.hpp"

namespace parity {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class LocalFaultsTest : public PlantedFaultTest {
 protected:
  static trace::Fault scaled(trace::Phase phase, const std::string& name, double size) {
    trace::Fault fault;
    fault.kind = trace::FaultKind::scale;
    fault.steps = {3};
    fault.phase = phase;
    fault.name = name;
    fault.size = size;
    return fault;
  }
  /// `good` against `bad`, into which the faults are injected.
  bisect::SearchRecord search(const suite::Case& source, const std::string& good, const std::string& bad,
                              const std::vector<trace::Fault>& faults, bool twin = false) {
    suite::ExtraArm faulty;
    faulty.of = bad;
    faulty.suffix = "faulty";
    faulty.twin = twin;
    faulty.faults = faults;
    return bisect::search_run({with_extra_arms(source, {faulty}), good, bad + "~faulty"}, options(),
                              progress_);
  }
  /// The last one of this name.
  static const bisect::SearchStage& stage(const bisect::SearchRecord& record, const std::string& name) {
    const auto found =
        std::ranges::find(record.stages.rbegin(), record.stages.rend(), name, &bisect::SearchStage::name);
    if (found == record.stages.rend())
      throw std::runtime_error("no stage " + name + " in: " + record.to_json().dump(1));
    return *found;
  }
  /// Returns "forward layers.0.attention" for each tensor that is computed wrongly, without rounding.
  static std::vector<std::string> own(const bisect::SearchRecord& record, const std::string& name = "local") {
    std::vector<std::string> names;
    for (const Json& each : stage(record, name).details.at("own"))
      if (!each.at("rounding").get<bool>())
        names.push_back(each.at("phase").get<std::string>() + " " + each.at("name").get<std::string>());
    return names;
  }
};

/// By name of a layout.
class TwoFaultsTest : public LocalFaultsTest, public testing::WithParamInterface<const char*> {};

TEST_P(TwoFaultsTest, AreToldFromWhatTheyHandOn) {
  const bisect::SearchRecord record = search(all_layouts(), GetParam(), GetParam(),
                                             {scaled(trace::Phase::forward, "layers.0.attention", 1e-3),
                                              scaled(trace::Phase::backward, "layers.0.feed_forward", 1e-3)});
  EXPECT_THAT(own(record),
              UnorderedElementsAre("forward layers.0.attention", "backward layers.0.feed_forward"));
  EXPECT_GT(stage(record, "local").details.at("inherited"), 20);
  EXPECT_THAT(record.sentence, AllOf(HasSubstr("forward layers.0.attention at step 3 is the first"),
                                     HasSubstr("further local errors: backward layers.0.feed_forward")));
}

INSTANTIATE_TEST_SUITE_P(Layouts, TwoFaultsTest,
                         testing::Values("one", "pieces", "recomputed", "replicas", "shards",
                                         "pipeline_tensor", "context_tensor", "interleaved", "experts",
                                         "mixture_tensor"),
                         [](const auto& each) { return std::string(each.param); });

TEST_F(LocalFaultsTest, OneFaultIsTheOnlyOne) {
  const bisect::SearchRecord record =
      search(all_layouts(), "one", "one", {scaled(trace::Phase::forward, "layers.1.feed_forward", 1e-3)});
  EXPECT_THAT(own(record), UnorderedElementsAre("forward layers.1.feed_forward"));
  EXPECT_THAT(record.sentence, Not(HasSubstr("further local errors")));
}

TEST_F(LocalFaultsTest, Teaching_OtherLayout_FeedsItsShards) {
  const bisect::SearchRecord record = search(all_layouts(), "one", "tensor",
                                             {scaled(trace::Phase::forward, "layers.0.attention", 1e-3),
                                              scaled(trace::Phase::forward, "layers.1.feed_forward", 1e-3)},
                                             true);
  EXPECT_THAT(own(record, "float64-local"),
              UnorderedElementsAre("forward layers.0.attention", "forward layers.1.feed_forward"));
}

/// For 16-bit runs no float64 run can decide.
class FloorTest : public LocalFaultsTest {
 protected:
  suite::Case two_arms(const std::string& one, const std::string& two) const {
    return write_case("h",
                      "[base]\nmodel = \"llama3.debug\"\nsteps = 4\n"
                      "[base.architecture]\ndim = 64\nn_layers = 2\nn_heads = 2\nn_kv_heads = 2\n"
                      "vocab_size = 256\nffn_hidden = 128\n[base.data]\nseq_len = 64\nglobal_batch = 8\n"
                      "[arms.one]\n" +
                          one + "[arms.two]\n" + two +
                          check("channel = \"loss\"\narms = [\"one\", \"two\"]", "equivalent") + no_golden());
  }
  suite::Case in_bfloat16() const {
    return two_arms("train.autocast = true\n", "train.autocast = true\nparallel.dp_replicate = 2\n");
  }
};

TEST_F(FloorTest, OtherSumsInBfloat16_DifferByRounding) {
  const bisect::SearchRecord record = bisect::search_run({in_bfloat16(), "one", "two"}, options(), progress_);
  EXPECT_THAT(record.sentence, HasSubstr("no error exceeds the noise floor"));
  EXPECT_THAT(own(record), testing::IsEmpty());
}

/// Gradients of FSDP in bf16 are float32, with bfloat16's digits.
TEST_F(FloorTest, OtherShardsInBfloat16_DifferByRounding) {
  const std::string bf16 = "parallel.mixed_precision = \"bf16\"\nparallel.dp_shard = ";
  const suite::Case source = two_arms(bf16 + "2\n", bf16 + "4\n");
  const bisect::SearchRecord record = bisect::search_run({source, "one", "two"}, options(), progress_);
  EXPECT_THAT(record.sentence, HasSubstr("no error exceeds the noise floor"));
  EXPECT_THAT(own(record), testing::IsEmpty());
}

TEST_F(FloorTest, AFaultInBfloat16StandsOutOfRounding) {
  const bisect::SearchRecord record =
      search(in_bfloat16(), "one", "two", {scaled(trace::Phase::forward, "layers.1.attention", 0.1)});
  EXPECT_THAT(record.sentence, AllOf(HasSubstr("beyond rounding"),
                                     HasSubstr("forward layers.1.attention at step 3 is the first")));
  EXPECT_EQ(stage(record, "floor").details.at("name"), "layers.1.attention");
  EXPECT_THAT(own(record), UnorderedElementsAre("forward layers.1.attention"));
}

}  // namespace
}  // namespace parity
