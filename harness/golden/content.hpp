// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/compare/judge.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// Numeric channels of one run.
struct GoldenChannels {
  std::vector<int64_t> steps;
  std::map<std::string, Channel> channels;
};

/// What a golden keeps of one arm.
struct GoldenArm {
  GoldenChannels run;
  std::optional<GoldenChannels> twin;  ///< of the float64 twin
  /// Gradients and parameters at the first and the last update: digest, statistics and K = 64 block sums.
  /// Whole tensors would be 200 times the size.
  std::vector<SketchRow> sketches;
  Json config;       ///< numeric config
  Json fingerprint;  ///< of the environment; not content: the same bits from another machine are the same
                     ///< golden
};

using GoldenContent = std::map<std::string, GoldenArm>;  ///< arm name -> what is kept

/// Returns the steps of a run at which a golden keeps tensors: its first and its last update.
std::set<int64_t> kept_steps(const std::vector<int64_t>& steps);

/// Returns the rows that a golden keeps of a trace: of each gradient and parameter at these steps, in the
/// order of their keys. A tensor that the trace keeps without a row of sketches is measured here.
/// \throws UserError if such a tensor cannot be read
std::vector<SketchRow> kept_rows(const Trace& trace, const std::set<int64_t>& steps);

/// What would be kept of a run.
GoldenArm content_of(const ArmEvidence& evidence);

/// Selected environment keys of a trace: provenance.fingerprint; {} if the trainer gave none.
Json fingerprint_of(const Trace& trace);

/// 32 hexadecimal digits over steps, channels, twins, sketches and config: every bit of a value counts, names
/// and types too; fingerprints and the execution order do not.
std::string content_digest(const GoldenContent& content);

}  // namespace parity
