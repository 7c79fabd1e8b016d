// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "harness/laws/muon/conventions.hpp"
#include "harness/laws/muon/matrix_blocks.hpp"
#include "harness/laws/muon/newton_schulz.hpp"

namespace parity::laws {

/// One update of one parameter that Muon trains, element by element of the same length.
struct MuonMove {
  const std::vector<double>& before;
  const std::vector<double>& after;
  double lr = 0;
  double roundoff = 0;  ///< of the parameter
};

/// A direction E and how a parameter moved along it, by least squares:
///
///   before - after = lr factor E + shrunk before + rest
struct StepMatch {
  SchulzArithmetic arithmetic = SchulzArithmetic::exact;
  MuonScale scale = MuonScale::original;
  double factor = 0;
  double shrunk = 0;        ///< lr times the decay
  double shrunk_error = 0;  ///< bound of its error
  double rest = 0;          ///< norm of the rest over that of lr factor E
  double limit = 0;         ///< of the rest
  double factor_limit = 0;  ///< of the relative error of the factor
  /// What the parameter's roundings may be, over the norm of lr factor E, and over that of lr E.
  double hidden = 0, hidden_if_due = 0;

  /// Returns whether the direction is the one that the parameter took. NaN is not.
  bool has_direction() const { return factor > 0 && hidden <= 0.25 && rest <= limit; }
  bool has_factor() const { return factor >= 1 - factor_limit && factor <= 1 + factor_limit; }
};

/// Measures how a parameter moved along a direction, without limits.
/// \param direction  with the factor of the learning rate
StepMatch measure_step(const MuonMove& move, const std::vector<double>& direction);

/// Returns for each scale how a parameter follows Newton-Schulz of a matrix, in the first arithmetic that
/// gives the direction, else in the one that comes nearest.
/// \param narrow  whether Newton-Schulz may be in bfloat16
std::vector<StepMatch> match_steps(const MuonMove& move, const std::vector<double>& input,
                                   const MatrixBlocks& blocks, const NewtonSchulz& rule,
                                   const std::vector<MuonScale>& scales, bool narrow = true);

/// Returns the same for a trainer whose arithmetic nobody knows. The limit follows the distance between
/// Newton-Schulz in bfloat16 and in float64 for this matrix. A limit above 1/2 decides nothing.
std::vector<StepMatch> match_unknown_arithmetic(const MuonMove& move, const std::vector<double>& input,
                                                const MatrixBlocks& blocks, const NewtonSchulz& rule,
                                                const std::vector<MuonScale>& scales);

}  // namespace parity::laws
