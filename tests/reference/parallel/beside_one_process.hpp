// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {

/// Compares a parallelism with the same training on one process, in float64.
class BesideOneProcessTest : public RanksTest {
 protected:
  /// Returns the same config on one process, with a micro-batch for each piece of a pipeline.
  static RunConfig without_ranks(RunConfig config) {
    config.data.micro_batches *= config.parallel.pp_microbatches;
    config.parallel = {};
    return config;
  }

  static void expect_near(const StepResult& a, const StepResult& b) {
    const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-12 * x; };
    require(near(a.loss, b.loss) && near(a.grad_norm, b.grad_norm) && near(a.update_norm, b.update_norm),
            fmt::format("step {}: loss {} and {}, grad_norm {} and {}", a.step, a.loss, b.loss, a.grad_norm,
                        b.grad_norm));
    require(a.valid_tokens == b.valid_tokens && a.tokens == b.tokens && a.batch_digest == b.batch_digest,
            fmt::format("step {}: other data", a.step));
    require(!a.mtp_loss == !b.mtp_loss && (!a.mtp_loss || near(*a.mtp_loss, *b.mtp_loss)),
            fmt::format("step {}: another mtp_loss", a.step));
    require(!a.max_attention_logit == !b.max_attention_logit &&
                (!a.max_attention_logit || (near(*a.max_attention_logit, *b.max_attention_logit) &&
                                            a.qk_clipped_heads == b.qk_clipped_heads)),
            fmt::format("step {}: other logits", a.step));
    require(!a.mask == !b.mask && (!a.mask || (a.mask->digest == b.mask->digest &&
                                               a.mask->position_digest == b.mask->position_digest)),
            fmt::format("step {}: another mask", a.step));
  }

  static const Parameter& named(const Parameters& parameters, const std::string& name) {
    for (const Parameter& parameter : parameters)
      if (parameter.name == name)
        return parameter;
    throw InternalError("no parameter " + name);
  }

  /// Trains three updates of the config on all ranks, and in each process also on one rank. Then it compares
  /// every weight and every gradient of a rank with the whole one.
  static void train_beside_one_process(const RunConfig& config, Group& world) {
    Trainer parallel(config, held(world)), whole(without_ranks(config));
    for (int64_t step = 1; step <= 3; ++step)
      expect_near(whole.step(), parallel.step());
    const int64_t stage = world.size() / config.parallel.pp, first = world.rank() / stage * stage;
    std::vector<int64_t> ranks(static_cast<size_t>(stage));
    std::iota(ranks.begin(), ranks.end(), first);
    const auto same_blocks = world.subgroup("same_blocks", ranks);
    for (const Parameter& b : parallel.parameters()) {
      const Parameter& a = named(whole.parameters(), b.name);
      const auto close = [&](const torch::Tensor& x, const torch::Tensor& y) {
        return x.allclose(logical_tensor(y, b.layout, *same_blocks), 1e-9, 1e-12);
      };
      require(a.value.requires_grad() == b.value.requires_grad() &&
                  a.value.grad().defined() == a.value.requires_grad() &&
                  b.value.grad().defined() == b.value.requires_grad(),
              a.name + " has a gradient and is frozen, or has none and is not");
      require(close(a.value, b.value), "another " + a.name);
      require(!a.value.requires_grad() || close(a.value.grad(), b.value.grad()),
              "another gradient of " + a.name);
    }
    require((parallel.parameters().size() < whole.parameters().size()) == (config.parallel.pp > 1),
            "stages of a pipeline share the blocks, other ranks have all");
    world.barrier();  // a rank that ends while another still connects to it would count as lost
  }

  /// \return the complaint of each rank
  std::vector<std::string> beside_one_process(const RunConfig& config) {
    return run_ranks(config.parallel.ranks(), [&](Group& world) { train_beside_one_process(config, world); });
  }
};

}  // namespace parity::reference
