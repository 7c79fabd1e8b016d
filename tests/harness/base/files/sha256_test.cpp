// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/sha256.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/files/file.hpp"

namespace parity {
namespace {

TEST(Sha256, ExamplesOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, File_IsThatOfItsBytes) {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("sha256_" + std::to_string(::getpid()));
  const std::string text(3'000'001, 'b');
  write_file(path, text);
  EXPECT_EQ(sha256_of_file(path), sha256(text));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace parity
