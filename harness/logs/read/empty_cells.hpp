// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/logs/log.hpp"

namespace parity::logs {

/// Adds NaN where a table has an empty cell in place of a number, and a note that says so. pandas writes NaN
/// as an empty cell, and so do exports that are built on it.
///
/// An empty cell stands for NaN if the interval of its channel wants a value at that step (due_steps), and if
/// the row has no other channel than the row of the value before: a row of an evaluation need not have a
/// loss. Cells before the first value of a channel stay empty. Those behind the last one count for a loss,
/// eval_loss or grad_norm alone, and if there are at least two: other channels may end before the run does.
/// \param log         of a table, before any NaN was added
/// \param empty_rows  steps of rows without a number, in any order
void fill_empty_cells(Log& log, const std::vector<int64_t>& empty_rows);

}  // namespace parity::logs
