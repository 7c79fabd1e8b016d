// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/zip_checksums.hpp"

#include <gmock/gmock.h>

#include "reference/dcp/pickle/value.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

TEST(CrcTest, PublishedValues_AreReturned) {
  EXPECT_EQ(crc32_of("123456789"), 0xCBF43926U);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(crc32_of(""), 0U);
  EXPECT_EQ(crc32_of("The quick brown fox jumps over the lazy dog"), 0x414FA339U);
}

class ZipChecksumsTest : public FolderTest {
 protected:
  /// Returns an archive that Python's zipfile wrote, stored.
  std::string archive() {
    const CommandResult python = run_python(folder, R"(
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as file:
    file.writestr("a/data.pkl", bytes(range(200)))
    with file.open("a/data/0", "w", force_zip64=True) as record:
        record.write(b"values" * 50)
)",
                                            (folder / "x.zip").string());
    EXPECT_EQ(python.status, 0) << python.output;
    return read_file(folder / "x.zip");
  }
};

TEST_F(ZipChecksumsTest, EachFlippedDataByte_IsSeen) {
  const std::string bytes = archive();
  EXPECT_NO_THROW(check_zip_checksums(bytes));
  const size_t first = bytes.find(std::string("\x01\x02\x03\x04\x05", 5)) - 1,
               second = bytes.find("valuesvalues");
  for (const auto& [begin, size] : {std::pair{first, size_t{200}}, {second, size_t{300}}})
    for (size_t at = begin; at < begin + size; ++at) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      EXPECT_THROW(check_zip_checksums(damaged), FormatError) << at;
    }
}

TEST_F(ZipChecksumsTest, CutArchives_AreRefused) {
  const std::string bytes = archive();
  for (size_t size = 0; size + 6 < bytes.size(); ++size)
    EXPECT_THROW(check_zip_checksums(bytes.substr(0, size)), FormatError) << size;
}

}  // namespace
}  // namespace parity::reference
