// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/laws/muon/conventions.hpp"
#include "harness/laws/muon/step_match.hpp"

namespace parity::laws {

/// What Newton-Schulz may have been given, in the parameter's shape. An empty one is not known.
struct MuonInputs {
  std::vector<double> nesterov;  ///< g + b (m - g), with the momentum m after the update
  std::vector<double> momentum, momentum_before, gradient, unclipped;
};

/// One matrix and what is due to it.
struct MuonMatrix {
  std::string name;
  std::vector<int64_t> shape;
  MuonMove move;
  double decay = 0;
  MuonInputs inputs;
  MuonRules rules;
};

/// Returns whether a matrix is a fused projection of queries, keys and values, by its name.
inline bool is_fused(const MuonMatrix& matrix) {
  return matrix.name.ends_with("attention.wqkv.weight");
}

/// Why a step was not compared.
enum class StepSilence {
  none,       ///< it was
  rounding,   ///< the roundings of the parameter hide it
  narrow,     ///< bfloat16 leaves too little of the momentum's direction
  large,      ///< the matrix is too large to be orthogonalized by an audit
  many,       ///< earlier updates had as many matrices as an audit orthogonalizes
  by_blocks,  ///< each rank orthogonalizes its shard
  shape,      ///< the parameter has another number of dimensions than two
  heads,      ///< the heads of a fused projection are not known
};

/// Returns why steps were not compared, after "of 2 matrices only the momentum is compared: ".
std::string describe(StepSilence silence);

/// Something that is wrong with a step, without the tensor's name.
struct StepComplaint {
  std::string text;
  std::optional<double> factor = {};
};

/// What comparing a step with Newton-Schulz gave.
struct MuonStepCheck {
  StepSilence silence = StepSilence::none;
  double work = 0;                                  ///< of Newton-Schulz, MatrixBlocks::work()
  double worst = 0;                                 ///< largest error over its bound
  std::set<MuonForm> forms = {};                    ///< conventions that give the step
  std::optional<SchulzArithmetic> arithmetic = {};  ///< nothing: none that is known
  std::vector<StepComplaint> complaints = {};
};

// check_step.cpp

/// Compares the step of a matrix with Newton-Schulz of its momentum: direction, size and weight decay.
MuonStepCheck check_muon_step(const MuonMatrix& matrix);

}  // namespace parity::laws
