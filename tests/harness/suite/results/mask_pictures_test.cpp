// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/suite/results/pictures/masks.hpp"
#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

using Ids = std::vector<int64_t>;

TEST(MaskPairsTest, CountsPairsUnderEitherRuleByHand) {
  // 4 tokens have 10 pairs with kv <= q. One document allows all of them, two of 2 tokens allow 3 + 3.
  const MaskPairs pairs = count_pairs({Ids{0, 0, 0, 0}}, {Ids{0, 0, 1, 1}});
  EXPECT_EQ(pairs.both, 6);
  EXPECT_EQ(pairs.only_first, 4);
  EXPECT_EQ(pairs.only_second, 0);
}

TEST(MaskPairsTest, NumbersOfDocumentsDoNotMatter) {
  EXPECT_TRUE(count_pairs({Ids{-1, -1, 0, 5}}, {Ids{3, 3, 2, 1}}).same());
  EXPECT_FALSE(count_pairs({Ids{0, 0, 1, 1}}, {Ids{0, 1, 1, 1}}).same());
}

TEST(MaskPairsTest, AFirstKeyForbidsWhatLiesBeforeIt) {
  // One document of 4 tokens under a window of 2: 4 + 3 pairs of its 10.
  const MaskPairs pairs = count_pairs({Ids{0, 0, 0, 0}}, {Ids{0, 0, 0, 0}, Ids{0, 0, 1, 2}});
  EXPECT_EQ(pairs.both, 7);
  EXPECT_EQ(pairs.only_first, 3);
  EXPECT_EQ(pairs.only_second, 0);
}

class MaskPicturesTest : public SuiteTest {
 protected:
  void write_documents(const std::string& name, const Ids& ids_BS, int64_t rows,
                       const Ids& first_keys_BS = {}) const {
    const trace::Capture capture{
        .tensors = {{.steps = {1}, .phases = {trace::Phase::input}, .names = {"*"}}}};
    trace::Recorder recorder(
        {folder_ / "cases/topic" / (name + ".h5"), Json::object(), Json::object(), capture, 0});
    for (int64_t step = 1; step <= 10; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", falling_losses()[static_cast<size_t>(step - 1)]);
      recorder.tensor(trace::Phase::input, "document_ids",
                      {DType::int64, {rows, static_cast<int64_t>(ids_BS.size()) / rows}, ids_BS.data()});
      if (!first_keys_BS.empty())
        recorder.tensor(
            trace::Phase::input, "first_keys.rope",
            {DType::int64, {rows, static_cast<int64_t>(ids_BS.size()) / rows}, first_keys_BS.data()});
      recorder.end_step();
    }
    recorder.finish();
  }
  Json masks(const std::string& second) const {
    return run({write_case("c", "[golden]\narms = []\n" + copying_arm("first", "a") +
                                    copying_arm("second", second) + losses_identical())})
        .at("cases")
        .at(0)
        .at("masks");
  }
};

TEST_F(MaskPicturesTest, ShowTheFirstRowThatDiffers) {
  write_documents("a", {0, 0, 1, 0, 0, 0}, 2);
  write_documents("b", {4, 4, 7, 0, 1, 1}, 2);
  const Json found = masks("b");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("row"), 1);
  EXPECT_EQ(found[0].at("arms"), (Json{"first", "second"}));
  EXPECT_EQ(found[0].at("documents"), (Json{{0, 0, 0}, {0, 1, 1}}));
  EXPECT_EQ(found[0].at("pairs"), (Json{{"both", 4}, {"only_first", 2}, {"only_second", 0}}));
}

TEST_F(MaskPicturesTest, TakeTheFirstKeysOfThoseWhoRecordedThem) {
  write_documents("a", {0, 0, 0}, 1);
  write_documents("b", {0, 0, 0}, 1, {0, 0, 1});
  const Json found = masks("b");
  EXPECT_EQ(found[0].at("first_keys"), (Json{{0, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(found[0].at("pairs"), (Json{{"both", 5}, {"only_first", 1}, {"only_second", 0}}));
  write_documents("b", {0, 0, 1}, 1);
  EXPECT_FALSE(masks("b")[0].contains("first_keys"));
}

TEST_F(MaskPicturesTest, CutLongRowsAroundTheFirstQueryThatDiffers) {
  Ids a(1000, 0), b(1000, 0);
  std::fill(b.begin() + 700, b.end(), 1);
  write_documents("a", a, 1);
  write_documents("b", b, 1);
  const Json found = masks("b");
  EXPECT_EQ(found[0].at("first_token"), 652);
  EXPECT_EQ(found[0].at("documents").at(1).size(), 96U);
  EXPECT_EQ(found[0].at("tokens"), 1000);
  EXPECT_EQ(found[0].at("pairs").at("only_first"), 300 * 700);
}

TEST_F(MaskPicturesTest, AreNotThereWithoutDocuments) {
  write_trace("a", falling_losses());
  write_trace("b", falling_losses());
  EXPECT_EQ(masks("b"), Json::array());
}

TEST_F(MaskPicturesTest, OfOneArmStandAlone) {
  write_documents("a", {0, 0, 1}, 1);
  write_trace("b", falling_losses());
  const Json found = masks("b");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("arms"), (Json{"first"}));
  EXPECT_EQ(found[0].at("pairs").at("both"), 4);
}

}  // namespace
}  // namespace parity::suite
