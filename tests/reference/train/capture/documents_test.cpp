// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/traces/recorded.hpp"
#include "tests/support/train_fixture.hpp"

namespace parity::reference {
namespace {

class DocumentCaptureTest : public TrainProgramTest {
 protected:
  /// Runs two updates on packed documents and returns the trace.
  trace::Trace train_packed(const Json& changes, const std::string& name) const {
    Json all = small();
    all.update({{"steps", 2},
                {"data.packing", "stream"},
                {"data.positions", "document"},
                {"data.document_tokens", 5},
                {"data.eos_id", 7},
                {"attention.backend", "flex"},
                {"attention.documents", {"eos"}}});
    all.update(changes);
    write_file(folder / "capture.json",
               R"({"tensors": [{"steps": [2], "phases": ["input"], "names": ["document_ids", "first_keys*"]}],
            "replay": true})");
    const CommandResult result =
        train(write_config(all, name + ".json").string() + " --capture " +
              (folder / "capture.json").string() + " --trace " + (folder / name).string());
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, testing::HasSubstr("[W] the data has EOS tokens and positions that restart"));
    return trace::Trace::open(folder / name);
  }
};

TEST_F(DocumentCaptureTest, IdsOfTheWholeUpdateAreRecordedHoweverItIsCut) {
  const trace::Trace whole = train_packed(Json::object(), "whole.h5"),
                     parts = train_packed({{"data.micro_batches", 4}}, "parts.h5");
  const trace::TensorKey key{2, trace::Phase::input, "document_ids"};
  EXPECT_EQ(whole.tensor(key).dtype, DType::int64);
  EXPECT_EQ(whole.tensor(key).shape, (Shape{4, 24}));
  const auto ids = values_of<int64_t>(whole.tensor(key));
  EXPECT_EQ(ids, values_of<int64_t>(parts.tensor(key)));
  double pairs = 0;
  for (size_t row = 0; row < 4; ++row)
    for (size_t q = 0; q < 24; ++q)
      for (size_t kv = 0; kv <= q; ++kv)
        pairs += ids[row * 24 + q] == ids[row * 24 + kv] ? 1 : 0;
  EXPECT_EQ(channel_of(whole, "mask_pairs").at(1), pairs);
  for (const char* channel : {"mask_pairs", "mask_digest", "position_digest", "batch_digest"})
    EXPECT_EQ(channel_of(whole, channel), channel_of(parts, channel)) << channel;
}

TEST_F(DocumentCaptureTest, FirstKeys_AreRecordedForAnyMicroBatchCount) {
  const Json irope = {{"architecture.nope_every", 2}, {"attention.fixed_block", 8}};
  Json cut = irope;
  cut["data.micro_batches"] = 2;
  const trace::Trace whole = train_packed(irope, "whole.h5"), parts = train_packed(cut, "parts.h5");
  double pairs = 0;
  for (const char* name : {"first_keys.nope", "first_keys.rope"}) {
    const trace::TensorKey key{2, trace::Phase::input, name};
    ASSERT_EQ(whole.tensor(key).shape, (Shape{4, 24})) << name;
    const auto keys = values_of<int64_t>(whole.tensor(key));
    EXPECT_EQ(keys, values_of<int64_t>(parts.tensor(key))) << name;
    for (size_t i = 0; i < keys.size(); ++i)
      pairs += static_cast<double>(i % 24) - static_cast<double>(keys[i]) + 1;
  }
  EXPECT_EQ(channel_of(whole, "mask_pairs").at(1), pairs);
  EXPECT_EQ(channel_of(whole, "mask_digest"), channel_of(parts, "mask_digest"));
  const trace::Trace one_mask = train_packed(Json::object(), "one.h5");
  EXPECT_EQ(one_mask.tensor({2, trace::Phase::input, "first_keys"}).shape, (Shape{4, 24}));
}

TEST_F(DocumentCaptureTest, ReplayHoldsThePositionsThatRopeTurnedBy) {
  train_packed(Json::object(), "trace.h5");
  const CommandResult read = run_python(folder, R"(
import sys, h5py, numpy
batch = h5py.File(sys.argv[1])["replay/batches/1/0"]
tokens, positions = batch["tokens"][()], batch["positions"][()]
begins = numpy.zeros_like(tokens, bool)
begins[:, 0] = True
begins[:, 1:] = tokens[:, :-1] == 7
assert positions.shape == (4, 24) and begins.sum() > 8
assert ((positions == 0) == begins).all(), "a position is 0 where a document begins, and only there"
assert (numpy.diff(positions)[~begins[:, 1:]] == 1).all()
print("agreed"))",
                                        trace_path().string());
  EXPECT_EQ(read.output, "agreed\n");
}

}  // namespace
}  // namespace parity::reference
