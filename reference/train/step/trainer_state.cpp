// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/trainer_state.hpp"

#include <algorithm>
#include <iterator>

#include "reference/config/frozen.hpp"
#include "reference/model/batch_invariance.hpp"
#include "reference/model/recipe_linear.hpp"
#include "reference/optim/muon/muon.hpp"
#include "reference/optim/stored_weights.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/parallel/core/matrix_ranks.hpp"
#include "reference/parallel/model/context_parallel.hpp"
#include "reference/train/checks/equal_configs.hpp"
#include "reference/train/checks/weights_digest.hpp"
#include "reference/train/numerics/attention_choice.hpp"
#include "reference/train/numerics/autocast.hpp"
#include "reference/train/numerics/exact_twin.hpp"
#include "reference/weights/state_dict.hpp"

namespace parity::reference {
namespace {

torch::ScalarType scalar_type(Precision precision) {
  return precision == Precision::float64 ? torch::kFloat64 : torch::kFloat32;
}

std::vector<int64_t> places_of(const RunConfig& config, const Group& context) {
  if (context.size() == 1)
    return {};
  return context_positions(config.data.seq_len, context.size(), context.rank());
}

/// Lets the parameters that do not train require no gradient.
void freeze(const Decoder& model, const RunConfig& config) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters())
    names.push_back(parameter.name);
  check_freeze(config, names);
  for (const Parameter& parameter : model.parameters())
    torch::Tensor(parameter.value).requires_grad_(is_trained(config, parameter.name));
}

/// Draws or reads the initial weights on the CPU, so that device and ranks do not change them. Then moves the
/// model to its device and applies the parallelisms.
/// \param digest  receives the digest of the weights
Applied initialized(Decoder& model, const RunConfig& config, const Parallel& parallel, std::string& digest) {
  initialize(model, static_cast<uint64_t>(config.seed));
  if (!config.weights.path.empty())
    load_weights(model, config.model, config.weights.path);
  freeze(model, config);
  if (config.optimizer.qk_clip > 0)
    model.begin_counting_logits();
  digest = weights_digest(model);
  if (!config.weights.path.empty())
    check_equal_weights(digest, *parallel.world);
  model.move_to(parallel.world->device().place);
  if (config.train.batch_invariant)
    make_batch_invariant(model.hooks(), config.parallel.own_sum_pieces());
  follow_collectives(*parallel.world);
  draw_residues(model);
  Applied applied = apply_parallelism(model, config.parallel, parallel);
  keep_levels(applied.parameters);
  return applied;
}

/// Returns what an optimizer of whole tensors needs besides its config. All ranks call it.
MatrixContext matrix_context(const RunConfig& config, const Decoder& model, const Parameters& parameters,
                             const Parallel& parallel) {
  if (config.optimizer.name == OptimizerName::adafactor)
    return {make_matrix_ranks("adafactor", MuonSharding::gathered, parameters, parallel)};
  if (config.optimizer.name != OptimizerName::muon)
    return {};
  Parameters matrices;
  std::ranges::copy_if(parameters, std::back_inserter(matrices), is_muon_matrix);
  const ModelDimensions& d = model.dimensions();
  return {make_matrix_ranks("muon", config.optimizer.muon.sharding, matrices, parallel),
          d.n_heads / d.n_kv_heads, d.head_dim()};
}

/// Returns the index of each element of a rank's shard in the whole parameter, flat; undefined if it is
/// whole.
torch::Tensor places_in(const TensorLayout& layout) {
  if (layout.global_shape.empty())
    return {};
  const std::vector<torch::Tensor> held = held_indices(layout, layout.global_shape);
  torch::Tensor places = torch::zeros({1}, torch::kInt64);
  for (size_t d = 0; d < held.size(); ++d)
    places = (places.unsqueeze(-1) * layout.global_shape[d] + held[d]).flatten();
  return places;
}

/// Returns whether a run rounds to narrow types. A twin computes the same without any rounding.
bool rounds(const RunConfig& config) {
  return config.dtype == Precision::float32;
}

/// Returns how ranks find their largest magnitudes; nothing for one rank.
MaxOverRanks max_over(const GroupPointer& ranks) {
  if (ranks->size() == 1)
    return {};
  return [ranks](const torch::Tensor& amax) { ranks->all_reduce(amax, Reduction::max); };
}

/// Lets the optimizer store weights as the config says.
std::unique_ptr<Optimizer> stored(const RunConfig& config, const Parameters& trained,
                                  std::unique_ptr<Optimizer> optimizer) {
  if (config.optimizer.weights == WeightStorage::float32)
    return optimizer;
  std::vector<torch::Tensor> places(trained.size());
  for (size_t i = 0; i < trained.size() && config.optimizer.weights == WeightStorage::stochastic; ++i)
    places[i] = places_in(trained[i].layout);
  return std::make_unique<StoredWeights>(std::move(optimizer), trained, config.optimizer, std::move(places),
                                         rounds(config));
}

/// Returns the schedule of Muon's own rate; that of lr.base if it has none.
Schedule make_muon_schedule(RunConfig config) {
  if (config.optimizer.muon.lr > 0)
    config.lr.base = config.optimizer.muon.lr;
  return make_schedule(config);
}

}  // namespace

TrainerState::TrainerState(const RunConfig& run_config, std::shared_ptr<Group> world)
    : config(run_config),
      parallel(make_parallel(config.parallel, std::move(world))),
      model(dimensions_of(config), scalar_type(config.dtype), attention_choice(config)),
      loader(config.data, {model.dimensions().vocab_size, model.dimensions().max_seq_len},
             {parallel.batch->rank(), parallel.batch->size()}),
      places(places_of(config, *parallel.context)),
      applied(initialized(model, config, parallel, initial_weights)),
      optimizer(stored(config, applied.trained,
                       make_optimizer(config.optimizer, applied.trained,
                                      matrix_context(config, model, applied.trained, parallel)))),
      schedule(make_schedule(config)),
      muon_schedule(make_muon_schedule(config)),
      update_norm(applied.parameters, *parallel.stage, *parallel.pipeline),
      tally(loader.first_row()),
      warnings(schedule.warnings) {
  if (config.loss.scale == LossScale::dynamic)
    scaler.emplace(config.loss, model.device());
  if (config.linear.recipe != LinearRecipe::none)
    multiply_by_recipe(model, applied.parameters, config.linear, rounds(config), max_over(parallel.tensor));
  if (config.train.float8 != Float8Scales::none && config.dtype != Precision::exact)
    float8.emplace(model, applied.parameters, parallel, config.train.float8, rounds(config));
  for (std::string& warning : document_warnings(config, loader.positions_restart()))
    warnings.push_back(std::move(warning));
  for (std::string& warning : autocast_warnings(config))
    warnings.push_back(std::move(warning));
  for (const std::string& warning : parallel.world->warnings())
    warnings.push_back(warning);
}

}  // namespace parity::reference
