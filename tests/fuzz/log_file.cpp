// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>

#include "harness/base/error.hpp"
#include "harness/logs/compare/compare_logs.hpp"
#include "harness/logs/read/json_log.hpp"
#include "harness/logs/read/table_log.hpp"
#include "harness/logs/read/text_log.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {
namespace {

/// Reads the bytes with one reader, and compares what it found with itself.
template <class Read>
void read_with(std::string_view bytes, const Read& read) {
  try {
    std::istringstream stream{std::string(bytes)};
    const logs::Log log = read(stream);
    static_cast<void>(log.text());
    static_cast<void>(compare_logs(log, log, {}).to_json());
  } catch (const UserError&) {  // NOLINT(bugprone-empty-catch): the reader refused them, as it should
  }
}

}  // namespace

void read_log_file(std::string_view bytes) {
  read_with(bytes, [](std::istream& in) { return logs::read_json_lines(in, "log", {}); });
  read_with(bytes, [](std::istream& in) { return logs::read_json_list(in, "log", {}); });
  read_with(bytes, [](std::istream& in) { return logs::read_trainer_state(in, "log", {}); });
  read_with(bytes, [](std::istream& in) { return logs::read_table(in, "log", {}); });
  read_with(bytes, [](std::istream& in) { return logs::read_text(in, "log", "", {}); });
}

}  // namespace parity::fuzz
