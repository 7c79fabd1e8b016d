// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/tensor_path.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "harness/bisect/traces/first_step.hpp"
#include "harness/bisect/traces/tensor_place.hpp"
#include "tests/harness/bisect/traces/model_step.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::bisect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TensorPathTest : public ModelStepTest {};

std::vector<std::string> station_names(const TensorPath& path) {
  std::vector<std::string> names;
  for (const TensorStation& station : path.stations)
    names.push_back(std::string(name_of(station.key.phase)) + " " + station.key.name);
  return names;
}

TEST_F(TensorPathTest, Tensors_InComputationOrderWithoutOperators) {
  const TensorPath path = compare_path(healthy(), trace("b.h5", step_of_model()), 2);
  EXPECT_THAT(station_names(path),
              ElementsAre("input tokens", "forward layers.0", "forward layers.1", "backward layers.1",
                          "backward layers.0", "grad layers.1.weight"));
  EXPECT_EQ(path.first_difference(), nullptr);
  EXPECT_EQ(path.differing(), 0U);
}

/// parity-train records inputs in alphabetical order.
TEST_F(TensorPathTest, Inputs_InCausalOrder) {
  std::vector<Offer> inputs;
  for (const char* name : {"attention_mask", "document_ids", "first_keys.nope", "labels", "positions",
                           "read/first_keys.nope", "tokens", "weights"})
    inputs.push_back({trace::Phase::input, name, {1, 2}});
  inputs.push_back({trace::Phase::forward, "tok_embeddings", {1, 2}});
  std::vector<Offer> off = inputs;
  change(off, trace::Phase::input, "tokens", 2);
  change(off, trace::Phase::input, "document_ids", 2);
  const TensorPath path = compare_path(trace("a.h5", inputs), trace("b.h5", off), 2);
  EXPECT_THAT(station_names(path),
              ElementsAre("input tokens", "input labels", "input positions", "input document_ids",
                          "input first_keys.nope", "input read/first_keys.nope", "input attention_mask",
                          "input weights", "forward tok_embeddings"));
  EXPECT_EQ(path.first_difference()->key.name, "tokens");
}

std::vector<Offer> cut_inputs() {
  std::vector<Offer> inputs;
  for (const char* name : {"labels", "read/labels", "read/tokens", "tokens"})
    inputs.push_back({trace::Phase::input, name, {1, 2}});
  return inputs;
}

TEST_F(TensorPathTest, WrongCut_DiffersFromItsOwnUpdate) {
  std::vector<Offer> off = cut_inputs();
  change(off, trace::Phase::input, "read/labels", 2);
  const TensorPath path = compare_path(trace("a.h5", cut_inputs()), trace("b.h5", off), 2);
  EXPECT_THAT(station_names(path),
              ElementsAre("input tokens", "input read/tokens", "input labels", "input read/labels"));
  const TensorStation* first = path.first_difference(1);
  ASSERT_NE(first, nullptr) << "a wrong cut counts at any size";
  EXPECT_EQ(first->key.name, "read/labels");
  ASSERT_TRUE(first->changed);
  EXPECT_EQ(first->changed->text("good", "bad"),
            "the model of bad reads other labels than the update has, once rows and sequences are cut");
  EXPECT_EQ(path.before(*first)->key.name, "labels");
}

TEST_F(TensorPathTest, WrongCutOfAMask_IsSaidAsAMask) {
  std::vector<Offer> inputs;
  for (const char* name : {"first_keys", "read/first_keys"})
    inputs.push_back({trace::Phase::input, name, {1, 2}});
  std::vector<Offer> off = inputs;
  change(off, trace::Phase::input, "read/first_keys", 2);
  const TensorPath path = compare_path(trace("a.h5", inputs), trace("b.h5", off), 2);
  ASSERT_TRUE(path.first_difference(1)->changed);
  EXPECT_EQ(path.first_difference(1)->changed->text("good", "bad"),
            "the model of bad attends under another mask than the update's rows have, once these are cut");
}

TEST_F(TensorPathTest, WrongCutAfterOtherTokens_IsNotFirst) {
  std::vector<Offer> off = cut_inputs();
  for (const char* name : {"tokens", "read/tokens", "read/labels"})
    change(off, trace::Phase::input, name, 2);
  const TensorPath path = compare_path(trace("a.h5", cut_inputs()), trace("b.h5", off), 2);
  EXPECT_EQ(path.first_difference()->key.name, "tokens");
}

TEST_F(TensorPathTest, WrongCutOfBothSides_IsNoDifference) {
  std::vector<Offer> off = cut_inputs();
  change(off, trace::Phase::input, "read/labels", 2);
  EXPECT_EQ(compare_path(trace("a.h5", off), trace("b.h5", off), 2).first_difference(), nullptr);
}

TEST_F(TensorPathTest, FirstDifference_IsNamedApartFromAmplifier) {
  std::vector<Offer> off = step_of_model();
  change(off, trace::Phase::forward, "layers.1", 1 + 1e-4F);
  change(off, trace::Phase::backward, "layers.1", 1 + 1e-4F);
  change(off, trace::Phase::backward, "layers.0", 1.5F);
  const TensorPath path = compare_path(healthy(), trace("b.h5", off), 2);
  ASSERT_NE(path.first_difference(), nullptr);
  EXPECT_EQ(path.first_difference()->key, (trace::TensorKey{2, trace::Phase::forward, "layers.1"}));
  EXPECT_NEAR(*path.first_difference()->relative, 1e-4, 1e-6);
  EXPECT_EQ(path.before(*path.first_difference())->key.name, "layers.0");
  EXPECT_EQ(path.differing(), 3U);
  EXPECT_EQ(path.first_difference(1e-2)->key, (trace::TensorKey{2, trace::Phase::backward, "layers.0"}));
  EXPECT_EQ(path.differing(1e-2), 1U);
  ASSERT_NE(path.amplifier(1e-7), nullptr);
  EXPECT_EQ(path.amplifier(1e-7)->key, (trace::TensorKey{2, trace::Phase::backward, "layers.0"}));
}

TEST_F(TensorPathTest, TensorWithNaN_DiffersAtAnyTolerance) {
  std::vector<Offer> off = step_of_model();
  change(off, trace::Phase::forward, "layers.1", std::nanf(""));
  const TensorPath path = compare_path(healthy(), trace("b.h5", off), 2);
  ASSERT_NE(path.first_difference(1e300), nullptr);
  EXPECT_EQ(path.first_difference(1e300)->key, (trace::TensorKey{2, trace::Phase::forward, "layers.1"}));
  EXPECT_EQ(path.to_json().at(2).at("relative_l2"), "nan");
}

TEST_F(TensorPathTest, WhatOneSideHasIsNoStation) {
  std::vector<Offer> less = step_of_model();
  less.erase(less.begin());
  const TensorPath path = compare_path(healthy(), trace("b.h5", less), 2);
  EXPECT_THAT(path.only_in_expected, ElementsAre(trace::TensorKey{2, trace::Phase::forward, "layers.0"}));
  EXPECT_THAT(path.only_in_actual, testing::IsEmpty());
  EXPECT_EQ(path.first_difference(), nullptr);
}

TEST_F(TensorPathTest, APhaseOfOneSideAlone_IsNamed) {
  std::vector<Offer> clips = step_of_model();
  clips.push_back({trace::Phase::grad_clipped, "layers.1.weight", {9, 10}});
  const trace::Trace clipped = trace("b.h5", clips);
  EXPECT_EQ(compare_path(clipped, healthy(), 2).lone_phase_text("good", "bad"),
            "grad_clipped has tensors in good only (1): bad does not clip, or did not record it");
  EXPECT_EQ(compare_path(healthy(), healthy(), 2).lone_phase_text("good", "bad"), "");
}

TEST_F(TensorPathTest, TheFirstStepIsThatOfTheChannelOrOfThePhase) {
  std::vector<Offer> off = step_of_model();
  change(off, trace::Phase::grad, "layers.1.weight", 2);
  const trace::Trace a = healthy(), b = trace("b.h5", off, 1 + 0x1p-40);
  const std::vector<ChannelStation> first = first_channels(a, b);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first.front().channel, "loss");
  EXPECT_EQ(first.front().step, 2);
  EXPECT_TRUE(first_channels(a, b, 1e-10).empty());
  EXPECT_FALSE(first_channels(a, b, 1e-13).empty());
  EXPECT_EQ(first_step_of(a, b, trace::Phase::grad), 2);
  EXPECT_FALSE(first_step_of(a, b, trace::Phase::forward));
  EXPECT_TRUE(first_channels(a, trace("c.h5", off)).empty()) << "timing channels never repeat";
}

TEST_F(TensorPathTest, ANaNLossIsADifferenceAtAnyTolerance) {
  const trace::Trace bad = trace("nan.h5", step_of_model(), std::nan(""));
  EXPECT_FALSE(first_channels(bad, bad, 1e300).empty());
  EXPECT_FALSE(first_channels(healthy(), bad, 1e300).empty());
}

TEST_F(TensorPathTest, TheElementIsToldWithWhatStandsThere) {
  const auto record = [this](const std::string& file, float value) {
    trace::Recorder recorder(options(file));
    recorder.begin_step(1);
    const std::vector<int64_t> tokens = {7, 8, 9, 10, 11, 12};
    recorder.tensor(trace::Phase::input, "tokens", view_of(DType::int64, tokens, {2, 3}));
    std::vector<float> x(12, 1.0F);
    x[9] = value;
    recorder.tensor(trace::Phase::forward, "layers.0", view_of(DType::float32, x, {2, 3, 2}));
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  const auto place = find_place(record("a.h5", 1), record("b.h5", 2), {1, trace::Phase::forward, "layers.0"});
  ASSERT_TRUE(place);
  EXPECT_THAT(place->gap.worst, ElementsAre(1, 1, 1));
  EXPECT_EQ(place->token, 11);
  EXPECT_THAT(place->describe("good", "bad"), HasSubstr("(row 1, position 1, token 11)"));
  EXPECT_EQ(place->short_text(), "1 of 12 elements, most at [1, 1, 1]");
}

}  // namespace
}  // namespace parity::bisect
