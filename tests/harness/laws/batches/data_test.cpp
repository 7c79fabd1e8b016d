// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

/// Invented batches of 4 rows of 8 tokens.
class DataLawTest : public LawTest {
 protected:
  using Row = std::vector<int64_t>;
  struct Update {
    Row tokens, labels, positions;
    double valid_tokens = 32;
  };

  static int64_t token(int64_t step, int64_t place) { return (step * 7919 + place * 104729) % 50021; }
  /// Returns lawful batches: labels are the next tokens, and positions count from 0.
  static std::vector<Update> lawful() {
    std::vector<Update> updates(4);
    for (int64_t s = 0; s < 4; ++s)
      for (int64_t row = 0; row < 4; ++row)
        for (int64_t t = 0; t < 8; ++t) {
          updates[s].tokens.push_back(token(s, 100 * row + t));
          updates[s].labels.push_back(token(s, 100 * row + t + 1));
          updates[s].positions.push_back(t);
        }
    return updates;
  }
  /// \param ranks  each of which reads an equal share of the rows
  Finding ask_batches(const std::vector<Update>& updates, int64_t ranks = 1,
                      const std::string& tokens = "tokens", const Json& config = Json::object()) {
    for (int64_t rank = ranks - 1; rank >= 0; --rank) {
      trace::Recorder::Options options{folder / "data" / "trace.h5", config, {}, {}};
      options.capture.tensors.push_back({});
      options.rank = rank;
      options.ranks = ranks;
      trace::Recorder recorder(std::move(options));
      const int64_t rows = 4 / ranks;
      for (size_t s = 0; s < updates.size(); ++s) {
        recorder.begin_step(static_cast<int64_t>(s) + 1);
        TensorLayout layout;
        if (ranks > 1)
          layout = {{4, 8}, {{"dp", rank, ranks, Shard{0, {{rank * rows, rank * rows + rows}}}}}};
        for (const auto& [name, list] : {std::pair(tokens, &updates[s].tokens),
                                         {"labels", &updates[s].labels},
                                         {"positions", &updates[s].positions}})
          recorder.tensor(Phase::input, name, {DType::int64, {rows, 8}, list->data() + rank * rows * 8},
                          nullptr, layout);
        recorder.channel("valid_tokens", updates[s].valid_tokens);
        recorder.end_step();
      }
      recorder.finish();
    }
    const trace::Trace trace = trace::Trace::open(folder / "data");
    return ask_data(RecordedRun(trace));
  }
};

TEST_F(DataLawTest, LawfulBatches_Hold) {
  for (const int64_t ranks : {1, 2, 4}) {
    const Finding finding = ask_batches(lawful(), ranks);
    EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  }
}

TEST_F(DataLawTest, RepeatedBatch_IsNamed) {
  std::vector<Update> updates = lawful();
  updates[2] = updates[1];
  const Finding finding = ask_batches(updates);
  EXPECT_EQ(sentence(finding), "update 3 reads the batch of update 2 again");
  EXPECT_EQ(finding.departures.front().step, 3);
}

TEST_F(DataLawTest, Epochs_AreNoted) {
  std::vector<Update> updates = lawful();
  updates[2] = updates[0];
  updates[3] = updates[1];
  const Finding finding = ask_batches(updates);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("the data repeats every 2 updates"));
  EXPECT_EQ(sentence(ask_batches(updates, 1, "tokens", {{"data", {{"source", "synthetic"}}}})),
            "updates from 3 on read the batches from update 1 on again");
}

TEST_F(DataLawTest, ShuffledEpochs_AreNoted) {
  std::vector<Update> updates = lawful();
  updates[2] = updates[1];
  updates[3] = updates[0];
  const Finding finding = ask_batches(updates);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("the same 2 batches come again in another order"));
}

TEST_F(DataLawTest, PartOfAnEpoch_ShowsNoPeriod) {
  std::vector<Update> updates = lawful();
  updates[3] = updates[0];
  EXPECT_THAT(
      notes(ask_batches(updates)),
      HasSubstr("updates from 4 on read the first batches again; this is right only where an epoch of "
                "3 batches ends"));
  updates[3] = updates[1];  // no epoch begins with its second batch
  EXPECT_EQ(sentence(ask_batches(updates)), "update 4 reads the batch of update 2 again");
  updates.resize(6);
  updates[3] = lawful()[3];
  updates[4] = updates[2];  // a resumed run that went back two updates
  updates[5] = updates[3];
  EXPECT_EQ(sentence(ask_batches(updates)), "update 5 reads the batch of update 3 again");
}

TEST_F(DataLawTest, OneBatchForEver_IsNoted) {
  std::vector<Update> updates = lawful();
  updates[1] = updates[2] = updates[3] = updates[0];
  EXPECT_THAT(notes(ask_batches(updates)), HasSubstr("every update reads the same batch"));
  updates.resize(2);
  EXPECT_EQ(sentence(ask_batches(updates)), "update 2 reads the batch of update 1 again");
}

TEST_F(DataLawTest, MicroBatchesWithTheSameRows_AreNamed) {
  std::vector<Update> updates = lawful();
  for (Row* list : {&updates[1].tokens, &updates[1].labels})
    std::copy_n(list->begin(), 8, list->begin() + 8);
  const Json two = {{"data", {{"micro_batches", 2}}}}, one = Json::object();
  EXPECT_EQ(ask_batches(updates, 1, "tokens", two).answer(),
            Answer::holds);  // rows 0 and 1 are one micro-batch
  EXPECT_EQ(sentence(ask_batches(updates, 2, "tokens", two)),
            "micro-batch 1 reads the rows of micro-batch 0");
  EXPECT_EQ(ask_batches(updates, 2, "tokens", one).answer(), Answer::holds);
}

TEST_F(DataLawTest, RanksWithTheSameRows_AreNamed) {
  std::vector<Update> updates = lawful();
  for (Row* list : {&updates[1].tokens, &updates[1].labels})
    std::copy_n(list->begin(), 16, list->begin() + 16);
  const Finding finding = ask_batches(updates, 2);
  EXPECT_EQ(sentence(finding), "rank 1 reads the rows of rank 0");
  EXPECT_EQ(finding.departures.front().step, 2);
  EXPECT_EQ(finding.departures.front().rank, 1);
}

TEST_F(DataLawTest, UnshiftedLabels_AreNamed) {
  std::vector<Update> updates = lawful();
  for (Update& update : updates)
    update.labels = update.tokens;
  EXPECT_EQ(sentence(ask_batches(updates)), "labels are the tokens themselves, not the next ones");
  const Finding shifted_inside = ask_batches(updates, 1, "input_ids");
  EXPECT_EQ(shifted_inside.answer(), Answer::holds);
  EXPECT_THAT(notes(shifted_inside), HasSubstr("for a model that shifts them"));
}

TEST_F(DataLawTest, LabelsTwoPlacesOn_AreNamed) {
  std::vector<Update> updates = lawful();
  for (size_t i = 0; i < 32; ++i)
    updates[0].labels[i] = token(0, static_cast<int64_t>(100 * (i / 8) + i % 8 + 2));
  EXPECT_EQ(sentence(ask_batches(updates)), "labels are the tokens 2 places on, not the next ones");
}

TEST_F(DataLawTest, OneWrongLabel_IsNamed) {
  std::vector<Update> updates = lawful();
  updates[3].labels[10] = 1;
  EXPECT_EQ(sentence(ask_batches(updates)), "1 labels are not the next token, the first at row 1, place 2");
  updates[3].positions[11] = 0;  // a document begins at the next token
  for (size_t i = 12; i < 16; ++i)
    updates[3].positions[i] = static_cast<int64_t>(i) - 11;
  EXPECT_EQ(ask_batches(updates).answer(), Answer::holds);
}

TEST_F(DataLawTest, IgnoredLabels_AreCounted) {
  std::vector<Update> updates = lawful();
  updates[1].labels[3] = updates[1].labels[9] = -100;
  const Finding finding = ask_batches(updates);
  EXPECT_EQ(sentence(finding), "valid_tokens is 32, but 30 labels count: it includes the ignored ones");
  updates[1].valid_tokens = 30;
  EXPECT_EQ(ask_batches(updates).answer(), Answer::holds);
  updates[1].labels.assign(32, -100);
  EXPECT_EQ(sentence(ask_batches(updates)), "every label is ignored");
}

TEST_F(DataLawTest, WrongPositions_AreNamed) {
  std::vector<Update> updates = lawful();
  updates[2].positions[5] = 9;
  EXPECT_THAT(sentence(ask_batches(updates)), HasSubstr("position 9 follows 4 at row 0, place 5"));
}

TEST_F(DataLawTest, Nothing_IsNotAsked) {
  PlantedRun run = trained();
  const Finding finding = ask(ask_data, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_FALSE(finding.why.empty());
}

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
