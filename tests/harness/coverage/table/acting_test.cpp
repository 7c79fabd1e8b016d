// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/table/acting.hpp"

#include <gtest/gtest.h>

#include "harness/trace/write/recorder.hpp"
#include "tests/support/scratch.hpp"

namespace parity::coverage {
namespace {

using suite::FlatConfig;

class ActingTest : public FolderTest {
 protected:
  trace::Recorder::Options options(int64_t rank = 0, int64_t ranks = 1) const {
    trace::Recorder::Options options{trace_path(), {}, {}, {}};
    options.capture.tensors.push_back({});
    options.rank = rank;
    options.ranks = ranks;
    return options;
  }
  trace::Trace trace_with_channels(double grad_norm, int64_t valid_tokens) const {
    trace::Recorder recorder(options());
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      recorder.channel("grad_norm", step == 1 ? 0.125 : grad_norm);
      recorder.channel("valid_tokens", valid_tokens);
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(trace_path());
  }
  trace::Trace trace_with(trace::Phase phase, const std::string& name, const TensorView& view) const {
    trace::Recorder recorder(options());
    recorder.begin_step(1);
    recorder.channel("loss", 1.0);
    recorder.tensor(phase, name, view);
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(trace_path());
  }
  /// Records one row of two labels on each of two ranks.
  trace::Trace trace_of_two_ranks(const std::vector<std::vector<int64_t>>& labels) const {
    for (const int64_t rank : {1, 0}) {  // rank 0 ends last
      trace::Recorder recorder(options(rank, 2));
      recorder.begin_step(1);
      recorder.channel("loss", 1.0);
      const Placement rows{"dp_shard", rank, 2, Shard{0, {{rank, rank + 1}}}};
      recorder.tensor(trace::Phase::input, "labels",
                      {DType::int64, {1, 2}, labels[static_cast<size_t>(rank)].data()}, nullptr,
                      {{2, 2}, {rows}});
      recorder.end_step();
      recorder.finish();
    }
    return trace::Trace::open(trace_path());
  }
};

Held act(std::string_view name, const FlatConfig& config, const trace::Trace& trace) {
  return held(find_act(name), config, &trace);
}

TEST_F(ActingTest, Clipping_ActsAboveTheNorm) {
  const trace::Trace trace = trace_with_channels(0.5, 8);
  EXPECT_EQ(act("clipping", {{"clip.max_norm", 0.25}}, trace), Held::yes);
  EXPECT_EQ(act("clipping", {{"clip.max_norm", 0.5}}, trace), Held::no);
  EXPECT_EQ(act("clipping", {{"clip.max_norm", 0.0}}, trace), Held::no);
}

TEST_F(ActingTest, IgnoredLabels_AreFewerThanTokens) {
  const FlatConfig config = {{"data.seq_len", 4}, {"data.global_batch", 2}, {"data.ignore_fraction", 0.3}};
  EXPECT_EQ(act("ignored_labels", config, trace_with_channels(0.5, 7)), Held::yes);
  EXPECT_EQ(act("ignored_labels", config, trace_with_channels(0.5, 8)), Held::no);
}

TEST_F(ActingTest, QkClip_ActsWhereHeadsWereScaled) {
  const auto trace_with_heads = [&](std::vector<int64_t> heads) {
    trace::Recorder recorder(options());
    for (size_t i = 0; i < heads.size(); ++i) {
      recorder.begin_step(static_cast<int64_t>(i) + 1);
      recorder.channel("qk_clipped_heads", heads[i]);
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(trace_path());
  };
  const FlatConfig config = {{"optimizer.qk_clip", 0.5}};
  EXPECT_EQ(act("qk_clip", config, trace_with_heads({0, 3})), Held::yes);
  EXPECT_EQ(act("qk_clip", config, trace_with_heads({0, 0})), Held::no);
  EXPECT_EQ(act("qk_clip", {{"optimizer.qk_clip", 0.0}}, trace_with_heads({0, 3})), Held::no);
  EXPECT_EQ(act("qk_clip", config, trace_with_channels(0.5, 8)), Held::unknown) << "no such channel";
}

TEST_F(ActingTest, NoTrace_IsUnknownWhereTheConfigAllowsIt) {
  EXPECT_EQ(held(find_act("clipping"), {{"clip.max_norm", 1.0}}, nullptr), Held::unknown);
  EXPECT_EQ(held(find_act("clipping"), {{"clip.max_norm", 0.0}}, nullptr), Held::no);
}

TEST_F(ActingTest, TraceWithoutTheTensor_IsUnknown) {
  const trace::Trace trace = trace_with_channels(0.5, 8);
  EXPECT_EQ(act("routing_ties", {{"moe.experts", 4}}, trace), Held::unknown);
  EXPECT_EQ(act("document_cut", {{"parallel.cp", 2}, {"data.positions", "document"}}, trace), Held::unknown);
}

TEST_F(ActingTest, RankWithoutValidLabel_IsEmpty) {
  const FlatConfig config = {{"parallel.dp_shard", 2}, {"data.source", "tokens"}};
  EXPECT_EQ(act("empty_rank", config, trace_of_two_ranks({{3, 4}, {-100, -100}})), Held::yes);
  EXPECT_EQ(act("empty_rank", config, trace_of_two_ranks({{3, 4}, {-100, 5}})), Held::no);
}

TEST_F(ActingTest, DocumentThatGoesOnInTheNextChunk_IsCut) {
  const FlatConfig config = {{"parallel.cp", 1 + 1}, {"data.positions", "document"}};
  const std::vector<int64_t> cut = {0, 1, 2, 3, 0, 1, 0, 1}, whole = {0, 1, 0, 1, 0, 1, 0, 1};
  EXPECT_EQ(act("document_cut", config,
                trace_with(trace::Phase::input, "positions", {DType::int64, {1, 8}, cut.data()})),
            Held::yes);
  EXPECT_EQ(act("document_cut", config,
                trace_with(trace::Phase::input, "positions", {DType::int64, {1, 8}, whole.data()})),
            Held::no);
}

TEST_F(ActingTest, EqualScoresOfAToken_AreTied) {
  const FlatConfig config = {{"moe.experts", 2}};
  const std::vector<float> tie = {1, 2, 3, 3}, none = {1, 2, 2, 1};
  const auto scores = [&](const std::vector<float>& values) {
    return trace_with(trace::Phase::forward, "layers.1.moe.router", {DType::float32, {2, 2}, values.data()});
  };
  EXPECT_EQ(act("routing_ties", config, scores(tie)), Held::yes);
  EXPECT_EQ(act("routing_ties", config, scores(none)), Held::no);
}

}  // namespace
}  // namespace parity::coverage
