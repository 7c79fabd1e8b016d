// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/corpus.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/data/synthetic_corpus.hpp"
#include "reference/data/text_corpus.hpp"

namespace parity::reference {
namespace {

std::vector<int64_t> read(const Corpus& corpus, int64_t index, size_t count) {
  std::vector<int64_t> tokens(count);
  corpus.read(index, tokens);
  return tokens;
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  write_file(path, text);
  return path;
}

TEST(SyntheticCorpusTest, SequencesDependOnSeedAndIndexOnly) {
  const SyntheticCorpus one(1, 2048), same(1, 2048), other(2, 2048);
  EXPECT_EQ(read(one, 5, 50), read(same, 5, 50));
  EXPECT_NE(read(one, 5, 50), read(one, 6, 50));
  EXPECT_NE(read(one, 5, 50), read(other, 5, 50));
}

TEST(SyntheticCorpusTest, KeepsItsTokensForEver) {
  // Goldens rest on these: a change of the generator must be seen.
  EXPECT_THAT(read(SyntheticCorpus(1, 2048), 0, 6), testing::ElementsAre(1617, 1953, 1188, 462, 1397, 1275));
}

TEST(SyntheticCorpusTest, Corpus_UsesSomeTokensMostlyFollowingItsTable) {
  const SyntheticCorpus corpus(3, 1000);
  const std::vector<int64_t> tokens = read(corpus, 0, 20000);
  const std::set<int64_t> symbols(tokens.begin(), tokens.end());
  EXPECT_EQ(symbols.size(), 256U);
  EXPECT_GE(*symbols.begin(), 0);
  EXPECT_LT(*symbols.rbegin(), 1000);
  EXPECT_GT(*symbols.rbegin(), 900);  // spread over all of it
  std::map<int64_t, std::map<int64_t, int>> follows;
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    ++follows[tokens[i]][tokens[i + 1]];
  int most_common = 0;
  for (const auto& [token, counts] : follows) {
    int best = 0;
    for (const auto& [next, count] : counts)
      best = std::max(best, count);
    most_common += best;
  }
  EXPECT_NEAR(most_common / 20000.0, 5.0 / 8, 0.03);
}

TEST(TextCorpusTest, CutsTheDocumentIntoSequencesAndStartsOver) {
  const TextCorpus corpus(written("text_corpus_abc.txt", "abc"));  // 256 97 98 99 257
  EXPECT_THAT(read(corpus, 0, 4), testing::ElementsAre(256, 97, 98, 99));
  EXPECT_THAT(read(corpus, 1, 4), testing::ElementsAre(99, 257, 256, 97));
  EXPECT_THAT(read(corpus, 0, 7), testing::ElementsAre(256, 97, 98, 99, 257, 256, 97));
}

TEST(TextCorpusTest, RefusesWhatIsNotUtf8NamingFileAndByte) {
  const std::string path = written("text_corpus_bad.txt", "good\xfftext");
  try {
    const TextCorpus corpus(path);
    FAIL() << "accepted a byte 255";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(path), testing::HasSubstr("byte 4 ")));
  }
}

TEST(TextCorpusTest, RefusesAnEmptyFileAndMissesAMissingOne) {
  EXPECT_THROW(TextCorpus(written("text_corpus_empty.txt", "")), UserError);
  try {
    const TextCorpus corpus("/no/such/text");
    FAIL() << "read a file that is not there";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
  }
}

TEST(TextCorpusTest, ReadsTheLicenceThatEveryDebianCarries) {
  const std::filesystem::path licence = "/usr/share/common-licenses/GPL-3";
  if (!std::filesystem::exists(licence))
    GTEST_SKIP() << "needs " << licence << ", found no such file";
  const std::string text = read_file(licence);
  const std::vector<int64_t> tokens = read(TextCorpus(licence), 0, text.size() + 2);
  std::string again;
  for (size_t i = 1; i + 1 < tokens.size(); ++i)
    again.push_back(static_cast<char>(tokens[i]));
  EXPECT_EQ(again, text);
}

}  // namespace
}  // namespace parity::reference
