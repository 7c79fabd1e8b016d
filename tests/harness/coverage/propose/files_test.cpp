// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The files that a proposed case names, once its own file lies elsewhere.
#include "harness/coverage/propose/files.hpp"

#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"

namespace parity::coverage {
namespace {

TEST(FilesTest, EverySetting_NamesTheFolder) {
  const Json two = Json::array({"{case_dir}/a.jsonl", "{case_dir}/b.idx"});
  ProposedCase proposed{
      .name = "round1_1",
      .base = {{"data.paths", two}, {"weights.path", "{case_dir}/w.safetensors"}, {"steps", 4}},
      .features = {},
      .arms = {},
      .shorter = {{{"data.path", "{case_dir}/a.jsonl"}}}};
  proposed.arms.push_back(
      {.name = "other", .settings = {{"data.path", "{case_dir}/c.jsonl"}}, .features = {}});
  proposed.arms[0].shorter = {{{"data.paths", two}}, {{"model", "llama3.debug"}}};
  name_files_in(proposed, "/cases/pairs");
  const Json moved = Json::array({"/cases/pairs/a.jsonl", "/cases/pairs/b.idx"});
  EXPECT_EQ(proposed.base.at("data.paths"), moved);
  EXPECT_EQ(proposed.base.at("weights.path"), "/cases/pairs/w.safetensors");
  EXPECT_EQ(proposed.base.at("steps"), 4);
  EXPECT_EQ(proposed.shorter[0].at("data.path"), "/cases/pairs/a.jsonl");
  EXPECT_EQ(proposed.arms[0].settings.at("data.path"), "/cases/pairs/c.jsonl");
  EXPECT_EQ(proposed.arms[0].shorter[0].at("data.paths"), moved);
  EXPECT_EQ(proposed.arms[0].shorter[1].at("model"), "llama3.debug");
}

}  // namespace
}  // namespace parity::coverage
