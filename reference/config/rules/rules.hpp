// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/error.hpp"
#include "reference/config/keys.hpp"

namespace parity::reference {

/// Throws "cannot use KEY = VALUE (why); remedy" unless a rule holds. Rules do not hold for NaN.
class Rules {
 public:
  explicit Rules(const RunConfig& config) : config_(config) {}

  void rule(bool holds, const std::string& key, const std::string& why, const std::string& remedy) const {
    if (!holds)
      throw UserError("cannot use " + key + " = " + find_key(key).get(config_).dump() + " (" + why + "); " +
                      remedy);
  }
  void at_least(int64_t value, int64_t least, const std::string& key) const {
    rule(value >= least, key, "it counts from " + std::to_string(least),
         "give " + std::to_string(least) + " or more");
  }
  void within(double value, double low, double high, const std::string& key) const {
    rule(value >= low && value <= high, key, "it is out of range",
         "give a number from " + Json(low).dump() + " to " + Json(high).dump());
  }
  /// Holds if `has_use`, or if the key has its default. \param who  names what does not use the key
  void used_or_default(bool has_use, const std::string& key, const std::string& who,
                       const std::string& remedy) const {
    static const RunConfig defaults;
    const Json own = find_key(key).get(defaults);
    rule(has_use || find_key(key).get(config_) == own, key, who + " does not use it",
         remedy + ", or leave it " + own.dump());
  }

 private:
  const RunConfig& config_;
};

/// Rules of the sources of data and of the sizes of its batches.
void check_data(const RunConfig& config, const Rules& rules);

/// Rules of architecture.* and moe.*.
void check_model(const RunConfig& config, const Rules& rules);

/// Rules of optimizer.* and clip.*, and of what they require of other keys.
void check_optimizer(const RunConfig& config, const Rules& rules);
/// Rules of parts that some families of models have, of lora.* and of train.freeze.
void check_variants(const RunConfig& config, const Rules& rules);

/// Rules of gated delta nets: architecture.full_attention_every and architecture.delta_*.
void check_delta_net(const RunConfig& config, const Rules& rules);

/// Rules of optimizer.qk_clip and of the attention whose logits it bounds.
void check_qk_clip(const RunConfig& config, const Rules& rules);

/// Rules of linear.*, of loss.scale and what it scales, and of optimizer.weights.
void check_precision(const RunConfig& config, const Rules& rules);

/// Rules of lr.* and of the weight decay that a schedule moves.
void check_schedule(const RunConfig& config, const Rules& rules);

/// Rules of the groups of rollouts whose rewards are compared, and of several rollouts in a row.
void check_groups(const RunConfig& config, const Rules& rules);
void check_packing(const RunConfig& config, const Rules& rules);

/// Rules of rl.* and of what a policy's rollouts require of other keys.
void check_rollouts(const RunConfig& config, const Rules& rules);

/// Rules of moe.*.
void check_moe(const RunConfig& config, const Rules& rules);

/// Rules of train.batch_invariant and of the attention that it needs.
void check_invariance(const RunConfig& config, const Rules& rules);

/// Rules of parallel.*, for a valid architecture, and of keys that depend on the layout.
void check_parallel(const RunConfig& config, const Rules& rules);

}  // namespace parity::reference
