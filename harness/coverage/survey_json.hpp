// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"
#include "harness/coverage/survey.hpp"

namespace parity::coverage {

/// Returns a survey in the form parity.coverage/1 (README.md).
Json survey_json(const Survey& survey);

}  // namespace parity::coverage
