// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Defects that change the function of a training, most of them by less than rounding does.
#include <cmath>
#include <functional>

#include "tests/reference/exact/random_pairs.hpp"

namespace parity::reference {
namespace {

/// Plants a fault into the other side. \return whether the fault applies to this config
struct Fault {
  const char* name;
  std::function<bool(RandomPair& pair, Draws& draws)> plant;
};

/// Changes the 6th to 14th digit of a number. \param last  the last digit to change
bool nudge(double& number, Draws& draws, int64_t last = 14) {
  const double before = number;
  number *= 1 + draws.pick({1, -1}) * std::pow(10, static_cast<double>(-6 - draws.below(last - 5)));
  return number != before;
}

bool is_adam(const RunConfig& config) {
  return config.optimizer.name == OptimizerName::adamw;
}

const std::vector<Fault>& number_faults() {
  static const std::vector<Fault> faults = {
      {"lr", [](RandomPair& pair, Draws& draws) { return nudge(pair.other.lr.base, draws); }},
      {"weight decay",  // the trainer computes 1 - lr weight_decay, which rounds later digits away
       [](RandomPair& pair, Draws& draws) { return nudge(pair.other.optimizer.weight_decay, draws, 9); }},
      {"norm eps",
       [](RandomPair& pair, Draws& draws) { return nudge(pair.other.architecture.norm_eps, draws); }},
      {"eps", [](RandomPair& pair,
                 Draws& draws) { return is_adam(pair.one) && nudge(pair.other.optimizer.eps, draws); }},
      {"beta1", [](RandomPair& pair,
                   Draws& draws) { return is_adam(pair.one) && nudge(pair.other.optimizer.beta1, draws); }},
      {"beta2", [](RandomPair& pair,
                   Draws& draws) { return is_adam(pair.one) && nudge(pair.other.optimizer.beta2, draws); }},
      {"momentum",
       [](RandomPair& pair, Draws& draws) {
         return pair.one.optimizer.momentum > 0 && nudge(pair.other.optimizer.momentum, draws);
       }},
      {"max_norm",
       [](RandomPair& pair, Draws& draws) {
         return pair.one.clip.max_norm < 1 && nudge(pair.other.clip.max_norm, draws);
       }},
      {"route_scale",
       [](RandomPair& pair, Draws& draws) {
         return pair.one.moe.route_scale > 0 && nudge(pair.other.moe.route_scale, draws);
       }},
      {"rope theta",  // its table is rounded to float32
       [](RandomPair& pair, Draws&) {
         pair.other.architecture.rope_theta *= 1.001;
         return pair.one.architecture.nope_every != 1;
       }},
  };
  return faults;
}

const std::vector<Fault>& step_faults() {
  static const std::vector<Fault> faults = {
      {"warmup one step longer", [](RandomPair& pair, Draws&) { return ++pair.other.lr.warmup_steps > 0; }},
      {"clipping forgotten",
       [](RandomPair& pair, Draws&) {
         pair.other.clip.max_norm = 0;
         return pair.one.clip.max_norm < 1;
       }},
      {"a mean of means",
       [](RandomPair& pair, Draws&) {
         pair.other.loss.normalization = Normalization::microbatch_mean;
         pair.other.loss.accumulation = Accumulation::prefetched;
         return pair.other.data.micro_batches == 4 && pair.one.data.ignore_fraction > 0;
       }},
      {"gradients averaged over ranks",
       [](RandomPair& pair, Draws&) {
         pair.other.parallel.gradient_reduction = GradientReduction::average;
         return pair.other.parallel.batch_ranks() > 1 &&
                pair.other.loss.normalization != Normalization::microbatch_mean;
       }},
      {"gradients dropped between halves",
       [](RandomPair& pair, Draws&) {
         pair.other.train.update = UpdateCall::halves_zeroing;
         return pair.other.data.micro_batches > 1;
       }},
      {"one weight",
       [](RandomPair& pair, Draws&) {
         pair.touch = Touch::residue;
         return true;
       }},
      {"one weight by one ULP",
       [](RandomPair& pair, Draws&) {
         pair.touch = Touch::neighbour;
         return true;
       }},
  };
  return faults;
}

const std::vector<Fault>& data_faults() {
  static const std::vector<Fault> faults = {
      {"one token",
       [](RandomPair& pair, Draws& draws) {
         pair.other.data.probe_row = draws.below(4);
         pair.other.data.probe_position = draws.below(pair.one.data.seq_len);
         return pair.one.data.packing == Packing::none;
       }},
      {"more labels ignored",
       [](RandomPair& pair, Draws&) {
         pair.other.data.ignore_fraction = 0.5;
         return true;
       }},
      {"the first key is forgotten",
       [](RandomPair& pair, Draws&) {
         pair.other.attention.sliding_window = pair.one.data.seq_len - 1;
         return pair.one.attention.sliding_window == 0 && pair.one.attention.fixed_block == 0 &&
                pair.one.attention.documents.empty();
       }},
      {"a window one wider",
       [](RandomPair& pair, Draws&) { return ++pair.other.attention.sliding_window > 1; }},
      {"a block one wider", [](RandomPair& pair, Draws&) { return ++pair.other.attention.fixed_block > 1; }},
      {"documents see each other",
       [](RandomPair& pair, Draws&) {
         pair.other.attention.documents.clear();
         return !pair.one.attention.documents.empty();
       }},
      {"one expert fewer",
       [](RandomPair& pair, Draws&) { return --pair.other.moe.top_k > 0 && pair.one.moe.experts > 0; }},
      {"scores not divided by their sum",
       [](RandomPair& pair, Draws&) {
         pair.other.moe.route_norm = Switch::off;
         return pair.one.moe.route_norm == Switch::on;
       }},
      {"another score",
       [](RandomPair& pair, Draws&) {
         pair.other.moe.score = RouterScoreChoice::sigmoid;
         return pair.one.moe.score == RouterScoreChoice::softmax;
       }},
      {"one block more without positions",
       [](RandomPair& pair, Draws&) {
         pair.other.architecture.nope_every = 1;
         return pair.one.architecture.nope_every != 1;
       }},
  };
  return faults;
}

}  // namespace

RandomPair draw_faulty_pair(Draws& draws) {
  while (true) {
    RandomPair pair = draw_equal_pair(draws);
    const auto& faults = *draws.pick({&number_faults(), &step_faults(), &data_faults()});
    const Fault& fault = faults[static_cast<size_t>(draws.below(static_cast<int64_t>(faults.size())))];
    if (!fault.plant(pair, draws))
      continue;
    pair.fault = fault.name;
    if (is_valid(pair.other))
      return pair;
  }
}

}  // namespace parity::reference
