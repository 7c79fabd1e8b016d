// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Kinds of files that are recognised by their first bytes, and JSON lists of entries.
#include <cmath>

#include "harness/base/files/file.hpp"
#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/read/read_log.hpp"
#include "tests/harness/logs/log_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::logs {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Recognise : public FolderTest {
 protected:
  Log read(const std::string& text) const {
    const std::string path = (folder / "log").string();
    write_file(path, text);
    return read_log(path, {});
  }
};

TEST_F(Recognise, JsonList_IsALog) {
  // pandas writes one line by to_json(orient="records"), and several with indent.
  for (const char* text :
       {"[{\"step\":1,\"loss\":2.5},{\"step\":2,\"loss\":null}]",
        "\xEF\xBB\xBF[\r\n  {\r\n    \"step\":1,\r\n    \"loss\":2.5\r\n  },\r\n  {\r\n    "
        "\"step\":2,\r\n    \"loss\":NaN\r\n  }\r\n]\r\n",
        "\n [\n{\"step\": 1, \"loss\": 2.5}\n,\n{\"step\": 2, \"loss\": \"nan\"}\n]\n"}) {
    const Log log = read(text);
    EXPECT_EQ(log.format, "JSON list");
    EXPECT_THAT(log.channels.at("loss").steps, ElementsAre(1, 2)) << text;
    EXPECT_EQ(log.channels.at("loss").values.at(0), 2.5);
    EXPECT_TRUE(std::isnan(log.channels.at("loss").values.at(1)));
    EXPECT_THAT(log.notes, IsEmpty());
  }
}

TEST_F(Recognise, LongJsonList_IsOneLine) {
  std::string list = "[", lines;
  for (int step = 1; step <= 60000; ++step) {
    const std::string entry = "{\"step\": " + std::to_string(step) + ", \"loss\": 0." + std::to_string(step) +
                              ", \"" + std::string(60, 'x') + "\": 1}";
    list += (step > 1 ? "," : "") + entry;
    lines += entry + "\n";
  }
  ASSERT_GT(list.size(), longest_line);
  const Log a = read(list + "]"), b = json_lines(lines);
  EXPECT_EQ(a.channels.at("loss").values, b.channels.at("loss").values);
  EXPECT_EQ(compare_logs(a, b, {}).exit_code(), ExitCode::agree);
}

TEST_F(Recognise, TextInBrackets_IsText) {
  const Log log = read(
      "[2025-01-01 00:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[0.0001, "
      "0.0001], mom=[[0.9, 0.95]]\nsteps: 10 loss: 3.2012 iter time (s): 0.512 samples/sec: 31.250\n");
  EXPECT_EQ(log.format, "DeepSpeed text");
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(3.2012));
}

TEST(JsonList, Defects_AreRefused) {
  for (const char* text : {"[{\"step\": 1, \"loss\": 2}", "[{\"step\": 1, \"lo", "[{\"step\": 1}] 2", "[", "",
                           "{\"step\": 1, \"loss\": 2}", "[{\"step\": 1}][{\"step\": 2}]", "3"})
    EXPECT_THAT(message_of([&] { json_list(text); }),
                AllOf(HasSubstr("a.json ("), HasSubstr("no JSON list of objects, or cut off")))
        << text;
  for (const char* text : {"[{\"step\": 1, \"loss\": 2}, 3]", "[{\"step\": 1, \"loss\": 2},]",
                           "[{\"step\": 1, \"loss\": 2}, [1]]", "[{\"step\": 1, \"loss\": 2}, {\"step\" 2}]",
                           "[{\"step\": 1, \"loss\": 2}, {\"step\": 2} {\"step\": 3}]"})
    EXPECT_THAT(message_of([&] { json_list(text); }), HasSubstr("a.json (entry 2: no JSON object")) << text;
  EXPECT_THAT(message_of([] { json_list("[]"); }), HasSubstr("no entry has a step number"));
  EXPECT_THAT(message_of([] { json_list("[{\"loss\": 2}]"); }), HasSubstr("no entry has a step number"));
  EXPECT_THAT(message_of([] { json_list(std::string(1'000'000, '[')); }), HasSubstr("a.json ("));
  EXPECT_THAT(message_of([] { json_list("[{\"step\": 1, \"loss\": \"1,13\"}]"); }),
              HasSubstr("a.json (entry 1: 'loss' is '1,13', expected a number"));
}

TEST(JsonList, Differences_AreFound) {
  const Log a = json_list("[{\"step\":1,\"loss\":2.5},{\"step\":2,\"loss\":2.25}]");
  const Log moved = json_list("[{\"step\":1,\"loss\":2.5},{\"step\":2,\"loss\":2.125}]");
  EXPECT_EQ(compare_logs(a, a, {}).exit_code(), ExitCode::agree);
  EXPECT_EQ(compare_logs(a, moved, {}).exit_code(), ExitCode::differ);
  EXPECT_THAT(json_list("[{\"step\": 1, \"loss\": 5, \"loss\": 4}]").notes,
              Contains(HasSubstr("1 step is repeated, first 1")));
}

TEST(Table, BlanksAroundNames_AreStripped) {
  const Log log = table(" step ,  loss,\" grad_norm \",lr\n1, 2.5 ,1, 0.1\n");
  EXPECT_THAT(log.channels.at("loss").values, ElementsAre(2.5));
  EXPECT_THAT(log.channels.at("grad_norm").values, ElementsAre(1));
  EXPECT_THAT(message_of([] { table("step,loss, loss\n1,2,3\n"); }),
              HasSubstr("line 1: two columns have one name: 'loss'"));
  // The user can still name such a column as it is.
  EXPECT_THAT(table("step,loss, loss\n1,2,3\n", {{" loss", "mine"}}).channels.at("mine").values,
              ElementsAre(3));
}

TEST_F(Recognise, BlanksInAHeader_AreATable) {
  EXPECT_EQ(read(" step , loss\n1,2\n").format, "CSV");
}

}  // namespace
}  // namespace parity::logs
