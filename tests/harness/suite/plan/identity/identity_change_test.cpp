// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/identity_change.hpp"

#include <gmock/gmock.h>

namespace parity::suite {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

Json some_identity() {
  return {{"config", {{"lr", 0.1}, {"steps", 10}}},
          {"program", "p1"},
          {"inputs", {{"data.txt", "i1"}}},
          {"surroundings",
           {{"environment",
             {{"variables", {{"HOME", "aaaa"}, {"LANG", "bbbb"}}},
              {"values", "v1"},
              {"preloaded", Json::object()}}}}}};
}

TEST(IdentityChangeTest, EqualIdentities_NameNothing) {
  EXPECT_THAT(describe_identity_change(some_identity(), some_identity()), IsEmpty());
}

TEST(IdentityChangeTest, AVariable_IsNamed) {
  Json now = some_identity();
  Json& environment = now["surroundings"]["environment"];
  environment["values"] = "v2";
  environment["variables"] = {{"HOME", "cccc"}, {"SEED", "dddd"}};
  EXPECT_THAT(describe_identity_change(some_identity(), now),
              ElementsAre("environment variable HOME", "environment variable LANG (gone)",
                          "environment variable SEED (new)"));
}

TEST(IdentityChangeTest, AChangeThatNoMarkShows_IsStillReported) {
  Json now = some_identity();
  now["surroundings"]["environment"]["values"] = "v2";
  EXPECT_THAT(describe_identity_change(some_identity(), now), ElementsAre("an environment variable"));
}

TEST(IdentityChangeTest, KeysInputsAndProgram_AreNamed) {
  Json now = some_identity();
  now["config"] = {{"lr", 0.2}, {"warmup", 3}, {"steps", 10}};
  now["inputs"]["data.txt"] = "i2";
  now["program"] = "p2";
  EXPECT_THAT(describe_identity_change(some_identity(), now),
              ElementsAre("config key lr", "config key warmup (new)", "input data.txt", "the program"));
}

TEST(IdentityChangeTest, IdentitiesOfAnotherForm_AreNoError) {
  EXPECT_THAT(describe_identity_change(nullptr, {{"ranks", 2}}), ElementsAre("ranks"));
  EXPECT_THAT(describe_identity_change({{"surroundings", 3}}, {{"surroundings", Json::object()}}), IsEmpty());
}

}  // namespace
}  // namespace parity::suite
