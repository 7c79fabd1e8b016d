// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Times the measuring kernels on a GPU, next to what its memory can do and next to the way over the host.
//
// Usage: device_measure_bench PLUGIN [BYTES [REPEATS]]
//
// Each repeat runs each operation once. `read` sums 32-bit words by LibTorch, `copy` copies device memory,
// `row` measures a tensor (digest, statistics, sketch), `difference` compares two tensors, `host_row` copies
// a tensor to the host and measures it there, `small` measures 300 tensors of 64 KiB and `small_host` does so
// on the host. Prints a JSON object: {"OPERATION DTYPE": {"seconds": median, "gigabytes_per_second": ...},
// ...}. Bytes count each input read and each output written once.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/base/json/json.hpp"
#include "harness/measure/tensor/measurement.hpp"
#include "reference/cuda/device.hpp"

namespace parity::reference {
namespace {

struct Operation {
  std::string name;
  double bytes;
  std::function<void()> run;
};

double seconds_of(const Device& device, const std::function<void()>& run) {
  device.synchronize();
  const auto start = std::chrono::steady_clock::now();
  run();
  device.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TensorView view_of(const torch::Tensor& x, DType dtype) {
  return {dtype, {x.numel()}, x.const_data_ptr()};
}

std::vector<Operation> operations_on(const Device& device, torch::ScalarType type, DType dtype,
                                     int64_t bytes) {
  const auto name = [&](const char* what) { return std::string(what) + " " + std::string(name_of(dtype)); };
  const int64_t width = static_cast<int64_t>(torch::elementSize(type)), count = bytes / width;
  const torch::Tensor x = torch::randn({count}, torch::kFloat32).to(type).to(device.place);
  const torch::Tensor near = x + x * 1e-3, copy = torch::empty_like(x);
  std::vector<torch::Tensor> small, small_host;
  for (int64_t i = 0; i < 300; ++i) {
    small.push_back(x.narrow(0, i * 65536 / width, 65536 / width));
    small_host.push_back(torch::empty({65536 / width}, type));
  }
  const int index = device.index();
  const DeviceMeasure& measure = *device.plugin->measure;
  const auto size = static_cast<double>(bytes);
  return {
      {name("read"), size, [=] { static_cast<void>(x.view(torch::kInt32).sum()); }},
      {name("copy"), 2 * size, [=] { copy.copy_(x); }},
      {name("row"), size, [=, &measure] { measure.tensor(view_of(x, dtype), {}, index); }},
      {name("difference"), 2 * size,
       [=, &measure] { measure.difference(view_of(x, dtype), view_of(near, dtype), index); }},
      {name("difference_of_equal"), 2 * size,
       [=, &measure] { measure.difference(view_of(x, dtype), view_of(x, dtype), index); }},
      {name("host_row"), size, [=] { measure::measure_tensor(view_of(x.cpu(), dtype)); }},
      {name("small"), 300 * 65536.0,
       [=, &measure] {
         for (const torch::Tensor& each : small)
           measure.tensor(view_of(each, dtype), {}, index);
       }},
      {name("small_host"), 300 * 65536.0,
       [=] {
         for (size_t i = 0; i < small.size(); ++i)
           measure::measure_tensor(view_of(small_host[i].copy_(small[i]), dtype));
       }},
  };
}

int run(int argc, char** argv) {
  const int64_t bytes = argc > 2 ? std::stoll(argv[2]) : int64_t{1} << 30;
  const int repeats = argc > 3 ? std::stoi(argv[3]) : 5;
  const Device device = open_device(DeviceChoice::cuda, 0, argv[1]);
  require(device.plugin->measure != nullptr, "this build has no kernels (PARITY_CUDA)");
  Json results = Json::object();
  for (const auto& [type, dtype] :
       {std::pair{torch::kFloat32, DType::float32}, std::pair{torch::kBFloat16, DType::bfloat16}}) {
    const std::vector<Operation> operations = operations_on(device, type, dtype, bytes);
    std::map<std::string, std::vector<double>> seconds;
    for (int repeat = -1; repeat < repeats; ++repeat)  // the first one warms up
      for (const Operation& each : operations)
        if (const double taken = seconds_of(device, each.run); repeat >= 0)
          seconds[each.name].push_back(taken);
    for (const Operation& each : operations) {
      const double middle = median(seconds[each.name]);
      results[each.name] = {{"seconds", middle}, {"gigabytes_per_second", each.bytes / middle / 1e9}};
    }
  }
  std::cout << results.dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace parity::reference

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: device_measure_bench PLUGIN [BYTES [REPEATS]]\n";
    return 2;
  }
  try {
    return parity::reference::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
}
