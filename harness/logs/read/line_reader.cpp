// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/line_reader.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::logs {

namespace {

/// Returns the program that compressed a file which begins with these bytes; "" if none did.
std::string_view compressor_of(std::string_view begin) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> magics[] = {{"\x1f\x8b"sv, "gzip"},
                                                                      {"\x28\xb5\x2f\xfd"sv, "zstd"},
                                                                      {"\xfd"
                                                                       "7zXZ\0"sv,
                                                                       "xz"},
                                                                      {"BZh"sv, "bzip2"}};
  for (const auto& [magic, program] : magics)
    if (begin.starts_with(magic))
      return program;
  return "";
}

}  // namespace

bool LineReader::fill() {
  constexpr size_t block_size = 64U << 10U;
  block_.resize(block_size);
  at_ = end_ = 0;
  try {
    end_ = static_cast<size_t>(stream_.rdbuf()->sgetn(block_.data(), block_size));
  } catch (const std::ios_base::failure& error) {
    refuse(std::string("the read failed: ") + error.what(), "is it a file, and complete?");
  }
  return end_ > 0;
}

void LineReader::append(std::string& line, size_t count) {
  if (std::memchr(block_.data() + at_, 0, count))
    refuse("a NUL byte, as binary files have", "give a log in text");
  if (line.size() + count > longest_)
    refuse(fmt::format("longer than {} bytes", longest_), "give a log with shorter lines");
  line.append(block_.data() + at_, count);
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (at_ == end_ && !fill())
    return false;
  if (++number_ == 1)
    if (const std::string_view program = compressor_of({block_.data(), end_}); !program.empty())
      refuse(fmt::format("compressed by {}", program), fmt::format("decompress it: {} -dk FILE", program));
  do {
    const void* found = std::memchr(block_.data() + at_, '\n', end_ - at_);
    const size_t count =
        found ? static_cast<size_t>(static_cast<const char*>(found) - block_.data()) - at_ : end_ - at_;
    append(line, count);
    at_ += count;
    if (found) {
      ++at_;
      break;
    }
  } while (fill());
  if (line.ends_with('\r'))
    line.pop_back();
  return true;
}

void LineReader::refuse(const std::string& cause, const std::string& hint) const {
  const std::string place = place_.empty() ? fmt::format("line {}", number_) : place_;
  throw UserError(fmt::format("cannot read {} ({}: {}); {}", escape_to_line(file_), place, cause, hint));
}

}  // namespace parity::logs
