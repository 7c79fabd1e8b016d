// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/seal.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/golden/golden_file.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::golden {
namespace {

using testing::HasSubstr;

class GoldenSealTest : public GoldenTest {
 protected:
  /// Whether reading these bytes as a golden finds them damaged.
  bool is_found(const std::string& bytes) {
    write_file(file, bytes);
    try {
      return !read_golden(file).intact();
    } catch (const UserError&) {
      return true;
    }
  }
};

TEST_F(GoldenSealTest, FindsAFlippedBitWhereverItIs) {
  record();
  const std::string bytes = read_file(file);
  ASSERT_FALSE(is_found(bytes));
  size_t missed = 0;
  for (size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 700) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    missed += is_found(flipped) ? 0 : 1;
  }
  EXPECT_EQ(missed, 0U);
}

TEST_F(GoldenSealTest, FindsAFileThatWasCutOrGrew) {
  record();
  const std::string bytes = read_file(file);
  for (const size_t size : {bytes.size() - 1, bytes.size() / 2, size_t{600}, size_t{10}, size_t{0}})
    EXPECT_TRUE(is_found(bytes.substr(0, size))) << size;
  EXPECT_TRUE(is_found(bytes + std::string(1, '\0')));
}

TEST_F(GoldenSealTest, ChangedProvenanceIsFoundThoughNoValueChanged) {
  record();
  edit("f.attrs['commit'] = 'another'");
  const Golden golden = read_golden(file);
  EXPECT_TRUE(golden.content_intact());
  EXPECT_FALSE(golden.intact());
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("do not match its seal"));
}

TEST_F(GoldenSealTest, UnsealedFile_IsWholeOnlyAsVersionOneWroteIt) {
  record();
  edit("del f['seal']");
  EXPECT_FALSE(read_golden(file).intact());
  EXPECT_THAT(failures().at(0).result.sentence, HasSubstr("it has no seal, which every file of schema"));
  edit("f.attrs['schema'] = 'parity.golden/1.0'");
  EXPECT_FALSE(read_golden(file).intact()) << "version 1.0 had no history";
  EXPECT_THAT(failures().at(0).result.sentence,
              HasSubstr("which did not have attribute history of /: its seal was removed"));
  edit("del f.attrs['history']");
  EXPECT_TRUE(read_golden(file).intact());
  EXPECT_TRUE(failures().empty());
}

TEST_F(GoldenSealTest, LaterFieldInAnUnsealedFile_IsDamage) {
  record();
  edit("del f['seal'], f.attrs['history']\nf.attrs['schema'] = 'parity.golden/1.0'");
  ASSERT_TRUE(read_golden(file).intact());
  const std::string first = read_file(file);
  for (const char* field :
       {"f.create_group('floors')", "f.create_group('variants')",
        "f.create_group('evidence').attrs['version'] = 1", "f['padding'] = [1, 2]", "f.attrs['note'] = 'x'",
        "f['arms/one_indexed'].attrs['given'] = '{}'", "f['arms/one_indexed/more'] = [1]"}) {
    write_file(file, first);
    edit(field);
    bool is_intact = true;
    try {
      is_intact = read_golden(file).intact();
    } catch (const UserError&) {
      is_intact = false;
    }
    EXPECT_FALSE(is_intact) << field;
    EXPECT_FALSE(failures().empty()) << field;
  }
}

TEST_F(GoldenSealTest, AStrangeSealIsDamageAndNoCrash) {
  for (const char* seal : {"'text'", "[1, 2]", "h5py.Empty('u1')", "[[0] * 16] * 16"}) {
    std::filesystem::remove(file);
    record();
    edit("del f['seal']\nf['seal'] = " + std::string(seal));
    bool found = false;
    try {
      found = !read_golden(file).intact();
    } catch (const UserError&) {
      found = true;
    }
    EXPECT_TRUE(found) << seal;
  }
}

}  // namespace
}  // namespace parity::golden
