// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Random evidence with a random gap, in addition to the table: a claim passes only for complete, finite
// evidence.
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "harness/compare/relations/relation.hpp"
#include "tests/support/relation_world.hpp"

namespace parity::attack {
namespace {

class RandomAttackTest : public RelationWorldTest {
 protected:
  /// A world of any relation, about channels or tensors.
  static RelationWorld draw_world() {
    const auto table = rows_of_training();
    const auto at = *rc::gen::inRange<size_t>(0, table.size());
    const bool of_tensors = table[at].may_be_of_tensors() && *rc::gen::arbitrary<bool>();
    return world_of(table[at].relation, of_tensors);
  }
  /// A step that the claim reads in every arm: a lag moves the outermost steps out of the run.
  static int64_t draw_step(const RelationWorld& world) {
    const int64_t edge = world.check.relation == compare::Relation::lagged ? 1 : 0;
    return *rc::gen::inRange<int64_t>(1 + edge, world_steps + 1 - edge);
  }
  /// One of the runs that the claim is about.
  static PlantedRun& draw_run(RelationWorld& world) {
    const std::vector<std::string> names = world.check.all_arms();
    return world.runs.at(names.at(*rc::gen::inRange<size_t>(0, names.size())));
  }
  static void set(const RelationWorld& world, PlantedRun& run, int64_t step, double value) {
    if (!world.check.of_tensors()) {
      curve_of(run).at(static_cast<size_t>(step) - 1) = value;
      return;
    }
    for (PlantedTensor& each : run.tensors)
      if (each.key.step == step)
        std::visit(
            [&](auto& values) { values.at(0) = static_cast<std::decay_t<decltype(values.at(0))>>(value); },
            each.values);
  }
  bool passes(const RelationWorld& world) {
    arms.clear();
    return judge_world(world).passed;
  }
};

TEST_F(RandomAttackTest, NumbersThatAreNotFiniteFail) {
  EXPECT_TRUE(rc::check([&] {
    RelationWorld world = draw_world();
    const int64_t step = draw_step(world);
    const double value =
        *rc::gen::element(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity());
    set(world, draw_run(world), step, value);
    RC_ASSERT(!passes(world));
  }));
}

TEST_F(RandomAttackTest, RunsOfFewerUpdatesFail) {
  EXPECT_TRUE(rc::check([&] {
    RelationWorld world = draw_world();
    const auto kept = *rc::gen::inRange<int64_t>(1, world_steps - 1);
    const bool all = *rc::gen::arbitrary<bool>();
    const auto cut = [&](PlantedRun& run) {
      curve_of(run).resize(static_cast<size_t>(kept));
      std::erase_if(run.tensors, [&](const PlantedTensor& each) { return each.key.step > kept; });
    };
    if (all)
      for (const std::string& name : world.check.all_arms())
        cut(world.runs.at(name));
    else
      cut(draw_run(world));
    RC_ASSERT(!passes(world));
  }));
}

TEST_F(RandomAttackTest, MissingTensorsFail) {
  EXPECT_TRUE(rc::check([&] {
    RelationWorld world = draw_world();
    RC_PRE(world.about_tensors());
    PlantedRun& run = draw_run(world);
    const int64_t step = draw_step(world);
    std::erase_if(run.tensors, [&](const PlantedTensor& each) { return each.key.step == step; });
    RC_ASSERT(!passes(world));
  }));
}

}  // namespace
}  // namespace parity::attack
