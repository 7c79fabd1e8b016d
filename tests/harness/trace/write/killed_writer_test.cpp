// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;

class KilledWriterTest : public RecordedTest {
 protected:
  /// A child records steps without end; it is killed when it has begun step `steps` + 1.
  void record_and_kill(int64_t steps) const {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Recorder recorder(options());
      for (int64_t step = 1;; ++step) {
        record(recorder, step, step);
        if (::write(ends[1], "x", 1) != 1)
          ::_exit(1);
      }
    }
    ::close(ends[1]);
    char got = 0;
    for (int64_t i = 0; i < steps; ++i)
      ASSERT_EQ(::read(ends[0], &got, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
  }
};

TEST_F(KilledWriterTest, EverythingUpToTheLastStepIsReadable) {
  for (const int64_t steps : {1, 2, 7, 20, 70, 150, 300}) {
    record_and_kill(steps);
    ASSERT_FALSE(fs::exists(trace_path()));
    const Trace trace = Trace::open(folder);
    EXPECT_FALSE(trace.complete());
    EXPECT_EQ(trace.path().filename(), "trace.h5.partial");
    ASSERT_EQ(trace.steps().size(), static_cast<size_t>(trace.last_step()));
    const auto loss =
        trace.channels().empty() ? std::vector<double>() : trace.channels().at("loss").as_double();
    ASSERT_EQ(loss.size(), trace.steps().size());
    for (int64_t step = 1; step <= trace.last_step(); ++step) {
      EXPECT_EQ(loss[static_cast<size_t>(step - 1)], 1.0 / static_cast<double>(step));
      const TensorKey key{step, Phase::grad, "layers.0.wq.weight"};
      EXPECT_EQ(values_of<float>(trace.tensor(key))[2], static_cast<float>(step));
      ASSERT_NE(trace.find_sketch(key), nullptr);
      EXPECT_EQ(trace.find_sketch(key)->digest, measure::digest_of(trace.tensor(key)));
    }
  }
}

TEST_F(KilledWriterTest, StepsThatWereWrittenBeforeTheKillAreThere) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Recorder recorder(options());
    record(recorder, 1, 3);
    recorder.failure({{"kind", "about to be killed"}});  // waits for the writer
    [[maybe_unused]] const auto sent = ::write(ends[1], "x", 1);
    ::pause();
  }
  char got = 0;
  ASSERT_EQ(::read(ends[0], &got, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  const Trace trace = Trace::open(folder);
  EXPECT_EQ(trace.last_step(), 3);
  EXPECT_EQ(trace.tensors().size(), 3);
}

}  // namespace
}  // namespace parity::trace
