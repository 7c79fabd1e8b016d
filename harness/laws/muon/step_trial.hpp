// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/laws/muon/matrix_blocks.hpp"
#include "harness/laws/muon/muon_step.hpp"

namespace parity::laws {

/// A rest below this leaves no room for another input of Newton-Schulz.
constexpr double sure_rest = 0x1p-6;

/// One way to compute a step, and how the parameter follows it.
struct StepTrial {
  MuonForm form = {};  ///< its scale is that of each match
  NewtonSchulz rule = {};
  const std::vector<double>* input = nullptr;
  std::vector<StepMatch> matches = {};

  bool has_direction() const;
};

/// Returns the scale that a run names, else all that are known.
std::vector<MuonScale> possible_scales(const MuonRules& rules);

/// Returns a trial without matches that follows the rules of a run.
StepTrial usual_trial(const MuonMatrix& matrix, bool nesterov);

/// Returns the least rest of any match; infinity without one.
double least_rest(const std::vector<StepTrial>& trials);

/// Adds the conventions that give direction and size, and compares the weight decay. \return whether any does
bool accept_forms(const MuonMatrix& matrix, const std::vector<StepTrial>& trials, MuonStepCheck& check);

/// Adds a complaint of a step that has the right direction and not its size.
/// \param trial  with a match that has the direction
void complain_of_size(const MuonMatrix& matrix, const MatrixBlocks& blocks, const StepTrial& trial,
                      MuonStepCheck& check);

// explain_step.cpp

/// Judges a parameter that did not take a step, or only its decay: rounding hides the step, or it was left
/// out.
MuonStepCheck explain_standing(const MuonMatrix& matrix, const MatrixBlocks& blocks);

/// Looks for what gives a step that the rules of a run do not give, or give worse than something else: adds
/// a complaint, a convention that the run does not name, or why the step cannot be compared.
/// \param due    what the rules of the run allow; not empty
/// \param check  with the forms of `due` that fit
void explain_step(const MuonMatrix& matrix, const MatrixBlocks& blocks, const std::vector<StepTrial>& due,
                  MuonStepCheck& check);

}  // namespace parity::laws
