// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/exact/arithmetic/tower.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/hash.hpp"

namespace parity::reference::exact {
namespace {

constexpr int lowest_exponent = -1200, highest_exponent = 1200;
constexpr int bits_lost = 6;  ///< by a level, since some 2^6 candidates are tried for each prime

/// Returns the primes of a tower, the largest first. Each has the form 2 k p + 1 over the next one, with k
/// odd, so that it is 3 modulo 4.
/// \param start  where the search for the smallest begins, 3 modulo 4
/// \param bits   of the largest at most
std::vector<uint64_t> draw_primes(uint64_t start, int64_t levels, int bits) {
  for (;; start += 4) {
    if (!is_prime(start))
      continue;
    std::vector<uint64_t> primes = {start};
    while (static_cast<int64_t>(primes.size()) < levels && primes.back() >> bits == 0) {
      uint64_t k = 1;
      while (!is_prime(2 * k * primes.back() + 1))
        k += 2;
      primes.push_back(2 * k * primes.back() + 1);
    }
    if (primes.back() >> bits == 0)
      return {primes.rbegin(), primes.rend()};
  }
}

/// Returns an element of order `order` modulo a field's prime.
uint64_t element_of_order(const Field& field, uint64_t order) {
  for (uint64_t candidate = 2;; ++candidate)
    if (const uint64_t power = field.power(candidate, (field.prime() - 1) / order); power != 1)
      return power;
}

/// Returns the shortest decimal of a double, as digits and a power of ten.
std::pair<int64_t, int> shortest_decimal(double value) {
  std::array<char, 64> text{};
  const auto narrow = static_cast<float>(value);
  const auto end =
      static_cast<double>(narrow) == value
          ? std::to_chars(text.data(), text.data() + text.size(), narrow, std::chars_format::scientific)
          : std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  int64_t digits = 0;
  int exponent = 0;
  bool after_point = false;
  for (const char* at = text.data(); at != end.ptr; ++at) {
    if (*at == 'e') {
      exponent += static_cast<int>(
          std::strtol(std::string(at + 1, static_cast<const char*>(end.ptr)).c_str(), nullptr, 10));
      break;
    }
    if (*at == '.')
      after_point = true;
    if (*at < '0' || *at > '9')
      continue;
    digits = 10 * digits + (*at - '0');
    exponent -= after_point ? 1 : 0;
  }
  return {value < 0 ? -digits : digits, exponent};
}

/// Returns the simplest fraction that rounds to a positive double, in float32 if it is a float32, by its
/// continued fraction. Two doubles never have the same: denominators are small enough.
std::optional<std::pair<int64_t, int64_t>> simple_fraction(double value) {
  const auto narrow = static_cast<float>(value);
  const bool is_narrow = static_cast<double>(narrow) == value;
  const int64_t largest = int64_t{1} << (is_narrow ? 11 : 26);
  int64_t p = 1, q = 0, last_p = 0, last_q = 1;
  for (long double rest = value; rest < 1e9L; rest = 1 / (rest - std::floor(rest))) {
    const auto whole = static_cast<int64_t>(std::floor(rest));
    last_p = std::exchange(p, whole * p + last_p);
    last_q = std::exchange(q, whole * q + last_q);
    if (q > largest || p > largest)
      return {};
    const bool matches = is_narrow ? static_cast<float>(p) / static_cast<float>(q) == narrow
                                   : static_cast<double>(p) / static_cast<double>(q) == value;
    if (matches)
      return std::pair(p, q);
    if (rest == std::floor(rest))
      return {};
  }
  return {};
}

std::optional<Tower>& current_tower() {
  static std::optional<Tower> current;
  return current;
}

}  // namespace

void set_tower(Tower tower) {
  current_tower().emplace(std::move(tower));
}

const Tower& tower() {
  const std::optional<Tower>& current = current_tower();
  if (!current)
    throw InternalError("no tower is set");
  return *current;
}

bool is_prime(uint64_t number) {
  if (number < 2 || number % 2 == 0)
    return number == 2;
  const Field field(number);
  const int twos = std::countr_zero(number - 1);
  // These bases decide every number below 2^64. Source: Sorenson and Webster, Math. Comp. 86 (2017).
  for (const uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    if (number % base == 0)
      return number == base;
    uint64_t x = field.power(base, (number - 1) >> twos);
    bool passes = x == 1 || x == number - 1;
    for (int i = 1; i < twos && !passes; ++i)
      passes = (x = field.mul(x, x)) == number - 1;
    if (!passes)
      return false;
  }
  return true;
}

Tower::Tower(uint64_t key, int64_t levels, Constants constants, int bits)
    : key_(splitmix64(key ^ 0x7A3B5C9D1E2F4861U)), constants_(constants) {
  require(levels >= 1 && levels <= 4, "a tower has 1 to 4 levels");
  const int of_last = bits - 1 - bits_lost * static_cast<int>(levels - 1);
  for (const uint64_t prime : draw_primes(uint64_t{1} << of_last | key_ >> (65 - of_last) | 3U, levels, bits))
    fields_.emplace_back(prime);
  for (int64_t level = 0; level + 1 < levels; ++level) {
    const Field& here = field(level);
    uint64_t base = element_of_order(here, field(level + 1).prime());
    Powers& powers = powers_.emplace_back();
    for (auto& of_byte : powers) {
      of_byte[0] = 1;
      for (size_t i = 1; i < of_byte.size(); ++i)
        of_byte[i] = here.mul(of_byte[i - 1], base);
      base = here.mul(of_byte.back(), base);
    }
  }
  for (const Field& here : fields_) {
    std::vector<uint64_t>& table = two_to_.emplace_back();
    uint64_t power = here.inverse(here.power(2, -lowest_exponent));
    for (int e = lowest_exponent; e <= highest_exponent; ++e, power = here.add(power, power))
      table.push_back(power);
  }
}

uint64_t Tower::exp(int64_t level, uint64_t x) const {
  const Field& here = field(level);
  std::array<uint64_t, 8> factors;
  for (size_t byte = 0; byte < factors.size(); ++byte)
    factors[byte] = powers_[static_cast<size_t>(level)][byte][x >> (8 * byte) & 255];
  for (size_t count = factors.size() / 2; count > 0;
       count /= 2)  // in pairs, which need not wait for each other
    for (size_t i = 0; i < count; ++i)
      factors[i] = here.mul(factors[i], factors[i + count]);
  return factors.front();
}

uint64_t Tower::project(uint64_t x) const {
  return field(0).power(x, (field(0).prime() - 1) / field(1).prime());
}

uint64_t Tower::constant(int64_t level, double value) const {
  const Field& here = field(level);
  const auto signed_element = [&](int64_t integer) {
    const uint64_t size = static_cast<uint64_t>(std::abs(integer)) % here.prime();
    return integer < 0 ? here.neg(size) : size;
  };
  if (constants_ == Constants::fraction && value != std::trunc(value))
    if (const auto fraction = simple_fraction(std::abs(value)))
      return here.mul(signed_element(value < 0 ? -fraction->first : fraction->first),
                      here.inverse(static_cast<uint64_t>(fraction->second)));
  if (constants_ != Constants::binary && value != std::trunc(value)) {
    const auto [digits, exponent] = shortest_decimal(value);
    const uint64_t scale = here.power(10, static_cast<uint64_t>(std::abs(exponent)));
    return here.mul(signed_element(digits), exponent < 0 ? here.inverse(scale) : scale);
  }
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return here.mul(signed_element(static_cast<int64_t>(std::ldexp(mantissa, 53))),
                  two_to_[static_cast<size_t>(level)][static_cast<size_t>(exponent - 53 - lowest_exponent)]);
}

Hash Tower::hash(int64_t level, uint64_t function) const {
  return Hash(splitmix64(key_ ^ splitmix64(function ^ static_cast<uint64_t>(level) << 56U)), field(level));
}

}  // namespace parity::reference::exact
