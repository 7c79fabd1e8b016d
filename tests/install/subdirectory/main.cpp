// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <parity/recorder.hpp>
#include <parity/trace.hpp>

/// Our warnings would refuse this: it loses digits, and has an argument that it does not use.
int narrowed(double value, int unused) {
  const int shadowed = value;
  return shadowed;
}

int main() {
  namespace api = parity::api;
  std::vector<float> values = {1, 2, 3};
  api::Recorder recorder({.path = "outer.h5", .capture = R"({"tensors": [{}]})"});
  recorder.begin_step(1);
  recorder.channel("loss", 0.5);
  recorder.tensor(api::Phase::param, "w", {api::DType::float32, {3}, values.data()});
  recorder.end_step();
  recorder.finish();
  const api::Trace trace = api::Trace::open("outer.h5");
  return trace.complete() && trace.tensor({1, api::Phase::param, "w"}).at(2) == 3 ? narrowed(0.5, 1) : 1;
}
