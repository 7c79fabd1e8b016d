// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/suite/launch/far/connection.hpp"

namespace parity::suite {

/// Executes a request about files of a run's folder (server.hpp has the table) and returns the answer. A name
/// with a part that is empty, ".." or begins with a dot is refused, so that no request leaves the folder.
Message answer_for_folder(const std::filesystem::path& folder, const Message& asked);

}  // namespace parity::suite
