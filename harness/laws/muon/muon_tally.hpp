// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/laws/muon/muon_step.hpp"

namespace parity::laws {

/// The steps of all matrices at all updates. Each may follow several conventions: a square matrix does not
/// show a factor of rows over columns. One of them has to give all.
class MuonTally {
 public:
  void add(int64_t step, const std::string& name, const MuonStepCheck& check);
  /// Returns whether Newton-Schulz has taken about a minute.
  bool is_spent() const { return work_ > 0x1p32; }

  /// Matrices of one update that follow another convention than the rest of the run.
  struct Stray {
    int64_t step = 0;
    std::set<std::string> names;
    std::string text;  ///< which convention they follow, and which the others
  };
  /// Returns the strays of the first update that has any; empty if one convention gives all steps.
  std::vector<Stray> strays() const;

  /// Returns what was found and what could not be compared.
  std::vector<std::string> notes() const;

 private:
  MuonForm commonest() const;

  struct Row {
    int64_t step;
    std::string name;
    std::set<MuonForm> forms;
  };
  double work_ = 0;
  std::vector<Row> rows_;
  std::set<std::string> compared_;                         ///< matrices
  std::map<StepSilence, std::set<std::string>> silences_;  ///< matrices that were not compared at some update
  std::map<std::string, int64_t> arithmetics_;             ///< name -> steps
};

}  // namespace parity::laws
