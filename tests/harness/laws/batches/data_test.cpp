// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/laws/batches/data_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;

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

void copy_row(std::vector<int64_t>& values, int64_t from, int64_t to) {
  std::copy_n(values.begin() + from * 8, 8, values.begin() + to * 8);
}

/// As with workers that share a seed, or an index that wraps within the batch.
TEST_F(DataLawTest, RowTwiceInEveryUpdate_IsNamed) {
  std::vector<Update> updates = lawful();
  for (Update& update : updates) {
    copy_row(update.tokens, 0, 3);
    copy_row(update.labels, 0, 3);
  }
  const Finding finding = ask_batches(updates);
  EXPECT_EQ(sentence(finding), "row 3 is row 0, and so in every update");
  for (Update& update : updates) {
    update.labels[25] = static_cast<int64_t>(ignored_label);
    update.valid_tokens = 31;
  }
  EXPECT_EQ(ask_batches(updates).answer(), Answer::holds) << "one text with other labels";
}

TEST_F(DataLawTest, RowTwiceInOneUpdate_IsNoted) {
  std::vector<Update> updates = lawful();
  copy_row(updates[2].tokens, 1, 2);
  copy_row(updates[2].labels, 1, 2);
  const Finding finding = ask_batches(updates);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding),
              HasSubstr("rows of one update are equal in 1 of 4 updates, first row 2 is row 1 in "
                        "update 3"));
}

TEST_F(DataLawTest, RowsOfPadding_MayBeEqual) {
  std::vector<Update> updates = lawful();
  for (Update& update : updates)
    for (size_t i = 16; i < 32; ++i) {
      update.tokens[i] = 0;
      update.labels[i] = static_cast<int64_t>(ignored_label);
      update.valid_tokens = 16;
    }
  EXPECT_EQ(ask_batches(updates).answer(), Answer::holds);
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

TEST_F(DataLawTest, PositionsThatRunOnOverDocuments_AreNoted) {
  std::vector<Update> updates = lawful();
  for (Update& update : updates)
    for (int64_t i = 0; i < 32; ++i)
      update.documents.push_back(i / 4);
  const Finding runs_on = ask_batches(updates);
  EXPECT_EQ(runs_on.answer(), Answer::holds) << sentence(runs_on);
  EXPECT_THAT(notes(runs_on), HasSubstr("positions run on over documents"));
  for (size_t i = 4; i < 8; ++i)
    updates[0].positions[i] -= 4;
  EXPECT_THAT(sentence(ask_batches(updates)),
              HasSubstr("positions do not restart at 3 documents, the first at row 1"));
}

TEST_F(DataLawTest, OtherLabelsThanTheUpdates_AreNamed) {
  std::vector<Update> updates = lawful();
  for (Update& update : updates)
    update.read = {{"read/labels", update.labels}, {"read/tokens", update.tokens}};
  for (const int64_t ranks : {1, 2})
    EXPECT_EQ(ask_batches(updates, ranks).answer(), Answer::holds);
  std::swap(updates[2].read["read/labels"][9], updates[2].read["read/labels"][10]);
  for (const int64_t ranks : {1, 2}) {
    const Finding finding = ask_batches(updates, ranks);
    EXPECT_EQ(sentence(finding),
              "the model reads other labels than the update has (2 of 32 elements, the first is element 9)");
    EXPECT_EQ(finding.departures.front().step, 3);
    EXPECT_EQ(finding.departures.front().tensor, "read/labels");
  }
}

TEST_F(DataLawTest, AnotherMaskThanTheRowsHave_IsNamed) {
  std::vector<Update> updates = lawful();
  updates[0].read = {{"first_keys", Row(32, 0)}, {"read/first_keys", Row(32, 0)}};
  EXPECT_EQ(ask_batches(updates).answer(), Answer::holds);
  updates[0].read["read/first_keys"][31] = 4;
  EXPECT_THAT(sentence(ask_batches(updates)), HasSubstr("attends under another mask than the update's rows"));
}

TEST_F(DataLawTest, Nothing_IsNotAsked) {
  PlantedRun run = trained();
  const Finding finding = ask(ask_data, run);
  EXPECT_EQ(finding.answer(), Answer::not_asked);
  EXPECT_FALSE(finding.why.empty());
}

}  // namespace
}  // namespace parity::laws
