// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity audit`: its exit codes, its table and its JSON.
#include <cmath>

#include <gmock/gmock.h>

#include "harness/base/json/json.hpp"
#include "harness/trace/write/recorder.hpp"
#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

using testing::HasSubstr;

class AuditVerbTest : public ProgramTest {
 protected:
  /// Records updates with a gradient of norm 5 and the norm that the trainer claims.
  void record(double norm, bool with_gradient = true) const {
    trace::Recorder::Options options{folder_ / "run" / "trace.h5", {}, {}, {}};
    options.capture.tensors.push_back({});
    trace::Recorder recorder(std::move(options));
    const std::vector<float> gradient = {3, 4};
    for (int64_t step = 1; step <= 2; ++step) {
      recorder.begin_step(step);
      recorder.channel("grad_norm", norm);
      if (with_gradient)
        recorder.tensor(trace::Phase::grad, "w", {DType::float32, {2}, gradient.data()});
      recorder.end_step();
    }
    recorder.finish();
  }
};

TEST_F(AuditVerbTest, LawfulRun_Is0) {
  record(5);
  const Outcome found = parity("audit run");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("grad_norm  holds"));
  EXPECT_THAT(found.out,
              HasSubstr("clip: not asked: no gradient was recorded before and after clipping; record "));
  EXPECT_THAT(found.out, HasSubstr("lawful: 1 law holds"));
}

TEST_F(AuditVerbTest, UnlawfulRun_Is1) {
  record(25);
  const Outcome found = parity("audit run/trace.h5");
  EXPECT_EQ(found.status, 1) << found.err;
  EXPECT_THAT(found.out, HasSubstr("it equals the squared norm"));
  const Outcome json = parity("audit run --json");
  EXPECT_EQ(json.status, 1);
  const Json audit = read_json(json.out);
  EXPECT_EQ(audit.at("schema"), "parity.audit/1");
  EXPECT_EQ(audit.at("lawful"), false);
  const Json& law = audit.at("laws").at(0);
  EXPECT_EQ(law.at("law"), "grad_norm");
  EXPECT_EQ(law.at("answer"), "departs");
  EXPECT_EQ(law.at("departures").at(0).at("step"), 1);
  EXPECT_EQ(law.at("departures").at(0).at("factor"), 5.0);
}

TEST_F(AuditVerbTest, NothingToAsk_Is3) {
  record(5, false);
  const Outcome found = parity("audit run");
  EXPECT_EQ(found.status, 3) << found.err;
  EXPECT_THAT(found.out, HasSubstr("undecided: no law could be asked"));
  EXPECT_EQ(parity("audit nowhere").status, 3);
}

TEST_F(AuditVerbTest, BadInput_Is2) {
  record(5);
  std::string bytes = read_file(folder_ / "run/trace.h5");
  write_file(folder_ / "short.h5", bytes.substr(0, bytes.size() / 2));
  write_file(folder_ / "empty.h5", "");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x40);
  write_file(folder_ / "changed.h5", bytes);
  for (const std::string file : {"short.h5", "empty.h5"})
    EXPECT_EQ(parity("audit " + file).status, 2) << file;
  EXPECT_NE(parity("audit changed.h5").status, 1);
  EXPECT_EQ(parity("audit").status, 2);
  const Outcome typo = parity("audit run --law grad_nrom");
  EXPECT_EQ(typo.status, 2);
  EXPECT_THAT(typo.err, HasSubstr("did you mean 'grad_norm'?"));
}

TEST_F(AuditVerbTest, ChosenLaw_IsAskedAlone) {
  record(5);
  const Outcome found = parity("audit --law clip run");
  EXPECT_EQ(found.status, 3) << found.out << found.err;
  EXPECT_THAT(parity("audit --list").out, HasSubstr("needs channel grad_norm"));
}

}  // namespace
}  // namespace parity::cli
