// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/pipeline/stages.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace parity::reference {
std::vector<Section> sections_of(int64_t layers, int64_t stages) {
  std::vector<Section> sections;
  const auto begin = [&](int64_t stage) { return (stage * layers + stages - 1) / stages; };
  for (int64_t stage = 0; stage < stages; ++stage)
    sections.push_back({begin(stage), begin(stage + 1)});
  return sections;
}

bool uses_weight(const Section& section, int64_t layers, std::string_view name) {
  constexpr std::string_view prefix = "layers.";
  if (!name.starts_with(prefix))
    return name.starts_with("tok_embeddings") || name.starts_with("pos_embeddings") ? section.first == 0
                                                                                    : section.end == layers;
  name.remove_prefix(prefix.size());
  const int64_t layer = std::stoll(std::string(name.substr(0, name.find('.'))));
  return section.first <= layer && layer < section.end;
}

Parameters keep_stages(Decoder& model, const Parameters& parameters, const PipelineShape& shape,
                       int64_t rank) {
  const int64_t layers = model.dimensions().n_layers;
  std::vector<Section> own;
  const std::vector<Section> sections = sections_of(layers, shape.stages());
  for (int64_t stage = rank; stage < shape.stages(); stage += shape.ranks)
    own.push_back(sections[static_cast<size_t>(stage)]);
  const auto is_own = [&](const std::string& name) {
    return std::any_of(own.begin(), own.end(),
                       [&](const Section& section) { return uses_weight(section, layers, name); });
  };
  model.visit_weights([&](const std::string& name, torch::Tensor& weight) {
    if (!is_own(name))
      weight.set_data(torch::empty({0}, weight.options().requires_grad(false)));
  });
  Parameters kept;
  std::copy_if(parameters.begin(), parameters.end(), std::back_inserter(kept),
               [&](const Parameter& parameter) { return is_own(parameter.name); });
  return kept;
}

}  // namespace parity::reference
