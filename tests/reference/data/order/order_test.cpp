// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/data/loader.hpp"
#include "reference/data/order/blend.hpp"
#include "reference/data/order/epoch_order.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

std::string text_of(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers)
    text += std::to_string(number) + " ";
  return text;
}

/// Returns the sources of the first rows as digits, and checks that each source's rows count up.
std::string sources_of(Blend blend, int64_t rows) {
  std::string sources;
  std::vector<int64_t> next(10, 0);
  for (int64_t i = 0; i < rows; ++i) {
    const Blend::Place place = blend.at(i);
    EXPECT_EQ(place.row, next[place.source]++);
    sources += static_cast<char>('0' + place.source);
  }
  return sources;
}

/// Files of one token each, so that a row's token names its file.
class OrderTest : public FolderTest {
 protected:
  std::string file(int64_t token, int64_t count) const {
    std::string text = "[[rows]]\n";
    for (int64_t i = 0; i < count; ++i)
      text += (i > 0 ? "[[rows]]\n" : "") + std::string("tokens = [") + std::to_string(token) + ", " +
              std::to_string(i) + "]\n";
    const auto path = folder / (std::to_string(token) + ".tokens");
    write_file(path, text);
    return path.string();
  }
  DataConfig blended() const {
    DataConfig data;
    data.source = DataSource::tokens;
    data.paths = {file(20, 5), file(21, 3)};
    data.weights = {3, 1};
    data.seq_len = 2;
    data.global_batch = 4;
    data.shuffle = true;
    return data;
  }
  const DataLimits limits = {.vocab_size = 50, .positions = 20};
};

// megatron-core 0.16.1, helpers_cpp.build_blending_indices, printed these for weights over their sum.
TEST(BlendTest, MatchesMegatronsIndices) {
  EXPECT_EQ(sources_of(Blend({0.7, 0.3}), 20), "01001001000100100100");
  EXPECT_EQ(sources_of(Blend({1, 2, 3, 0.5}), 24), "210231221021202123122102");
  EXPECT_EQ(sources_of(Blend({5, 1}), 12), "010000010000");
  EXPECT_EQ(sources_of(Blend({70, 30}), 20), sources_of(Blend({0.7, 0.3}), 20));
}

TEST(BlendTest, StartsAgainForAnEarlierRow) {
  Blend blend({1, 2, 3, 0.5});
  const Blend::Place ninth = blend.at(9);
  blend.at(20);
  EXPECT_EQ(blend.at(9).source, ninth.source);
  EXPECT_EQ(blend.at(10).row, Blend({1, 2, 3, 0.5}).at(10).row);
}

TEST(BlendTest, CountsRowsOfEachSource) {
  EXPECT_THAT(Blend({0.7, 0.3}).counts(0), ElementsAre(0, 0));
  EXPECT_THAT(Blend({0.7, 0.3}).counts(20), ElementsAre(14, 6));
  EXPECT_THAT(Blend({1, 2, 3, 0.5}).counts(24), ElementsAre(4, 7, 11, 2));
}

TEST_F(OrderTest, ShuffleMatchesNumpy) {
  const CommandResult numpy =
      run_python(folder,
                 "import numpy\nfor n, s in ((10, 1234), (7, 0), (1, 5), (5, 4294967295), (3000, 1)):\n"
                 "  a = numpy.arange(n)\n  numpy.random.RandomState(s).shuffle(a)\n"
                 "  print(*a, end=' \\n')\n",
                 "");
  ASSERT_EQ(numpy.status, 0) << numpy.output;
  EXPECT_EQ(numpy.output, text_of(shuffled(10, 1234)) + "\n" + text_of(shuffled(7, 0)) + "\n" +
                              text_of(shuffled(1, 5)) + "\n" + text_of(shuffled(5, 4294967295)) + "\n" +
                              text_of(shuffled(3000, 1)) + "\n");
}

TEST_F(OrderTest, EachPassHasEveryRowOnce) {
  EpochOrder order(5, 3);
  std::vector<std::vector<int64_t>> passes(2);
  for (int64_t i = 0; i < 10; ++i)
    passes[static_cast<size_t>(i / 5)].push_back(order.at(i));
  EXPECT_EQ(passes[0], shuffled(5, 3));
  EXPECT_EQ(passes[1], shuffled(5, 4));
  EXPECT_EQ(order.at(0), passes[0][0]);
}

TEST_F(OrderTest, BlendedLoaderResumesAtItsPosition) {
  Loader whole(blended(), limits);
  std::vector<std::vector<int64_t>> tokens;
  for (int i = 0; i < 4; ++i)
    tokens.push_back(whole.next().micro_batches[0].tokens);
  Loader resumed(blended(), limits);
  resumed.set_position(8);
  EXPECT_THAT(resumed.rows_by_source(), ElementsAre(6, 2));
  EXPECT_EQ(resumed.next().micro_batches[0].tokens, tokens[2]);
  EXPECT_EQ(resumed.next().micro_batches[0].tokens, tokens[3]);
  EXPECT_EQ(whole.next_row_digest(), resumed.next_row_digest());
}

TEST_F(OrderTest, DigestOfTheNextRowSeesOtherData) {
  const auto digest = [&](const DataConfig& data) {
    Loader loader(data, limits);
    loader.set_position(4);
    return loader.next_row_digest();
  };
  DataConfig seed = blended(), weights = blended(), order = blended();
  seed.seed = 6;
  weights.weights = {1, 3};
  std::swap(order.paths[0], order.paths[1]);
  EXPECT_NE(digest(seed), digest(blended()));
  EXPECT_NE(digest(weights), digest(blended()));
  EXPECT_NE(digest(order), digest(blended()));
}

TEST_F(OrderTest, SharesOfABlendAreItsRows) {
  Loader whole(blended(), limits);
  Loader second(blended(), limits, {1, 2});
  for (int i = 0; i < 3; ++i) {
    const std::vector<int64_t> all = whole.next().micro_batches[0].tokens;
    EXPECT_EQ(second.next().micro_batches[0].tokens, std::vector<int64_t>(all.begin() + 4, all.end()));
  }
}

TEST_F(OrderTest, RefusesToShuffleLessThanASequence) {
  DataConfig data;
  data.source = DataSource::text;
  data.path = (folder / "short.txt").string();
  write_file(data.path, "ab");
  data.seq_len = 4;
  data.shuffle = true;
  EXPECT_THAT([&] { make_rows(data, {258, 20}); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("has 4 tokens (a sequence and its last")));
}

}  // namespace
}  // namespace parity::reference
