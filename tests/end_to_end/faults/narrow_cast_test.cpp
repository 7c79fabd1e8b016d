// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// One operator in bfloat16, in the float32 run only. Its float64 twin is intact, so the gap collapses.
#include <gmock/gmock.h>

#include "harness/bisect/traces/search_traces.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

class NarrowCastTest : public TrainedCaseTest {
 protected:
  void SetUp() override {
    suite::SuiteTest::SetUp();
    write_file(folder_ / "cases/topic/train.sh",
               "cd \"$(dirname \"$PARITY_TRACE\")\"\n"
               "if [ \"$1\" = float32 ] && [ -n \"$2\" ]; then\n"
               "  fault='{\"kind\": \"bf16\", \"phase\": \"'$2'\", \"name\": \"'$3'\"}'\n"
               "  sed 's/\"replay\": false/\"replay\": false, \"faults\": ['\"$fault\"']/' "
               "\"$PARITY_CAPTURE\" >with_fault.json\n"
               "  export PARITY_CAPTURE=with_fault.json\n"
               "fi\n"
               "exec " +
                   options().trainer.string() + "\n");
  }
  /// An arm whose float32 run rounds these tensors to bfloat16; none if `phase` is empty.
  static std::string arm(const std::string& name, const std::string& phase = "",
                         const std::string& tensor = "", const std::string& config = "") {
    return "[arms." + name + "]\ncommand = [\"sh\", \"{case_dir}/train.sh\", \"{dtype}\", \"" + phase +
           "\", \"" + tensor + "\"]\ninputs = [\"train.sh\"]\n" + config;
  }
  static std::string gradients_equivalent(const std::string& name) {
    return check("arms = [\"whole\", \"" + name + "\"]\ntensor = \"*\"\nphase = \"grad\"", "equivalent");
  }
};

TEST_F(NarrowCastTest, EachIsImprecise) {
  const std::vector<std::string> narrow = {"norm", "products", "logits", "gradient", "weight"};
  std::string text = base() + no_golden() + arm("whole") + arm("sums", "", "", "data.micro_batches = 2\n") +
                     arm("norm", "forward", "layers.0.attention_norm") +
                     arm("products", "forward", "layers.0.attention.wq") +
                     arm("logits", "forward", "output") +
                     arm("gradient", "grad", "layers.0.feed_forward.w1.weight") +
                     arm("weight", "param", "layers.0.feed_forward.w2.weight") + gradients_equivalent("sums");
  for (const std::string& name : narrow)
    text += gradients_equivalent(name);
  const Json item = run_trainer(text);
  EXPECT_EQ(item.at("checks").at(0).at("verdict"), "rounding") << sentence(item);
  for (size_t i = 0; i < narrow.size(); ++i) {
    EXPECT_EQ(item.at("checks").at(i + 1).at("verdict"), "imprecise") << narrow[i] << sentence(item, i + 1);
    EXPECT_THAT(sentence(item, i + 1), HasSubstr(narrow[i] + " loses 2^"));
  }
}

TEST_F(NarrowCastTest, TheSearchNamesTheOperator) {
  const Json item =
      run_trainer(base() + "[capture]\nsteps = [1]\nphases = [\"forward\", \"grad\"]\nnames = [\"*\"]\n" +
                  no_golden() + arm("whole") + arm("norm", "forward", "layers.0.ffn_norm") +
                  check("channel = [\"loss\", \"grad_norm\"]", "equivalent"));
  EXPECT_EQ(item.at("checks").at(0).at("verdict"), "imprecise") << sentence(item);
  const auto trace_of = [&](size_t arm) {
    return trace::Trace::open(options().out / item.at("arms").at(arm).at("trace").get<std::string>());
  };
  trace::Trace norm = trace_of(1);
  EXPECT_THAT(bisect::search_traces(trace_of(0), norm).sentence,
              HasSubstr("forward layers.0.ffn_norm at step 1 is the first tensor that differs"));
}

}  // namespace
}  // namespace parity
