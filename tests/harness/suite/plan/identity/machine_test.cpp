// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/machine.hpp"

#include <gmock/gmock.h>

#include "harness/base/files/file.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {

using MachineTest = FolderTest;

TEST_F(MachineTest, Gpus_ComeFromDriverFilesWithoutSerials) {
  write_file(folder / "version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06\nGCC version:  12\n");
  write_file(folder / "gpus/0000:01:00.0/information", "Model: \t\t NVIDIA B\nIRQ: 7\nGPU UUID: GPU-1\n");
  write_file(folder / "gpus/0000:02:00.0/information", "Model: \t\t NVIDIA A\nGPU UUID: GPU-2\n");
  EXPECT_EQ(gpu_facts(folder), (Json{{"driver", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06"},
                                     {"models", {"NVIDIA A", "NVIDIA B"}}}));
}

TEST_F(MachineTest, WithoutADriverThereIsNothingToTell) {
  EXPECT_EQ(gpu_facts(folder / "none", folder / "dxg"), Json::object());
}

TEST_F(MachineTest, ParavirtualDevice_IsADriver) {
  write_file(folder / "dxg", "");
  EXPECT_EQ(gpu_facts(folder / "none", folder / "dxg"), (Json{{"driver", (folder / "dxg").string()}}));
}

}  // namespace
}  // namespace parity::suite
