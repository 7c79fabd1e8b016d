// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/laws/batches/data_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// Two ranks that record their inputs under names of their own, as the Python recorder does.
class RankInputsTest : public DataLawTest {
 protected:
  enum class Declares { nothing, in_recipe, in_layout };
  struct Inputs {
    Declares declares = Declares::in_recipe;
    bool other_gradients = false;  ///< whether ranks compute other gradients
    bool has_labels = true;
    bool only_digests = false;  ///< channels in place of inputs
    bool keep_values = true;
    std::vector<int64_t> readers = {0, 1};  ///< ranks that have tokens
  };

  static void record_gradient(trace::Recorder& recorder, const Inputs& inputs, int64_t rank) {
    TensorLayout layout;
    if (inputs.declares == Declares::in_layout)
      layout = {{32}, {{"dp", rank, 2, Partial{Partial::Reduction::avg}}}};
    std::vector<float> values(32, 0.5F);
    values[3] += inputs.other_gradients ? static_cast<float>(rank) : 0;
    recorder.tensor(Phase::grad_local, "output.weight", view_of(DType::float32, values), nullptr, layout);
  }
  static void record_inputs(trace::Recorder& recorder, const Update& update, const Inputs& inputs,
                            int64_t rank, int64_t row) {
    const auto put = [&](const char* name, const Row& list) {
      recorder.tensor(Phase::input, fmt::format("{}#{}", name, rank),
                      {DType::int64, {2, 8}, list.data() + row * 8});
    };
    if (inputs.only_digests) {
      recorder.channel("batch_digest", update.tokens[static_cast<size_t>(row * 8)],
                       trace::ChannelKind::per_rank);
      return;
    }
    if (std::ranges::count(inputs.readers, rank) == 0)
      return;
    put("tokens", update.tokens);
    if (inputs.has_labels)
      put("labels", update.labels);
    put("positions", update.positions);
  }
  /// Returns what two ranks read in each update, as tokens of their rows.
  static std::vector<Update> updates_of(const std::vector<Update>& lawful,
                                        const std::vector<std::pair<int, int>>& rows) {
    std::vector<Update> updates(rows.size(), lawful.front());
    for (size_t s = 0; s < rows.size(); ++s)
      for (size_t i = 0; i < 32; ++i)
        updates[s].tokens[i] = static_cast<int64_t>(i % 16) + 100 * (i < 16 ? rows[s].first : rows[s].second);
    return updates;
  }
  /// \param rows  first row of each rank, two of which it reads
  Finding ask_ranks(const std::vector<Update>& updates, const std::vector<int64_t>& rows,
                    const Inputs& inputs) {
    for (int64_t rank = 1; rank >= 0; --rank) {
      trace::Recorder::Options options{folder / "data" / "trace.h5", {}, {}, {}};
      (inputs.keep_values ? options.capture.tensors : options.capture.sketches).push_back({});
      if (inputs.declares == Declares::in_recipe)
        options.provenance = {{"recipe", {{"data_parallel", {0, 1}}}}};
      options.rank = rank;
      options.ranks = 2;
      trace::Recorder recorder(std::move(options));
      for (size_t s = 0; s < updates.size(); ++s) {
        recorder.begin_step(static_cast<int64_t>(s) + 1);
        record_inputs(recorder, updates[s], inputs, rank, rows[static_cast<size_t>(rank)]);
        record_gradient(recorder, inputs, rank);
        recorder.end_step();
      }
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "data");
    return ask_data(RecordedRun(trace));
  }
};

TEST_F(RankInputsTest, OwnRows_Hold) {
  const Finding finding = ask_ranks(lawful(), {0, 2}, {});
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_EQ(finding.checked, 4 + 4 * (1 + 2 + 2));  // digests; pairs of ranks, labels, positions
  EXPECT_EQ(notes(finding), "");
}

TEST_F(RankInputsTest, SameRows_AreNamed) {
  for (const Inputs& inputs : {Inputs{}, Inputs{.declares = Declares::in_layout}, Inputs{.has_labels = false},
                               Inputs{.only_digests = true}, Inputs{.keep_values = false}}) {
    const Finding finding = ask_ranks(lawful(), {2, 2}, inputs);
    EXPECT_EQ(sentence(finding), "rank 1 reads the rows of rank 0");
    ASSERT_FALSE(finding.departures.empty());
    EXPECT_EQ(finding.departures.front().rank, 1);
    EXPECT_EQ(finding.departures.front().step, 1);
  }
}

TEST_F(RankInputsTest, DigestsOfNoInput_AreNotCompared) {
  std::vector<Update> updates = lawful();
  for (Update& update : updates)
    update.tokens = Row(32, 0);
  EXPECT_THAT(ask_ranks(updates, {0, 2}, {.only_digests = true}).departures, testing::IsEmpty());
}

/// Ranks that cut the model or the sequences read the same rows, too.
TEST_F(RankInputsTest, SameRowsOfUndeclaredRanks_AreNoted) {
  const Finding finding = ask_ranks(lawful(), {0, 0}, {.declares = Declares::nothing});
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("ranks 0, 1 read the same rows, and nothing that was recorded"));
  EXPECT_EQ(finding.checked, 4 + 4 * (2 + 2));  // no pair of ranks
}

TEST_F(RankInputsTest, SameRowsButOtherGradients_AreNoted) {
  const Finding finding = ask_ranks(lawful(), {0, 0}, {.other_gradients = true});
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("and compute other gradients of them"));
}

TEST_F(RankInputsTest, RepeatedBatch_IsNamed) {
  std::vector<Update> updates = lawful();
  updates[2] = updates[1];
  for (const bool only_digests : {false, true})
    EXPECT_EQ(sentence(ask_ranks(updates, {0, 2}, {.only_digests = only_digests})),
              "update 3 reads the batch of update 2 again");
}

/// As with a sampler that has the number of ranks but not the rank, or that shuffles on each rank.
TEST_F(RankInputsTest, RowsOfAnotherRankAtAnotherUpdate_AreNamed) {
  const std::vector<Update> next = updates_of(lawful(), {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}});
  for (const bool only_digests : {false, true}) {
    const Finding finding = ask_ranks(next, {0, 2}, {.has_labels = false, .only_digests = only_digests});
    EXPECT_EQ(sentence(finding), "rank 0 reads in update 2 what rank 1 read in update 1");
  }
}

TEST_F(RankInputsTest, OneRankThatReadsItsRowsAgain_IsNamed) {
  const std::vector<Update> stuck = updates_of(lawful(), {{1, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {7, 2}});
  EXPECT_EQ(sentence(ask_ranks(stuck, {0, 2}, {.has_labels = false})),
            "rank 1 reads in update 2 what rank 1 read in update 1");
}

TEST_F(RankInputsTest, ShuffledEpochOverRanks_IsNoted) {
  const std::vector<Update> epochs = updates_of(lawful(), {{1, 2}, {3, 4}, {5, 6}, {4, 1}, {6, 3}, {2, 5}});
  const Finding finding = ask_ranks(epochs, {0, 2}, {.has_labels = false});
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding),
              HasSubstr("rank 0 reads in update 4 what rank 1 read in update 2: right only where"));
}

TEST_F(RankInputsTest, ShiftedLabels_AreNamed) {
  std::vector<Update> updates = lawful();
  updates[1].labels = updates[1].tokens;
  for (const Declares declares : {Declares::in_recipe, Declares::nothing})
    EXPECT_EQ(sentence(ask_ranks(updates, {0, 2}, {.declares = declares})),
              "labels are the tokens themselves, not the next ones");
}

/// Rank 0 may have the first and the last quarter of each sequence, and rank 1 the middle.
TEST_F(RankInputsTest, SequenceThatIsCut_IsNotedUnlessDataParallel) {
  std::vector<Update> updates = lawful();
  for (Update& update : updates)
    for (size_t row = 0; row < 4; ++row)
      for (size_t place = 4; place < 8; ++place)
        for (Row* list : {&update.tokens, &update.labels, &update.positions})
          (*list)[row * 8 + place] += 12;
  const Finding cut = ask_ranks(updates, {0, 2}, {.declares = Declares::nothing});
  EXPECT_EQ(cut.answer(), Answer::holds) << sentence(cut);
  EXPECT_THAT(notes(cut), HasSubstr("2 labels are not the next token, the first at row 0, place 3 (step "
                                    "1): right only if ranks cut the sequences"));
  EXPECT_THAT(notes(cut), HasSubstr("position 16 follows 3 at row 0, place 4"));
  EXPECT_THAT(sentence(ask_ranks(updates, {0, 2}, {})), HasSubstr("2 labels are not the next token"));
}

TEST_F(RankInputsTest, OneRankHasTokens_IsAsked) {
  std::vector<Update> updates = lawful();
  const Inputs first_stage{.declares = Declares::nothing, .readers = {0}};
  EXPECT_EQ(ask_ranks(updates, {0, 2}, first_stage).answer(), Answer::holds);
  updates[3].labels[5] += 1;
  EXPECT_THAT(notes(ask_ranks(updates, {0, 2}, first_stage)), HasSubstr("1 labels are not the next token"));
}

TEST_F(RankInputsTest, OneUpdate_SaysWhy) {
  std::vector<Update> updates = lawful();
  updates.resize(1);
  const Finding finding = ask_ranks(updates, {0, 0}, {.declares = Declares::nothing, .keep_values = false});
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_THAT(finding.why, HasSubstr("the batch of one update was recorded"));
}

}  // namespace
}  // namespace parity::laws
