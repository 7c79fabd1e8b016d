// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/step/route_replay.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/tensor/shape.hpp"
#include "harness/trace/format/routes.hpp"

namespace parity::reference {
namespace {

std::set<std::string> layers_with_experts(const ModelDimensions& model) {
  std::set<std::string> names;
  for (int64_t i = 0; i < model.n_layers; ++i)
    if (model.moe.is_in(i))
      names.insert(trace::routes_name("layers." + std::to_string(i) + ".moe"));
  return names;
}

std::set<std::string> recorded_layers(const trace::Trace& trace, int64_t step) {
  std::set<std::string> names;
  for (const trace::TensorKey& key : trace.tensors())
    if (key.step == step && trace::is_routes(key))
      names.insert(key.name);
  return names;
}

}  // namespace

RouteReplay::RouteReplay(const std::filesystem::path& trace, const ModelDimensions& model, TokenPlaces places)
    : trace_(trace::Trace::open(trace)), model_(model), places_(std::move(places)) {}

void RouteReplay::refuse(const std::string& cause) const {
  throw UserError(
      fmt::format("cannot replay the routes of {} ({}); record input layers.*.moe.routes of a run "
                  "with the same model and data",
                  trace_.path().string(), cause));
}

void RouteReplay::begin(int64_t step, int64_t first_row) {
  is_on_ = true;
  first_row_ = first_row;
  if (step == step_)
    return;
  step_ = step;
  const std::set<std::string> own = layers_with_experts(model_), there = recorded_layers(trace_, step);
  if (there.empty())
    refuse(fmt::format("it has none of step {}", step));
  for (const auto& [some, others, who] :
       {std::tuple(&own, &there, "this model"), std::tuple(&there, &own, "the trace")})
    for (const std::string& name : *some)
      if (!others->contains(name))
        refuse(fmt::format("of both at step {}, only {} has {}", step, who, name));
}

TensorView RouteReplay::recorded(const std::string& part) const {
  const TensorView routes = trace_.tensor({step_, trace::Phase::input, trace::routes_name(part)});
  const Shape expected = {places_.global_batch, places_.seq_len, model_.moe.experts};
  if (routes.dtype != DType::bool8)
    refuse(fmt::format("{} is {}, not bool", trace::routes_name(part), name_of(routes.dtype)));
  if (routes.shape != expected)
    refuse(fmt::format("{} has the shape {}; this run has {} (sequences, tokens, experts)",
                       trace::routes_name(part), to_string(routes.shape), to_string(expected)));
  return routes;
}

torch::Tensor RouteReplay::experts(const std::string& part, int64_t first_row, int64_t sequences) const {
  if (!is_on_)
    return {};
  const torch::NoGradGuard no_grad;
  const TensorView view = recorded(part);
  // from_blob takes no const memory; nothing writes to it
  torch::Tensor chosen = torch::from_blob(const_cast<void*>(view.data), view.shape, torch::kBool)  // NOLINT
                             .narrow(0, places_.first_row + first_row_ + first_row, sequences);
  if (!places_.positions.empty())
    chosen = chosen.index_select(1, torch::tensor(places_.positions, torch::kInt64));
  chosen = chosen.flatten(0, 1);
  const int64_t top_k = model_.moe.top_k;
  const torch::Tensor counts_T = chosen.sum(-1);
  if (!counts_T.eq(top_k).all().item<bool>())
    refuse(fmt::format("{} has a token with {} experts at step {}; this run has moe.top_k = {}",
                       trace::routes_name(part), counts_T.index({counts_T.ne(top_k)})[0].item<int64_t>(),
                       step_, top_k));
  return chosen.nonzero().select(1, 1).view({-1, top_k});
}

void RouteReplay::check_tokens(int64_t step, int64_t digest) const {
  const auto found = trace_.channels().find("batch_digest");
  const auto at = std::ranges::lower_bound(trace_.steps(), step);
  if (found == trace_.channels().end() || at == trace_.steps().end() || *at != step)
    refuse(fmt::format("it has no batch_digest of step {}, so its tokens may be others", step));
  const auto i = static_cast<size_t>(at - trace_.steps().begin());
  const auto* const digests = std::get_if<std::vector<int64_t>>(&found->second.values);
  if (digests == nullptr || digests->at(i) != digest)
    refuse(fmt::format("update {} of this run has other tokens: another batch_digest", step));
}

}  // namespace parity::reference
