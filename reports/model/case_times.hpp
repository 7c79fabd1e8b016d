// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/case.hpp"

namespace parity::reports {

/// Returns "training 4.2 s, start 1.1 s, judging 100 ms". Leaves out times below a millisecond.
std::string times_label(const CaseTimes& times);

}  // namespace parity::reports
