// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/attack/world_mutation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace parity::attack {
namespace {

using Runs = std::map<std::string, PlantedRun>;
using Names = std::vector<std::string>;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Returns those of the wanted arms that a world's check names.
Names judged(const RelationWorld& world, const Names& wanted) {
  const Names asked = world.check.all_arms();
  Names found;
  for (const std::string& name : wanted)
    if (std::ranges::find(asked, name) != asked.end())
      found.push_back(name);
  return found.size() == wanted.size() ? found : Names();
}

/// Changes the number of a step, of channel or tensor, whichever the check is about.
void change_at(const RelationWorld& world, PlantedRun& run, int64_t step,
               const std::function<double(double)>& change) {
  const bool has_no_form =
      world.check.of_exact_twins() && !std::isfinite(change(1));  // a residue is a number
  if (!world.about_tensors() || has_no_form) {
    double& value = curve_of(run).at(static_cast<size_t>(step) - 1);
    value = change(value);
    return;
  }
  for (PlantedTensor& tensor : run.tensors)
    if (tensor.key.step == step)
      std::visit(
          [&](auto& values) {
            values.at(1) =
                static_cast<std::decay_t<decltype(values.at(1))>>(change(static_cast<double>(values.at(1))));
          },
          tensor.values);
}

void drop_steps(PlantedRun& run, int64_t first, int64_t count) {
  std::vector<double>& curve = curve_of(run);
  const auto begin = curve.begin() + static_cast<std::ptrdiff_t>(first - 1);
  curve.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  std::erase_if(run.tensors, [&](const PlantedTensor& each) {
    return each.key.step >= first && each.key.step < first + count;
  });
  for (PlantedTensor& each : run.tensors)
    if (each.key.step >= first + count)
      each.key.step -= count;
}

/// Drops the channel, or the tensor, that the check is about.
void drop_quantity(const RelationWorld& world, PlantedRun& run) {
  if (world.about_tensors())
    run.tensors.clear();
  else
    run.channels = {{"another", curve_of(run)}};
}

bool drop_tensor_at(const RelationWorld& world, PlantedRun& run, int64_t step) {
  return world.about_tensors() &&
         std::erase_if(run.tensors, [&](const PlantedTensor& each) { return each.key.step == step; }) > 0;
}

/// Exchanges the numbers of two steps.
void exchange_steps(PlantedRun& run, int64_t one, int64_t other) {
  std::vector<double>& curve = curve_of(run);
  std::swap(curve.at(static_cast<size_t>(one) - 1), curve.at(static_cast<size_t>(other) - 1));
  for (PlantedTensor& each : run.tensors)
    if (each.key.step == one || each.key.step == other)
      each.key.step = each.key.step == one ? other : one;
  std::ranges::sort(run.tensors, {}, [](const PlantedTensor& each) { return each.key.step; });
}

/// Stores the same numbers in another type.
bool retype(const RelationWorld& world, PlantedRun& run) {
  if (!world.about_tensors()) {
    const std::vector<double> curve = curve_of(run);
    run.channels.begin()->second = std::vector<int64_t>(curve.begin(), curve.end());
    return true;
  }
  for (PlantedTensor& each : run.tensors) {
    const auto* values = std::get_if<std::vector<float>>(&each.values);
    if (!values)
      return false;
    each.values = std::vector<double>(values->begin(), values->end());
  }
  return true;
}

bool reshape(const RelationWorld& world, PlantedRun& run) {
  for (PlantedTensor& each : run.tensors)
    each.shape = {1, 2};
  return world.about_tensors();
}

/// Collects mutations of the same kind on every side.
class WorldTable {
 public:
  using Change = std::function<bool(const RelationWorld&, PlantedRun&)>;

  /// Applies `change` to arm a, b, both, and each arm of the sibling.
  void of_arms(const std::string& what, Harm harm, const Change& change) {
    for (const Names& names : {Names{"a"}, Names{"b"}, Names{"a", "b"}, Names{"c"}, Names{"d"}})
      rows_.push_back({what + " of " + text(names), harm, [names, change](RelationWorld& world) {
                         const Names arms = judged(world, names);
                         return std::ranges::count_if(arms, [&](const std::string& name) {
                                  return change(world, world.runs.at(name));
                                }) > 0;
                       }});
  }
  void of_twins(const std::string& what, const Change& change) {
    for (const Names& names : {Names{"a"}, Names{"b"}, Names{"a", "b"}})
      rows_.push_back({what + " of " + text(names), Harm::twins, [names, change](RelationWorld& world) {
                         return world.check.needs_twins() &&
                                std::ranges::count_if(names, [&](const std::string& name) {
                                  return change(world, world.twins.at(name));
                                }) > 0;
                       }});
  }
  void of_world(const std::string& what, Harm harm, const std::function<bool(RelationWorld&)>& apply) {
    rows_.push_back({what, harm, apply});
  }
  std::vector<WorldMutation> rows() && { return std::move(rows_); }

 private:
  static std::string text(const Names& names) { return names.size() == 1 ? names.front() : "both"; }

  std::vector<WorldMutation> rows_;
};

void add_losses(WorldTable& table) {
  const auto always = [](auto change) {
    return [change](const RelationWorld& world, PlantedRun& run) {
      change(world, run);
      return true;
    };
  };
  table.of_arms("no last step", Harm::incomplete,
                always([](const auto&, auto& run) { drop_steps(run, world_steps, 1); }));
  table.of_arms("no last three steps", Harm::incomplete,
                always([](const auto&, auto& run) { drop_steps(run, world_steps - 2, 3); }));
  table.of_arms("only two steps", Harm::incomplete,
                always([](const auto&, auto& run) { drop_steps(run, 3, world_steps - 2); }));
  table.of_arms("no quantity", Harm::incomplete, always(drop_quantity));
  for (const int64_t step : {int64_t{1}, int64_t{5}, world_steps})
    table.of_arms("no tensor at step " + std::to_string(step), Harm::incomplete,
                  [step](const auto& world, auto& run) { return drop_tensor_at(world, run, step); });
  table.of_arms("a failure at its end", Harm::incomplete, always([](const auto&, auto& run) {
                  run.failure = {{"kind", "non_finite"}, {"step", world_steps}};
                }));
}

void add_numbers(WorldTable& table) {
  for (const auto& [name, value] :
       {std::pair{"NaN", not_a_number}, {"infinity", infinite}, {"-infinity", -infinite}})
    for (const int64_t step : {int64_t{1}, int64_t{5}, world_steps})
      table.of_arms(std::string(name) + " at step " + std::to_string(step), Harm::not_finite,
                    [value, step](const auto& world, auto& run) {
                      change_at(world, run, step, [value](double) { return value; });
                      return true;
                    });
  for (const int64_t step : {int64_t{1}, int64_t{5}, world_steps})
    table.of_arms("twice the number at step " + std::to_string(step), Harm::changed,
                  [step](const auto& world, auto& run) {
                    change_at(world, run, step, [](double number) { return 2 * number; });
                    return true;
                  });
  table.of_arms("numbers 5 % larger", Harm::changed, [](const auto& world, auto& run) {
    for (int64_t step = 1; step <= world_steps; ++step)
      change_at(world, run, step, [](double number) { return 1.05 * number; });
    return true;
  });
  table.of_arms("another type", Harm::changed, retype);
  table.of_arms("another shape", Harm::changed, reshape);
  table.of_arms("steps 2 and 7 exchanged", Harm::moved, [](const auto&, auto& run) {
    exchange_steps(run, 2, 7);
    return true;
  });
}

void add_twins(WorldTable& table) {
  table.of_twins("no last step in the twin", [](const auto&, auto& run) {
    drop_steps(run, world_steps, 1);
    return true;
  });
  table.of_twins("no quantity in the twin", [](const auto& world, auto& run) {
    drop_quantity(world, run);
    return true;
  });
  for (const auto& [name, value] : {std::pair{"a twin of zeros", 0.0},
                                    {"a constant twin", 7.0},
                                    {"a twin of NaN", not_a_number},
                                    {"an infinite twin", infinite}})
    table.of_twins(name, [value](const auto&, auto& run) {
      set_curve(run, std::vector<double>(world_steps, value));
      return true;
    });
  table.of_twins("a twin 5 % off", [](const auto& world, auto& run) {
    for (int64_t step = 1; step <= world_steps; ++step)
      change_at(world, run, step, [](double number) { return 1.05 * number; });
    return true;
  });
}

void add_questions(WorldTable& table) {
  table.of_world("steps that no run has", Harm::question, [](RelationWorld& world) {
    world.check.steps = {compare::StepWindow::Kind::range, world_steps + 10, world_steps + 20};
    return true;
  });
  table.of_world("steps beyond the end", Harm::question, [](RelationWorld& world) {
    world.check.steps = {compare::StepWindow::Kind::range, 5, world_steps + 5};
    return true;
  });
  table.of_world("a name that nothing has", Harm::question, [](RelationWorld& world) {
    if (world.check.of_tensors())
      world.check.tensor = "nothing.*";
    else
      world.check.channels = {"nothing"};
    return true;
  });
  table.of_world("one name that nothing has", Harm::question, [](RelationWorld& world) {
    if (world.check.of_tensors())
      return false;
    world.check.channels.emplace_back("nothing");
    return true;
  });
  table.of_world("a phase that nothing has", Harm::question, [](RelationWorld& world) {
    world.check.phase = trace::Phase::grad;
    return world.check.of_tensors();
  });
  table.of_world("an arm that is not there", Harm::question, [](RelationWorld& world) {
    world.check.arms.back() = "nobody";
    return true;
  });
  table.of_world("two ranks where one is found", Harm::question, [](RelationWorld& world) {
    world.ranks = 2;
    return true;
  });
  table.of_world("more updates than were made", Harm::question, [](RelationWorld& world) {
    world.updates = {1, world_steps + 1};
    return true;
  });
  table.of_world("arms exchanged", Harm::moved, [](RelationWorld& world) {
    if (world.check.arms.size() != 2)
      return false;
    std::swap(world.runs.at("a"), world.runs.at("b"));
    std::swap(world.twins.at("a"), world.twins.at("b"));
    return true;
  });
}

}  // namespace

const std::vector<WorldMutation>& world_mutations() {
  static const std::vector<WorldMutation> rows = [] {
    WorldTable table;
    add_losses(table);
    add_numbers(table);
    add_twins(table);
    add_questions(table);
    return std::move(table).rows();
  }();
  return rows;
}

}  // namespace parity::attack
