// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "harness/laws/law.hpp"
#include "harness/laws/run/recorded_run.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity::laws {

using trace::Phase;

/// Settings of an invented training run.
struct Training {
  int64_t steps = 4;
  double max_norm = 0.5;
  double decay = 0.1;
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
  double lr = 0.01;
  double margin = 1e-6;  ///< added to the norm before it divides max_norm
  bool l2 = false;
};

/// Tests of laws over invented runs, which a test changes before it asks.
class LawTest : public PlantedTest {
 protected:
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> list = {"layers.0.wq.weight", "layers.0.wv.weight",
                                                  "layers.1.wq.weight", "layers.1.wv.weight", "norm.weight"};
    return list;
  }
  static float noise(int64_t step, size_t tensor, size_t i) {
    return static_cast<float>(
        std::sin(static_cast<double>(step * 131 + static_cast<int64_t>(tensor * 37 + i) * 17)));
  }

  static float gradient(int64_t step, size_t tensor, size_t i) {
    return noise(step, tensor, i) * static_cast<float>(tensor + 1) / 16;
  }

  /// A run of AdamW in float32 that keeps every law.
  static PlantedRun trained(const Training& t = {}) {
    PlantedRun run;
    run.config = {
        {"clip", {{"max_norm", t.max_norm}}},
        {"optimizer", {{"beta1", t.beta1}, {"beta2", t.beta2}, {"eps", t.eps}, {"weight_decay", t.decay}}}};
    std::vector<std::vector<float>> p, m(names().size(), std::vector<float>(64)), v = m;
    for (size_t k = 0; k < names().size(); ++k) {
      p.emplace_back();
      for (size_t i = 0; i < 64; ++i)
        p[k].push_back(noise(0, k, i));
      run.tensors.push_back({{0, Phase::param, names()[k]}, p[k]});
    }
    std::vector<double> norms, rates;
    for (int64_t s = 1; s <= t.steps; ++s) {
      double square = 0;
      for (size_t k = 0; k < p.size(); ++k)
        for (size_t i = 0; i < 64; ++i)
          square += std::pow(gradient(s, k, i), 2);
      norms.push_back(std::sqrt(square));
      rates.push_back(t.lr);
      const auto factor = static_cast<float>(std::min(1.0, t.max_norm / (norms.back() + t.margin)));
      for (size_t k = 0; k < p.size(); ++k)
        update(t, run, s, k, factor, p[k], m[k], v[k]);
    }
    run.channels = {{"grad_norm", norms}, {"lr", rates}};
    return run;
  }

  static void update(const Training& t, PlantedRun& run, int64_t s, size_t k, float factor,
                     std::vector<float>& p, std::vector<float>& m, std::vector<float>& v) {
    std::vector<float> gradient, clipped;
    const auto step = static_cast<double>(s);
    for (size_t i = 0; i < p.size(); ++i) {
      gradient.push_back(LawTest::gradient(s, k, i));
      clipped.push_back(gradient[i] * factor);
      const double g = clipped[i] + (t.l2 ? t.decay * p[i] : 0);
      m[i] = static_cast<float>(t.beta1 * m[i] + (1 - t.beta1) * g);
      v[i] = static_cast<float>(t.beta2 * v[i] + (1 - t.beta2) * g * g);
      const double root = std::sqrt(v[i] / (1 - std::pow(t.beta2, step))) + t.eps;
      p[i] = static_cast<float>(p[i] * (1 - t.lr * (t.l2 ? 0 : t.decay)) -
                                t.lr * (m[i] / (1 - std::pow(t.beta1, step))) / root);
    }
    run.tensors.push_back({{s, Phase::grad, names()[k]}, gradient});
    run.tensors.push_back({{s, Phase::grad_clipped, names()[k]}, clipped});
    run.tensors.push_back({{s, Phase::optim, "exp_avg/" + names()[k]}, m});
    run.tensors.push_back({{s, Phase::optim, "exp_avg_sq/" + names()[k]}, v});
    run.tensors.push_back({{s, Phase::param, names()[k]}, p});
  }

  static std::vector<float>& tensor(PlantedRun& run, int64_t step, Phase phase, const std::string& name) {
    for (PlantedTensor& each : run.tensors)
      if (each.key == trace::TensorKey{step, phase, name})
        return std::get<std::vector<float>>(each.values);
    throw std::logic_error("the run has no " + name);
  }
  static void scale(std::vector<float>& values, float factor) {
    for (float& value : values)
      value *= factor;
  }
  static std::vector<double>& channel(PlantedRun& run, const std::string& name) {
    return std::get<std::vector<double>>(run.channels.at(name));
  }
  static void drop(PlantedRun& run, Phase phase) {
    std::erase_if(run.tensors, [phase](const PlantedTensor& each) { return each.key.phase == phase; });
  }

  /// Takes a tensor's update out of a run: no gradient, and value and state as before.
  static void skip_update(PlantedRun& run, int64_t step, const std::string& name) {
    std::erase_if(run.tensors, [&](const PlantedTensor& each) {
      return each.key.step == step && each.key.name == name &&
             (each.key.phase == Phase::grad || each.key.phase == Phase::grad_clipped);
    });
  }

  Finding ask(Finding (*law)(const RecordedRun&), const PlantedRun& run) {
    return law(RecordedRun(*write("run", run)));
  }

  static std::string sentence(const Finding& finding) {
    return finding.departures.empty() ? "" : finding.departures.front().sentence;
  }
  static std::string notes(const Finding& finding) {
    std::string text;
    for (const std::string& note : finding.notes)
      text += note + "\n";
    return text;
  }
};

}  // namespace parity::laws
