// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/laws/muon/conventions.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Numbers that an optimizer was given for one group of parameters.
struct OptimizerNumbers {
  size_t group = 0;
  double lr = 0;
  double decay = 0;
  std::optional<double> beta1 = {}, beta2 = {}, eps = {}, momentum = {}, muon_momentum = {};
  /// Share of the gradient that SGD leaves out of its momentum after the first update.
  double dampening = 0;
  /// Whether the decay is part of the gradient (L2), not of the parameter (decoupled).
  bool l2 = false;
  bool nesterov = false;
  bool maximize = false;               ///< the optimizer follows the gradient, not its negative
  std::optional<double> muon_lr = {};  ///< of Muon's matrices, if it is not lr
  MuonRules muon = {};
};

/// The parameter groups of a run's optimizers, as the recipe of its trace has them (FORMAT.md, "Recipe").
/// Without a recipe nothing says which group has a parameter.
class ParameterGroups {
 public:
  explicit ParameterGroups(const RecordedRun& run);

  /// Returns the numbers of each group at an update; empty without a learning rate.
  std::vector<OptimizerNumbers> numbers(const RecordedRun& run, int64_t step) const;

  /// Returns those of the numbers that may be a parameter's: its group's, or all if the recipe does not name
  /// its group.
  /// \param numbers  of all groups at the update
  std::vector<OptimizerNumbers> candidates(const std::string& name,
                                           const std::vector<OptimizerNumbers>& numbers) const;

  /// Returns the class of the optimizer that has a parameter: "AdamW"; "" if it is not known.
  std::string optimizer_of(const std::string& name) const;

 private:
  struct Group {
    std::string optimizer;  ///< its class
    std::set<std::string> patterns, names;
    std::set<std::string> named_patterns;  ///< of the names: these patterns say nothing by themselves
    double dampening = 0;
    bool maximize = false;
    MuonRules muon;
  };
  std::vector<size_t> groups_of(const std::string& name) const;

  std::vector<Group> groups_;
  std::set<std::string> vague_;  ///< patterns of more parameters than the recipe counts, as of other stages
};

}  // namespace parity::laws
