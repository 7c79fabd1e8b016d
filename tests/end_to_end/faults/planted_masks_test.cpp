// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Masks that are wrong on purpose but claimed to be right: the suite must report it and name the place.
#include <gmock/gmock.h>

#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {
using testing::AllOf;
using testing::HasSubstr;

class PlantedMaskTest : public TrainedCaseTest {
 protected:
  /// Packed documents with an EOS and positions that restart.
  static std::string packed() {
    return "[base]\nmodel = \"llama3.debug\"\nsteps = 10\n"
           "[base.architecture]\ndim = 32\nn_layers = 1\nn_heads = 2\nn_kv_heads = 1\nvocab_size = 256\n"
           "ffn_hidden = 64\n"
           "[base.data]\nseq_len = 64\nglobal_batch = 4\npacking = \"stream\"\npositions = \"document\"\n"
           "document_tokens = 12\neos_id = 255\n"
           "[base.lr]\nbase = 0.02\n[base.attention]\nbackend = \"flex\"\ndocuments = [\"eos\"]\n" +
           no_golden();
  }
};

TEST_F(PlantedMaskTest, NewlineAfterEos_MovesBoundaryByOneToken) {
  const Json item = run_trainer(
      packed() +
      arms("data.newline_id = 10", "data.newline_id = 10\nattention.documents = [\"position_difference\"]") +
      check("channel = \"batch_digest\"", "identical") + check("channel = \"mask_pairs\"", "identical") +
      check("channel = [\"loss\", \"grad_norm\"]", "equivalent"));
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_TRUE(item.at("checks").at(0).at("passed").get<bool>()) << sentence(item, 0);
  EXPECT_THAT(sentence(item, 1), AllOf(HasSubstr("mask_pairs of wrong"), HasSubstr("step 1")));
  EXPECT_EQ(item.at("checks").at(2).at("verdict"), "different");
}

TEST_F(PlantedMaskTest, AMaskThatIsForgottenIsAnotherComputation) {
  const Json item =
      run_trainer(packed() + arms("", "attention.documents = []\nattention.backend = \"sdpa\"") +
                  check("channel = [\"loss\", \"grad_norm\"]", "equivalent") +
                  check("channel = \"mask_digest\"", "identical"));
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_EQ(item.at("checks").at(0).at("verdict"), "different");
  EXPECT_LT(item.at("checks").at(0).at("measured").at("collapse_log2").get<double>(), 2);
  EXPECT_FALSE(item.at("checks").at(1).at("passed").get<bool>());
}

TEST_F(PlantedMaskTest, UnresetPositions_ShowOnlyUnderCausalMask) {
  const std::string causal = "attention.documents = []\nattention.backend = \"sdpa\"\n";
  const Json leaking = run_trainer(packed() + arms(causal, causal + "data.positions = \"sequence\"") +
                                   check("channel = \"loss\"", "equivalent"));
  EXPECT_EQ(leaking.at("checks").at(0).at("verdict"), "different") << sentence(leaking);
  const Json masked = run_trainer(packed() + arms("", "data.positions = \"sequence\"") +
                                  check("channel = \"loss\"", "equivalent"));
  EXPECT_TRUE(masked.at("checks").at(0).at("passed").get<bool>()) << sentence(masked);
}

TEST_F(PlantedMaskTest, AMaskBetweenTwoMarksIsRefusedWithItsLine) {
  const Json item = run_trainer(packed() + arms("", "attention.documents = [\"eos\", \"position_zero\"]") +
                                check("channel = \"loss\"", "identical"));
  EXPECT_FALSE(item.at("passed").get<bool>());
  EXPECT_THAT(item.at("arms").at(1).at("failure").dump(), HasSubstr("only one of them"));
}

TEST_F(PlantedMaskTest, BadTokenFile_IsReportedWithFileAndLine) {
  write_file(folder_ / "cases/topic/rows.tokens", "[[rows]]\ntokens = [1, 2, 999, 4]\n");
  const std::string data =
      "data.source = \"tokens\"\ndata.path = \"{case_dir}/rows.tokens\"\ndata.seq_len = 4\n";
  const Json item = run_trainer("[base]\nsteps = 10\n[base.architecture]\nvocab_size = 256\n" + no_golden() +
                                arms(data, data + "lr.base = 1.0") + check("channel = \"loss\"", "distinct"));
  EXPECT_THAT(
      item.at("arms").at(0).at("failure").dump(),
      AllOf(HasSubstr("rows.tokens:2: "), HasSubstr("token 999 at index 2 is beyond the vocabulary")));
}

}  // namespace
}  // namespace parity
