// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/run_order.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace parity::suite {
namespace {

std::string topic_of(const std::string& name) {
  return name.substr(0, name.rfind('/'));
}

}  // namespace

std::vector<size_t> case_order(const std::vector<std::string>& names, const std::vector<double>& costs) {
  std::vector<size_t> cheapest_first(names.size());
  std::iota(cheapest_first.begin(), cheapest_first.end(), 0);
  std::ranges::stable_sort(cheapest_first, {}, [&](size_t i) { return costs[i]; });
  std::vector<size_t> order, rest;
  std::set<std::string> topics;
  for (const size_t i : cheapest_first)
    (topics.insert(topic_of(names[i])).second ? order : rest).push_back(i);
  order.insert(order.end(), rest.rbegin(), rest.rend());
  return order;
}

std::vector<std::string> run_order(const Plan& plan) {
  std::vector<std::string> names;
  std::vector<double> costs;
  std::vector<std::vector<std::string>> runs_of;
  const std::set<std::string> asked(plan.order().begin(), plan.order().end());
  for (const PlannedCase& planned : plan.cases()) {
    names.push_back(planned.source.name);
    double& cost = costs.emplace_back();
    std::vector<std::string>& runs = runs_of.emplace_back();
    for (const PlannedArm& arm : planned.arms)
      for (const std::string& id : arm.runs())
        if (asked.contains(id) && std::ranges::find(runs, id) == runs.end()) {
          runs.push_back(id);
          cost += plan.runs().at(id).cost();
        }
  }
  std::vector<std::string> order;
  std::set<std::string> taken;
  const auto take = [&](const std::vector<std::string>& ids) {
    for (const std::string& id : ids)
      if (taken.insert(id).second)
        order.push_back(id);
  };
  for (const size_t i : case_order(names, costs))
    take(runs_of[i]);
  take(plan.order());  // runs that only other runs read
  return order;
}

}  // namespace parity::suite
