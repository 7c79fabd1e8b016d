// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The witness is QEMU, which runs parity-train on CPUs of other vendors than this machine's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"
#include "harness/trace/read/trace.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/train_fixture.hpp"

namespace parity::reference {
namespace {

class CpuVendorsTest : public TrainProgramTest, public testing::WithParamInterface<std::string> {
 protected:
  /// Three updates on an emulated CPU; "" is this machine's own.
  trace::Trace train_on(const std::string& cpu, const std::string& branch = "AVX2,STRICT") const {
    Json changes = small();
    changes.update({{"steps", 3}, {"architecture.dim", 88}, {"architecture.ffn_hidden", 136}});
    const std::filesystem::path config = write_config(changes);
    const std::filesystem::path path = folder / ("on_" + cpu + branch + ".h5");
    const std::string emulator = cpu.empty() ? "" : "qemu-x86_64 -cpu " + cpu + " ";
    const CommandResult result =
        run_shell(portable_environment() + ("MKL_CBWR=" + branch + " ") + emulator + program() +
                  config.string() + " --dtype " + GetParam() + " --trace " + path.string() + " 2>&1");
    EXPECT_EQ(result.status, 0) << result.output;
    return trace::Trace::open(path);
  }

  /// Returns every channel except times, and the digest of the initial weights.
  static std::map<std::string, std::vector<double>> numbers(const trace::Trace& trace) {
    std::map<std::string, std::vector<double>> all;
    for (const auto& [name, channel] : trace.channels())
      if (channel.kind != trace::ChannelKind::timing)
        all[name] = channel.as_double();
    return all;
  }
  static Json fact(const trace::Trace& trace, const char* name) {
    return trace.provenance()["fingerprint"][name];
  }
};

TEST_P(CpuVendorsTest, IntelAndAmdComputeTheSameBits) {
  const trace::Trace own = train_on("");
  const trace::Trace intel = train_on("Haswell");
  const trace::Trace amd = train_on("EPYC");
  EXPECT_EQ(fact(intel, "cpu_vendor"), "GenuineIntel");
  EXPECT_EQ(fact(amd, "cpu_vendor"), "AuthenticAMD");
  for (const trace::Trace* trace : {&own, &intel, &amd}) {
    EXPECT_EQ(fact(*trace, "mkl_cbwr"), "AVX2,STRICT");
    EXPECT_EQ(fact(*trace, "initial_weights"), fact(own, "initial_weights"));
    EXPECT_EQ(numbers(*trace), numbers(own)) << fact(*trace, "cpu_vendor");
  }
}

/// Another branch has other bits, so the test above can fail.
TEST_P(CpuVendorsTest, AnotherBranchHasOtherBits) {
  EXPECT_NE(numbers(train_on("", "COMPATIBLE")), numbers(train_on("")));
}

/// Nehalem has no AVX2, so MKL cannot take the branch.
TEST_P(CpuVendorsTest, ACpuWithoutTheBranchIsRefused) {
  const std::filesystem::path config = write_config(small());
  const CommandResult result = run_shell(portable_environment() + "qemu-x86_64 -cpu Nehalem " + program() +
                                         config.string() + " --dtype " + GetParam() + " 2>&1");
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.output, testing::HasSubstr("but MKL_CBWR asks for AVX2,STRICT"));
}

INSTANTIATE_TEST_SUITE_P(Dtypes, CpuVendorsTest, testing::Values("float32", "float64"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace parity::reference
