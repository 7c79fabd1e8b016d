// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::bisect {

/// A tensor that a step offers to the recorder.
struct Offer {
  trace::Phase phase;
  std::string name;
  std::vector<float> values;
};

/// The tensors that a step of a small model offers; the values of a name can be changed.
class ModelStepTest : public RecordedTest {
 protected:
  static std::vector<Offer> step_of_model() {
    return {{trace::Phase::forward, "layers.0", {1, 2}},
            {trace::Phase::forward, "layers.1@0:aten::mm:in.self", {1, 2}},
            {trace::Phase::forward, "layers.1@0:aten::mm:out.0", {3, 4}},
            {trace::Phase::forward, "layers.1", {3, 4}},
            {trace::Phase::backward, "layers.1", {5, 6}},
            {trace::Phase::backward, "layers.0", {7, 8}},
            {trace::Phase::grad, "layers.1.weight", {9, 10}},
            {trace::Phase::input, "tokens", {11, 12}}};
  }
  static void change(std::vector<Offer>& offers, trace::Phase phase, const std::string& name, float factor) {
    for (Offer& offer : offers)
      if (offer.phase == phase && offer.name == name)
        for (float& value : offer.values)
          value *= factor;
  }
  trace::Trace trace(const std::string& file, const std::vector<Offer>& offers, double loss = 1) const {
    trace::Recorder recorder(options(file));
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      for (const Offer& offer : step == 1 ? step_of_model() : offers)
        recorder.tensor(offer.phase, offer.name, view_of(DType::float32, offer.values));
      recorder.channel("loss", step == 1 ? 1.0 : loss);
      recorder.channel("step_seconds", static_cast<double>(offers.size()) + loss, trace::ChannelKind::timing);
      recorder.channel("tokens", int64_t{64});
      recorder.end_step();
    }
    recorder.finish();
    return trace::Trace::open(folder / file);
  }
  trace::Trace healthy() const { return trace("healthy.h5", step_of_model()); }
};

}  // namespace parity::bisect
