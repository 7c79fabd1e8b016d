// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/data/fsdp.hpp"

#include <algorithm>

#include "reference/parallel/core/parts.hpp"

namespace parity::reference {
namespace {

/// Parts of the model that run one after the other, and share a unit.
using Parts = std::vector<std::string>;

/// Returns "layers.3" for "layers.3.attention.wq.weight", and "norm" for "norm.weight".
std::string part_of_name(const std::string& name) {
  const bool is_layer = name.starts_with("layers.");
  return name.substr(0, name.find('.', is_layer ? std::string("layers.").size() : 0));
}

/// \param tied  the output projection is the embedding, which therefore stays gathered from the first part to
/// the last
Parts unit_of(const std::string& part, bool tied) {
  if (tied && part == "tok_embeddings")
    return {"tok_embeddings", "output"};
  if (!tied && (part == "norm" || part == "output"))
    return {"norm", "output"};
  return {part};
}

std::string joined(const Parts& parts) {
  std::string name = parts.front();
  for (size_t p = 1; p < parts.size(); ++p)
    name += "+" + parts[p];
  return name;
}

Parts unit_parts(const std::string& parameter, bool tied, bool experts_apart) {
  const std::string part = part_of_name(parameter);
  if (experts_apart && is_expert(parameter))
    return {part + ".moe.experts"};
  return unit_of(part, tied);
}

/// The parts and the parameters of a unit, which are consecutive in the model. Only experts are not: their
/// unit follows the rest of their block.
struct Members {
  Parts parts;
  Parameters parameters;
};

std::vector<Members> members_of_units(const Parameters& whole, const Fsdp::Options& options) {
  std::vector<Members> units;
  for (const Parameter& parameter : whole) {
    const Parts parts = unit_parts(parameter.name, options.tied, options.expert_ranks.has_value());
    const auto found =
        std::find_if(units.begin(), units.end(), [&](const Members& unit) { return unit.parts == parts; });
    (found == units.end() ? units.emplace_back(Members{parts, {}}) : *found).parameters.push_back(parameter);
  }
  return units;
}

}  // namespace

std::string fsdp_unit_of(const std::string& parameter, bool tied, bool experts_apart) {
  return joined(unit_parts(parameter, tied, experts_apart));
}

Fsdp::Fsdp(ModuleHooks& hooks, const Parameters& whole, const Options& options) : sync_(options.sync) {
  for (const Parameter& parameter : whole)
    order_.emplace(parameter.name, order_.size());
  const std::vector<Members> units = members_of_units(whole, options);
  for (const Members& unit : units) {
    const bool has_experts = options.expert_ranks && is_expert(unit.parameters.front().name);
    units_.push_back(std::make_shared<FsdpUnit>(joined(unit.parts), unit.parameters,
                                                has_experts ? *options.expert_ranks : options.ranks));
    const bool keeps =
        options.reshard_after_forward == ReshardAfterForward::never ||
        (options.reshard_after_forward == ReshardAfterForward::all_but_last && &unit == &units.back());
    surround(hooks, units_.back(), unit.parts, !keeps);
  }
}

void Fsdp::surround(ModuleHooks& hooks, const std::shared_ptr<FsdpUnit>& unit, const Parts& parts,
                    bool reshard) {
  for (const std::string& part : parts) {
    const bool is_first = part == parts.front(), is_last = part == parts.back();
    hooks.before(part, [unit, is_first, reduces = reduces_](const torch::Tensor& x) {
      unit->unshard();
      if (!is_first || !x.requires_grad())
        return x;
      torch::Tensor taken = x.view_as(x);
      taken.register_hook(
          [unit, reduces](const torch::Tensor& /*gradient*/) { unit->after_backward(*reduces); });
      return taken;
    });
    hooks.after(part, [unit, is_last, reshard](const torch::Tensor& x) {
      if (x.requires_grad())
        x.register_hook([unit](const torch::Tensor& /*gradient*/) { unit->unshard(); });
      if (is_last && reshard)
        unit->reshard();
      return x;
    });
  }
}

Parameters Fsdp::shards() const {
  Parameters all;
  for (const auto& unit : units_)
    all.insert(all.end(), unit->shards().begin(), unit->shards().end());
  std::sort(all.begin(), all.end(),
            [this](const Parameter& a, const Parameter& b) { return order_.at(a.name) < order_.at(b.name); });
  return all;
}

std::map<std::string, torch::Tensor> Fsdp::weights() const {
  std::map<std::string, torch::Tensor> all;
  for (const auto& unit : units_) {
    const std::vector<torch::Tensor> weights = unit->weights();
    for (size_t i = 0; i < weights.size(); ++i)
      all[unit->shards()[i].name] = weights[i];
  }
  return all;
}

std::vector<std::string> Fsdp::buffers() const {
  std::vector<std::string> lines;
  for (const auto& unit : units_)
    lines.push_back(unit->buffer_text());
  return lines;
}

void Fsdp::begin(bool last) {
  *reduces_ = last || sync_ == GradientSync::each;
  pending_ = !*reduces_;
  for (const auto& unit : units_)
    unit->begin();
}

void Fsdp::end() {
  for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit)
    if (!(*unit)->passed())
      (*unit)->after_backward(*reduces_);
}

void Fsdp::finish() {
  if (pending_)
    for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit)
      (*unit)->reduce();
  pending_ = false;
}

void Fsdp::drop_gathered() {
  for (const auto& unit : units_)
    unit->reshard();
}

void Fsdp::zero_grad() {
  for (const auto& unit : units_)
    unit->zero_grad();
}

}  // namespace parity::reference
