// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/record_function.h>

#include "reference/optim/optimizer.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

/// Names of the operators that were seen with a float32 (or complex64, or bfloat16) tensor. RecordFunction
/// swallows exceptions, so it only records.
std::set<std::string> narrow_operators;

/// Names of all operators that were seen.
std::set<std::string> all_operators;

void note(const at::RecordFunction& function, c10::ArrayRef<const c10::IValue> values) {
  all_operators.insert(function.name());
  const auto look = [&](const at::Tensor& x) {
    if (x.defined() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kComplexFloat ||
                        x.scalar_type() == at::kBFloat16))
      narrow_operators.insert(function.name());
  };
  for (const c10::IValue& value : values) {
    if (value.isTensor())
      look(value.toTensor());
    else if (value.isTensorList())
      for (const at::Tensor& x : value.toTensorVector())
        look(x);
  }
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function) {
  note(function, function.inputs());
  return nullptr;
}

void on_end(const at::RecordFunction& function, at::ObserverContext*) {
  const std::vector<c10::IValue> outputs = function.outputs();
  note(function, c10::ArrayRef<const c10::IValue>(outputs.data(), outputs.size()));
}

/// Operators that touch float32 in an update of a trainer of this precision.
std::set<std::string> narrow_operators_of_an_update(RunConfig config) {
  config.data.ignore_fraction = 0.2;
  Trainer trainer(config);
  trainer.step();
  narrow_operators.clear();
  all_operators.clear();
  const auto handle =
      at::addGlobalCallback(at::RecordFunctionCallback(on_start, on_end)
                                .needsInputs(true)
                                .needsOutputs(true)
                                .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  trainer.step();
  at::removeCallback(handle);
  return narrow_operators;
}

TEST(TwinTest, NoOperatorOfAFloat64UpdateTouchesFloat32) {
  EXPECT_THAT(narrow_operators_of_an_update(tiny_config(Precision::float64)), testing::IsEmpty());
}

TEST(TwinTest, NoOperatorOfAFloat64SgdUpdateTouchesFloat32) {
  RunConfig config = tiny_config(Precision::float64);
  config.optimizer.name = OptimizerName::sgd;
  config.optimizer.momentum = 0.9;
  EXPECT_THAT(narrow_operators_of_an_update(config), testing::IsEmpty());
}

TEST(TwinTest, Float64Muon_TouchesNoNarrowType) {
  RunConfig config = tiny_config(Precision::float64);
  config.optimizer.name = OptimizerName::muon;
  EXPECT_THAT(narrow_operators_of_an_update(config), testing::IsEmpty());
  config.dtype = Precision::float32;
  EXPECT_TRUE(narrow_operators_of_an_update(config).contains("aten::lerp_"));
}

TEST(TwinTest, Float64Recipe_RunsItsStructureInFloat64) {
  for (const LinearRecipe recipe : {LinearRecipe::float8_tensor, LinearRecipe::mxfp8, LinearRecipe::nvfp4}) {
    RunConfig config = tiny_config(Precision::float64);
    config.linear.recipe = recipe;
    config.optimizer.weights = WeightStorage::kahan;
    EXPECT_THAT(narrow_operators_of_an_update(config), testing::IsEmpty()) << name_of(recipe);
    EXPECT_TRUE(all_operators.contains("aten::frexp")) << name_of(recipe);
  }
  EXPECT_THAT(narrow_operators_of_an_update(tiny_config(Precision::float64)), testing::IsEmpty());
  EXPECT_FALSE(all_operators.contains("aten::frexp"));
}

TEST(TwinTest, Float64ChunkedOrScaled_TouchesNoFloat32) {
  RunConfig config = tiny_config(Precision::float64);
  config.loss.normalization = Normalization::gradient_scaling;
  EXPECT_THAT(narrow_operators_of_an_update(config), testing::IsEmpty());
  config.loss.chunks = 4;
  EXPECT_THAT(narrow_operators_of_an_update(config), testing::IsEmpty());
}

TEST(TwinTest, Float64AttentionBackends_TouchNoFloat32) {
  for (const AttentionBackend backend :
       {AttentionBackend::flex, AttentionBackend::varlen, AttentionBackend::dense}) {
    RunConfig config = tiny_config(Precision::float64);
    config.data.packing = Packing::concat_then_split;
    config.data.positions = PositionsChoice::document;
    config.data.document_tokens = 4;
    config.attention = {backend, {DocumentBoundary::position_zero}};
    EXPECT_THAT(narrow_operators_of_an_update(config), testing::IsEmpty()) << name_of(backend);
  }
}

TEST(TwinTest, TheCheckSeesFloat32ThroughoutAFloat32Update) {
  const std::set<std::string> seen = narrow_operators_of_an_update(tiny_config());
  for (const char* name :
       {"aten::linear", "aten::scaled_dot_product_attention", "aten::cross_entropy_loss",
        "aten::_fused_adamw_", "aten::view_as_complex", "aten::_log_softmax_backward_data"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(TwinTest, StaysCloseToFloat32AndIsNotTheSame) {
  Trainer narrow(tiny_config()), wide(tiny_config(Precision::float64));
  for (int step = 0; step < 3; ++step) {
    const StepResult a = narrow.step(), b = wide.step();
    EXPECT_NEAR(a.loss, b.loss, 1e-5 * b.loss);  // float32 rounding, 6e-8, grown by some hundred operations
    EXPECT_NE(a.loss, b.loss);
    EXPECT_EQ(a.lr, b.lr);
    EXPECT_EQ(a.batch_digest, b.batch_digest);
  }
}

TEST(TwinTest, RecipeAndStoredWeights_RoundNothing) {
  for (const WeightStorage storage :
       {WeightStorage::bfloat16, WeightStorage::stochastic, WeightStorage::kahan, WeightStorage::master}) {
    RunConfig config = tiny_config(Precision::float64);
    Trainer plain(config);
    config.linear.recipe = LinearRecipe::nvfp4;
    config.optimizer.weights = storage;
    Trainer rounding(config);
    for (int step = 0; step < 3; ++step) {
      const StepResult a = plain.step(), b = rounding.step();
      EXPECT_NEAR(a.loss, b.loss, 1e-12 * a.loss) << name_of(storage);
      EXPECT_NEAR(a.grad_norm, b.grad_norm, 1e-11 * a.grad_norm) << name_of(storage);
    }
    EXPECT_EQ(rounding.optimizer().state().size() == plain.optimizer().state().size(),
              storage == WeightStorage::bfloat16)
        << "its state is kept";
  }
}

}  // namespace
}  // namespace parity::reference
