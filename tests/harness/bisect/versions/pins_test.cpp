// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/pins.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "tests/support/scratch.hpp"

namespace parity::bisect {
namespace {

using testing::ElementsAre;
using testing::Pair;

class PinsTest : public FolderTest {};

TEST_F(PinsTest, WordsAndCommas_AreExactVersions) {
  EXPECT_THAT(parse_pins("torch==2.11.0+cpu, NumPy==2.1.0"),
              ElementsAre(Pair("numpy", "2.1.0"), Pair("torch", "2.11.0+cpu")));
  EXPECT_EQ(text_of(parse_pins("b==2 a==1")), "a==1 b==2");
}

TEST_F(PinsTest, NamesAreNormalized) {
  EXPECT_THAT(parse_pins("Flash_Attn==2.0 a..-B==1!1.0rc1"),
              ElementsAre(Pair("a-b", "1!1.0rc1"), Pair("flash-attn", "2.0")));
}

TEST_F(PinsTest, File_HasOneALine) {
  write_file(folder / "pins.txt", "# ours\n--index-url x\n\n torch==2.11.0  # the newest\nnumpy==2.1.0\n");
  EXPECT_EQ(text_of(parse_pins((folder / "pins.txt").string())), "numpy==2.1.0 torch==2.11.0");
}

TEST_F(PinsTest, OtherRequirements_AreRefused) {
  for (const char* side : {"torch", "torch>=2", "torch==", "==2", "torch==2; rm", "a==1 a==2", "A==1 a==1",
                           "", " ", "-r==1", "git+https://x==1"})
    EXPECT_THROW(parse_pins(side), UserError) << side;
}

TEST_F(PinsTest, ChangedPackages_IncludeThoseOfOneSide) {
  EXPECT_THAT(changed_packages({{"a", "1"}, {"b", "1"}}, {{"a", "1"}, {"b", "2"}, {"c", "1"}}),
              ElementsAre("b", "c"));
}

}  // namespace
}  // namespace parity::bisect
