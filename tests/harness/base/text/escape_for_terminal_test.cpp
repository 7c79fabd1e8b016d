// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text/escape_for_terminal.hpp"

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(EscapeForTerminalTest, OrdinaryTextOfAnyLanguageStays) {
  const std::string text = "loss \xC3\xA9\xE2\x89\x88\xF0\x9F\x98\x80\n\t";
  EXPECT_EQ(escape_for_terminal(text), text);
  EXPECT_TRUE(is_utf8(text));
}

TEST(EscapeForTerminalTest, WhatWouldActIsSpelledOut) {
  EXPECT_EQ(escape_for_terminal(std::string("a\x1b[31m\0b\x7f", 9)), "a<U+001B>[31m<U+0000>b<U+007F>");
  EXPECT_EQ(escape_for_terminal("\xC2\x9B"
                                "2J"),
            "<U+009B>2J");
  EXPECT_EQ(escape_for_terminal("x\xE2\x80\xAEy\xE2\x81\xA6z"), "x<U+202E>y<U+2066>z");
}

TEST(EscapeForTerminalTest, BytesThatAreNoUtf8AreSpelledOut) {
  for (const char* text : {"\xFF", "\x9B", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82",
                           "\xF0\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_EQ(escape_for_terminal(text).substr(0, 3), "<0x") << text;
    EXPECT_TRUE(is_utf8(escape_for_terminal(text)));
  }
  EXPECT_EQ(escape_for_terminal("a\xFFz"), "a<0xFF>z");
}

TEST(EscapeForTerminalTest, ANameIsOneLineOfBoundedLength) {
  EXPECT_EQ(escape_to_line("a\nb"), "a b");
  EXPECT_EQ(escape_to_line(std::string(4000, 'x'), 10), "xxxxxxxxxx... (4000 bytes)");
  EXPECT_EQ(escape_to_line("12345678\xC3\xA9\xC3\xA9", 9), "12345678... (12 bytes)");  // no half character
}

}  // namespace
}  // namespace parity
