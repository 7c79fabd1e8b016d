// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/loader.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::reference {
namespace {

DataConfig config_with(int64_t micro_batches, double ignore_fraction = 0) {
  DataConfig config;
  config.seq_len = 16;
  config.global_batch = 4;
  config.micro_batches = micro_batches;
  config.ignore_fraction = ignore_fraction;
  return config;
}

std::vector<int64_t> all_tokens(const UpdateBatches& update) {
  std::vector<int64_t> tokens;
  for (const MicroBatch& batch : update.micro_batches)
    tokens.insert(tokens.end(), batch.tokens.begin(), batch.tokens.end());
  return tokens;
}

TEST(LoaderTest, RowsDoNotDependOnTheNumberOfMicroBatches) {
  Loader one(config_with(1), {64, 2048}), four(config_with(4), {64, 2048});
  one.next();
  four.next();
  const UpdateBatches whole = one.next(), parts = four.next();
  EXPECT_EQ(whole.micro_batches.size(), 1U);
  EXPECT_EQ(parts.micro_batches.size(), 4U);
  EXPECT_EQ(parts.micro_batches[0].shape(), (Shape{1, 16}));
  EXPECT_EQ(all_tokens(whole), all_tokens(parts));
  EXPECT_EQ(whole.totals.valid_tokens, 64);
}

TEST(LoaderTest, MicroBatchesOneByOneAreThoseOfTheWholeUpdate) {
  Loader whole(config_with(4, 0.25), {64, 2048}), streamed(config_with(4, 0.25), {64, 2048});
  for (int update = 0; update < 2; ++update)
    for (const MicroBatch& expected : whole.next().micro_batches) {
      const MicroBatch actual = streamed.next_micro_batch();
      EXPECT_EQ(actual.tokens, expected.tokens);
      EXPECT_EQ(actual.labels, expected.labels);
      EXPECT_EQ(actual.valid_tokens, expected.valid_tokens);
    }
  EXPECT_EQ(streamed.position(), whole.position());
  EXPECT_NO_THROW(streamed.check_update(1));
  EXPECT_THROW(streamed.check_update(0), UserError);
}

TEST(LoaderTest, LabelsAreTheNextTokens) {
  Loader loader(config_with(4), {64, 2048});
  const MicroBatch batch = loader.next().micro_batches[2];
  for (size_t i = 0; i + 1 < 16; ++i)
    EXPECT_EQ(batch.labels[i], batch.tokens[i + 1]);
}

TEST(LoaderTest, IgnoredPrefixesMakeMicroBatchesUnequal) {
  DataConfig config = config_with(4, 0.25);
  config.seq_len = 200;
  Loader loader(config, {64, 2048});
  std::set<int64_t> counts;
  int64_t valid = 0;
  for (int update = 0; update < 50; ++update) {
    const UpdateBatches batches = loader.next();
    int64_t sum = 0;
    for (const MicroBatch& batch : batches.micro_batches) {
      const auto ignored = std::count(batch.labels.begin(), batch.labels.end(), ignored_label);
      EXPECT_EQ(batch.valid_tokens, 200 - ignored);
      EXPECT_TRUE(std::all_of(batch.labels.begin(), batch.labels.begin() + ignored,
                              [](int64_t label) { return label == ignored_label; }));
      counts.insert(batch.valid_tokens);
      sum += batch.valid_tokens;
    }
    EXPECT_EQ(sum, batches.totals.valid_tokens);
    valid += sum;
  }
  EXPECT_GT(counts.size(), 50U);
  EXPECT_NEAR(static_cast<double>(valid) / (50 * 4 * 200), 0.75, 0.03);
}

TEST(LoaderTest, PositionIsAllThatIsNeededToGoOn) {
  Loader straight(config_with(2), {64, 2048}), resumed(config_with(2), {64, 2048});
  straight.next();
  resumed.set_position(straight.position());
  EXPECT_EQ(straight.position(), 4);
  EXPECT_EQ(all_tokens(straight.next()), all_tokens(resumed.next()));
}

TEST(LoaderTest, ATokenBeyondTheVocabularyIsAnError) {
  DataConfig config = config_with(1);
  config.source = DataSource::text;
  config.path = testing::TempDir() + "loader_test.txt";
  write_file(config.path, "some text that is long enough");
  Loader loader(config, {200, 2048});
  try {
    loader.next();
    FAIL() << "accepted begin_of_text in a vocabulary of 200";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("token 256 of sequence 0 is beyond the vocabulary of 200"));
  }
}

}  // namespace
}  // namespace parity::reference
