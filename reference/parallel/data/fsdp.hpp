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
#include "reference/parallel/data/data_parallel.hpp"
#include "reference/parallel/data/fsdp_unit.hpp"

namespace parity::reference {

/// Fully sharded data parallelism. Each rank keeps a shard of every parameter and gathers the parameters of a
/// unit before it uses them. It receives its shard of the summed gradients. Over two mesh dimensions,
/// dp_replicate x dp_shard, it is HSDP; over (N, 1) it is replicate.
///
/// The units are tok_embeddings, each block, and norm with output. In a tied model tok_embeddings stays
/// gathered until the output projection is done, and norm is a unit alone. Under expert parallelism the
/// experts of a block are a unit of their own, over the ranks that hold the same experts. For each unit
///
///   before forward       unshard
///   after forward        reshard, unless ReshardAfterForward keeps it
///   before its backward  unshard, by a hook on the unit's output
///   after its backward   reshard, reduce, by a node on the unit's input; by end() if that has no gradient
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

  /// Takes the parameters. From now on `hooks` gather and free them.
  Fsdp(ModuleHooks& hooks, const Parameters& whole, const Options& options);

  /// Returns this rank's shards, in the order of the model.
  Parameters shards() const;
  /// Returns the tensors that forward must use from now on, by name. A mixed-precision policy replaces them.
  std::map<std::string, torch::Tensor> weights() const;
  /// Returns one line for each unit: FsdpUnit::buffer_text.
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
  /// Whether the gradients of this micro-batch are reduced after its backward. Shared with the graph's hooks.
  std::shared_ptr<bool> reduces_ = std::make_shared<bool>(true);
  bool pending_ = false;  ///< the gradients of some micro-batch are not reduced yet
};

/// Returns the unit that a parameter belongs to: "layers.3", "norm+output", "layers.3.moe.experts".
/// \param tied           as in Options
/// \param experts_apart  under expert parallelism
std::string fsdp_unit_of(const std::string& parameter, bool tied, bool experts_apart = false);

}  // namespace parity::reference
