// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/short_paths.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Row {
  const char *name, *text, *expected;
};

class ShortPathsTest : public ::testing::TestWithParam<Row> {};

TEST_P(ShortPathsTest, RewritesOnlyAbsolutePaths) {
  const ShortPaths paths("/home/user/project", "/home/user");
  EXPECT_EQ(paths.in(GetParam().text), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ShortPathsTest,
    ::testing::Values(Row{"BelowTheWorkingDirectory", "read /home/user/project/cases/a.tokens",
                          "read cases/a.tokens"},
                      Row{"TheWorkingDirectory", "--out /home/user/project", "--out ."},
                      Row{"BelowHome", "--out=/home/user/other/out", "--out=~/other/out"},
                      Row{"AnotherUser", "\"/home/other/secret/x/out\"", "\"…/x/out\""},
                      Row{"OnlyALongerName", "/home/username/out", "…/out"},
                      Row{"ShortPath", "in /tmp/suite, here", "in …/suite, here"},
                      Row{"InHtml", "<code>/tmp/a/b/c.h5</code>", "<code>…/b/c.h5</code>"},
                      Row{"InJsonAfterALine", "lost\\n/tmp/a/b/c.h5\\nend", "lost\\n…/b/c.h5\\nend"},
                      Row{"QuotedInHtml", "&#39;/tmp/a/b/c.h5&#39;", "&#39;…/b/c.h5&#39;"},
                      Row{"FileAddress", "file:///tmp/a/b/c.h5", "file://…/b/c.h5"},
                      Row{"CaseName", "loss/chunked and <b/> </p>", "loss/chunked and <b/> </p>"},
                      Row{"Device", "read /dev/null", "read /dev/null"},
                      Row{"PlaceInATrace", "no /channels_of/loss in it", "no /channels_of/loss in it"},
                      Row{"Rate", "12 tokens/s / 3", "12 tokens/s / 3"}),
    [](const auto& row) { return std::string(row.param.name); });

/// Every text of the results, with a user's path in it.
Json with_paths(const std::string& path) {
  Json json = sample_json();
  json["command"] = {"parity", "run", "--out", path + "/out"};
  json["environment"]["folder"] = path + "/env";
  for (Json& item : json["cases"]) {
    item["notes"] = {"see " + path + "/notes"};
    item["source"] = path + "/source";
    item["reproduce"] = "parity run x --out '" + path + "/out'";
    item["question"] = "Is " + path + "/question it?";
    item["config_difference"] = {
        {{"key", "data.path"}, {"values", {{item["arms"][0]["name"], path + "/a.tokens"}}}}};
    for (Json& arm : item["arms"]) {
      arm["config"]["data"]["path"] = path + "/a.tokens";
      arm["provenance"]["program"] = path + "/bin/train";
      arm["stderr_tail"] = "first\n" + path + "/last words";
      if (arm["status"] == "failed")
        arm["failure"]["message"] = "cannot open " + path + "/trace.h5";
    }
    for (Json& check : item["checks"]) {
      check["sentence"] = "differs in " + path + "/trace.h5";
      check["command"] = "parity compare " + path + "/trace.h5 " + path + "/other.h5";
      check["because"] = path + "/because";
    }
  }
  return json;
}

TEST(PathsOfThePage, NameNoFolderOfTheUser) {
  const std::string here = std::filesystem::current_path().string();
  for (const std::string& path : {std::string("/home/user/project/run"), here}) {
    const std::string page = as("html", parse_results(with_paths(path).dump(), "paths"));
    EXPECT_THAT(page, Not(HasSubstr(path)));
    EXPECT_THAT(page, HasSubstr("a.tokens")) << "its end is shown";
  }
  EXPECT_THAT(as("html", parse_results(with_paths("/home/user/project/run").dump(), "paths")),
              Not(HasSubstr("home/user")));
}

}  // namespace
}  // namespace parity::reports
