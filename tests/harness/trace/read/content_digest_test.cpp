// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/content_digest.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {

class ContentDigestTest : public RecordedTest {
 protected:
  struct Run {
    double loss = 1;
    double seconds = 0.5;
    float weight = 2;
    int64_t tokens = 7;
    Json config = {{"steps", 1}};
    Json provenance = {{"commit", "a"}};
    Capture capture = capture_all();
  };
  std::string digest(const Run& run) const {
    Recorder recorder(
        {.path = trace_path(), .config = run.config, .provenance = run.provenance, .capture = run.capture});
    recorder.begin_step(1);
    recorder.channel("loss", run.loss);
    recorder.channel("tokens", run.tokens);
    recorder.channel("seconds", run.seconds, ChannelKind::timing);
    const std::vector<float> values = {1, run.weight};
    recorder.tensor(Phase::param, "w", view_of(DType::float32, values));
    recorder.end_step();
    recorder.finish();
    return content_digest(Trace::open(trace_path()));
  }
};

TEST_F(ContentDigestTest, Digest_OmitsProvenanceTimingsAndWholeness) {
  const std::string expected = digest({});
  EXPECT_EQ(expected.size(), 32);
  EXPECT_EQ(digest({.seconds = 9}), expected);
  EXPECT_EQ(digest({.provenance = {{"commit", "b"}}}), expected);
  EXPECT_EQ(digest({.capture = {.sketches = {{}}}}), expected);
}

TEST_F(ContentDigestTest, ChangesWithTheLastBitOfAnythingNumeric) {
  const std::set<std::string> digests = {
      digest({}),
      digest({.loss = std::nextafter(1.0, 2.0)}),
      digest({.loss = -1}),
      digest({.weight = std::nextafter(2.0F, 3.0F)}),
      digest({.tokens = 8}),
      digest({.config = {{"steps", 2}}}),
      digest({.capture = {}}),
  };
  EXPECT_EQ(digests.size(), 7);
}

}  // namespace
}  // namespace parity::trace
