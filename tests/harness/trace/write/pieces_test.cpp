// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/pieces.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Tensors [4, 2], in micro-batches of two rows.
class PiecesTest : public RecordedTest {
 protected:
  static TensorLayout piece(int64_t micro_batch, int64_t dim = 0) {
    return {{4, 2}, {{"micro_batch", micro_batch, 2, Shard{dim, {{2 * micro_batch, 2 * micro_batch + 2}}}}}};
  }
  static void offer(Recorder& recorder, std::vector<float> values, int64_t micro_batch) {
    recorder.tensor(Phase::forward, "x", view_of(DType::float32, values, {2, 2}), values.data(),
                    piece(micro_batch));
  }
  Trace whole(const std::string& file) const {
    Recorder recorder(options(file));
    recorder.begin_step(1);
    const std::vector<float> values = {1, -2, 3, 4, 5, -6, 7, 8};
    recorder.tensor(Phase::forward, "x", view_of(DType::float32, values, {4, 2}));
    const std::vector<float> other = {9};
    recorder.tensor(Phase::backward, "x", view_of(DType::float32, other));
    recorder.end_step();
    recorder.finish();
    return Trace::open(folder / file);
  }
};

TEST_F(PiecesTest, PiecesInAnyOrderLeaveWhatTheWholeTensorLeaves) {
  for (const bool ascending : {true, false}) {
    Recorder recorder(options("pieces.h5"));
    recorder.begin_step(1);
    offer(recorder, ascending ? std::vector<float>{1, -2, 3, 4} : std::vector<float>{5, -6, 7, 8},
          ascending ? 0 : 1);
    const std::vector<float> other = {9};
    recorder.tensor(Phase::backward, "x", view_of(DType::float32, other));
    offer(recorder, ascending ? std::vector<float>{5, -6, 7, 8} : std::vector<float>{1, -2, 3, 4},
          ascending ? 1 : 0);
    recorder.end_step();
    recorder.finish();
    const Trace joined = Trace::open(folder / "pieces.h5"), expected = whole("whole.h5");
    const TensorKey key{1, Phase::forward, "x"};
    EXPECT_THAT(values_of<float>(joined.tensor(key)), ElementsAre(1, -2, 3, 4, 5, -6, 7, 8));
    EXPECT_EQ(joined.tensor(key).shape, (Shape{4, 2}));
    const SketchRow &a = *joined.find_sketch(key), &b = *expected.find_sketch(key);
    EXPECT_EQ(a.digest, b.digest);
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_DOUBLE_EQ(a.norm, b.norm);
    EXPECT_EQ(a.max_abs, 8);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(joined.sketches().front().key, key) << "the order is that of the first piece";
  }
}

TEST_F(PiecesTest, AFaultReachesThePieceThatHoldsItsElement) {
  Recorder::Options faulty = options();
  Fault flip;
  flip.kind = FaultKind::sign_flip;
  flip.phase = Phase::forward;
  flip.name = "x";
  flip.element = 5;
  faulty.capture.faults = {flip};
  Recorder recorder(std::move(faulty));
  recorder.begin_step(1);
  offer(recorder, {1, 2, 3, 4}, 0);
  offer(recorder, {5, 6, 7, 8}, 1);
  recorder.end_step();
  recorder.finish();
  EXPECT_THAT(values_of<float>(Trace::open(folder).tensor({1, Phase::forward, "x"})),
              ElementsAre(1, 2, 3, 4, 5, -6, 7, 8));
}

TEST_F(PiecesTest, AStepThatEndsBeforeTheLastPieceIsRefused) {
  Recorder recorder(options());
  recorder.begin_step(1);
  offer(recorder, {1, 2, 3, 4}, 0);
  EXPECT_THAT(
      [&] {
        recorder.end_step();
        recorder.finish();
      },
      ThrowsMessage<UserError>(HasSubstr("did not offer its piece of x")));
}

TEST_F(PiecesTest, PiecesOfAnotherKindAreRefused) {
  Pieces pieces;
  const std::vector<float> values = {1, 2, 3, 4};
  const TensorView view = view_of(DType::float32, values, {2, 2});
  const TensorKey key{1, Phase::forward, "x"};
  EXPECT_FALSE(pieces.add(key, 0, view, piece(0), true));
  EXPECT_THAT([&] { pieces.add(key, 1, view, piece(0), true); },
              ThrowsMessage<UserError>(HasSubstr("offered twice")));
  EXPECT_THAT([&] { pieces.add({1, Phase::forward, "y"}, 1, view, piece(0, 1), true); },
              ThrowsMessage<UserError>(HasSubstr("cut along dimension 0")));
}

}  // namespace
}  // namespace parity::trace
