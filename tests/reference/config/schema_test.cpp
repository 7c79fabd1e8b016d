// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/schema.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/files/file.hpp"
#include "reference/config/channels.hpp"
#include "reference/config/keys.hpp"
#include "reference/config/model_names.hpp"
#include "reference/config/validate.hpp"
#include "tests/support/places.hpp"

namespace parity::reference {
namespace {

TEST(SchemaTest, KeysAreUniqueAndEachHasASentence) {
  std::set<std::string> names;
  for (const Key& row : keys()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.doc.size() > 10 && row.doc.back() == '.') << row.name << ": " << row.doc;
  }
  EXPECT_GT(names.size(), 35U);
}

TEST(SchemaTest, EveryKeyWritesOnlyItself) {
  const RunConfig defaults;
  for (const Key& row : keys()) {
    RunConfig config;
    Json other = row.get(defaults);
    if (row.type == KeyType::integer)
      other = row.name == "lr.first_index" ? 0 : other.get<int64_t>() + 1;
    else if (row.type == KeyType::number)
      other = other.get<double>() + 0.5;
    else if (row.type == KeyType::strings)
      other = {row.values.empty() ? "x" : row.values.back()};
    else if (row.type == KeyType::numbers)
      other = {0.5};
    else if (row.type == KeyType::integers)
      other = {3};
    else if (row.type == KeyType::boolean)
      other = !other.get<bool>();
    else
      other = row.values.empty() ? Json("x") : Json(row.values.back());
    set_key(config, row.name, other);
    for (const Key& each : keys())
      EXPECT_EQ(each.get(config), each.name == row.name ? other : each.get(defaults))
          << row.name << each.name;
  }
}

TEST(SchemaTest, DefaultsAreAConfigThatRuns) {
  EXPECT_NO_THROW(validate(RunConfig{}));
}

TEST(SchemaTest, HoldsTypeDefaultValuesAndMeaningOfEachKey) {
  const Json schema = config_schema();
  EXPECT_EQ(schema["schema"], "parity.config/1");
  EXPECT_EQ(schema["keys"].size(), keys().size());
  const Json& index = schema["keys"]["lr.first_index"];
  EXPECT_EQ(index["type"], "integer");
  EXPECT_EQ(index["default"], 1);
  EXPECT_EQ(index["values"], Json({0, 1}));
  EXPECT_EQ(index["numeric"], true);
  EXPECT_EQ(schema["keys"]["data.path"]["numeric"], false);
  EXPECT_EQ(schema["keys"]["model"]["values"], Json(model_names()));
}

TEST(SchemaTest, ListsTheChannelsOnceEach) {
  std::set<std::string> names;
  for (const ChannelRow& row : channels())
    EXPECT_TRUE(names.insert(row.name).second && row.doc.back() == '.') << row.name;
  EXPECT_EQ(config_schema()["channels"].size(), names.size());
}

TEST(SchemaTest, FileBesideTheProgramIsCurrent) {
  const std::string text = read_file(places::build + "/bin/parity-train.schema.json");
  EXPECT_EQ(Json::parse(text), config_schema());
}

TEST(ModelNamesTest, DimensionsFollowTheArchitecture) {
  const ModelDimensions own = dimensions_of("llama3.debug", {});
  EXPECT_EQ(own.vocab_size, 2048);
  EXPECT_EQ(own.ffn_hidden, 768);
  EXPECT_EQ(own.rope_scaling, RopeScaling::llama3);
  EXPECT_EQ(dimensions_of("llama3.debug_2000", {}).vocab_size, 2000);
  const ModelDimensions wide = dimensions_of(
      "llama3.debug", {.dim = 512, .n_heads = 8, .norm_eps = 1e-6, .rope_scaling = RopeScalingChoice::none});
  EXPECT_EQ(wide.ffn_hidden, 1536);  // 8/3 of 512 is 1365, rounded up to a multiple of 256
  EXPECT_EQ(wide.n_kv_heads, 8);
  EXPECT_EQ(wide.norm_eps, 1e-6);
  EXPECT_EQ(wide.rope_scaling, RopeScaling::none);
  EXPECT_EQ(dimensions_of("llama3.debug", {.n_kv_heads = 4}).n_heads, 16);
  const ModelDimensions latent = dimensions_of("deepseek_v3.debug", {.n_heads = 4, .qk_nope_head_dim = 100});
  EXPECT_EQ(latent.head_dim(), 164);
  EXPECT_EQ(latent.rope_dim(), 64);
  EXPECT_EQ(latent.n_kv_heads, 4) << "each head has keys of its own";
}

}  // namespace
}  // namespace parity::reference
