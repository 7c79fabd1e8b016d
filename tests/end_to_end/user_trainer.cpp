// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's own trainer: a small perceptron in plain C++ that uses nothing of parity except its C header.
// user_trainer.cmake makes versions of it, each with a defect of one line.
//
//   B rows, D width, L layers; x_{l+1} = tanh(x_l W_l^T), loss = sum (x_L - y)^2 / (B D), SGD with momentum.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "parity/recorder.h"

namespace {

constexpr int64_t rows = 8, width = 6, layers = 3, steps = 10;
using Matrix = std::vector<float>;  // row-major

/// Returns a number in [-1, 1) from a small generator.
Matrix draw(int64_t count, uint32_t seed) {
  Matrix values;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    values.push_back(static_cast<float>(seed >> 8U) / 8388608.0F - 1.0F);
  }
  return values;
}

struct Model {
  std::array<Matrix, layers> weight, gradient, momentum;
  std::array<Matrix, layers + 1> x, dx;
};

/// x [B, D], weight [D, D] \return tanh(x weight^T) [B, D]
Matrix forward(const Matrix& x, const Matrix& weight) {
  Matrix result(rows * width);
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t o = 0; o < width; ++o) {
      float sum = 0;
      for (int64_t i = 0; i < width; ++i)
        sum += x[b * width + i] * weight[o * width + i];
      result[b * width + o] = std::tanh(sum);
    }
  return result;
}

/// Stores the gradients of a layer's weight and of its input.
void backward(Model& model, int64_t layer) {
  const Matrix &x = model.x[layer], &y = model.x[layer + 1], &dy = model.dx[layer + 1];
  const Matrix& weight = model.weight[layer];
  Matrix &dx = model.dx[layer], &dw = model.gradient[layer];
  dx.assign(rows * width, 0);
  dw.assign(width * width, 0);
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t o = 0; o < width; ++o) {
      const float slope = dy[b * width + o] * (1 - y[b * width + o] * y[b * width + o]);
      for (int64_t i = 0; i < width; ++i) {
        dw[o * width + i] += slope * x[b * width + i];
        dx[b * width + i] += slope * weight[o * width + i];
      }
    }
}

double loss_and_gradient(Model& model, const Matrix& y) {
  double loss = 0;
  Matrix& dx = model.dx[layers];
  dx.assign(rows * width, 0);
  for (int64_t i = 0; i < rows * width; ++i) {
    const float gap = model.x[layers][i] - y[i];
    loss += static_cast<double>(gap) * gap / (rows * width);
    dx[i] = 2 * gap / (rows * width);
  }
  return loss;
}

/// Returns the norm of all gradients. No computation reads it.
double gradient_norm(const Model& model) {
  double square = 0;
  for (const Matrix& gradient : model.gradient)
    for (size_t i = 0; i < gradient.size(); ++i)
      square += static_cast<double>(gradient[i]) * gradient[i];
  return std::sqrt(square);
}

void update(Model& model, int64_t layer, int64_t step) {
  const float rate = step <= 6 ? 0.5F : 0.25F;
  for (int64_t i = 0; i < width * width; ++i) {
    model.momentum[layer][i] = 0.9F * model.momentum[layer][i] + model.gradient[layer][i];
    model.weight[layer][i] -= rate * model.momentum[layer][i];
  }
}

void must(int status) {
  if (status == 0)
    return;
  std::fprintf(stderr, "%s\n", parity_recorder_last_error());
  std::exit(status);
}

class Tape {
 public:
  explicit Tape(parity_recorder* recorder) : recorder_(recorder) {}

  void put(const char* phase, const std::string& name, const Matrix& values) const {
    const std::array<int64_t, 2> shape = {static_cast<int64_t>(values.size()) / width, width};
    must(parity_recorder_tensor(recorder_, phase, name.c_str(), "float32", 2, shape.data(), values.data()));
  }
  void put(const char* phase, const char* before, const std::array<Matrix, layers>& all) const {
    for (int64_t layer = 0; layer < layers; ++layer)
      put(phase, before + name(layer) + ".weight", all[layer]);
  }
  static std::string name(int64_t layer) { return "layers." + std::to_string(layer); }

 private:
  parity_recorder* recorder_;
};

double train(Model& model, int64_t step, const Tape& tape) {
  model.x[0] = draw(rows * width, 100 + static_cast<uint32_t>(step % 4));
  const Matrix y = draw(rows * width, 7);
  tape.put("input", "x", model.x[0]);
  tape.put("input", "y", y);
  for (int64_t layer = 0; layer < layers; ++layer) {
    model.x[layer + 1] = forward(model.x[layer], model.weight[layer]);
    tape.put("forward", Tape::name(layer), model.x[layer + 1]);
  }
  const double loss = loss_and_gradient(model, y);
  for (int64_t layer = layers - 1; layer >= 0; --layer) {
    tape.put("backward", Tape::name(layer), model.dx[layer + 1]);
    backward(model, layer);
  }
  tape.put("grad", "", model.gradient);
  for (int64_t layer = 0; layer < layers; ++layer)
    update(model, layer, step);
  tape.put("optim", "momentum/", model.momentum);
  tape.put("param", "", model.weight);
  return loss;
}

}  // namespace

int main() {
  std::ifstream file(std::getenv("PARITY_CAPTURE"));
  const std::string capture(std::istreambuf_iterator<char>(file), {});
  parity_recorder* recorder = parity_recorder_open(std::getenv("PARITY_TRACE"), nullptr, nullptr,
                                                   capture.empty() ? nullptr : capture.c_str(), 0);
  if (recorder == nullptr)
    must(70);
  const Tape tape(recorder);
  Model model;
  for (int64_t layer = 0; layer < layers; ++layer) {
    model.weight[layer] = draw(width * width, 40 + static_cast<uint32_t>(layer));
    model.momentum[layer].assign(width * width, 0);
  }
  must(parity_recorder_begin_step(recorder, 0));
  tape.put("param", "", model.weight);
  must(parity_recorder_end_step(recorder));
  for (int64_t step = 1; step <= steps; ++step) {
    must(parity_recorder_begin_step(recorder, step));
    must(parity_recorder_channel_f64(recorder, "loss", train(model, step, tape), 0));
    must(parity_recorder_channel_f64(recorder, "grad_norm", gradient_norm(model), 0));
    must(parity_recorder_end_step(recorder));
  }
  must(parity_recorder_finish(recorder));
  parity_recorder_close(recorder);
  return 0;
}
