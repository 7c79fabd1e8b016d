// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/missing_rows.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "harness/trace/read/trace.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {

/// Traces of other writers, which store tensors without rows of /sketches.
class MissingRowsTest : public RecordedTest {
 protected:
  Trace without_rows() {
    std::filesystem::copy_file(trace_path(), folder / "other.h5");
    const CommandResult result = run_python(folder,
                                            "import h5py, sys\n"
                                            "with h5py.File(sys.argv[1], 'r+') as f:\n    del f['sketches'], "
                                            "f.attrs['digest']\n    f.attrs['schema'] = 'parity.trace/1.0'\n",
                                            (folder / "other.h5").string());
    EXPECT_EQ(result.status, 0) << result.output;
    return Trace::open(folder / "other.h5");
  }
};

TEST_F(MissingRowsTest, AreThoseThatTheRecorderWouldHaveWritten) {
  Recorder recorder({.path = trace_path(), .config = {}, .provenance = {}, .capture = capture_all()});
  const std::vector<float> values = {1, -2, NAN, 4, 5, INFINITY};
  for (int64_t step = 1; step <= 2; ++step) {
    recorder.begin_step(step);
    recorder.tensor(Phase::grad, "w", view_of(DType::float32, values));
    recorder.tensor(Phase::param, "empty", {DType::float32, {0, 3}, values.data()});
    recorder.end_step();
  }
  recorder.finish();
  const Trace own = Trace::open(trace_path()), other = without_rows();
  ASSERT_EQ(own.sketches().size(), 4U);
  ASSERT_EQ(other.sketches().size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    const SketchRow &a = own.sketches()[i], &b = other.sketches()[i];
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.digest, b.digest);
    EXPECT_EQ(std::pair(a.nan_count, a.inf_count), std::pair(b.nan_count, b.inf_count));
    EXPECT_EQ(std::pair(a.norm, a.values), std::pair(b.norm, b.values));
    EXPECT_EQ(other.rank_rows().at(b.key).front().digest, a.digest);
  }
}

}  // namespace
}  // namespace parity::trace
