// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// One change of a golden's content after its first recording.
struct GoldenChange {
  std::string reason;   ///< why the new values are right, in the words of whoever recorded them
  std::string commit;   ///< of the program that recorded
  std::string content;  ///< content digest from then on
};

/// Oldest first. Not part of the content digest.
using GoldenHistory = std::vector<GoldenChange>;

/// The newest 100 changes, reasons cut to 500 bytes: an HDF5 attribute holds 64 KB.
Json history_json(const GoldenHistory& history);

/// Nothing if the JSON is no history.
std::optional<GoldenHistory> read_history(const Json& json);

}  // namespace parity
