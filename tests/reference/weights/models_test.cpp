// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gtest/gtest.h>

#include "reference/model/decoder/decoder.hpp"
#include "reference/weights/convert.hpp"

namespace parity::reference {
namespace {

/// Each model of the table at full size, as shapes without values, under each kind of names.
class ModelNamesTest : public testing::TestWithParam<std::tuple<std::string, WeightNames>> {};

TEST_P(ModelNamesTest, EveryWeightHasANameAndComesBackInItsShape) {
  const auto& [model, names] = GetParam();
  ModelDimensions dimensions = dimensions_of(model, {});
  dimensions.max_seq_len = 8;  // the table of RoPE has no weights, and takes long
  const Decoder decoder(dimensions, torch::kFloat32, {}, torch::kMeta);
  std::map<std::string, torch::Tensor> own;
  std::vector<OwnWeight> shapes;
  for (const Parameter& weight : decoder.parameters()) {
    own[weight.name] = weight.value;
    shapes.push_back({weight.name, weight.value.sizes().vec()});
  }
  const NameTable table = name_table(model, dimensions, shapes, names);
  const bool is_gpt2 = model.starts_with("gpt2."), is_nanogpt = names == WeightNames::nanogpt,
             is_titan = names == WeightNames::torchtitan_2026 || names == WeightNames::torchtitan_2026_fused;
  EXPECT_EQ(!table.unnamed.empty(), is_gpt2 ? is_titan : is_nanogpt) << "refused, when loaded or saved";
  if (!table.unnamed.empty())
    return;
  std::set<std::string> own_seen(table.unsaved.begin(), table.unsaved.end()), saved_seen;
  int64_t elements = 0, saved_elements = 0;
  for (const NameRule& rule : table.rules) {
    std::vector<torch::Tensor> tensors;
    for (const std::string& name : rule.own) {
      EXPECT_TRUE(own_seen.insert(name).second) << name;
      tensors.push_back(own.at(name));
      elements += tensors.back().numel();
    }
    const std::vector<torch::Tensor> saved = to_saved(rule, tensors, dimensions);
    ASSERT_EQ(saved.size(), rule.saved.size());
    for (size_t i = 0; i < saved.size(); ++i) {
      EXPECT_TRUE(saved_seen.insert(rule.saved[i]).second) << rule.saved[i];
      saved_elements += saved[i].numel();
    }
    const std::vector<torch::Tensor> back = to_own(rule, saved, dimensions);
    for (size_t i = 0; i < tensors.size(); ++i)
      EXPECT_EQ(back[i].sizes(), tensors[i].sizes()) << rule.own[i];
  }
  EXPECT_EQ(own_seen.size(), own.size());
  EXPECT_EQ(saved_elements, elements);
  EXPECT_EQ(saved_seen.contains("lm_head.weight") || saved_seen.contains("output.weight") ||
                saved_seen.contains("language_model.lm_head.weight"),
            !dimensions.tied);
}

std::string test_name(const testing::TestParamInfo<std::tuple<std::string, WeightNames>>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::string(name_of(std::get<1>(info.param)));
  for (char& c : name)
    c = c == '.' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ModelNamesTest,
    testing::Combine(testing::ValuesIn(model_names()),
                     testing::Values(WeightNames::torchtitan, WeightNames::torchtitan_2026,
                                     WeightNames::torchtitan_2026_fused, WeightNames::hugging_face,
                                     WeightNames::hugging_face_text, WeightNames::nanogpt)),
    test_name);

}  // namespace
}  // namespace parity::reference
