// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Real GPUs and NCCL; reported as skipped on machines without GPUs.
#include <cstdlib>

#include <gmock/gmock.h>

#include <ATen/Context.h>

#include "harness/base/error.hpp"
#include "reference/comm/gloo.hpp"
#include "tests/support/devices/gpu_fixture.hpp"

namespace parity::reference {
namespace {

using testing::Each;

void require_equal(const torch::Tensor& actual, const torch::Tensor& expected) {
  require(actual.is_cuda() && actual.cpu().equal(expected),
          "a tensor of sum " + std::to_string(actual.cpu().sum().item<double>()));
}

void use_every_collective(Group& world) {
  const auto there = [&](const torch::Tensor& x) { return x.to(world.device().place); };
  const int64_t n = world.size();
  for (const auto dtype : {torch::kFloat32, torch::kFloat64, torch::kInt64, torch::kBFloat16}) {
    const torch::Tensor base = torch::arange(4 * n, dtype).view({2 * n, 2});
    const auto mine = [&] { return there(base + world.rank()); };
    const torch::Tensor sum = mine(), largest = mine(), root = mine();
    world.all_reduce(sum);
    require_equal(sum, base * n + n * (n - 1) / 2);
    world.all_reduce(largest, Reduction::max);
    require_equal(largest, base + (n - 1));
    world.broadcast(root, n - 1);
    require_equal(root, base + (n - 1));
    require(world.all_gather(mine()).size(0) == 2 * n * n, "rows that were gathered");
    require_equal(world.reduce_scatter(mine()), (base * n + n * (n - 1) / 2).narrow(0, 2 * world.rank(), 2));
  }
  world.device().synchronize();
  require(world.device().plugin->peak_memory(world.device().index()) > 0, "peak memory");
}

TEST_F(GpuTest, NcclOfOneRankMeetsAndSums) {
  if (devices() < 1)
    GTEST_SKIP() << "needs 1 GPU, found 0";
  EXPECT_THAT(run_ranks(1,
                        [this](Group& world) {
                          use_every_collective(world);
                          Job job;
                          job.file = folder / "alone";
                          const auto nccl = world.device().plugin->make_backend(
                              make_store(job, std::chrono::seconds(30)), 0, 1, 0, std::chrono::seconds(30));
                          std::vector<torch::Tensor> one = {torch::ones({4}, world.device().place)};
                          nccl->allreduce(one, {})->wait();
                          require_equal(one[0], torch::ones({4}));
                          nccl->abort();
                        }),
              Each(""));
}

TEST_F(GpuTest, NcclOfTwoRanksDoesWhatTheNamesSay) {
  if (devices() < 2)
    GTEST_SKIP() << "needs 2 GPUs, found " << devices();
  EXPECT_THAT(run_ranks(2, use_every_collective), Each(""));
}

TEST_F(GpuTest, MessagesBetweenTwoGpusMeetTheirTags) {
  if (devices() < 2)
    GTEST_SKIP() << "needs 2 GPUs, found " << devices();
  EXPECT_THAT(run_ranks(2,
                        [](Group& world) {
                          const int64_t other = 1 - world.rank();
                          std::vector<PendingSend> sends;
                          for (const int64_t tag : {1, 2, 3})
                            sends.push_back(world.start_send(
                                torch::full({1 << 22}, static_cast<double>(10 * world.rank() + tag),
                                            world.device().place),
                                other, tag));
                          for (const int64_t tag : {3, 1, 2}) {
                            const torch::Tensor got = torch::empty({1 << 22}, world.device().place);
                            world.receive(got, other, tag);
                            require_equal(got, torch::full({1 << 22}, static_cast<double>(10 * other + tag)));
                          }
                          for (PendingSend& send : sends)
                            send.wait();
                        }),
              Each(""));
}

/// Returns the relative error of a product of the device, and that of the exact product rounded to `type`.
std::pair<double, double> errors_of_product(const Device& device, torch::ScalarType type) {
  torch::manual_seed(1);
  const torch::Tensor a = torch::randn({512, 2048}).to(type), b = torch::randn({2048, 512}).to(type);
  const torch::Tensor exact = a.to(torch::kFloat64).matmul(b.to(torch::kFloat64));
  const auto error = [&](const torch::Tensor& found) {
    return ((found.cpu().to(torch::kFloat64) - exact).norm() / exact.norm()).item<double>();
  };
  return {error(a.to(device.place).matmul(b.to(device.place))), error(exact.to(type))};
}

TEST_F(GpuTest, MatrixProductsAddInFloat32) {
  if (devices() < 1)
    GTEST_SKIP() << "needs 1 GPU, found 0";
  EXPECT_THAT(run_ranks(1,
                        [](Group& world) {
                          const char* const workspace = std::getenv("CUBLAS_WORKSPACE_CONFIG");
                          require(workspace != nullptr && *workspace == ':', "no workspace of cuBLAS");
                          require(!at::globalContext().allowTF32CuBLAS(), "TF32 of cuBLAS");
                          // TF32 has operands of 11 bits, and so an error of about 3e-4.
                          const double error = errors_of_product(world.device(), torch::kFloat32).first;
                          require(error < 2e-6, "an error of " + std::to_string(error) + " in float32");
                          // Sums in 16 bits would lose some times what one rounding of the result loses.
                          for (const auto type : {torch::kBFloat16, torch::kFloat16}) {
                            const auto [found, rounded] = errors_of_product(world.device(), type);
                            require(found < 1.05 * rounded, "an error of " + std::to_string(found / rounded) +
                                                                " roundings in " + c10::toString(type));
                          }
                        }),
              Each(""));
}

}  // namespace
}  // namespace parity::reference
