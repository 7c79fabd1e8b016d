// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/trace/read/content_digest.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class AppendTest : public RecordedTest {
 protected:
  void record_first(int64_t steps) const {
    Recorder recorder(options());
    record(recorder, 1, steps);
    recorder.finish();
  }
  Recorder::Options resumed(int64_t after) const {
    Recorder::Options chosen = options();
    chosen.append_after = after;
    return chosen;
  }
};

TEST_F(AppendTest, AppendedRun_HasContentOfStraightRun) {
  record_first(2);
  {
    Recorder recorder(resumed(2));
    EXPECT_FALSE(fs::exists(trace_path()));
    record(recorder, 3, 5);
    recorder.finish();
  }
  Recorder straight(options("straight.h5"));
  record(straight, 1, 5);
  straight.finish();
  const Trace trace = Trace::open(trace_path());
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.last_step(), 5);
  EXPECT_EQ(trace.tensors(), Trace::open(folder / "straight.h5").tensors());
  EXPECT_EQ(content_digest(trace), content_digest(Trace::open(folder / "straight.h5")));
}

TEST_F(AppendTest, AnotherLastStepIsRefusedAndTheTraceKept) {
  record_first(2);
  EXPECT_THAT([&] { Recorder recorder(resumed(3)); },
              ThrowsMessage<UserError>(HasSubstr("it ends after step 2, the run resumes after step 3")));
  EXPECT_EQ(Trace::open(folder).last_step(), 2);
}

TEST_F(AppendTest, AnotherConfigIsRefused) {
  record_first(2);
  Recorder::Options other = resumed(2);
  other.config["steps"] = 3;
  EXPECT_THAT([&] { Recorder recorder(std::move(other)); },
              ThrowsMessage<UserError>(testing::AllOf(HasSubstr("another config"), HasSubstr("/steps"))));
}

TEST_F(AppendTest, StepsBeforeTheEndAndNewChannelsAreRefused) {
  record_first(2);
  Recorder recorder(resumed(2));
  EXPECT_THROW(recorder.begin_step(2), UserError);
  recorder.begin_step(3);
  recorder.channel("loss", 0.0);
  recorder.channel("valid_tokens", int64_t{1});
  recorder.channel("step_seconds", 0.0, ChannelKind::timing);
  recorder.channel("new", 1.0);
  recorder.end_step();
  EXPECT_THAT([&] { recorder.finish(); }, ThrowsMessage<UserError>(HasSubstr("channel new at step 3")));
}

TEST_F(AppendTest, NothingToAppendToIsMissing) {
  EXPECT_THAT([&] { Recorder recorder(resumed(2)); }, ThrowsMessage<UserError>(HasSubstr("No such file")));
}

TEST_F(AppendTest, ANewRunReplacesAnOldTraceAtOnce) {
  // Otherwise a reader would take the old run for the new one.
  record_first(2);
  {
    Recorder recorder(options());
    EXPECT_THAT([&] { Trace::open(folder); },
                ThrowsMessage<UserError>(HasSubstr("a running process is writing")));
  }
  EXPECT_FALSE(Trace::open(folder).complete());
  EXPECT_EQ(Trace::open(folder).last_step(), 0);
}

}  // namespace
}  // namespace parity::trace
