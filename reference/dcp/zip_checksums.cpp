// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/zip_checksums.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/dcp/pickle/value.hpp"

namespace parity::reference {
namespace {

constexpr size_t lanes = 8;  // bytes that one step takes
using CrcTables = std::array<std::array<uint32_t, 256>, lanes>;

constexpr CrcTables crc_tables = [] {
  CrcTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = crc;
  }
  for (size_t lane = 1; lane < lanes; ++lane)
    for (size_t byte = 0; byte < 256; ++byte)
      tables[lane][byte] = (tables[lane - 1][byte] >> 8) ^ tables[0][tables[lane - 1][byte] & 0xff];
  return tables;
}();

/// Bytes of an archive. A number that would lie outside is an error.
class ZipBytes {
 public:
  explicit ZipBytes(std::string_view bytes) : bytes_(bytes) {}

  std::string_view at(uint64_t position, uint64_t size) const {
    if (position > bytes_.size() || size > bytes_.size() - position)
      throw FormatError("the archive is cut short");
    return bytes_.substr(position, size);
  }
  uint64_t number(uint64_t position, uint64_t size) const {
    uint64_t value = 0;
    const std::string_view digits = at(position, size);
    for (uint64_t i = 0; i < size; ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(digits[i])) << (8 * i);
    return value;
  }
  std::string_view all() const { return bytes_; }

 private:
  std::string_view bytes_;
};

constexpr uint64_t in_extra = 0xffffffff;  // a number that an extra field has with 64 bits

/// Where the directory of an archive is.
struct Directory {
  uint64_t position = 0, records = 0;
};

Directory directory_of(const ZipBytes& zip) {
  const size_t end = zip.all().rfind("PK\x05\x06");
  if (end == std::string_view::npos)
    throw FormatError("the archive has no directory");
  Directory directory{zip.number(end + 16, 4), zip.number(end + 10, 2)};
  constexpr uint64_t locator_size = 20;
  if (end >= locator_size && zip.at(end - locator_size, 4) == "PK\x06\x07") {
    const uint64_t large = zip.number(end - locator_size + 8, 8);
    if (zip.at(large, 4) != "PK\x06\x06")
      throw FormatError("the archive has no directory");
    directory = {zip.number(large + 48, 8), zip.number(large + 32, 8)};
  }
  return directory;
}

/// A record as the directory describes it.
struct Record {
  std::string_view name;
  uint64_t method = 0, crc = 0, stored = 0, size = 0, header = 0, entry_bytes = 0;
};

/// Replaces numbers of 32 bits that did not suffice by those of the extra field 1.
void widen(Record& record, const ZipBytes& zip, uint64_t extra, uint64_t extra_size) {
  for (uint64_t at = extra; at + 4 <= extra + extra_size; at += 4 + zip.number(at + 2, 2)) {
    if (zip.number(at, 2) != 1)
      continue;
    uint64_t next = at + 4;
    for (uint64_t* value : {&record.size, &record.stored, &record.header})
      if (*value == in_extra) {
        *value = zip.number(next, 8);
        next += 8;
      }
    return;
  }
}

Record record_at(const ZipBytes& zip, uint64_t at) {
  if (zip.at(at, 4) != "PK\x01\x02")
    throw FormatError("the archive's directory is damaged");
  const uint64_t name_size = zip.number(at + 28, 2), extra_size = zip.number(at + 30, 2);
  Record record{.name = zip.at(at + 46, name_size),
                .method = zip.number(at + 10, 2),
                .crc = zip.number(at + 16, 4),
                .stored = zip.number(at + 20, 4),
                .size = zip.number(at + 24, 4),
                .header = zip.number(at + 42, 4),
                .entry_bytes = 46 + name_size + extra_size + zip.number(at + 32, 2)};
  widen(record, zip, at + 46 + name_size, extra_size);
  return record;
}

void check_record(const ZipBytes& zip, const Record& record) {
  const std::string name = parity::quoted(record.name);
  if (record.method != 0 || record.stored != record.size)
    throw FormatError(fmt::format("record {} is compressed", name));
  if (zip.at(record.header, 4) != "PK\x03\x04")
    throw FormatError(fmt::format("record {} is not where the directory says", name));
  const uint64_t data =
      record.header + 30 + zip.number(record.header + 26, 2) + zip.number(record.header + 28, 2);
  const std::string_view bytes = zip.at(data, record.size);
  if (record.crc != 0 && crc32_of(bytes) != record.crc)
    throw FormatError(fmt::format("record {} has another checksum", name));
}

}  // namespace

uint32_t crc32_of(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  size_t at = 0;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[at + i]); };
  for (; at + lanes <= bytes.size(); at += lanes) {
    uint32_t next = 0;
    for (size_t i = 0; i < lanes; ++i)
      next ^= crc_tables[lanes - 1 - i][byte(i) ^ (i < 4 ? (crc >> (8 * i)) & 0xff : 0)];
    crc = next;
  }
  for (; at < bytes.size(); ++at)
    crc = (crc >> 8) ^ crc_tables[0][(crc ^ byte(0)) & 0xff];
  return ~crc;
}

void check_zip_checksums(std::string_view bytes) {
  const ZipBytes zip(bytes);
  const Directory directory = directory_of(zip);
  uint64_t at = directory.position;
  for (uint64_t i = 0; i < directory.records; ++i) {
    const Record record = record_at(zip, at);
    check_record(zip, record);
    at += record.entry_bytes;
  }
}

}  // namespace parity::reference
