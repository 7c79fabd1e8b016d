// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/model/module_hooks.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/data_parallel.hpp"
#include "reference/parallel/fsdp_unit.hpp"

namespace parity::reference {

/// Fully sharded data parallelism: each rank keeps a part of every parameter, gathers a unit's before it is
/// used, and gets its part of the ranks' summed gradients. Over two mesh dimensions, dp_replicate x dp_shard,
/// it is HSDP; over (N, 1) it is replicate.
///
/// Units: tok_embeddings, each block, norm and output together; of a tied model tok_embeddings is gathered
/// until the output projection is done, and norm is alone. Under expert parallelism a block's experts are a
/// unit of their own, over the ranks that hold the same ones. For each of them
///
///   before forward       unshard
///   after forward        reshard, unless ReshardAfterForward keeps it
///   before its backward  unshard: a hook on what the unit gives
///   after its backward   reshard, reduce: a node on what the unit takes, or end() where that has no gradient
///
/// Source: NUMERICS.md 6; torchtitan's units, torch's fully_shard.
class Fsdp final : public DataParallel {
 public:
  struct Options {
    FsdpRanks ranks;
    ReshardAfterForward reshard_after_forward = ReshardAfterForward::all_but_last;
    GradientSync sync = GradientSync::last;
    bool tied = false;                           ///< the output projection is the embedding
    std::optional<FsdpRanks> expert_ranks = {};  ///< under expert parallelism
  };

  /// Takes the parameters, which `hooks` fill and empty from now on.
  Fsdp(ModuleHooks& hooks, const Parameters& whole, const Options& options);

  /// This rank's parts, in the order of the model.
  Parameters shards() const;
  /// The tensors that forward has to use from now on, by name: others than before under a policy.
  std::map<std::string, torch::Tensor> weights() const;
  /// A line a unit: FsdpUnit::buffer_text.
  std::vector<std::string> buffers() const;

  void begin(bool last) override;
  void end() override;
  void finish() override;
  void zero_grad() override;
  void drop_gathered() override;
  bool keeps_local_gradients() const override { return false; }

 private:
  void surround(ModuleHooks& hooks, const std::shared_ptr<FsdpUnit>& unit,
                const std::vector<std::string>& parts, bool reshard);

  GradientSync sync_;
  std::map<std::string, size_t> order_;  ///< of the parameters in the model, by name
  std::vector<std::shared_ptr<FsdpUnit>> units_;
  /// Of this micro-batch: whether gradients are reduced behind its backward. Shared with the graph's hooks.
  std::shared_ptr<bool> reduces_ = std::make_shared<bool>(true);
  bool pending_ = false;  ///< some micro-batch's gradients were left whole
};

/// The unit that a parameter is in: "layers.3", "norm+output", "layers.3.moe.experts".
/// \param tied           as in Options
/// \param experts_apart  under expert parallelism
std::string fsdp_unit_of(const std::string& parameter, bool tied, bool experts_apart = false);

}  // namespace parity::reference
