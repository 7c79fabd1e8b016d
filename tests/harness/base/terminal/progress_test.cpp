// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/terminal/progress.hpp"

#include <csignal>
#include <cstdio>

#include <gtest/gtest.h>

#include "harness/base/processes/signals.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/table.hpp"

namespace parity {
namespace {

/// Returns what a stream received.
std::string contents(std::FILE* stream) {
  std::fflush(stream);
  std::rewind(stream);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream));
  return text;
}

TEST(ProgressTest, AFileGetsNotesOnlyAndNoControlCharacters) {
  std::FILE* stream = std::tmpfile();
  Progress progress(stream);
  progress.show("1/3 runs");
  progress.note("run done");
  progress.clear();
  EXPECT_EQ(contents(stream), "run done\n");
  std::fclose(stream);
}

TEST(ProgressTest, ATerminalGetsOneLineThatIsRedrawn) {
  std::FILE* stream = std::tmpfile();
  {
    Progress progress(stream, true);
    progress.show("1/3 runs");
    progress.show("too soon to redraw");
    progress.note("run done");
  }
  EXPECT_EQ(contents(stream), "\r\033[K1/3 runs\r\033[Krun done\n");
  std::fclose(stream);
}

TEST(ProgressTest, TimeLeftFollowsTheRateSoFar) {
  EXPECT_EQ(time_left({.done = 1, .total = 4, .seconds = 30}), "1m 30s left");
  EXPECT_EQ(time_left({.done = 0, .total = 4, .seconds = 30}), "");
  EXPECT_EQ(time_left({.done = 4, .total = 4, .seconds = 30}), "");
  EXPECT_EQ(format_duration(0.44), "0.4s");
  EXPECT_EQ(format_duration(59.9), "1m 00s");
  EXPECT_EQ(format_duration(7261), "2h 01m");
}

TEST(StyleTest, ColoursOnlyWhereAsked) {
  EXPECT_EQ(Style(false).bad("x"), "x");
  EXPECT_EQ(Style(true).bad("x"), "\033[31mx\033[0m");
  std::FILE* stream = std::tmpfile();
  EXPECT_EQ(Style::for_stream(stream).bold("x"), "x");
  std::fclose(stream);
}

TEST(InterruptGuardTest, TheFirstSignalOnlyRaisesTheFlag) {
  {
    const InterruptGuard guard;
    EXPECT_FALSE(interrupted());
    std::raise(SIGINT);
    EXPECT_TRUE(interrupted());
  }
  {
    const InterruptGuard guard;
    EXPECT_FALSE(interrupted());
    std::raise(SIGTERM);
    EXPECT_TRUE(interrupted());
  }
}

TEST(TextTableTest, ColumnsAlignAndNumbersStandRight) {
  EXPECT_EQ(text_table({"name", "ulp"}, {{"lr", "0"}, {"grad_norm", "120"}}, "  "),
            "  name       ulp\n"
            "  lr           0\n"
            "  grad_norm  120\n");
}

}  // namespace
}  // namespace parity
