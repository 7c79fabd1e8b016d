// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>

#include "harness/suite/results/case_results.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/places.hpp"

namespace parity {

/// Writes a case file and runs it with the real trainer.
class TrainedCaseTest : public suite::SuiteTest {
 protected:
  /// A Llama that trains ten updates in well under a second.
  static std::string base(const std::string& more = "") {
    return "[base]\nmodel = \"llama3.debug\"\nsteps = 10\nloss.normalization = \"global_tokens\"\n" + more +
           "[base.architecture]\ndim = 32\nn_layers = 1\nn_heads = 2\nn_kv_heads = 1\nvocab_size = 256\n"
           "ffn_hidden = 64\n"
           "[base.data]\nseq_len = 32\nglobal_batch = 8\nignore_fraction = 0.3\n"
           "[base.lr]\nschedule = \"warmup_linear\"\nwarmup_steps = 2\nbase = 0.02\n";
  }
  static std::string arms(const std::string& right, const std::string& wrong) {
    return "[arms.right]\n" + right + "\n[arms.wrong]\n" + wrong + "\n";
  }
  static std::string check(const std::string& quantity, const std::string& relation,
                           const std::string& more = "") {
    return "[[checks]]\n" + quantity + "\nrelation = \"" + relation + "\"\nbecause = \"the test says so\"\n" +
           more + "\n";
  }
  static std::string no_golden() { return "[golden]\narms = []\n"; }

  /// Returns the trainer of this build, or $PARITY_TRAINER; runs are stored in this test's folder.
  suite::SuiteOptions options() const {
    const char* elsewhere = std::getenv("PARITY_TRAINER");
    suite::SuiteOptions options;
    options.out = folder_ / "out";
    options.trainer = elsewhere ? elsewhere : places::build + "/bin/parity-train";
    options.jobs = 2;
    return options;
  }

  Json run_trainer(const std::string& text, golden::GoldenMode mode = golden::GoldenMode::compare) const {
    return run_trainer(write_case("c", text), mode);
  }
  Json run_trainer(const suite::Case& source, golden::GoldenMode mode = golden::GoldenMode::compare) const {
    suite::SuiteOptions with_golden = options();
    with_golden.golden_mode = mode;
    with_golden.producer = {{"name", "parity"}, {"version", "0"}};
    Progress progress(stderr, false);
    run_suite({source}, with_golden, progress, [](const results::Case&) {});
    return Json::parse(read_file(with_golden.out / "results.json")).at("cases").at(0);
  }
  /// The PyTorch witness with `before` in it replaced by `after`, in this test's folder.
  std::filesystem::path changed_witness(const std::string& before, const std::string& after) const {
    const std::filesystem::path support = places::source + "/tests/support/pytorch";
    std::string text = read_file(support / "pytorch_llama.py");
    const size_t place = text.find(before);
    EXPECT_NE(place, std::string::npos) << before;
    text.replace(place, before.size(), after);
    for (const auto& each : std::filesystem::directory_iterator(support))
      if (each.path().filename().string().starts_with("pytorch_"))
        write_file(folder_ / each.path().filename(), read_file(each.path()));
    write_file(folder_ / "pytorch_llama.py", text);
    return folder_ / "pytorch_llama.py";
  }
  static std::string sentence(const Json& item, size_t check = 0) {
    return item.at("checks").at(check).at("sentence");
  }
  static std::string failures(const Json& item) {
    std::string text;
    for (const Json& each : item.at("checks"))
      if (!each.at("passed").get<bool>())
        text += each.at("quantity").get<std::string>() + ": " + each.at("sentence").get<std::string>() + "\n";
    return text;
  }
  std::filesystem::path golden() const { return folder_ / "golden/topic/c.h5"; }
};

}  // namespace parity
