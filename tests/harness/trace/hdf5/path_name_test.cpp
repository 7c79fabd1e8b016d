// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/path_name.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::trace {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(PathNameTest, OrdinaryNamesStandAsTheyAre) {
  EXPECT_EQ(encode_name("layers.0.attention.wq.weight"), "layers.0.attention.wq.weight");
  EXPECT_EQ(encode_name("größe"), "größe");
}

TEST(PathNameTest, EveryByteSurvives) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  const std::string link = encode_name(all);
  EXPECT_EQ(link.find('/'), std::string::npos);
  EXPECT_EQ(link.find('\0'), std::string::npos);
  EXPECT_EQ(decode_name(link), all);
  EXPECT_EQ(encode_name("a/b%c\n"), "a%2Fb%25c%0A");
}

TEST(PathNameTest, NamesWithAMeaningOfTheirOwnAreRefused) {
  for (const char* name : {"", ".", ".."})
    EXPECT_THAT([&] { encode_name(name); }, ThrowsMessage<UserError>(HasSubstr("reserves it")));
  EXPECT_EQ(encode_name("..."), "...");
}

TEST(PathNameTest, BrokenEncodingIsRefused) {
  for (const char* link : {"a%", "a%2", "a%2f", "a%GG"})
    EXPECT_THAT([&] { decode_name(link); }, ThrowsMessage<UserError>(HasSubstr("cannot decode")));
}

}  // namespace
}  // namespace parity::trace
