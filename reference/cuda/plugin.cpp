// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The plug-in libparity-cuda.so: all that the trainer needs of CUDA and NCCL. It can be built and loaded
// without a GPU, and then reports why no GPU can be used.
#ifndef USE_C10D_NCCL  // an own LibTorch, found by CMake, defines it
#define USE_C10D_NCCL
#endif
#include "reference/cuda/plugin.hpp"

#include <cstdlib>

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "reference/cuda/measure.hpp"

namespace parity::reference {
namespace {

/// Returns 13000 as "13.0", since CUDA numbers its versions like this.
std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

int count(std::string& why) {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    why = "there is no NVIDIA driver";
    return 0;
  }
  int found = 0;
  const cudaError_t error = cudaGetDeviceCount(&found);
  if (error != cudaSuccess || found == 0) {
    static_cast<void>(cudaGetLastError());  // or the next call would report it
    why = "the driver supports CUDA " + cuda_version(driver) +
          " and offers no device: " + (error != cudaSuccess ? cudaGetErrorString(error) : "none is visible");
    return 0;
  }
  return found;
}

std::string nccl_version() {
  int number = 0;
  if (ncclGetVersion(&number) != ncclSuccess)
    return "unknown";
  return std::to_string(number / 10000) + "." + std::to_string(number % 10000 / 100) + "." +
         std::to_string(number % 100);
}

DeviceFacts facts(int device) {
  const cudaDeviceProp* properties = at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device));
  int driver = 0, runtime = 0;
  C10_CUDA_CHECK(cudaDriverGetVersion(&driver));
  C10_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  const int64_t cudnn = at::detail::getCUDAHooks().versionRuntimeCuDNN();
  return {properties->name,
          std::to_string(properties->major) + "." + std::to_string(properties->minor),
          static_cast<int64_t>(properties->totalGlobalMem),
          cuda_version(driver),
          cuda_version(runtime),
          std::to_string(cudnn / 10000) + "." + std::to_string(cudnn % 10000 / 100) + "." +
              std::to_string(cudnn % 100),
          nccl_version()};
}

/// Without these settings, results would differ or vary from run to run. cuBLAS reads its variable when it is
/// first used.
void use(int device) {
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  at::Context& context = at::globalContext();
  context.lazyInitDevice(at::kCUDA);
  context.setAllowTF32CuBLAS(false);
  context.setAllowTF32CuDNN(false);
  // Sums in float32. They may be cut along k, which the workspace makes repeatable: cuBLAS refuses products
  // of 16 bits without that.
  context.setAllowFP16ReductionCuBLAS(false, /*allow_splitk=*/true);
  context.setAllowBF16ReductionCuBLAS(false, /*allow_splitk=*/true);
  context.setBenchmarkCuDNN(false);
  context.setDeterministicCuDNN(true);
  // Attention as matrix products and a softmax: the only form that is deterministic in every type, and the
  // form of the float64 twin.
  context.setSDPUseFlash(false);
  context.setSDPUseMemEfficient(false);
  context.setSDPUseCuDNN(false);
  context.setSDPUseMath(true);
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(device));
}

void synchronize(int device) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
  c10::cuda::device_synchronize();
}

int64_t peak_memory(int device) {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
  return stats.allocated_bytes[0].peak;
}

/// Returns a backend whose wait() blocks until the collective has ended, and throws if it does not end in
/// time. By default wait() would only order streams, and NCCL's watchdog would end the process.
c10::intrusive_ptr<c10d::Backend> make_backend(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                               int size, int device, std::chrono::milliseconds timeout) {
  ::setenv("TORCH_NCCL_BLOCKING_WAIT", "1", /*overwrite=*/1);
  // A channel of messages is a group of two that does nothing else.
  ::setenv("TORCH_NCCL_SHOW_EAGER_INIT_P2P_SERIALIZATION_WARNING", "0", /*overwrite=*/0);
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  auto backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, std::move(options));
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(device));
  return backend;
}

const DevicePlugin plugin = {DevicePlugin::current_version,
                             count,
                             facts,
                             use,
                             synchronize,
                             peak_memory,
                             make_backend,
                             device_measure()};

}  // namespace
}  // namespace parity::reference

extern "C" __attribute__((visibility("default"))) const parity::reference::DevicePlugin*
parity_device_plugin() {
  return &parity::reference::plugin;
}
