// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/content_hash.hpp"

#include <gtest/gtest.h>

#include "harness/base/files/file.hpp"
#include "tests/support/scratch.hpp"

namespace parity::measure {
namespace {

class ContentHashTest : public FolderTest {};

// The expected values are those of the Python package xxhash 4.1.0, xxh128_hexdigest.
TEST_F(ContentHashTest, OfAFile_IsThatOfTheReferenceImplementation) {
  write_file(folder / "empty", "");
  write_file(folder / "short", "abc");
  write_file(folder / "long", std::string(1'000'000, 'a'));
  EXPECT_EQ(ContentHash::of_file(folder / "empty"), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(ContentHash::of_file(folder / "short"), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(ContentHash::of_file(folder / "long"), "a545df8e384a9579b1fd6fae5285c4eb");
}

}  // namespace
}  // namespace parity::measure
