// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Values that are not plain numbers: percentages count, and everything else is named.
#include "harness/logs/read/left_out.hpp"

#include <cmath>

#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/read/number.hpp"
#include "tests/harness/logs/log_fixture.hpp"

namespace parity::logs {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns JSON lines of a loss and an entry `acc`, which is the same at each step.
Log with_entry(const std::string& json) {
  return json_lines("{\"step\": 1, \"loss\": 2.5, \"acc\": " + json +
                    "}\n{\"step\": 2, \"loss\": 2.25, \"acc\": " + json + "}\n");
}

TEST(Percent, Text_IsItsNumber) {
  EXPECT_EQ(parse_percent("93.1%"), 93.1);
  EXPECT_EQ(parse_percent(" -1,024.5 % "), -1024.5);
  EXPECT_TRUE(std::isnan(parse_percent("nan%").value()));
  for (const char* text : {"", "%", "93.1", "93.1%%", "93.1 %p", "x%", "1,13%", "%5"})
    EXPECT_EQ(parse_percent(text), std::nullopt) << text;
}

TEST(Percent, OfJsonLines_IsCompared) {
  const Log log = with_entry("\"93.1%\""), other = with_entry("\"10.0%\"");
  EXPECT_THAT(log.channels.at("acc").values, ElementsAre(93.1, 93.1));
  EXPECT_THAT(log.notes, ElementsAre("percentages count as numbers of percent: acc (first '93.1%')"));
  EXPECT_EQ(compare_logs(log, log, {}).exit_code(), ExitCode::agree);
  EXPECT_EQ(compare_logs(log, other, {}).exit_code(), ExitCode::differ);
  EXPECT_EQ(compare_logs(log, with_entry("0.931"), {}).exit_code(), ExitCode::differ);
}

TEST(Percent, OfATable_IsCompared) {
  const Log log = table("step,loss,acc\n1,2,50%\n2,1,75 %\n");
  EXPECT_THAT(log.channels.at("acc").values, ElementsAre(50, 75));
  EXPECT_THAT(log.notes, ElementsAre("percentages count as numbers of percent: acc (first '50%')"));
}

TEST(Percent, OfStepNumbers_IsRefused) {
  EXPECT_THAT(message_of([] { json_lines("{\"step\": \"1%\", \"loss\": 2}\n"); }),
              HasSubstr("no entry has a step number"));
  EXPECT_THAT(message_of([] { table("step,loss\n1%,2\n"); }), HasSubstr("expected a whole number"));
  EXPECT_THAT(json_lines("{\"iter\": \"7%\", \"step\": 1, \"loss\": 2}\n").channels.at("loss").steps,
              ElementsAre(1));
}

TEST(LeftOut, TextsOfJson_AreNamed) {
  EXPECT_THAT(with_entry("\"93.1 pts\"").notes, ElementsAre("texts are left out: acc (first '93.1 pts')"));
  EXPECT_THAT(with_entry("\"-3.5e-2s\"").notes, ElementsAre("texts are left out: acc (first '-3.5e-2s')"));
  EXPECT_THAT(with_entry("{\"top1\": \"good\"}").notes,
              ElementsAre("texts are left out: acc/top1 (first 'good')"));
  for (const char* text : {"\"\"", "\"NA\"", "\"--\""})
    EXPECT_THAT(with_entry(text).notes, IsEmpty()) << text;
  // Of many names, those that may be results come first.
  std::string line = "{\"step\": 1, \"loss\": 2, \"z\": \"9 GB\"";
  for (int i = 0; i < 100; ++i)
    line += ", \"name" + std::to_string(i) + "\": \"word\"";
  EXPECT_THAT(json_lines(line + "}\n").notes, ElementsAre(HasSubstr("left out: z (first '9 GB')")));
}

TEST(LeftOut, TextOfALaterLine_IsNamed) {
  const Log log = json_lines(
      "{\"step\": 1, \"loss\": 2, \"mode\": \"\"}\n{\"step\": 2, \"loss\": 1, \"mode\": \"\"}\n"
      "{\"step\": 3, \"loss\": 1.5, \"mode\": \"7 pts\"}\n");
  EXPECT_THAT(log.notes, ElementsAre("texts are left out: mode (first '7 pts')"));
}

TEST(LeftOut, IntegersBeyondFloat64_AreNumbersOutOfRange) {
  const Log log = with_entry("\"9007199254740993\"");
  EXPECT_THAT(log.notes, ElementsAre("integers beyond 2^53 are left out: acc (first '9007199254740993')"));
  EXPECT_FALSE(log.channels.contains("acc"));
  EXPECT_THAT(message_of([] { json_lines("{\"step\": 1, \"tokens\": \"9007199254740993\"}\n"); }),
              HasSubstr("'tokens' is an integer beyond 2^53"));
  for (const char* number : {"1180591620717411303424", "18446744073709551617", "-9223372036854775809"}) {
    const std::string entry = "{\"step\": 1, \"loss\": 2, \"sum\": " + std::string(number) + "}";
    EXPECT_THAT(message_of([&] { json_lines(entry + "\n"); }), HasSubstr("'sum' is an integer beyond 2^53"));
    EXPECT_THAT(message_of([&] { json_list("[" + entry + "]"); }),
                HasSubstr("'sum' is an integer beyond 2^53"));
    EXPECT_THAT(message_of([&] { trainer_state("{\"log_history\": [" + entry + "]}"); }),
                HasSubstr("'sum' is an integer beyond 2^53"));
  }
}

TEST(LeftOut, ValuesOfTextLogs_AreNamed) {
  const Log megatron = text_lines(
      " iteration       10/     100 | lm loss: 3.201000E+00 | acc: 93.1% | tokens seen: 9007199254740993 | "
      "state: 12 ok |\n");
  EXPECT_THAT(megatron.channels.at("acc").values, ElementsAre(93.1));
  EXPECT_THAT(megatron.notes, ElementsAre("percentages count as numbers of percent: acc (first '93.1%')",
                                          "integers beyond 2^53 are left out: tokens seen (first "
                                          "'9007199254740993')",
                                          "texts are left out: state (first '12 ok')"));
  const Log dicts = text_lines("{'loss': 2.5, 'acc': '50%', 'state': 'warm', 'none': None, 'epoch': 0.5}\n");
  EXPECT_THAT(dicts.channels.at("acc").values, ElementsAre(50));
  EXPECT_THAT(dicts.notes, AllOf(Contains("percentages count as numbers of percent: acc (first '50%')"),
                                 Contains("texts are left out: state (first 'warm')")));
}

}  // namespace
}  // namespace parity::logs
