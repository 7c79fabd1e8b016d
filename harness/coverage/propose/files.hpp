// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/coverage/propose/proposed_case.hpp"

namespace parity::coverage {

/// Puts a folder in place of "{case_dir}" in every setting of a case, so that its file may lie elsewhere than
/// the weights and tokens that it names.
void name_files_in(ProposedCase& proposed, const std::string& folder);

}  // namespace parity::coverage
