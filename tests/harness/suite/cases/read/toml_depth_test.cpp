// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/toml_depth.hpp"

#include <string>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/suite/cases/read/file.hpp"

namespace parity::suite {
namespace {
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(TomlDepthTest, PartsOfDottedKeysAreCounted) {
  EXPECT_EQ(most_key_parts(""), 1U);
  EXPECT_EQ(most_key_parts("lr.base = 0.1"), 2U);
  EXPECT_EQ(most_key_parts("[base.lr]\na . b . \"c.d\" = 1\n"), 3U);
  EXPECT_EQ(most_key_parts("x = [0.1, 0.2, 0.3, {a.b.c.d = 1.5}]"), 4U);
}

TEST(TomlDepthTest, DotsInStringsAndCommentsDoNotCount) {
  EXPECT_EQ(most_key_parts("a = \"1.2.3.4 \\\" .5\" # 1.2.3.4.5.6"), 1U);
  EXPECT_EQ(most_key_parts("a = '''\n1.2.3\n''' \nb = 'x.y.z'"), 1U);
  EXPECT_EQ(most_key_parts("a = \"\"\"1.2\\\"\"\"3.4\"\"\"\nb.c = 1"), 2U);
  EXPECT_EQ(most_key_parts("a = 'unfinished.1.2\nb.c = 1"), 2U);
}

TEST(TomlDepthTest, ALineOfDotsIsRefusedAndEndsNothing) {
  std::string key = "a";
  for (int i = 0; i < 200'000; ++i)
    key += ".a";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "base = {" + key + " = 1}\n"})
    EXPECT_THAT([&] { parse_case(text, "c.toml"); },
                ThrowsMessage<UserError>(HasSubstr("a dotted key has more than 16 parts")));
}

TEST(TomlDepthTest, DeepTablesAndListsAreRefused) {
  std::string tables = "[base]\nx = ";
  for (int i = 0; i < 100; ++i)
    tables += "{a.a.a = ";
  tables += "1" + std::string(100, '}');
  EXPECT_THAT([&] { parse_case(tables, "c.toml"); },
              ThrowsMessage<UserError>(HasSubstr("nested more than 16")));
  EXPECT_THROW(parse_case("x = " + std::string(100'000, '['), "c.toml"), UserError);
}

}  // namespace
}  // namespace parity::suite
