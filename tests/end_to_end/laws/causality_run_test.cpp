// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Causality over pairs of runs of parity-train in which one token differs. A mask is wrong where the config
// of a copied trace promises another one than the run had.
#include "harness/laws/batches/causality.hpp"
#include "harness/suite/derived/causality_probe.hpp"
#include "tests/end_to_end/laws/lawful_fixture.hpp"
#include "tests/end_to_end/trained_case.hpp"

namespace parity {
namespace {
using testing::HasSubstr;

class CausalityRunTest : public LawfulRunTest {
 protected:
  static constexpr int64_t position = 20;

  /// Packed documents of about 12 tokens, in two layers.
  static suite::PlannedRun packed(const std::string& backend, const Json& documents) {
    suite::PlannedRun run = run_of();
    run.config.insert_or_assign("architecture.n_layers", 2);
    run.config.insert_or_assign("data.seq_len", 64);
    run.config["data.packing"] = "stream";
    run.config["data.positions"] = "document";
    run.config["data.document_tokens"] = 12;
    run.config["data.eos_id"] = 63;
    run.config["attention.backend"] = backend;
    run.config["attention.documents"] = documents;
    run.capture = {};
    run.capture.tensors.push_back({{1}, {Phase::input, Phase::forward}, {}});
    return run;
  }
  /// Judges a run and its probe under the config that the copies of both promise.
  laws::Finding probe(suite::PlannedRun run, const Json& promise = Json::object()) const {
    const trace::Trace plain = copy(train(run), [](Channels&) {}, promise, "plain");
    const auto place = laws::token_to_change(laws::RecordedRun(plain));
    EXPECT_TRUE(place);
    run.config["data.probe_row"] = place->row;
    run.config["data.probe_position"] = place->position;
    const trace::Trace changed = copy(train(run), [](Channels&) {}, promise, "changed");
    return laws::judge_causality(laws::RecordedRun(plain), laws::RecordedRun(changed));
  }
  static std::string sentence_of(const laws::Finding& finding) {
    return finding.departures.empty() ? finding.why : finding.departures.front().sentence;
  }
  static void expect_holds(const laws::Finding& finding, const std::string& note) {
    EXPECT_EQ(finding.answer(), Answer::holds) << sentence_of(finding);
    EXPECT_THAT(finding.notes, testing::Contains(HasSubstr(note)));
  }
};

TEST_F(CausalityRunTest, CausalMask_Holds) {
  expect_holds(probe(packed("sdpa", Json::array())), "each row is one document");
}

TEST_F(CausalityRunTest, PackedDocuments_Hold) {
  for (const char* backend : {"flex", "varlen"})
    expect_holds(probe(packed(backend, Json::array({"eos"}))), "rule eos of the config separates documents");
}

TEST_F(CausalityRunTest, LeakBetweenDocuments_IsNamed) {
  const laws::Finding finding =
      probe(packed("sdpa", Json::array()), {{"attention", {{"documents", {"eos"}}}}});
  EXPECT_THAT(sentence_of(finding), HasSubstr("layers.0.attention"));
  EXPECT_THAT(sentence_of(finding), HasSubstr("in another document, so documents are not kept apart"));
}

TEST_F(CausalityRunTest, WindowTooWideByOne_IsNamed) {
  suite::PlannedRun run = packed("flex", Json::array());
  run.config["attention.sliding_window"] = 8;
  expect_holds(probe(run), "each row is one document");
  EXPECT_THAT(sentence_of(probe(run, {{"attention", {{"sliding_window", 7}}}})),
              HasSubstr("is 7 tokens after it, where attention.sliding_window = 7 allows 6"));
}

/// `parity audit CASE:ARM --causality` without the words.
using CausalityProbeTest = TrainedCaseTest;

TEST_F(CausalityProbeTest, ArmsOfACase_AreProbed) {
  const suite::Case source = write_case(
      "c", base() + "[golden]\narms = []\n" +
               arms("", "model = \"qwen3.debug_moe_8\"\nmoe.hidden = 16\narchitecture.vocab_size = 64") +
               check("channel = \"loss\"", "distinct"));
  Progress progress(stderr, false);
  for (const suite::Arm& arm : source.arms) {
    const laws::Audit audit = suite::probe_causality(source, arm.name, options(), progress);
    EXPECT_EQ(audit.exit_code(), ExitCode::agree) << arm.name << audit.to_json().dump(1);
  }
}

}  // namespace
}  // namespace parity
