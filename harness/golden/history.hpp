// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::golden {

/// A change of a golden's content after its first recording.
struct GoldenChange {
  /// Why the new values are right, as stated by the person who recorded them.
  std::string reason;
  std::string commit;   ///< commit of the recording program
  std::string content;  ///< content digest after the change
};

/// All changes, oldest first. Not part of the content digest.
using GoldenHistory = std::vector<GoldenChange>;

/// Returns the newest 100 changes, with reasons cut to 500 bytes: an HDF5 attribute holds 64 KB.
Json history_json(const GoldenHistory& history);

/// Parses a history; returns nothing if the JSON is not a history.
std::optional<GoldenHistory> read_history(const Json& json);

}  // namespace parity::golden
