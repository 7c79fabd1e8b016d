// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/check_configs.hpp"

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/config/model_names.hpp"
#include "reference/config/read.hpp"
#include "reference/config/validate.hpp"

namespace parity::reference {
namespace {

std::string_view on_or_off(bool is_on) {
  return name_of(is_on ? Switch::on : Switch::off);
}

Json model_json(const ModelDimensions& d) {
  return {{"architecture.dim", d.dim},
          {"architecture.n_layers", d.n_layers},
          {"architecture.n_heads", d.n_heads},
          {"architecture.n_kv_heads", d.n_kv_heads},
          {"architecture.vocab_size", d.vocab_size},
          {"architecture.nope_every", d.nope_every},
          {"architecture.kv_lora_rank", d.latent.kv_rank},
          {"architecture.qk_norm", on_or_off(d.qk_norm)},
          {"architecture.tied_embeddings", on_or_off(d.tied)},
          {"moe.experts", d.moe.experts},
          {"moe.load_balance", on_or_off(d.moe.load_balance > 0)}};
}

Json check_config(const Json& json) {
  RunConfig config;
  try {
    read_json(config, json, "the config");
    validate(config);
  } catch (const UserError& error) {
    return {{"problem", error.what()}};
  }
  return {{"problem", ""}, {"ranks", config.ranks()}, {"model", model_json(dimensions_of(config))}};
}

}  // namespace

Json check_configs(const Json& configs) {
  if (!configs.is_array())
    throw UserError("cannot check configs (the file is no JSON list); write a list of objects");
  Json answers = Json::array();
  for (const Json& each : configs)
    answers.push_back(check_config(each));
  return answers;
}

Json check_file(const std::filesystem::path& file) {
  return check_configs(parity::read_json(read_file(file)));
}

}  // namespace parity::reference
