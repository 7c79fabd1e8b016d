// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/trace/write/parity_recorder.h"
#include "tests/support/traces/recorded.hpp"

extern "C" int record_from_c(const char* path);
extern "C" int misuse_from_c(const char* path);

namespace parity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CAbiTest : public RecordedTest {};

TEST_F(CAbiTest, ATraceRecordedFromCIsRead) {
  ASSERT_EQ(record_from_c(trace_path().c_str()), 0) << parity_recorder_last_error();
  const Trace trace = Trace::open(trace_path());
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.config(), Json({{"steps", 2}}));
  EXPECT_THAT(trace.channels().at("loss").as_double(), ElementsAre(1.0, 0.5));
  EXPECT_THAT(trace.channels().at("valid_tokens").as_double(), ElementsAre(7, 7));
  EXPECT_EQ(trace.channels().at("step_seconds").kind, ChannelKind::timing);
  EXPECT_THAT(values_of<float>(trace.tensor({2, Phase::param, "w"})), ElementsAre(1.0F, -2.0F, 0.5F, 4.0F));
}

TEST_F(CAbiTest, ErrorsComeBackAsStatusAndText) {
  EXPECT_EQ(misuse_from_c(trace_path().c_str()), 1);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("unknown phase 'gard' (did you mean 'grad'?)"));
  write_file(folder / "file", "x");
  const std::string below = (folder / "file" / "trace.h5").string();
  EXPECT_EQ(parity_recorder_open(below.c_str(), nullptr, nullptr, nullptr, 0), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr(below));
  EXPECT_EQ(parity_recorder_open(trace_path().c_str(), "[1]", nullptr, nullptr, 0), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("invalid config"));
}

TEST_F(CAbiTest, ACallOutOfOrderIsOurOwnExitStatus) {
  parity_recorder* recorder = parity_recorder_open(trace_path().c_str(), nullptr, nullptr, nullptr, 0);
  ASSERT_NE(recorder, nullptr);
  EXPECT_EQ(parity_recorder_end_step(recorder), 70);
  EXPECT_EQ(parity_recorder_begin_step(recorder, 2), 0);
  EXPECT_EQ(parity_recorder_end_step(recorder), 0);
  EXPECT_EQ(parity_recorder_begin_step(recorder, 1), 2);
  parity_recorder_close(recorder);
  EXPECT_FALSE(Trace::open(folder).complete());
}

}  // namespace
}  // namespace parity
