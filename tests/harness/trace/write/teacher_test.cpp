// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/teacher.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Another run had [[1, 2], [3, 4], [5, 6], [7, 8]] where this one has other values.
class TeacherTest : public RecordedTest {
 protected:
  static TensorLayout rows(const std::string& dimension, int64_t coordinate) {
    return {{4, 2}, {{dimension, coordinate, 2, Shard{0, {{2 * coordinate, 2 * coordinate + 2}}}}}};
  }
  static TensorLayout term(int64_t coordinate) { return {{4, 2}, {{"tensor", coordinate, 2, Partial{}}}}; }

  std::string other_run() const {
    Recorder recorder(options("other.h5"));
    recorder.begin_step(1);
    recorder.tensor(Phase::forward, "x", view_of(DType::float32, theirs_, {4, 2}));
    recorder.end_step();
    recorder.finish();
    return (folder / "other.h5").string();
  }
  /// Of two ranks, each with a term of the sum.
  std::string other_run_of_terms() const {
    for (const int64_t rank : {1, 0}) {
      Recorder::Options of_rank = options("terms.h5");
      of_rank.rank = rank;
      of_rank.ranks = 2;
      Recorder recorder(of_rank);
      recorder.begin_step(1);
      recorder.tensor(Phase::forward, "x", view_of(DType::float32, rank == 0 ? theirs_ : terms_, {4, 2}),
                      nullptr, term(rank));
      recorder.end_step();
      recorder.finish();
    }
    return (folder / "terms.h5").string();
  }

  Recorder taught(const std::string& teacher, int64_t rank = 0, int64_t ranks = 1) const {
    Recorder::Options of = options("this.h5");
    of.capture.teacher = teacher;
    of.rank = rank;
    of.ranks = ranks;
    return Recorder(of);
  }
  /// Returns the values that the trainer continues with.
  template <class T>
  static std::vector<T> offered(Recorder& recorder, std::vector<T> own, DType dtype, const Shape& shape,
                                const TensorLayout& layout = {}) {
    recorder.begin_step(1);
    recorder.tensor(Phase::forward, "x", view_of(dtype, own, shape), own.data(), layout);
    return own;
  }

  std::vector<float> theirs_ = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> terms_ = {10, 20, 30, 40, 50, 60, 70, 80};
};

TEST_F(TeacherTest, TaughtTrainer_UsesOthersValuesRecordsItsOwn) {
  Recorder recorder = taught(other_run());
  const auto left = offered<float>(recorder, {0, 2, 3, 4, 5, 6, 7, -8}, DType::float32, {4, 2});
  EXPECT_EQ(left, theirs_);
  recorder.end_step();
  recorder.finish();
  const Trace trace = Trace::open(folder / "this.h5");
  EXPECT_THAT(values_of<float>(trace.tensor({1, Phase::forward, "x"})), ElementsAre(0, 2, 3, 4, 5, 6, 7, -8));
}

TEST_F(TeacherTest, ARankGetsItsPartOfTheLogicalTensor) {
  Recorder recorder = taught(other_run(), 1, 2);
  EXPECT_THAT(offered<float>(recorder, {0, 0, 0, 0}, DType::float32, {2, 2}, rows("data", 1)),
              ElementsAre(5, 6, 7, 8));
}

TEST_F(TeacherTest, RecomputedMicroBatch_GetsItsRowsAgain) {
  Recorder recorder = taught(other_run());
  EXPECT_THAT(offered<float>(recorder, {0, 0, 0, 0}, DType::float32, {2, 2}, rows("micro_batch", 1)),
              ElementsAre(5, 6, 7, 8));
  std::vector<float> again = {0, 0, 0, 0};
  EXPECT_TRUE(recorder.wants_teaching(Phase::forward, "x"));
  EXPECT_FALSE(recorder.wants_teaching(Phase::backward, "x"));
  recorder.teach(Phase::forward, "x", view_of(DType::float32, again, {2, 2}), again.data(),
                 rows("micro_batch", 1));
  EXPECT_THAT(again, ElementsAre(5, 6, 7, 8));
}

TEST_F(TeacherTest, ATermOfASumIsTaughtOnlyByTheSameRanksTerm) {
  {
    Recorder recorder = taught(other_run(), 1, 2);
    EXPECT_THAT(offered<float>(recorder, {0, 0, 0, 0, 0, 0, 0, 0}, DType::float32, {4, 2}, term(1)),
                ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  }
  Recorder recorder = taught(other_run_of_terms(), 1, 2);
  EXPECT_EQ(offered<float>(recorder, {0, 0, 0, 0, 0, 0, 0, 0}, DType::float32, {4, 2}, term(1)), terms_);
}

TEST_F(TeacherTest, AnotherDtypeOrShapeStaysAsItIs) {
  {
    Recorder recorder = taught(other_run());
    EXPECT_THAT(offered<double>(recorder, {0, 0, 0, 0, 0, 0, 0, 9}, DType::float64, {4, 2}),
                ElementsAre(0, 0, 0, 0, 0, 0, 0, 9));
  }
  Recorder recorder = taught(other_run());
  EXPECT_THAT(offered<float>(recorder, {0, 9}, DType::float32, {2, 1}), ElementsAre(0, 9));
}

TEST_F(TeacherTest, ATraceThatKeepsNoTensorIsRefused) {
  Recorder::Options sketches = options("sketches.h5");
  sketches.capture = {};
  sketches.capture.sketches.push_back({});
  {
    Recorder recorder(sketches);
    record(recorder, 1, 1);
    recorder.finish();
  }
  EXPECT_THAT([&] { taught((folder / "sketches.h5").string()); },
              ThrowsMessage<UserError>(HasSubstr("holds no tensors")));
  EXPECT_THAT([&] { taught((folder / "gone.h5").string()); }, ThrowsMessage<UserError>(HasSubstr("gone.h5")));
}

}  // namespace
}  // namespace parity::trace
