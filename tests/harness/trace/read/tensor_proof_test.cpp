// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What a trace states about its values and its content is compared with them.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class TensorProofTest : public RecordedTest {
 protected:
  const TensorKey key_{1, Phase::grad, "layers.0.wq.weight"};

  void SetUp() override {
    RecordedTest::SetUp();
    Recorder recorder(options());
    record(recorder, 1, 2);
    recorder.finish();
  }

  /// Runs lines of Python over the trace, opened as `f`; W is the path of the first tensor.
  void edit(const std::string& lines) const {
    const CommandResult result =
        run_python(folder,
                   "import h5py, sys, numpy as np\nW = 'tensors/1/grad/layers.0.wq.weight/0'\n"
                   "f = h5py.File(sys.argv[1], 'r+')\n" +
                       lines + "\nf.close()\n",
                   trace_path().string());
    ASSERT_EQ(result.status, 0) << result.output;
  }

  void expect_refused(const std::string& lines, const std::string& part) {
    SCOPED_TRACE(lines);
    const std::string good = read_file(trace_path());
    edit(lines);
    EXPECT_THAT([&] { Trace::open(folder); },
                ThrowsMessage<UserError>(AllOf(HasSubstr("corrupt trace"), HasSubstr(part))));
    write_file(trace_path(), good);
  }
};

TEST_F(TensorProofTest, AChangedValueIsCorruptAndNamed) {
  edit("f[W][0, 1] = 7.0");
  const Trace trace = Trace::open(folder);
  EXPECT_THAT([&] { trace.tensor(key_); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("corrupt trace"), HasSubstr(trace_path().string()),
                                             HasSubstr("grad layers.0.wq.weight of step 1"))));
  EXPECT_NO_THROW(trace.tensor({2, Phase::grad, "layers.0.wq.weight"}));
}

TEST_F(TensorProofTest, ADigestThatSomebodyComputedIsChecked) {
  const Trace trace = Trace::open(folder);
  EXPECT_FALSE(trace.is_proved(key_));
  measure::Digest found = measure::digest_of(trace.unproved_tensor(key_));
  ++found.low;
  EXPECT_THROW(trace.prove(key_, found), UserError);
  --found.low;
  trace.prove(key_, found);
  EXPECT_TRUE(trace.is_proved(key_));
}

TEST_F(TensorProofTest, AShapeOrTypeOtherThanTheRowsIsCorrupt) {
  const std::string as_old = "f.attrs['schema'] = 'parity.trace/1.0'\ndel f.attrs['digest']\n";
  expect_refused(as_old + "f['sketches/shape'][0, :2] = [1000, 1000]",
                 "is float32 of shape (1, 3), but its sketch row is of float32 of shape (1000, 1000)");
  expect_refused(as_old + "f['sketches/dtype'][0] = b'float64'", "but its sketch row is of float64");
}

TEST_F(TensorProofTest, SketchesWithoutSumsAreRefused) {
  edit("n = len(f['sketches/step'])\ndel f['sketches/values']\nf['sketches/values'] = np.zeros((n, 0))");
  EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr("0 block sums a row")));
}

/// HDF5 would read each negative half of a digest as 0.
TEST_F(TensorProofTest, SignedDigestsAreRefused) {
  edit("d = f['sketches/digest'][:].astype('i8')\ndel f['sketches/digest']\nf['sketches/digest'] = d");
  EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr("does not have type uint64")));
}

TEST_F(TensorProofTest, AChangeOfTheContentIsCorrupt) {
  const std::string part = "its content has the digest";
  expect_refused("f['channels/loss'][0] = 5.0", part);
  expect_refused("f['channels/step_seconds'][1] = 5.0", part);
  expect_refused("f['sketches/norm'][0] *= 2", part);
  expect_refused("f['sketches/digest'][0, 0] ^= 1", part);
  expect_refused("f['sketches/values'][1, 63] = 1.0", part);
  expect_refused("f.attrs['config'] = '{}'", part);
  expect_refused("f.attrs['provenance'] = '{}'", part);
  expect_refused("f.attrs['failure'] = '{}'", part);
  expect_refused("f[W].attrs['order'] = 5", part);
  expect_refused("del f['tensors/2']", part);
  expect_refused("del f['channels/loss']", part);
  expect_refused("f['channels/other'] = [1.0, 2.0]", part);
  expect_refused("f.attrs['schema'] = 'parity.trace/1.0'", part);
  expect_refused("f['steps'][1] = 3\nf.attrs['last_step'] = 3", part);
}

TEST_F(TensorProofTest, WhatTheVersionAsksForHasToBeThere) {
  expect_refused("del f.attrs['digest']", "no attribute digest");
  expect_refused("del f.attrs['last_step']", "no attribute last_step");
  expect_refused("del f['sketches']", "no sketch row");
}

TEST_F(TensorProofTest, ATraceOfAnOlderVersionNeedsNoDigest) {
  edit(
      "f.attrs['schema'] = 'parity.trace/1.0'\ndel f.attrs['digest']\ndel f['sketches']\n"
      "del f.attrs['last_step']");
  const Trace trace = Trace::open(folder);
  EXPECT_EQ(trace.schema(), "parity.trace/1.0");
  EXPECT_EQ(values_of<float>(trace.tensor(key_))[2], 1.0F);
}

TEST_F(TensorProofTest, AMinorVersionIsANumber) {
  edit("f.attrs['schema'] = 'parity.trace/1.x'");
  EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr("is not a number")));
}

}  // namespace
}  // namespace parity::trace
