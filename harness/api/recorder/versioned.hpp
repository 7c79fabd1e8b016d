// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "harness/api/include/parity/version.h"
#include "harness/base/error.hpp"

namespace parity::capi {

/// Returns a caller's struct as this library knows it. Members that the caller does not have yet are 0.
/// \tparam T         begins with `size_t struct_size`
/// \param given      the caller's struct, of another version perhaps
/// \param first      size of the struct's first version [bytes]
/// \param what       the struct's name, for messages
/// \throws UserError if struct_size is impossible, or the caller sets a member that this library does not
/// know
template <class T>
T read_versioned(const T* given, size_t first, const char* what) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (given == nullptr)
    throw UserError(std::string(what) + " is NULL; give one");
  size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  constexpr size_t most = 4096;  // no version has more; memory that was not set may say anything
  if (size < first || size > most)
    throw UserError(std::string(what) + ".struct_size is " + std::to_string(size) + " (possible are " +
                    std::to_string(first) + " to " + std::to_string(most) + "); set it to sizeof(" + what +
                    ")");
  const auto* bytes = reinterpret_cast<const std::byte*>(given);
  if (size > sizeof(T) &&
      std::any_of(bytes + sizeof(T), bytes + size, [](std::byte byte) { return byte != std::byte{0}; }))
    throw UserError(std::string(what) +
                    " sets a member that parity " PARITY_VERSION_STRING " does not know (struct_size is " +
                    std::to_string(size) + ", known are " + std::to_string(sizeof(T)) +
                    " bytes); leave it 0, or load a later library");
  T known{};
  std::memcpy(&known, given, std::min(size, sizeof(T)));
  return known;
}

}  // namespace parity::capi
