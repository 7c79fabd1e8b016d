// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/compare/comparison.hpp"

namespace parity::reports {

/// Returns a channel of a.csv and b.csv over three steps.
inline ComparedChannel sample_channel(const std::string& name, bool agrees) {
  Curve curve;
  curve.channel = name;
  curve.steps = {1, 2, 3};
  curve.series = {{"a.csv", {3.0, 2.0, 1.0}}, {"b.csv", {3.0, 2.0, agrees ? 1.0 : 1.5}}};
  curve.gap = {{"b.csv", {0.0, 0.0, agrees ? 0.0 : 0.5}}};
  return {name, {{"b.csv", agrees, agrees ? "identical" : "different", {"3"}}}, {}, overlay_curve(curve)};
}

/// Returns a comparison of a.csv and b.csv, in which zeta differs.
inline Comparison sample_comparison() {
  Comparison pair;
  pair.verdict = "different: 1 of 2 common channels, at all 3 steps";
  pair.sides = {{"a.csv", {{"name", "a.csv"}}}, {"b.csv", {{"name", "b.csv"}}}};
  pair.heads = {"steps"};
  pair.channels = {sample_channel("lr", true), sample_channel("zeta", false), sample_channel("loss", true)};
  return pair;
}

}  // namespace parity::reports
