// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/trace/format/capture.hpp"

namespace parity::suite {

/// The length of a run and of its warmup, in updates.
struct RunLength {
  int64_t steps = 0;
  int64_t warmup_steps = 0;
  bool known = true;  ///< false: `steps` is a guess, for a command that does not state its length
};

/// Largest number of updates whose tensors one check, or the [capture] table, may ask for. A capture lists
/// them one by one.
inline constexpr int64_t most_captured_steps = 10'000;

/// The updates first..last; empty if last < first.
struct StepRange {
  int64_t first = 1;
  int64_t last = 0;

  bool empty() const { return last < first; }
};

/// Returns the updates of a window, within 1..steps.
StepRange range_of(const compare::StepWindow& window, const RunLength& length);

/// Returns what one check needs its arms to record.
///
/// A check of bits needs digests and sketches. A check that measures a gap (equivalent, distinct, bounded)
/// needs whole tensors, of the twins too. In a run of unknown length, a window without steps needs every
/// step. A check of relation `repeats` needs the digests of every tensor, in all phases. A check of relation
/// `lawful` needs what its laws read; without names, what grad_norm, clip and
/// update read.
/// \throws UserError if a check needs tensors of more than most_captured_steps updates
trace::Capture needs_of_check(const compare::Check& check, const RunLength& length);

/// Returns what an exact twin needs to record for a check: digests of its residues, and some small tensors
/// whole, to show one residue to a person.
/// \throws UserError as needs_of_check
trace::Capture needs_of_residues(const compare::Check& check, const RunLength& length);

/// Returns what a run needs to record that the run of another arm continues (Check::before): its state after
/// each update as digests, and whole after the last one.
trace::Capture needs_of_interrupted(const RunLength& length);

/// Returns what a golden needs: digests and sketches of gradients and parameters at the first and last
/// update.
trace::Capture needs_of_golden(const RunLength& length);

/// Returns what a run of several ranks needs: digests of parameters at the last update, where replicas must
/// be equal. Gradients are equal on all ranks once they are reduced, whatever the weights are.
trace::Capture needs_of_replicas(const RunLength& length);

/// Returns what a run needs to record if another arm replays its routes: the routes of each update.
trace::Capture needs_of_replay();

/// Returns what the case's [capture] table asks for: whole tensors. \throws UserError as needs_of_check
trace::Capture needs_of_capture(const CaptureSpec& spec);

}  // namespace parity::suite
