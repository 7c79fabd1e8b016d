// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/logs/read/json_log.hpp"
#include "harness/logs/read/line_reader.hpp"
#include "harness/logs/read/table_log.hpp"
#include "harness/logs/read/text_log.hpp"
#include "tests/support/sentences.hpp"

namespace parity::logs {

inline Log json_lines(const std::string& text, const NameMap& map = {}) {
  std::istringstream stream(text);
  return read_json_lines(stream, "a.jsonl", map);
}

inline Log json_list(const std::string& text) {
  std::istringstream stream(text);
  return read_json_list(stream, "a.json", {});
}

inline Log trainer_state(const std::string& text) {
  std::istringstream stream(text);
  return read_trainer_state(stream, "trainer_state.json", {});
}

inline Log table(const std::string& text, const NameMap& map = {}) {
  std::istringstream stream(text);
  return read_table(stream, "a.csv", map);
}

inline Log text_lines(const std::string& text, const std::string& pattern = "") {
  std::istringstream stream(text);
  return read_text(stream, "a.log", pattern, {});
}

}  // namespace parity::logs
