// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/recorder.hpp"

#include <cstring>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/trace/trace.hpp"
#include "tests/support/recorded.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class RecorderTest : public RecordedTest {};

TEST_F(RecorderTest, WhatWasRecordedIsRead) {
  Recorder recorder(options());
  record(recorder, 1, 2);
  recorder.finish();

  const Trace trace = Trace::open(folder);
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.schema(), "parity.trace/1.0");
  EXPECT_EQ(trace.last_step(), 2);
  EXPECT_EQ(trace.config(), Json({{"steps", 2}}));
  EXPECT_EQ(trace.provenance(), Json({{"producer", "test"}}));
  EXPECT_THAT(trace.steps(), ElementsAre(1, 2));
  EXPECT_EQ(trace.channels().size(), 3);
  EXPECT_THAT(std::get<std::vector<double>>(trace.channels().at("loss").values), ElementsAre(1.0, 0.5));
  EXPECT_THAT(std::get<std::vector<int64_t>>(trace.channels().at("valid_tokens").values),
              ElementsAre(1024, 2048));
  EXPECT_EQ(trace.channels().at("step_seconds").kind, ChannelKind::timing);
  const TensorKey key{2, Phase::grad, "layers.0.wq.weight"};
  ASSERT_TRUE(trace.has_tensor(key));
  const TensorView view = trace.tensor(key);
  EXPECT_EQ(view.shape, Shape({1, 3}));
  const auto* values = static_cast<const float*>(view.data);
  EXPECT_THAT(std::vector<float>(values, values + 3), ElementsAre(1.5F, -2.0F, 2.0F));
  ASSERT_NE(trace.find_sketch(key), nullptr);
  EXPECT_EQ(trace.find_sketch(key)->digest, digest_of(view));
  EXPECT_EQ(trace.find_sketch(key)->max_abs, 2.0);
}

}  // namespace
}  // namespace parity
