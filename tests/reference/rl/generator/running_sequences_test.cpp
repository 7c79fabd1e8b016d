// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/running_sequences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::reference {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RunningSequencesTest, Pass_MixesPromptPiecesWithDecodedSequences) {
  RunningSequences running({4, 7, 2}, {.sequences = 2, .tokens = 6});
  // Sequence 0 whole, 1 as far as it fits: positions 0 1 2 3 0 1.
  std::vector<Chunk> pass = running.next_pass();
  ASSERT_THAT(pass, ElementsAre(Chunk{0, 0, 0, 4}, Chunk{1, 1, 0, 2}));
  EXPECT_TRUE(running.is_last(pass[0]));
  EXPECT_FALSE(running.is_last(pass[1]));
  running.append(0);
  // One token of 0 and more of 1: positions 4 2 3 4 5 6.
  pass = running.next_pass();
  ASSERT_THAT(pass, ElementsAre(Chunk{0, 0, 4, 1}, Chunk{1, 1, 2, 5}));
  EXPECT_TRUE(running.is_last(pass[1]));
  running.end(0);
  running.append(1);
  // 2 takes 0's slot at once.
  pass = running.next_pass();
  ASSERT_THAT(pass, ElementsAre(Chunk{1, 1, 7, 1}, Chunk{2, 0, 0, 2}));
  running.end(1);
  running.end(2);
  EXPECT_THAT(running.next_pass(), IsEmpty());
}

TEST(RunningSequencesTest, MoreSequencesThanPassTokens_TakeTurnsToTheEnd) {
  RunningSequences running({1, 1, 1}, {.sequences = 3, .tokens = 2});
  EXPECT_THAT(running.next_pass(), ElementsAre(Chunk{0, 0, 0, 1}, Chunk{1, 1, 0, 1}));
  running.end(0);
  running.append(1);
  EXPECT_THAT(running.next_pass(), ElementsAre(Chunk{1, 1, 1, 1}, Chunk{2, 2, 0, 1}));
  running.end(1);
  running.append(2);
  EXPECT_THAT(running.next_pass(), ElementsAre(Chunk{2, 2, 1, 1}));
  running.end(2);
  EXPECT_THAT(running.next_pass(), IsEmpty());
}

TEST(RunningSequencesTest, WholeSequences_StartAtBeginningAlsoIfLong) {
  RunningSequences running({5, 2, 2}, {.sequences = 3, .tokens = 4, .whole = true});
  EXPECT_THAT(running.next_pass(), ElementsAre(Chunk{0, 0, 0, 5}));
  running.append(0);
  EXPECT_THAT(running.next_pass(), ElementsAre(Chunk{0, 0, 0, 6}));
  running.end(0);
  EXPECT_THAT(running.next_pass(), ElementsAre(Chunk{1, 1, 0, 2}, Chunk{2, 2, 0, 2}));
  running.append(1);
  running.append(2);
  EXPECT_THAT(running.next_pass(), ElementsAre(Chunk{1, 1, 0, 3}));
}

}  // namespace
}  // namespace parity::reference
