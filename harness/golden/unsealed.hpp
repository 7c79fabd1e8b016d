// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "harness/trace/hdf5/input_file.hpp"

namespace parity::golden {

/// Returns why a golden without a seal is not intact; "" if it may have none. Only schema 1.0 had no seal. A
/// file that states this schema and holds what came later had one, and lost it: whoever takes the seal away
/// and sets the schema back could otherwise edit floors, evidence, variants and history.
std::string problem_without_seal(const trace::InputFile& file, std::string_view schema);

}  // namespace parity::golden
