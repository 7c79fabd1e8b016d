// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/judge.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::golden {

/// The numeric channels of one run.
struct GoldenChannels {
  std::vector<int64_t> steps;
  std::map<std::string, trace::Channel> channels;
};

/// What a golden stores of one arm.
struct GoldenArm {
  GoldenChannels run;
  std::optional<GoldenChannels> twin;  ///< of the float64 twin
  /// Rows of gradients and parameters at the first and the last update: digest, statistics and K = 64 block
  /// sums. Whole tensors would be 200 times the size.
  std::vector<trace::SketchRow> sketches;
  Json config;  ///< numeric config, as the trace has it
  /// Config keys that parity gave a command and that `config` lacks, nested. Null: `config` has them all, or
  /// the golden is older than schema 1.4. Not content, since they are not of the run's own trace.
  Json given = nullptr;
  /// Fingerprint of the environment. Not content: the same bits from another machine are the same golden.
  Json fingerprint;

  /// Returns all that is known of the config: what the trace has, and keys of `given` that it lacks.
  Json known_config() const;
};

using GoldenContent = std::map<std::string, GoldenArm>;  ///< arm name -> what is stored

/// Returns the steps of a run at which a golden keeps tensors: its first and its last update.
std::set<int64_t> kept_steps(const std::vector<int64_t>& steps);

/// Returns the steps at which this golden keeps tensors. A run may record more for its checks.
std::set<int64_t> steps_with_tensors(const GoldenArm& golden);

/// Returns the rows that a golden keeps of a trace: each gradient and parameter at these steps, in the order
/// of their keys. A tensor that the trace keeps without a sketch row is measured here.
/// \throws UserError if such a tensor cannot be read
std::vector<trace::SketchRow> kept_rows(const trace::Trace& trace, const std::set<int64_t>& steps);

/// Sets config and given keys to those of a run.
void keep_config(GoldenArm& arm, const compare::ArmEvidence& evidence);

/// Returns what a golden stores of a run.
GoldenArm content_of(const compare::ArmEvidence& evidence);

/// Returns selected environment keys of a trace: provenance.fingerprint; {} if the trainer gave none.
Json fingerprint_of(const trace::Trace& trace);

/// Returns 32 hexadecimal digits over steps, channels, twins, sketches and config. Every bit of a value
/// counts, and names and types do too. Fingerprints and the execution order do not.
std::string content_digest(const GoldenContent& content);

}  // namespace parity::golden
