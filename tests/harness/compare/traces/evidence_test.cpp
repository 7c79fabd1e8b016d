// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/evidence.hpp"

#include <gmock/gmock.h>

#include "tests/support/traces/recorded.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

/// Two traces of two updates with the same channels.
class EvidenceTest : public RecordedTest {
 protected:
  void write(const std::string& name, const std::vector<std::string>& channels, bool with_tensor) const {
    trace::Recorder recorder(options(name + "/trace.h5"));
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      for (const std::string& channel : channels)
        recorder.channel(channel, 0.1);
      const std::vector<float> values = {1, 2};
      if (with_tensor)
        recorder.tensor(trace::Phase::grad, "w", view_of(DType::float32, values));
      recorder.end_step();
    }
    recorder.finish();
  }

  std::string lacking(const std::vector<std::string>& channels, bool with_tensor = false,
                      const TraceFilter& filter = {}) const {
    write("a", channels, with_tensor);
    write("b", channels, with_tensor);
    const TraceDifference found =
        compare_traces(trace::Trace::open(folder / "a"), trace::Trace::open(folder / "b"), filter);
    EXPECT_TRUE(found.identical());
    return lacking_evidence(found, filter);
  }
};

TEST_F(EvidenceTest, SettingsAlone_ProveNothing) {
  EXPECT_THAT(
      lacking({"lr", "lr.1", "beta1", "eps", "weight_decay.2", "valid_tokens"}),
      HasSubstr("neither trace has a loss, and beta1, eps, lr, lr.1, valid_tokens and weight_decay.2"));
}

TEST_F(EvidenceTest, AResultOrATensor_IsEvidence) {
  EXPECT_EQ(lacking({"lr", "loss"}), "");
  EXPECT_EQ(lacking({"lr", "lrate_of_success"}), "");
  EXPECT_EQ(lacking({"lr"}, true), "");
}

TEST_F(EvidenceTest, PartialTracesWithoutAnUpdate_ProveNothing) {
  for (const char* name : {"a.h5", "b.h5"}) {
    trace::Recorder recorder(options(name));
    recorder.begin_step(0);
    recorder.tensor(trace::Phase::param, "w", view_of(DType::float32, std::vector<float>{1, 2}));
    recorder.end_step();
  }
  TraceFilter filter;
  filter.partial = true;
  const TraceDifference found = compare_traces(trace::Trace::open(folder / "a.h5.partial"),
                                               trace::Trace::open(folder / "b.h5.partial"), filter);
  EXPECT_TRUE(found.identical());
  EXPECT_THAT(lacking_evidence(found, filter), HasSubstr("no update was compared"));
}

TEST_F(EvidenceTest, AChannelThatTheUserNames_IsEnough) {
  TraceFilter filter;
  filter.channels = {"lr"};
  EXPECT_EQ(lacking({"lr"}, false, filter), "");
}

}  // namespace
}  // namespace parity::compare
