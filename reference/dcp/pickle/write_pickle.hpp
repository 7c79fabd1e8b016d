// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parity::reference {

/// Writes a pickle of protocol 2, which every Python 3 reads. Each call writes one value.
class PickleWriter {
 public:
  PickleWriter();

  void none();
  void boolean(bool value);
  void integer(int64_t value);
  /// \param text  UTF-8
  void text(std::string_view text);
  void global(std::string_view module, std::string_view name);
  /// \param write_items  writes the items with this writer
  void tuple(const std::function<void()>& write_items);
  void list(const std::function<void()>& write_items);
  /// \param write_entries  writes each key and then its value
  void dict(const std::function<void()>& write_entries);
  /// Calls a global. \param write_arguments  writes the arguments in order
  void call(std::string_view module, std::string_view name, const std::function<void()>& write_arguments);
  /// Makes an object of a class without arguments, and gives it a state.
  /// \param write_state  writes one value
  void object(std::string_view module, std::string_view name, const std::function<void()>& write_state);

  /// Ends the pickle and returns its bytes. Call it once.
  std::string finish();

 private:
  void little_endian(uint64_t value, int bytes);

  std::string bytes_;
  std::map<std::string, uint32_t> globals_;  ///< place of each in the memo
};

}  // namespace parity::reference
