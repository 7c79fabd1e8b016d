// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/json/json.hpp"

namespace parity::reports {

/// Returns the page of a search: its sentence, then the path from the curve to the cause, stage by stage,
/// with the charts of each stage and the command that repeats it. The page is one file that loads nothing;
/// every text is escaped.
///
/// \param record  a record of `parity bisect` (schema parity.bisect/1)
/// \param file    name of the record's file next to the page, which the page links to
/// \throws UserError (exit 2) if the record has another schema or is invalid
std::string search_page(const Json& record, const std::string& file);

}  // namespace parity::reports
