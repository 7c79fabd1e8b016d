// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/byte_tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::reference {
namespace {

TEST(ByteTokenizerTest, ADocumentIsItsBytesBetweenMarks) {
  EXPECT_THAT(ByteTokenizer::encode_document("a\xc3\xa9"), testing::ElementsAre(256, 97, 195, 169, 257));
  EXPECT_THAT(ByteTokenizer::encode_document(""), testing::ElementsAre(256, 257));
}

TEST(Utf8Test, AcceptsTheEdgesOfEachLength) {
  for (const char* text : {"", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
                           "a\xe2\x82\xac"
                           "b"})
    EXPECT_EQ(first_invalid_utf8(text), std::nullopt) << testing::PrintToString(text);
}

TEST(Utf8Test, NamesTheFirstByteThatIsWrong) {
  const std::vector<std::pair<std::string, size_t>> cases = {
      {"ab\xff", 2},               // not a lead byte
      {"\x80", 0},                 // a tail without a lead
      {"a\xc0\x80", 1},            // overlong
      {"\xe0\x9f\xbf", 0},         // overlong
      {"\xed\xa0\x80", 0},         // surrogate
      {"\xf0\x8f\xbf\xbf", 0},     // overlong
      {"\xf4\x90\x80\x80", 0},     // beyond U+10FFFF
      {"abc\xe2\x82", 3},          // cut short
      {"\xc3", 0},                 // cut short
      {"\xc3\xa9\xe2\x28\xa1", 2}  // not a tail byte
  };
  for (const auto& [text, offset] : cases)
    EXPECT_EQ(first_invalid_utf8(text), offset) << testing::PrintToString(text);
}

}  // namespace
}  // namespace parity::reference
