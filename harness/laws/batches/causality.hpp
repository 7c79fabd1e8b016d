// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/laws/audit.hpp"
#include "harness/laws/batches/visibility.hpp"

namespace parity::laws {

/// The law that a token reaches only results that may see it. It needs a probe: a second run of the same
/// trainer in which one token of the first update is another. So it is not in the table of laws.
const Law& causality_law();

/// Returns a token of the first update to change, no mark of a document's end: the last token of a document
/// that another follows in the first row, which shows most leaks; else one near a third of the row. Nothing
/// if the run recorded no tokens.
std::optional<TokenPlace> token_to_change(const RecordedRun& run);

/// Returns whether a changed token may move others by rounding in this run's dtype: its model has experts,
/// and it does not compute in float64.
bool sums_other_rows(const RecordedRun& run);

/// Compares the results of modules, phase forward, of a run and its probe. Only the token that differs, and
/// what may see it, may have moved.
///
/// Models with experts are compared up to half of their digits: another token changes how many rows an expert
/// gets, and so the order in which its products are summed. All others are compared bit for bit.
Finding judge_causality(const RecordedRun& run, const RecordedRun& probe);

/// Asks only this law. \return an audit with one row
Audit audit_causality(const trace::Trace& trace, const trace::Trace& probe);

}  // namespace parity::laws
