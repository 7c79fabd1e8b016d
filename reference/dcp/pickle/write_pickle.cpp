// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/pickle/write_pickle.hpp"

#include <utility>

namespace parity::reference {

PickleWriter::PickleWriter() : bytes_("\x80\x02") {}

void PickleWriter::little_endian(uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    bytes_ += static_cast<char>((value >> (8 * i)) & 0xff);
}

void PickleWriter::none() {
  bytes_ += 'N';
}

void PickleWriter::boolean(bool value) {
  bytes_ += value ? '\x88' : '\x89';
}

void PickleWriter::integer(int64_t value) {
  if (value == static_cast<int32_t>(value)) {
    bytes_ += 'J';
    little_endian(static_cast<uint64_t>(value), 4);
  } else {
    bytes_ += "\x8a\x08";
    little_endian(static_cast<uint64_t>(value), 8);
  }
}

void PickleWriter::text(std::string_view text) {
  bytes_ += 'X';
  little_endian(text.size(), 4);
  bytes_ += text;
}

void PickleWriter::global(std::string_view module, std::string_view name) {
  const std::string both = std::string(module) + '\n' + std::string(name) + '\n';
  const auto [place, is_new] = globals_.emplace(both, static_cast<uint32_t>(globals_.size()));
  if (is_new)
    bytes_ += 'c' + both;
  bytes_ += is_new ? 'r' : 'j';
  little_endian(place->second, 4);
}

void PickleWriter::tuple(const std::function<void()>& write_items) {
  bytes_ += '(';
  write_items();
  bytes_ += 't';
}

void PickleWriter::list(const std::function<void()>& write_items) {
  bytes_ += "](";
  write_items();
  bytes_ += 'e';
}

void PickleWriter::dict(const std::function<void()>& write_entries) {
  bytes_ += "}(";
  write_entries();
  bytes_ += 'u';
}

void PickleWriter::call(std::string_view module, std::string_view name,
                        const std::function<void()>& write_arguments) {
  global(module, name);
  tuple(write_arguments);
  bytes_ += 'R';
}

void PickleWriter::object(std::string_view module, std::string_view name,
                          const std::function<void()>& write_state) {
  global(module, name);
  bytes_ += ")\x81";
  write_state();
  bytes_ += 'b';
}

std::string PickleWriter::finish() {
  bytes_ += '.';
  return std::move(bytes_);
}

}  // namespace parity::reference
