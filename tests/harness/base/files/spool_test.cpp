// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/spool.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {

using SpoolTest = FolderTest;

TEST_F(SpoolTest, GivesEachPieceBackBetweenAdditions) {
  Spool spool(folder / "new");
  EXPECT_EQ(spool.add("one"), 0U);
  EXPECT_EQ(spool.add(""), 1U);
  EXPECT_EQ(spool.piece(0), "one");
  EXPECT_EQ(spool.add(std::string("t\0o", 3)), 2U);
  EXPECT_EQ(spool.piece(2), std::string("t\0o", 3));
  EXPECT_EQ(spool.piece(1), "");
  EXPECT_EQ(spool.piece(0), "one");
  EXPECT_EQ(spool.size(), 3U);
}

TEST_F(SpoolTest, LeavesNoFileEvenWhileItLives) {
  Spool spool(folder);
  spool.add("text");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(SpoolTest, AFolderThatCannotBeUsedIsNamed) {
  write_file(folder / "file", "x");
  EXPECT_THROW(Spool(folder / "file" / "below"), UserError);
}

}  // namespace
}  // namespace parity
