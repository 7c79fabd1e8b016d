// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Which operators batch-invariant mode relies on: read from the dispatcher while a model runs, and compared
// with what the operator cases prove. An operator that is in neither list makes this test fail.
#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "reference/model/batch_invariance.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/places.hpp"

namespace parity::reference {
namespace {

std::set<std::string> seen;

/// Returns whether an operator returns something other than views of its arguments.
bool makes_results(const c10::OperatorName& name) {
  const auto handle = c10::Dispatcher::singleton().findSchema(name);
  return handle && std::ranges::any_of(handle->schema().returns(), [](const c10::Argument& result) {
           return result.alias_info() == nullptr || result.alias_info()->isWrite();
         });
}

std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (name && makes_results(*name))
    seen.insert(name->overload_name.empty() ? name->name : name->name + "." + name->overload_name);
  return nullptr;
}

/// Returns the operators of a forward pass that are not views.
std::set<std::string> operators_of_forward(Decoder& model) {
  const torch::Tensor tokens = torch::arange(12).view({1, 12}), places = torch::arange(12).view({1, 12});
  const torch::NoGradGuard no_grad;
  const auto masks = model.get_attention_masks(tokens, places);
  seen.clear();
  const auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(&note).scopes({at::RecordScope::FUNCTION}));
  model.forward({tokens, places, masks});
  at::removeCallback(handle);
  return seen;
}

/// Adds the operators of the arms that a case proves to be invariant in batch, position and neighbours.
void add_proven(const std::filesystem::path& file, std::set<std::string>& proven) {
  const toml::table table = toml::parse_file(file.string());
  for (const toml::node& check : *table["checks"].as_array()) {
    const toml::table& claim = *check.as_table();
    if (claim["relation"].value_or(std::string()) != "invariant")
      continue;
    std::set<std::string> axes;
    for (const toml::node& axis : *claim["axes"].as_array())
      axes.insert(axis.value_or(std::string()));
    if (axes.contains("batch") && axes.contains("position") && axes.contains("neighbours"))
      for (const toml::node& arm : *claim["arms"].as_array())
        proven.insert(table["arms"][arm.value_or(std::string())]["operator"].value_or(std::string()));
  }
}

std::set<std::string> proven_operators() {
  std::set<std::string> proven;
  for (const char* name : {"batch_invariant.toml", "batch_invariant_rope.toml"})
    add_proven(std::filesystem::path(places::source) / "cases" / "operators" / name, proven);
  return proven;
}

// They copy elements, or make memory.
const std::set<std::string> movers = {
    "aten::_unsafe_view",        "aten::cat",        "aten::clone",         "aten::copy_",
    "aten::empty.memory_format", "aten::empty_like", "aten::empty_strided", "aten::index_select"};

TEST(BatchInvariantOperatorsTest, EachOneOfAForwardPassIsProvenByACase) {
  const std::set<std::string> proven = proven_operators();
  ASSERT_TRUE(proven.contains("parity::fixed_order_linear"));
  for (const bool latent : {false, true}) {
    RunConfig config = tiny_config();
    if (latent)
      config.architecture = {.dim = 16,
                             .n_layers = 2,
                             .n_heads = 4,
                             .vocab_size = 40,
                             .ffn_hidden = 24,
                             .max_seq_len = 32,
                             .kv_lora_rank = 6,
                             .qk_nope_head_dim = 4,
                             .qk_rope_head_dim = 2,
                             .v_head_dim = 3};
    Decoder model(dimensions_of(config), torch::kFloat32, {AttentionBackend::tiled, {}});
    initialize(model, 3);
    make_batch_invariant(model.hooks(), 2);
    for (const std::string& name : operators_of_forward(model))
      EXPECT_TRUE(proven.contains(name) || movers.contains(name)) << name;
  }
}

TEST(BatchInvariantOperatorsTest, AnOrdinaryModelRunsOthers) {
  Decoder model(dimensions_of(tiny_config()), torch::kFloat32, {AttentionBackend::tiled, {}});
  initialize(model, 3);
  EXPECT_THAT(operators_of_forward(model), testing::Contains("aten::linear"));
  EXPECT_FALSE(proven_operators().contains("aten::linear"));
}

}  // namespace
}  // namespace parity::reference
