// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity compare` on checkpoints: what it prints, and its exit codes.
#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "harness/checkpoints/files/safetensors.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CheckpointsTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    put("a.safetensors",
        {{"model.layers.0.mlp.up_proj.weight", {1, 2, 3, 4, 5, 6}}, {"lm_head.weight", {7, 8, 9}}});
    put("b.safetensors",
        {{"layers.0.feed_forward.w3.weight", {1, 2, 3, 4, 5, 6}}, {"output.weight", {7, 8, 9}}});
    put("c.safetensors",
        {{"layers.0.feed_forward.w3.weight", {1, 2, 3, 4, 5.5, 6}}, {"output.weight", {7, 8, 9}}});
    put("empty.safetensors", {});
  }
  /// Writes float32 tensors of three columns.
  void put(const std::string& name, const std::map<std::string, std::vector<float>>& tensors) const {
    std::vector<checkpoints::TensorToWrite> all;
    for (const auto& [key, values] : tensors)
      all.push_back(
          {key,
           DType::float32,
           {static_cast<int64_t>(values.size()) / 3, 3},
           [&values = values](const auto& take) { take(values.data(), values.size() * sizeof(float)); }});
    checkpoints::write_safetensors(folder_ / name, std::move(all));
  }
};

TEST_F(CheckpointsTest, Renamed_Agree) {
  const Outcome found = parity("compare a.safetensors b.safetensors");
  EXPECT_EQ(found.status, 0) << found.out << found.err;
  EXPECT_THAT(
      found.out,
      AllOf(
          HasSubstr("a.safetensors: safetensors, 2 tensors, 9 elements\n"),
          HasSubstr(
              "layers.*.feed_forward.w3.weight is model.layers.*.mlp.up_proj.weight; bit for bit (1 tensor)"),
          HasSubstr("identical: 2 tensors bit for bit")));
}

TEST_F(CheckpointsTest, OneThatIsMissing_IsNamed) {
  const Outcome found = parity("compare a.safetensors b.safetensors step-7");
  EXPECT_EQ(found.status, 2) << found.out << found.err;
  EXPECT_THAT(found.err, HasSubstr("cannot compare step-7 with a checkpoint (it does not exist)"));
}

TEST_F(CheckpointsTest, Different_AreListed) {
  const Outcome found = parity("compare a.safetensors c.safetensors");
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("model.layers.0.mlp  different  1/1"),
                               HasSubstr("model.layers.0.mlp.up_proj.weight[1, 1]: 5 against 5.5"),
                               HasSubstr("different: 1 of 2 pairs")));
  EXPECT_EQ(parity("compare a.safetensors c.safetensors --tensor 'lm_head.*'").status, 0);
  const Json json = read_json(parity("compare a.safetensors c.safetensors --json").out);
  EXPECT_EQ(json.at("schema"), "parity.checkpoints/1");
  EXPECT_EQ(json.at("identical"), false);
  EXPECT_EQ(json.at("tensors").at(1).at("worst").at("actual"), 5.5);
}

TEST_F(CheckpointsTest, BadInput_IsRefused) {
  write_file(folder_ / "cut.safetensors", "abc");
  EXPECT_EQ(parity("compare cut.safetensors a.safetensors").status, 2);
  EXPECT_EQ(parity("compare a.safetensors a.h5").status, 2);
  EXPECT_EQ(parity("compare a.safetensors b.safetensors --step 1").status, 2);
  EXPECT_EQ(parity("compare a.safetensors b.safetensors --map x").status, 2);
  EXPECT_EQ(parity("compare a.safetensors absent.safetensors").status, 3);
  EXPECT_EQ(parity("compare a.safetensors empty.safetensors").status, 3);
}

TEST_F(CheckpointsTest, WithoutPython_NamesTheInstallLine) {
  write_file(folder_ / "a.pt", std::string("PK\x03\x04 and so on"));
  const Outcome absent = shell("env PARITY_PYTHON=/no/such/python parity compare a.pt a.safetensors");
  EXPECT_NE(absent.status, 0);
  EXPECT_THAT(absent.err, HasSubstr("/no/such/python"));
  write_file(folder_ / "python", "#!/bin/sh\necho 'python: No module named parity' >&2\nexit 1\n");
  const Outcome bare =
      shell("env PARITY_PYTHON=./python sh -c 'chmod +x python; exec parity compare a.pt a.safetensors'");
  EXPECT_EQ(bare.status, 3);
  EXPECT_THAT(bare.err, HasSubstr("-m pip install parity-harness torch"));
}

TEST_F(CheckpointsTest, Page_HasModulesTensorsAndRules) {
  const Outcome found = parity("compare a.safetensors b.safetensors c.safetensors --html c.html");
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("different: c.safetensors; 1 of 2 sides agrees with a.safetensors"));
  const std::string page = read_file(folder_ / "c.html");
  EXPECT_THAT(page, AllOf(HasSubstr("Tensors that differ of c.safetensors"), HasSubstr("5 against 5.5"),
                          HasSubstr("Rules that were found of b.safetensors"),
                          HasSubstr("Modules of b.safetensors"), HasSubstr("XXH3-128")));
  EXPECT_EQ(page.find("class=\"canvas\" role"), std::string::npos);
}

}  // namespace
}  // namespace parity::cli
