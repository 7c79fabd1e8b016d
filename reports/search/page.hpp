// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/json/json.hpp"

namespace parity::reports {

/// The page of a search: its sentence, then the path from the curve to the cause, stage by stage, with what
/// each can show and the command that asks it again. One file that loads nothing; every text is escaped.
///
/// \param record  what `parity bisect` keeps (schema parity.bisect/1)
/// \param file    name of the record's file beside the page, which the page links to
/// \throws UserError (exit 2) if the record is of another schema or not as it should be
std::string search_page(const Json& record, const std::string& file);

}  // namespace parity::reports
