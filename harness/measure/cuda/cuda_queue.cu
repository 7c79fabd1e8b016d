// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cuda_runtime.h>

#include "harness/base/error.hpp"
#include "harness/measure/cuda/cuda_queue.hpp"

namespace parity::measure::cuda {
namespace {

template <class Body, class Element>
__global__ void __launch_bounds__(Body::threads) run_typed(Body body) {
  __shared__ typename Body::Shared shared;
  body.template block<Element>(Team{Body::threads}, shared, static_cast<int64_t>(blockIdx.x));
}

template <class Body>
__global__ void __launch_bounds__(Body::threads) run_plain(Body body) {
  __shared__ typename Body::Shared shared;
  body.block(Team{Body::threads}, shared, static_cast<int64_t>(blockIdx.x));
}

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw InternalError(std::string("CUDA cannot ") + what + ": " + cudaGetErrorString(error));
}

struct Launch {
  unsigned blocks;
  cudaStream_t stream;

  void operator()(const SumKernel& body) const { run_plain<<<blocks, SumKernel::threads, 0, stream>>>(body); }
  template <class Body>
  void operator()(const Body& body) const {
    with_element(body.dtype, [&](auto element) {
      run_typed<Body, decltype(element)><<<blocks, Body::threads, 0, stream>>>(body);
    });
  }
};

}  // namespace

void CudaQueue::fill(void* there, int byte, size_t bytes) {
  check(cudaMemsetAsync(there, byte, bytes, stream_), "clear memory");
}

void CudaQueue::upload(void* there, const void* here, size_t bytes) {
  // From pageable memory, this returns once the bytes have been read.
  check(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
}

void CudaQueue::download(void* here, const void* there, size_t bytes) {
  check(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, stream_), "copy from the device");
  check(cudaStreamSynchronize(stream_), "finish a measurement");
}

void CudaQueue::run(const Kernel& kernel, int64_t blocks) {
  require(blocks >= 1 && blocks <= INT32_MAX, "a kernel of " + std::to_string(blocks) + " blocks");
  std::visit(Launch{static_cast<unsigned>(blocks), stream_}, kernel);
  check(cudaGetLastError(), "start a kernel");
}

}  // namespace parity::measure::cuda
