// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/sha256.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"

namespace parity {
namespace {

constexpr size_t block_size = 64;

/// Returns the first 32 bits of the fraction of a root.
uint32_t fraction_of(long double root) {
  return static_cast<uint32_t>((root - std::floor(root)) * 4294967296.0L);
}

/// The constants of the standard, which are roots of the first 64 primes.
struct Constants {
  std::array<uint32_t, 8> square = {};
  std::array<uint32_t, 64> cube = {};

  Constants() {
    size_t found = 0;
    for (int candidate = 2; found < cube.size(); ++candidate) {
      bool prime = true;
      for (int divisor = 2; divisor * divisor <= candidate; ++divisor)
        prime = prime && candidate % divisor != 0;
      if (!prime)
        continue;
      if (found < square.size())
        square[found] = fraction_of(std::sqrt(static_cast<long double>(candidate)));
      cube[found++] = fraction_of(std::cbrt(static_cast<long double>(candidate)));
    }
  }
};

const Constants& constants() {
  static const Constants all;
  return all;
}

class Sha256 {
 public:
  void add(std::string_view bytes) {
    length_ += bytes.size();
    if (!rest_.empty()) {
      const size_t missing = std::min(block_size - rest_.size(), bytes.size());
      rest_ += bytes.substr(0, missing);
      bytes.remove_prefix(missing);
      if (rest_.size() < block_size)
        return;
      mix(rest_.data());
      rest_.clear();
    }
    for (; bytes.size() >= block_size; bytes.remove_prefix(block_size))
      mix(bytes.data());
    rest_ = bytes;
  }

  std::string finish() {
    const uint64_t bits = 8 * length_;
    std::string end(1, '\x80');
    end.append((2 * block_size - 9 - length_ % block_size) % block_size, '\0');
    for (int shift = 56; shift >= 0; shift -= 8)
      end += static_cast<char>(bits >> shift & 255U);
    add(end);
    std::string text;
    for (const uint32_t word : state_)
      text += fmt::format("{:08x}", word);
    return text;
  }

 private:
  /// Mixes one block into the state.
  void mix(const char* block) {
    std::array<uint32_t, 64> w = {};
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 4; ++j)
        w[i] = w[i] << 8U | static_cast<unsigned char>(block[4 * i + j]);
    for (size_t i = 16; i < 64; ++i)
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3U) +
             (std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10U);
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + constants().cube[i] + w[i];
      const uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first;
      d = c, c = b, b = a, a = first + second;
    }
    const std::array<uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < mixed.size(); ++i)
      state_[i] += mixed[i];
  }

  std::array<uint32_t, 8> state_ = constants().square;
  uint64_t length_ = 0;  ///< bytes
  std::string rest_;     ///< fewer bytes than a block
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  Sha256 hash;
  pass_on(path, [&](std::string_view piece) { hash.add(piece); });
  return hash.finish();
}

}  // namespace parity
