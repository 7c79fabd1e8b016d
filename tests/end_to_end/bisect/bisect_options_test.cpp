// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The search for options with the real trainer: it finds planted differences among others that change
// nothing, whatever the trainer rejects.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/bisect/options/search_options.hpp"
#include "harness/bisect/options/sides.hpp"
#include "harness/bisect/options/wording.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;
using Keys = std::vector<std::string>;

class BisectOptionsTest : public TrainedCaseTest {
 protected:
  /// Six keys with the values that the model has by default.
  static std::string no_ops() {
    return "architecture.max_seq_len = 64\narchitecture.norm_eps = 1e-5\narchitecture.qk_norm = \"off\"\n"
           "architecture.rope = \"complex\"\narchitecture.tied_embeddings = \"off\"\n"
           "parallel.activation_checkpointing = \"full\"\n";
  }

  bisect::OptionFindings search(const std::string& good, const std::string& bad,
                                const bisect::OptionQuestion& question = {}) {
    write_case("c", base() + "[arms.good]\n" + good + "[arms.bad]\n" + bad + no_golden() +
                        check("channel = \"loss\"", "identical"));
    const bisect::OptionSides sides =
        bisect::option_sides((folder_ / "cases/topic/c.toml").string(), "", folder_ / "cases", {});
    require_known_keys(sides, options().trainer);
    Progress progress(stderr, false);
    const bisect::OptionFindings found = search_options(sides.sides, question, options(), progress);
    sentence_ = option_sentence(found);
    return found;
  }

  static Keys keys_of(const bisect::OptionFindings& found, const bisect::Toggles& on) {
    Keys keys;
    for (const size_t i : on)
      keys.push_back(found.toggles.at(i).key);
    return keys;
  }
  static Keys cause_of(const bisect::OptionFindings& found, size_t round = 0) {
    return keys_of(found, found.rounds.at(round).cause.on);
  }

  /// The last update of each run that was executed.
  std::multiset<int64_t> lengths() const {
    std::multiset<int64_t> lengths;
    for (const auto& run : std::filesystem::directory_iterator(folder_ / "out/runs")) {
      const Json identity = Json::parse(read_file(run.path() / "run.json")).at("identity");
      lengths.insert(identity.contains("span") ? identity.at("span").at("stop_after").get<int64_t>()
                                               : identity.at("config").at("steps").get<int64_t>());
    }
    return lengths;
  }

  std::string sentence_;
};

TEST_F(BisectOptionsTest, OneCulpritAmongSevenIsFoundInShortRuns) {
  const bisect::OptionFindings found = search("", no_ops() + "optimizer.beta2 = 0.9\n");
  EXPECT_THAT(found.toggles, SizeIs(7));
  EXPECT_EQ(cause_of(found), Keys{"optimizer.beta2"}) << sentence_;
  EXPECT_THAT(found.rounds, SizeIs(1));
  EXPECT_LE(found.hybrids, bisect::bisection_bound(7) + 2);
  EXPECT_THAT(sentence_, HasSubstr("; the other 6 differences change nothing"));
  const int64_t parting = found.rounds.front().divergence.step;
  EXPECT_EQ(parting, 2) << "Adam's first update knows no second moment before it";
  const std::multiset<int64_t> ran = lengths();
  EXPECT_EQ(ran.count(10), 4U) << "both sides, and the cause and the rest to verify";
  EXPECT_EQ(ran.count(parting), ran.size() - 4) << "all others end where the sides part";
}

TEST_F(BisectOptionsTest, TwoThatOnlyTogetherMatterAreOneCulprit) {
  const bisect::OptionFindings found =
      search("", no_ops() + "data.micro_batches = 4\nloss.normalization = \"microbatch_mean\"\n");
  EXPECT_EQ(cause_of(found), (Keys{"data.micro_batches", "loss.normalization"})) << sentence_;
  EXPECT_THAT(sentence_, HasSubstr("cause the difference only together"));
}

TEST_F(BisectOptionsTest, TwoIndependentOnesAreTwoCulprits) {
  const bisect::OptionFindings found = search("", no_ops() + "lr.first_index = 0\noptimizer.beta2 = 0.9\n");
  ASSERT_THAT(found.rounds, SizeIs(2)) << sentence_;
  EXPECT_EQ(cause_of(found, 0), Keys{"lr.first_index"});
  EXPECT_EQ(cause_of(found, 1), Keys{"optimizer.beta2"});
  EXPECT_EQ(found.rounds[0].divergence.step, 1);
  EXPECT_GT(found.rounds[1].divergence.step, 1);
  EXPECT_THAT(sentence_, HasSubstr("2 causes: lr.first_index = 0"));
}

TEST_F(BisectOptionsTest, WithoutACulpritTheSidesDoNotDiffer) {
  const bisect::OptionFindings found = search("", no_ops());
  EXPECT_EQ(found.ending, bisect::OptionFindings::Ending::no_difference);
  EXPECT_THAT(sentence_, HasSubstr("the sides do not differ: 6 config keys differ, but"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("the sides differ at step 1 in recomputed_blocks")));
  EXPECT_THAT(lengths(), SizeIs(2));
}

TEST_F(BisectOptionsTest, AnOptionThatIsRefusedAloneGoesWithWhatItNeeds) {
  const bisect::OptionFindings found =
      search("", no_ops() + "attention.backend = \"flex\"\nattention.sliding_window = 4\n");
  EXPECT_EQ(cause_of(found), Keys{"attention.sliding_window"}) << sentence_;
  EXPECT_EQ(keys_of(found, found.rounds.front().cause.needs), Keys{"attention.backend"});
  EXPECT_THAT(sentence_, HasSubstr("(needs attention.backend = \"flex\""));
}

TEST_F(BisectOptionsTest, WhatIsRefusedIsNotStartedAgain) {
  write_case("c", base() + arms("", "attention.backend = \"flex\"\nattention.sliding_window = 4\n") +
                      no_golden() + check("channel = \"loss\"", "identical"));
  const bisect::OptionSides sides =
      bisect::option_sides((folder_ / "cases/topic/c.toml").string(), "", folder_ / "cases", {});
  const char* elsewhere = std::getenv("PARITY_TRAINER");
  suite::SuiteOptions options;
  options.out = folder_ / "out";
  options.trainer = elsewhere ? elsewhere : places::build + "/bin/parity-train";
  Progress progress(stderr, false);
  const suite::PlannedCase planned = plan_arms(sides.sides, options);
  bisect::OptionRuns runs(sides.sides,
                          bisect::toggles_between(planned.arms[0].config, planned.arms[1].config), options,
                          progress);
  ASSERT_EQ(runs.toggles().at(1).key, "attention.sliding_window");
  for (const int64_t stop_after : {3, 5, 0}) {
    EXPECT_EQ(runs.of({{1}, stop_after}).failure_kind, results::FailureKind::bad_config);
    EXPECT_EQ(runs.effort().executed, 1) << stop_after;
  }
}

TEST_F(BisectOptionsTest, WhatIsNeededMayBeTheCulpritItself) {
  const std::string packed = "data.packing = \"stream\"\ndata.document_tokens = 8\ndata.eos_id = 255\n";
  const bisect::OptionFindings found =
      search(packed + "attention.backend = \"flex\"\nattention.documents = [\"eos\"]\n", packed);
  EXPECT_EQ(cause_of(found), Keys{"attention.documents"}) << "sdpa is refused with documents. " << sentence_;
  EXPECT_THAT(found.rounds.front().cause.needs, SizeIs(0));
}

TEST_F(BisectOptionsTest, RanksThatNeedEachOtherAreNoCulprits) {
  const std::string heads = "architecture.n_kv_heads = 2\n";
  const bisect::OptionFindings found =
      search(heads, heads +
                        "parallel.tp = 2\nparallel.sequence_parallel = true\n"
                        "parallel.loss_parallel = true\nlr.base = 0.03\n");
  EXPECT_EQ(cause_of(found), Keys{"lr.base"}) << sentence_;
  EXPECT_THAT(found.rounds, SizeIs(1)) << sentence_;
  EXPECT_GT(found.found_alone.gap.size, 0) << "ranks add in another order";
  EXPECT_THAT(found.found_alone.why, HasSubstr("the gap falls by 2^"));
  EXPECT_THAT(sentence_, HasSubstr("the other 3 differences change no more than rounding"));
}

TEST_F(BisectOptionsTest, OptionsThatNeedEachOtherAreOneSet) {
  const bisect::OptionFindings found =
      search("", no_ops() + "data.packing = \"stream\"\ndata.document_tokens = 8\n");
  const bisect::OptionCause& cause = found.rounds.at(0).cause;
  bisect::Toggles all = cause.on;
  all.insert(cause.needs.begin(), cause.needs.end());
  EXPECT_EQ(keys_of(found, all), (Keys{"data.document_tokens", "data.packing"})) << sentence_;
}

TEST_F(BisectOptionsTest, OptionsThatCancelEachOtherAreNoCulprits) {
  const bisect::OptionFindings found = search(
      "", "architecture.rope = \"rotate_half\"\narchitecture.rope_weights = \"permuted\"\nlr.base = 0.03\n");
  EXPECT_EQ(cause_of(found), Keys{"lr.base"}) << sentence_;
  EXPECT_THAT(found.rounds, SizeIs(1)) << sentence_;
}

TEST_F(BisectOptionsTest, SidesThatDifferBeforeTheFirstUpdateSaySo) {
  const bisect::OptionFindings weights = search("", no_ops() + "seed = 7\n");
  EXPECT_EQ(cause_of(weights), Keys{"seed"});
  EXPECT_THAT(weights.notes, Contains(HasSubstr("they start from different weights")));
  const bisect::OptionFindings data = search("", no_ops() + "data.seed = 7\n");
  EXPECT_EQ(cause_of(data), Keys{"data.seed"});
  EXPECT_THAT(data.notes, Contains(HasSubstr("train on different data from step 1 on")));
}

TEST_F(BisectOptionsTest, WhatMakesTheRunFailIsFound) {
  const bisect::OptionFindings found = search("", no_ops() + "lr.base = 1e30\n");
  EXPECT_EQ(cause_of(found), Keys{"lr.base"}) << sentence_;
  EXPECT_THAT(sentence_, HasSubstr("alone makes the run fail"));
}

TEST_F(BisectOptionsTest, ASideThatIsRefusedIsTold) {
  for (const bool is_good : {true, false})
    try {
      const std::string refused = "parallel.sequence_parallel = true\n";
      search(is_good ? refused : "", is_good ? "" : refused);
      FAIL();
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr(is_good ? "the good side" : "the bad side"), HasSubstr("set parallel.tp")));
    }
}

TEST_F(BisectOptionsTest, WhereOnlyRoundingDiffersEveryBitIsExplained) {
  const bisect::OptionFindings found = search("", no_ops() + "data.micro_batches = 4\n");
  EXPECT_EQ(cause_of(found), Keys{"data.micro_batches"}) << sentence_;
  EXPECT_EQ(found.found_alone.gap.size, 0);
  EXPECT_THAT(option_notes(found), Contains(HasSubstr("which may be rounding")));
}

}  // namespace
}  // namespace parity
