// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/terminal.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/model/text.hpp"
#include "tests/reports/sample.hpp"

namespace parity::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The sample's cases whose names are ordinary words.
ResultsFile ordinary() {
  Json json = sample_json();
  json["cases"].erase(5);
  return parse_results(json.dump(), "ordinary");
}

std::string terminal(const ResultsFile& results, Colour colour, int width) {
  std::string text;
  TerminalForm form(results.results(), [&](std::string_view piece) { text += piece; }, colour, width);
  for (const CaseLine& item : results.results().cases)
    form.add(results.whole(item.place));
  form.end();
  return text;
}

class TerminalWidth : public ::testing::TestWithParam<int> {};

TEST_P(TerminalWidth, BoundsEveryLineButCommands) {
  std::istringstream lines(terminal(ordinary(), Colour::plain, GetParam()));
  for (std::string line; std::getline(lines, line);) {
    const bool pasted =
        line.starts_with("      next") || line.starts_with("      cause") || line.starts_with("      again");
    const bool quoted = line.starts_with("      |");
    EXPECT_TRUE(pasted || quoted || width_of(line) <= static_cast<size_t>(GetParam())) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(NarrowAndWide, TerminalWidth, ::testing::Values(60, 80, 200));

TEST(TerminalTest, FailureBlock_NamesPlaceValuesLimitAndCommand) {
  const std::string text = terminal_case(sample_case(3), Colour::plain, 110);
  EXPECT_THAT(text, HasSubstr("✗ different 9 of 11 tensors of param differ"));
  EXPECT_THAT(text, HasSubstr("where     step 10, layers.1.attention.wq.weight[17, 203]\n"));
  EXPECT_THAT(text, HasSubstr("expected  0.013482177630066872\n"));
  EXPECT_THAT(text, HasSubstr("actual    0.013918423093855381\n"));
  EXPECT_THAT(text, HasSubstr("distance  8123445 ULP, relative L2"));
  EXPECT_THAT(text, HasSubstr("next      parity compare runs/5d1f0c6a runs/31f4aa90 --step 10 "
                              "--tensor 'layers.1.attention.wq.*'\n"));
}

TEST(TerminalTest, FurtherFindings_AreListed) {
  Case item = sample_case(3);
  for (Check& check : item.checks)
    check.finding.more = {"law clip: w is not clipped", "law update: w is left out"};
  const std::string text = terminal_case(item, Colour::plain, 110);
  EXPECT_THAT(text, HasSubstr("also      law clip: w is not clipped\n"));
  EXPECT_THAT(text, HasSubstr("also      law update: w is left out\n"));
}

TEST(TerminalTest, TheSearchForACauseIsToldOnceACase) {
  Case item = sample_case(3);
  for (Check& check : item.checks)
    check.finding.cause = "parity bisect x:a b";
  const std::string text = terminal_case(item, Colour::plain, 110);
  const size_t first = text.find("cause     parity bisect x:a b\n");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("parity bisect", first + 20), std::string::npos);
}

TEST(TerminalTest, PassingChecksTakeOneLineEach) {
  const std::string text = terminal_case(sample_case(2), Colour::plain, 110);
  EXPECT_EQ(text,
            "✓ checkpoint/resume  Stopped at 5 of 10 against straight through, 7.2 s of runs\n"
            "  ✓ identical 3 channels are the same bits in both arms over steps 1-10\n"
            "  → The resumed run is the same bits as the straight one at every update.\n");
}

TEST(TerminalTest, OnlyAnsiHasEscapeCodes) {
  EXPECT_THAT(terminal(sample_file(), Colour::plain, 80), Not(HasSubstr("\x1b")));
  EXPECT_THAT(terminal(sample_file(), Colour::ansi, 80), HasSubstr("\x1b[1;31m✗\x1b[0m"));
}

TEST(TerminalTest, ColoursDoNotMoveTheText) {
  std::string coloured = terminal(sample_file(), Colour::ansi, 80);
  for (size_t at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, terminal(sample_file(), Colour::plain, 80));
}

TEST(TerminalTest, SummaryNamesTheCasesThatFail) {
  const std::string text = terminal_summary(sample(), Colour::plain, 110);
  EXPECT_THAT(text,
              HasSubstr("3 of 6 cases fail  20 checks, 7 failed; 14 runs, 4 from the cache; 1 min 46 s"));
  EXPECT_THAT(text, HasSubstr("✗ loss/overflow\n"));
  EXPECT_THAT(text, Not(HasSubstr("checkpoint/resume")));
}

}  // namespace
}  // namespace parity::reports
