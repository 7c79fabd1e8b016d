// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/token_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/data/formats/stored_tokens.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

class TokenFileTest : public FolderTest {
 protected:
  /// A config that reads a file of this text.
  DataConfig written(const std::string& text, const std::string& name = "data.tokens") const {
    write_file(folder / name, text);
    DataConfig data;
    data.source = DataSource::tokens;
    data.path = (folder / name).string();
    data.seq_len = 4;
    return data;
  }
  DataConfig saved_by_numpy(const std::string& array) const {
    const DataConfig data = written("", "stream.npy");
    const CommandResult result =
        run_python(folder, "import numpy, sys\nnumpy.save(sys.argv[1], " + array + ")", data.path);
    EXPECT_EQ(result.status, 0) << result.output;
    return data;
  }
  const DataLimits limits = {.vocab_size = 50, .positions = 20};
};

TEST_F(TokenFileTest, RowsHaveTokensAndMayHavePositionsAndLabels) {
  const std::vector<Row> rows = read_token_rows(written(R"(
# two sequences
[[rows]]
tokens = [1, 2, 3, 4]
[[rows]]
tokens    = [5, 6, 7, 8]
positions = [3, 4, 0, 1]
labels    = [6, -100, 8, 49]
)"),
                                                limits);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].labels, ElementsAre(2, 3, 4, ignored_label));
  EXPECT_THAT(rows[0].positions, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(rows[1].labels, ElementsAre(6, ignored_label, 8, 49));
  EXPECT_THAT(rows[1].positions, ElementsAre(3, 4, 0, 1));
}

TEST_F(TokenFileTest, DocumentsAreForPacking) {
  DataConfig data = written("[[documents]]\ntokens = [1, 9]\n[[documents]]\ntokens = [2, 3, 9]\n");
  data.packing = Packing::stream;
  EXPECT_THAT(read_token_documents(data, limits), ElementsAre(ElementsAre(1, 9), ElementsAre(2, 3, 9)));
}

TEST_F(TokenFileTest, ReadsEveryIntegerThatNumpySaves) {
  for (const char* type : {"uint8", "uint16", "int16", "uint32", "int32", "int64"})
    EXPECT_THAT(read_stored_tokens(
                    saved_by_numpy("numpy.array([1, 2, 49, 0], dtype='" + std::string(type) + "')"), 50)
                    .tokens,
                ElementsAre(1, 2, 49, 0))
        << type;
}

TEST_F(TokenFileTest, PackingCutsAnArrayAfterEachEos) {
  DataConfig data = saved_by_numpy("numpy.array([1, 2, 9, 3, 9, 4, 5])");
  data.packing = Packing::concat_then_split;
  data.eos_id = 9;
  EXPECT_THAT(read_stored_documents(data, 50),
              ElementsAre(ElementsAre(1, 2, 9), ElementsAre(3, 9), ElementsAre(4, 5)));
}

/// A mistake in a file, and the words of its error.
struct Bad {
  std::string name;
  std::string text;
  std::vector<std::string> told;
};

class BadTokenFile : public TokenFileTest, public testing::WithParamInterface<Bad> {};

TEST_P(BadTokenFile, IsRefusedNamingFileAndPlace) {
  const DataConfig data = written(GetParam().text);
  try {
    read_token_rows(data, limits);
    FAIL() << "accepted " << GetParam().text;
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(data.path));
    for (const std::string& words : GetParam().told)
      EXPECT_THAT(error.what(), testing::HasSubstr(words));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadTokenFile,
    testing::Values(
        Bad{"Empty", "", {"is empty"}}, Bad{"NotUtf8", "# \xff", {"is not UTF-8 (byte 2 "}},
        Bad{"NotToml", "[[rows]]\ntokens = [1, 2", {":2: ", "a token file is TOML"}},
        Bad{"NoRows", "# nothing", {"there is no [[rows]]"}},
        Bad{"Documents", "[[documents]]\ntokens = [1, 2]", {":1: ", "data.packing is none"}},
        Bad{"UnknownKey", "[[rows]]\ntokens = [1, 2, 3, 4]\ntoken = [1]", {":3: ", "unknown key 'token'"}},
        Bad{"BeyondTheVocabulary",
            "[[rows]]\ntokens = [1, 2, 3, 50]",
            {":2: ", "token 50 at index 3 is beyond the vocabulary of 50"}},
        Bad{"Negative", "[[rows]]\ntokens = [1, 2, -3, 4]", {":2: ", "token -3 at index 2"}},
        Bad{"ShortRow",
            "[[rows]]\ntokens = [1, 2, 3]",
            {":2: ", "tokens has 3 numbers and data.seq_len is 4"}},
        Bad{"PositionsOfTheWrongLength",
            "[[rows]]\ntokens = [1, 2, 3, 4]\npositions = [0, 1, 2]",
            {":3: ", "positions has 3 numbers and tokens has 4"}},
        Bad{"PositionBeyondTheTable",
            "[[rows]]\ntokens = [1, 2, 3, 4]\npositions = [0, 1, 2, 20]",
            {":3: ", "position 20 at index 3 is beyond the RoPE table of 20 rows"}},
        Bad{"LabelsOfTheWrongLength",
            "[[rows]]\ntokens = [1, 2, 3, 4]\nlabels = [2, 3, 4, 5, 6]",
            {":3: ", "labels has 5 numbers and tokens has 4"}},
        Bad{"LabelBeyondTheVocabulary",
            "[[rows]]\ntokens = [1, 2, 3, 4]\nlabels = [2, 3, 4, -99]",
            {":3: ", "label -99 at index 3 is beyond the vocabulary"}},
        Bad{"LabelsAllIgnored",
            "[[rows]]\ntokens = [1, 2, 3, 4]\nlabels = [-100, -100, -100, -100]",
            {"every label of every row is -100"}},
        Bad{"NotNumbers",
            "[[rows]]\ntokens = [1, 2, 3, \"a\"]",
            {":2: ", "tokens at index 3 is not a whole number"}},
        Bad{"NoList", "[[rows]]\ntokens = 7", {":2: ", "tokens is not a list of whole numbers"}},
        Bad{"NoTokens", "[[rows]]\nlabels = [1]", {":1: ", "tokens is not a list of whole numbers"}}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(TokenFileTest, ADocumentOfOneTokenIsRefused) {
  DataConfig data = written("[[documents]]\ntokens = [1, 2]\n[[documents]]\ntokens = [3]\n");
  data.packing = Packing::first_fit;
  try {
    read_token_documents(data, limits);
    FAIL() << "accepted a document without a label";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(data.path + ":3: "),
                                             testing::HasSubstr("a document of 1 tokens")));
  }
}

TEST_F(TokenFileTest, RefusesArraysThatAreNoStreamOfTokens) {
  const auto refused = [&](const DataConfig& data, const std::string& words) {
    try {
      read_stored_tokens(data, 50);
      FAIL() << "accepted; expected " << words;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(data.path), testing::HasSubstr(words)));
    }
  };
  refused(saved_by_numpy("numpy.zeros((2, 3), dtype='int64')"), "its shape is not (n,): (2, 3)");
  refused(saved_by_numpy("numpy.zeros(3)"), "its type is '<f8'");
  refused(saved_by_numpy("numpy.array([], dtype='int64')"), "is empty");
  refused(saved_by_numpy("numpy.array([1, 50])"), "token 50 at offset 1 is beyond the vocabulary of 50");
  refused(written("tokens", "x.npy"), "not a .npy file");
  const DataConfig whole = saved_by_numpy("numpy.arange(40)");
  refused(written(read_file(whole.path).substr(0, 200), "short.npy"), "it is cut short");
  DataConfig missing;
  missing.path = (folder / "none.npy").string();
  refused(missing, "it does not exist");
}

}  // namespace
}  // namespace parity::reference
