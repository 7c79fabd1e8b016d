// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Packing of any documents: each row is compared with the documents that it came from.
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/data/packing/packing.hpp"

namespace parity::reference {
namespace {

using Lists = std::vector<std::vector<int64_t>>;

/// Documents whose tokens are all different, so that each token shows its origin.
rc::Gen<Lists> documents() {
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(rc::gen::inRange(2, 9))),
                      [](const std::vector<int64_t>& lengths) {
                        Lists lists;
                        int64_t token = 1;
                        for (const int64_t length : lengths)
                          for (std::vector<int64_t>& list = lists.emplace_back();
                               list.size() < static_cast<size_t>(length);)
                            list.push_back(token++);
                        return lists;
                      });
}

DataConfig packed(Packing packing, int64_t seq_len, int64_t global_batch = 3, int64_t context = 0) {
  DataConfig data;
  data.packing = packing;
  data.positions = PositionsChoice::document;
  data.seq_len = seq_len;
  data.global_batch = global_batch;
  data.context_length = context;
  return data;
}

std::vector<Row> rows_of(const DataConfig& data, const Lists& lists, int64_t count) {
  const auto rows = make_packed_rows(data, std::make_unique<ListedDocuments>(lists, "generated"));
  std::vector<Row> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(rows->row(i));
  return result;
}

/// A token's place in its document, and the token after it there (-100 for the last).
struct Origin {
  int64_t offset = 0;
  int64_t after = ignored_label;
};
std::map<int64_t, Origin> origins(const Lists& lists) {
  std::map<int64_t, Origin> result;
  for (const auto& list : lists)
    for (size_t i = 0; i < list.size(); ++i)
      result[list[i]] = {static_cast<int64_t>(i), i + 1 < list.size() ? list[i + 1] : ignored_label};
  return result;
}

/// The position of each token by definition: counted back to the start of the row, or to where its document
/// starts or restarts.
std::vector<int64_t> positions_by_definition(const Row& row, std::map<int64_t, Origin>& origin,
                                             int64_t context) {
  std::vector<int64_t> positions;
  for (size_t i = 0; i < row.tokens.size(); ++i) {
    int64_t back = 0;
    while (back < static_cast<int64_t>(i) &&
           origin[row.tokens[i - static_cast<size_t>(back)]].offset % context != 0)
      ++back;
    positions.push_back(back);
  }
  return positions;
}

RC_GTEST_PROP(StreamProperty, IsTheStreamItself, ()) {
  const Lists lists = *documents();
  const auto seq_len = *rc::gen::inRange<int64_t>(1, 12);
  const auto context = *rc::gen::inRange<int64_t>(1, 6);
  std::vector<int64_t> stream;
  for (const auto& list : lists)
    stream.insert(stream.end(), list.begin(), list.end());
  auto origin = origins(lists);
  size_t at = 0;
  for (const Row& row : rows_of(packed(Packing::stream, seq_len, 3, context), lists, 5)) {
    for (size_t i = 0; i < row.tokens.size(); ++i, ++at) {
      RC_ASSERT(row.tokens[i] == stream[at % stream.size()]);
      RC_ASSERT(row.labels[i] == stream[(at + 1) % stream.size()]);
    }
    ++at;  // the last label is not an input
    RC_ASSERT(row.positions == positions_by_definition(row, origin, context));
  }
}

RC_GTEST_PROP(ConcatThenSplitProperty, EveryInputOfEveryDocumentComesOnceInOrderWithItsOwnLabel, ()) {
  const Lists lists = *documents();
  const auto seq_len = *rc::gen::inRange<int64_t>(1, 12);
  const auto context = *rc::gen::inRange<int64_t>(1, 6);
  std::vector<int64_t> inputs;
  for (const auto& list : lists)
    inputs.insert(inputs.end(), list.begin(), list.end() - 1);
  auto origin = origins(lists);
  size_t at = 0;
  for (const Row& row : rows_of(packed(Packing::concat_then_split, seq_len, 3, context), lists, 5)) {
    for (size_t i = 0; i < row.tokens.size(); ++i) {
      RC_ASSERT(row.tokens[i] == inputs[at++ % inputs.size()]);
      RC_ASSERT(row.labels[i] == origin[row.tokens[i]].after);
    }
    RC_ASSERT(row.positions == positions_by_definition(row, origin, context));
  }
}

RC_GTEST_PROP(FirstFitProperty, DocumentsStayWholeAndNoneWouldHaveFitFurtherLeft, ()) {
  const Lists lists = *documents();
  const auto seq_len = *rc::gen::inRange<int64_t>(8, 20);
  const auto global_batch = *rc::gen::inRange<int64_t>(1, 5);
  const std::vector<Row> rows =
      rows_of(packed(Packing::first_fit, seq_len, global_batch), lists, global_batch);
  auto origin = origins(lists);
  // First fit by its definition: every document in turn, into the first row with room.
  std::vector<std::vector<int64_t>> expected(rows.size());
  for (size_t d = 0;; ++d) {
    const auto& list = lists[d % lists.size()];
    size_t r = 0;
    while (r < rows.size() && expected[r].size() + list.size() - 1 > static_cast<size_t>(seq_len))
      ++r;
    if (r == rows.size())
      break;
    expected[r].insert(expected[r].end(), list.begin(), list.end() - 1);
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    const size_t filled = expected[r].size();
    RC_ASSERT(std::equal(expected[r].begin(), expected[r].end(), rows[r].tokens.begin()));
    for (size_t i = 0; i < rows[r].tokens.size(); ++i) {
      const bool pad = i >= filled;
      RC_ASSERT(!pad || (rows[r].tokens[i] == 0 && rows[r].positions[i] == 0));
      RC_ASSERT(rows[r].labels[i] == (pad ? ignored_label : origin[rows[r].tokens[i]].after));
      RC_ASSERT(pad || rows[r].positions[i] == origin[rows[r].tokens[i]].offset);
    }
  }
}

RC_GTEST_PROP(PackingProperty, ARowDoesNotDependOnHowOneCameToIt, ()) {
  const Lists lists = *documents();
  const Packing packing = *rc::gen::element(Packing::stream, Packing::concat_then_split, Packing::first_fit);
  const DataConfig data = packed(packing, 10);
  const std::vector<Row> straight = rows_of(data, lists, 8);
  const auto rows = make_packed_rows(data, std::make_unique<ListedDocuments>(lists, "generated"));
  for (const int64_t i : *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange(0, 8))) {
    const Row row = rows->row(i);
    RC_ASSERT(row.tokens == straight[static_cast<size_t>(i)].tokens);
    RC_ASSERT(row.labels == straight[static_cast<size_t>(i)].labels);
    RC_ASSERT(row.positions == straight[static_cast<size_t>(i)].positions);
  }
}

}  // namespace
}  // namespace parity::reference
