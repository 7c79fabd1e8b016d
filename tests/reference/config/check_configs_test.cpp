// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/check_configs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity::reference {
namespace {

using testing::HasSubstr;

TEST(CheckConfigs, ValidConfig_HasNoProblem) {
  const Json answer = check_configs(Json::array({{{"parallel.tp", 2}, {"parallel.dp_shard", 2}}})).front();
  EXPECT_EQ(answer.at("problem"), "");
  EXPECT_EQ(answer.at("ranks"), 4);
}

TEST(CheckConfigs, RefusedConfig_HasSentenceOfRun) {
  const Json answer = check_configs(Json::array({{{"parallel", {{"ep", 2}}}}})).front();
  EXPECT_THAT(answer.at("problem").get<std::string>(), HasSubstr("the model has no experts"));
  EXPECT_FALSE(answer.contains("model"));
}

TEST(CheckConfigs, UnknownKey_IsProblemOfThatConfigAlone) {
  const Json answers = check_configs(Json::array({{{"lr.bse", 1}}, Json::object()}));
  EXPECT_THAT(answers[0].at("problem").get<std::string>(), HasSubstr("lr.base"));
  EXPECT_EQ(answers[1].at("problem"), "");
}

TEST(CheckConfigs, Model_HasDimensionsOfItsName) {
  const Json model = check_configs(Json::array({{{"model", "qwen3.debug_moe_8"}}})).front().at("model");
  EXPECT_EQ(model.at("moe.experts"), 8);
  EXPECT_EQ(model.at("architecture.qk_norm"), "on");
  EXPECT_EQ(model.at("architecture.tied_embeddings"), "off");
}

TEST(CheckConfigs, NoList_IsError) {
  EXPECT_THROW(check_configs(Json::object()), UserError);
}

TEST(CheckConfigs, FileWithBadJson_IsError) {
  const std::string path = testing::TempDir() + "check_configs_test.json";
  write_file(path, "[{");
  EXPECT_THROW(check_file(path), UserError);
}

}  // namespace
}  // namespace parity::reference
