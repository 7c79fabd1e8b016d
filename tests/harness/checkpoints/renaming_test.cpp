// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are found by their values need names that are one renaming.
#include <fmt/format.h>

#include "tests/harness/checkpoints/checkpoint_fixture.hpp"

namespace parity::checkpoints {
namespace {

using testing::HasSubstr;
using Names = std::vector<std::pair<std::string, std::string>>;  ///< expected, actual

class Renaming : public CheckpointTest {
 protected:
  /// Compares tensors that each pair has in common.
  CheckpointDifference compare_names(const Names& names, const ComparisonOptions& options = {}) const {
    Weights expected, actual;
    unsigned seed = 1;
    for (const auto& [e, a] : names) {
      expected[e] = drawn({6, 4}, seed);
      actual[a] = drawn({6, 4}, seed++);
    }
    return compare(expected, actual, options);
  }
  static std::string stage(int number) { return "net.stage." + std::to_string(number) + ".mix.weight"; }
  static std::string tower(int number) { return "tower.stage." + std::to_string(number) + ".blend.weight"; }
};

TEST_F(Renaming, LayersInReverse_AreDifferent) {
  Names names;
  for (int i = 0; i < 4; ++i)
    names.emplace_back(stage(i), tower(3 - i));
  const CheckpointDifference found = compare_names(names);
  EXPECT_EQ(found.exit_code(), ExitCode::differ) << found.conclusion();
  EXPECT_EQ(found.count(Verdict::different), 4U);
  EXPECT_THAT(finding(found, stage(0)).note, HasSubstr("not in one order"));
  EXPECT_TRUE(found.rules().empty());
}

TEST_F(Renaming, TwoLayersSwapped_AreNamed) {
  Names names;
  for (int i = 0; i < 6; ++i)
    names.emplace_back(stage(i), tower(i == 1 ? 4 : i == 4 ? 1 : i));
  const CheckpointDifference found = compare_names(names);
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.count(Verdict::different), 2U);
  EXPECT_EQ(finding(found, stage(1)).verdict, Verdict::different);
  EXPECT_EQ(finding(found, stage(2)).verdict, Verdict::identical);
}

TEST_F(Renaming, LayersOfOneTensorEach_KeepOrder) {
  const Names swapped = {
      {"net.0.mix", "tower.2.blend"}, {"net.1.conv", "tower.1.fold"}, {"net.2.ff", "tower.0.feed"}};
  EXPECT_EQ(compare_names(swapped).exit_code(), ExitCode::differ);
  const Names kept = {
      {"net.0.mix", "tower.0.blend"}, {"net.1.conv", "tower.1.fold"}, {"net.2.ff", "tower.2.feed"}};
  EXPECT_EQ(compare_names(kept).exit_code(), ExitCode::agree);
}

TEST_F(Renaming, OneKindShifted_IsDifferent) {
  const Names names = {{"net.0.mix", "tower.1.blend"},
                       {"net.1.mix", "tower.2.blend"},
                       {"net.0.ff", "tower.0.feed"},
                       {"net.1.ff", "tower.1.feed"}};
  EXPECT_EQ(compare_names(names).exit_code(), ExitCode::differ);
}

TEST_F(Renaming, ExpertsSwapped_AreDifferent) {
  Names names;
  for (int layer = 0; layer < 2; ++layer)
    for (int expert = 0; expert < 3; ++expert)
      names.emplace_back(fmt::format("net.{}.mix{}.in", layer, expert),
                         fmt::format("tower_{}.part.{}.into", layer, layer == 1 ? 2 - expert : expert));
  const CheckpointDifference found = compare_names(names);
  EXPECT_EQ(found.count(Verdict::different), 2U) << found.conclusion();
}

TEST_F(Renaming, KeyAndQuerySwapped_AreDifferent) {
  Names names;
  for (const std::string layer : {"net.0.", "net.1."})
    names.insert(names.end(), {{layer + "attn.query.weight", layer + "att.key.weight"},
                               {layer + "attn.key.weight", layer + "att.query.weight"},
                               {layer + "attn.value.weight", layer + "att.value.weight"}});
  const CheckpointDifference found = compare_names(names);
  EXPECT_EQ(found.exit_code(), ExitCode::differ) << found.conclusion();
  EXPECT_EQ(found.count(Verdict::different), 4U);
  EXPECT_THAT(finding(found, "net.1.attn.key.weight").note, HasSubstr("change places: key, query;"));
  EXPECT_EQ(finding(found, "net.1.attn.value.weight").verdict, Verdict::identical);
  ComparisonOptions options;  // the user knows better
  options.renamed = parse_name_rules({"net.*.attn.query.weight=net.*.att.key.weight"});
  EXPECT_EQ(compare_names(names, options).exit_code(), ExitCode::agree);
}

TEST_F(Renaming, ModulesThatAreMapped_AreTakenAtTheirWord) {
  const Names names = {{"net.0.wq.weight", "blocks.0.key.weight"},
                       {"net.0.wk.weight", "blocks.0.query.weight"}};
  ComparisonOptions options;
  options.renamed = parse_name_rules({"net.*.wq=blocks.*.query", "net.*.wk=blocks.*.key"});
  EXPECT_EQ(compare_names(names, options).count(Verdict::different), 2U);
  options.renamed = parse_name_rules({"net.*.wq=blocks.*.key", "net.*.wk=blocks.*.query"});
  EXPECT_EQ(compare_names(names, options).exit_code(), ExitCode::agree);
}

TEST_F(Renaming, ThreeWordsInACircle_AreDifferent) {
  const Names names = {{"a.q", "b.k"}, {"a.k", "b.v"}, {"a.v", "b.q"}};
  EXPECT_EQ(compare_names(names).count(Verdict::different), 3U);
  const Names chain = {{"a.gate", "b.router"}, {"a.gate_proj", "b.gate"}};
  EXPECT_EQ(compare_names(chain).exit_code(), ExitCode::agree);
}

TEST_F(Renaming, OffsetOfLayers_IsShown) {
  Names names;
  for (int i = 0; i < 12; ++i)
    names.emplace_back(stage(i), tower(i + 4));
  const CheckpointDifference found = compare_names(names);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  ASSERT_EQ(found.rules().size(), 1U);
  EXPECT_EQ(found.rules().front().renumbered, "tower.stage.4.blend.weight is net.stage.0.mix.weight");
}

TEST_F(Renaming, OtherNumbering_Agrees) {
  const Names sequence = {{"net.0.w", "fc1.w"}, {"net.2.w", "fc2.w"}, {"net.4.w", "fc3.w"}};
  EXPECT_EQ(compare_names(sequence).exit_code(), ExitCode::agree);
  Names stages, sublayers;
  for (int i = 0; i < 12; ++i) {
    stages.emplace_back(fmt::format("stage.{}.part.{}.w", i / 4, i % 4), fmt::format("layer.{}.u", i));
    sublayers.emplace_back(fmt::format("net.{}.{}", i / 2, i % 2 == 0 ? "mix" : "ff"),
                           fmt::format("flat.{}.u", i));
  }
  EXPECT_EQ(compare_names(stages).exit_code(), ExitCode::agree);
  EXPECT_EQ(compare_names(sublayers).exit_code(), ExitCode::agree);
  std::swap(stages[3].second, stages[4].second);
  std::swap(sublayers[1].second, sublayers[2].second);
  EXPECT_EQ(compare_names(stages).exit_code(), ExitCode::differ);
  EXPECT_EQ(compare_names(sublayers).exit_code(), ExitCode::differ);
}

TEST_F(Renaming, HostileNames_TakeNoTime) {
  std::string numbers, words;
  for (int i = 0; i < 20'000; ++i) {
    numbers += "7.";
    words += fmt::format("w{}.", std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i));
  }
  const Names names = {{numbers + "a", "x." + numbers + "b"},
                       {words + "a", "y." + numbers + "99999999999999999999"}};
  EXPECT_EQ(compare_names(names).exit_code(), ExitCode::agree);
}

}  // namespace
}  // namespace parity::checkpoints
