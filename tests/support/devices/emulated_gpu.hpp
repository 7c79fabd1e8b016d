// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "harness/measure/cuda/queue.hpp"

namespace parity::measure::cuda {

/// Runs kernels on the host: block after block, and each step of a block thread after thread. Memory,
/// including a block's, starts as bytes that no computation gives.
class EmulatedGpu final : public Queue {
 public:
  /// \param backward  the last block and thread run first, as they may on a GPU
  explicit EmulatedGpu(bool backward = false) : backward_(backward) {}

  void* allocate(size_t bytes) override {
    memory_.push_back(std::make_unique<std::vector<uint64_t>>(bytes / 8 + 1, garbage));
    return memory_.back()->data();
  }
  void fill(void* there, int byte, size_t bytes) override { std::memset(there, byte, bytes); }
  void upload(void* there, const void* here, size_t bytes) override {
    uploaded_ += bytes;
    if (bytes > 0)
      std::memcpy(there, here, bytes);
  }
  void download(void* here, const void* there, size_t bytes) override {
    downloaded_ += bytes;
    std::memcpy(here, there, bytes);
  }
  void run(const Kernel& kernel, int64_t blocks) override {
    std::visit([&](const auto& body) { run_body(body, blocks); }, kernel);
  }

  size_t uploaded() const { return uploaded_; }
  size_t downloaded() const { return downloaded_; }

 private:
  static constexpr uint64_t garbage = 0xFFF7A5A5A5A5A5A5;  // as a double, NaN

  void run_body(const SumKernel& body, int64_t blocks) {
    each_block<SumKernel>(
        blocks, [&](const Team& team, auto& shared, int64_t index) { body.block(team, shared, index); });
  }
  template <class Body>
  void run_body(const Body& body, int64_t blocks) {
    with_element(body.dtype, [&](auto element) {
      each_block<Body>(blocks, [&](const Team& team, auto& shared, int64_t index) {
        body.template block<decltype(element)>(team, shared, index);
      });
    });
  }
  template <class Body, class Act>
  void each_block(int64_t blocks, const Act& act) const {
    const auto shared = std::make_unique<typename Body::Shared>();
    for (int64_t i = 0; i < blocks; ++i) {
      std::memset(static_cast<void*>(shared.get()), 0xF7, sizeof *shared);
      act(Team{Body::threads, backward_}, *shared, backward_ ? blocks - 1 - i : i);
    }
  }

  bool backward_;
  size_t uploaded_ = 0, downloaded_ = 0;
  std::vector<std::unique_ptr<std::vector<uint64_t>>> memory_;
};

}  // namespace parity::measure::cuda
