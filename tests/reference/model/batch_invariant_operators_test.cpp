// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Which operators batch-invariant mode relies on: read from the dispatcher while a model runs, and compared
// with what the operator cases prove. An operator that is in neither list makes this test fail.
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "reference/config/validate.hpp"
#include "reference/model/batch_invariance.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/reference/tiny_latent.hpp"
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
  size_t depth = 0;
  for (const torch::Tensor& hidden :
       model.further(model.hidden({tokens, places, masks}), {tokens, places, masks}))
    model.further_output(hidden, depth++);
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
  for (const char* name :
       {"batch_invariant.toml", "batch_invariant_attention.toml", "batch_invariant_rope.toml"})
    add_proven(std::filesystem::path(places::source) / "cases" / "operators" / name, proven);
  return proven;
}

// They copy or convert elements one by one, or make memory.
const std::set<std::string> movers = {
    "aten::_to_copy",   "aten::full",          "aten::fill_.Scalar", "aten::_unsafe_view",
    "aten::cat",        "aten::clone",         "aten::copy_",        "aten::empty.memory_format",
    "aten::empty_like", "aten::empty_strided", "aten::index_select"};

/// A model that train.batch_invariant allows, as a change of the tiny one.
struct Allowed {
  const char* name;
  std::function<void(RunConfig&)> change;
  std::set<std::string> of_weights = {};  ///< operators that the batch does not enter
};

class BatchInvariantOperatorsTest : public testing::TestWithParam<Allowed> {};

INSTANTIATE_TEST_SUITE_P(
    , BatchInvariantOperatorsTest,
    testing::Values(
        Allowed{"Plain", [](RunConfig&) {}},
        Allowed{"Latent", [](RunConfig& config) { config.architecture = latent(config.architecture, 0); }},
        Allowed{"LatentQueries",
                [](RunConfig& config) { config.architecture = latent(config.architecture, 5); }},
        Allowed{"QkNorm", [](RunConfig& config) { config.architecture.qk_norm = Switch::on; }},
        Allowed{"Tied", [](RunConfig& config) { config.architecture.tied_embeddings = Switch::on; }},
        Allowed{"Nope", [](RunConfig& config) { config.architecture.nope_every = 2; }},
        Allowed{"FusedQkv", [](RunConfig& config) { config.architecture.fused_qkv = true; }},
        Allowed{"EmbeddingScale",
                [](RunConfig& config) { config.architecture.embedding_scale = EmbeddingScale::sqrt_dim; }},
        Allowed{"LearnedPositions",
                [](RunConfig& config) { config.architecture.positions = PositionEmbedding::learned; }},
        Allowed{"RotateHalf", [](RunConfig& config) { config.architecture.rope = RopeChoice::rotate_half; }},
        Allowed{"MultiToken", [](RunConfig& config) { config.architecture.mtp_depth = 1; }},
        Allowed{"Lora", [](RunConfig& config) { config.lora.rank = 2; }},
        Allowed{"MergedLora",
                [](RunConfig& config) {
                  config.lora.rank = 2;
                  config.lora.form = LoraForm::merged;
                },
                {"aten::mm"}}),
    [](const auto& instance) { return instance.param.name; });

TEST_P(BatchInvariantOperatorsTest, EachOneOfAForwardPassIsProvenByACase) {
  const std::set<std::string> proven = proven_operators();
  ASSERT_TRUE(proven.contains("parity::fixed_order_linear"));
  ASSERT_TRUE(proven.contains("parity::tiled_attention"));  // the dispatcher does not see it
  ASSERT_TRUE(proven.contains("aten::_log_softmax"));       // of log probabilities
  RunConfig config = tiny_config();
  config.train.batch_invariant = true;
  config.attention.backend = AttentionBackend::tiled;
  GetParam().change(config);
  ASSERT_NO_THROW(validate(config));
  Decoder model(dimensions_of(config), torch::kFloat32, {AttentionBackend::tiled, {}});
  initialize(model, 3);
  make_batch_invariant(model.hooks(), 2);
  for (const std::string& name : operators_of_forward(model))
    EXPECT_TRUE(proven.contains(name) || movers.contains(name) || GetParam().of_weights.contains(name))
        << name;
}

TEST(OrdinaryOperatorsTest, AnOrdinaryModelRunsOthers) {
  Decoder model(dimensions_of(tiny_config()), torch::kFloat32, {AttentionBackend::tiled, {}});
  initialize(model, 3);
  EXPECT_THAT(operators_of_forward(model), testing::Contains("aten::linear"));
  EXPECT_FALSE(proven_operators().contains("aten::linear"));
}

}  // namespace
}  // namespace parity::reference
