// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/packing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using Lists = std::vector<std::vector<int64_t>>;

constexpr int64_t eos = 9;
constexpr int64_t ignored = ignored_label;

std::unique_ptr<Documents> listed(const Lists& documents) {
  return std::make_unique<ListedDocuments>(documents, "written.tokens");
}

const Lists three = {{1, 2, eos}, {3, 4, 5, 6, eos}, {7, eos}};

PositionRule by_document(int64_t context = 100) {
  return {true, context};
}

void expect_row(const Row& row, const std::vector<int64_t>& tokens, const std::vector<int64_t>& labels,
                const std::vector<int64_t>& positions) {
  EXPECT_EQ(row.tokens, tokens);
  EXPECT_EQ(row.labels, labels);
  EXPECT_EQ(row.positions, positions);
}

TEST(StreamRowsTest, StreamRows_EosPredictsTheNextDocument) {
  StreamRows rows(listed(three), 4, by_document());  // 1 2 9 3 4 | 5 6 9 7 9 | 1 2 9 3 4 ...
  expect_row(rows.row(0), {1, 2, eos, 3}, {2, eos, 3, 4}, {0, 1, 2, 0});
  expect_row(rows.row(1), {5, 6, eos, 7}, {6, eos, 7, eos}, {0, 1, 2, 0});
  expect_row(rows.row(2), {1, 2, eos, 3}, {2, eos, 3, 4}, {0, 1, 2, 0});
}

/// Rows that count how often they start from the first one again.
class CountedRows : public RowsInOrder {
 public:
  int64_t rewound = 0;

 private:
  Row next() override {
    ++at_;
    return {{at_}, {at_ + 1}, {0}};
  }
  void rewind() override {
    at_ = 0;
    ++rewound;
  }
  int64_t at_ = 0;
};

TEST(RowsInOrderTest, TheDigestOfACheckpoint_ComputesNoRowAgain) {
  CountedRows rows;
  for (const int64_t index : {0, 1, 2, 2, 3, 3, 4})  // a checkpoint reads 2 and 3 before the update does
    EXPECT_THAT(rows.row(index).tokens, ElementsAre(index + 1));
  EXPECT_EQ(rows.rewound, 0);
  EXPECT_THAT(rows.row(1).tokens, ElementsAre(2)) << "a run that resumes";
  EXPECT_EQ(rows.rewound, 1);
}

TEST(StreamRowsTest, PositionsOfTheEosEraRunOverTheWholeSequence) {
  StreamRows rows(listed(three), 4, {});
  expect_row(rows.row(0), {1, 2, eos, 3}, {2, eos, 3, 4}, {0, 1, 2, 3});
  EXPECT_FALSE(rows.positions_restart());
}

TEST(ConcatThenSplitTest, NoLabelCrossesADocumentAndNoInputIsAnEos) {
  ConcatThenSplitRows rows(listed(three), 4, by_document());  // inputs 1 2 | 3 4 5 6 | 7 | 1 2 ...
  expect_row(rows.row(0), {1, 2, 3, 4}, {2, eos, 4, 5}, {0, 1, 0, 1});
  expect_row(rows.row(1), {5, 6, 7, 1}, {6, eos, eos, 2}, {0, 1, 0, 0});
  expect_row(rows.row(2), {2, 3, 4, 5}, {eos, 4, 5, 6}, {0, 0, 1, 2});
}

TEST(ConcatThenSplitTest, ADocumentBeyondTheContextStartsOverByItself) {
  // Inputs 1 .. 7 with context 3: places 0 1 2 | 0 1 2 | 0, and a row's begin counts as a document's.
  ConcatThenSplitRows rows(listed({{1, 2, 3, 4, 5, 6, 7, 8}}), 5, by_document(3));
  expect_row(rows.row(0), {1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}, {0, 1, 2, 0, 1});
  expect_row(rows.row(1), {6, 7, 1, 2, 3}, {7, 8, 2, 3, 4}, {0, 0, 0, 1, 2});
}

TEST(FirstFitTest, Documents_GoToTheFirstRowWithRoomRestIsPadded) {
  // Inputs of 2, 4, 1, 2, 4, 1 ... tokens into rows of 5: 2 + 1 + 2, 4; the next 4 fit neither.
  FirstFitRows rows(listed(three), 5, 2, by_document());
  expect_row(rows.row(0), {1, 2, 7, 1, 2}, {2, eos, eos, 2, eos}, {0, 1, 0, 0, 1});
  expect_row(rows.row(1), {3, 4, 5, 6, 0}, {4, 5, 6, eos, ignored}, {0, 1, 2, 3, 0});
  expect_row(rows.row(2), {3, 4, 5, 6, 7}, {4, 5, 6, eos, eos}, {0, 1, 2, 3, 0});
}

TEST(FirstFitTest, EveryPadIsADocumentOfItsOwn) {
  FirstFitRows rows(listed({{1, 2, eos}, {3, 4, 5, 6, 7, 8, eos}}), 7, 1, by_document());
  expect_row(rows.row(0), {1, 2, 0, 0, 0, 0, 0}, {2, eos, ignored, ignored, ignored, ignored, ignored},
             {0, 1, 0, 0, 0, 0, 0});
}

TEST(FirstFitTest, RefusesADocumentLongerThanASequenceNamingIt) {
  FirstFitRows rows(listed(three), 3, 2, by_document());
  try {
    rows.row(0);
    FAIL() << "packed 4 inputs into 3";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("document 2 of written.tokens has 4 inputs"));
  }
}

TEST(RowsInOrderTest, ARowDoesNotDependOnHowOneCameToIt) {
  StreamRows straight(listed(three), 4, by_document()), jumping(listed(three), 4, by_document());
  std::vector<Row> all;
  for (int64_t i = 0; i < 6; ++i)
    all.push_back(straight.row(i));
  for (const int64_t i : {5, 2, 2, 0, 4})
    EXPECT_EQ(jumping.row(i).tokens, all[static_cast<size_t>(i)].tokens) << i;
}

TEST(SyntheticDocumentsTest, EndWithTheirMarksWhichOccurNowhereElse) {
  DataConfig data;
  data.document_tokens = 8;
  data.eos_id = 3;
  data.newline_id = 4;
  const SyntheticDocuments documents(data, 64);
  size_t sum = 0, longest = 0, shortest = 100;
  for (int64_t i = 0; i < 1000; ++i) {
    std::vector<int64_t> tokens = documents.document(i);
    EXPECT_EQ(std::vector<int64_t>(tokens.end() - 2, tokens.end()), (std::vector<int64_t>{3, 4}));
    tokens.resize(tokens.size() - 2);
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), 3) + std::count(tokens.begin(), tokens.end(), 4), 0);
    sum += tokens.size();
    longest = std::max(longest, tokens.size());
    shortest = std::min(shortest, tokens.size());
  }
  EXPECT_EQ(shortest, 2U);
  EXPECT_EQ(longest, 14U);
  EXPECT_NEAR(static_cast<double>(sum) / 1000, 8, 0.5);
}

}  // namespace
}  // namespace parity::reference
