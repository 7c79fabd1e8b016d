// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sentences.hpp"

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {

/// A command that is refused, and all that it prints on stderr.
struct Refusal {
  const char* name;
  const char* command;
  int status;
  std::string text;
};

/// Whole texts of the errors of harness/cli, as a user reads them.
class CliSentencesTest : public ProgramTest, public testing::WithParamInterface<Refusal> {};

TEST_P(CliSentencesTest, IsPrintedOnStderr) {
  const Outcome outcome = parity(GetParam().command);
  EXPECT_EQ(outcome.status, GetParam().status);
  EXPECT_EQ(with_replaced(outcome.err, folder_.string(), "DIR"), "parity: " + GetParam().text + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All, CliSentencesTest,
    testing::Values(
        Refusal{"Jobs", "run --jobs 0", 2,
                "invalid --jobs 0 (a run needs a core); omit it to use every core"},
        Refusal{"Shard", "run --shard 4/3", 2,
                "invalid --shard '4/3' (expected I/N with 1 <= I <= N); for example, use --shard 1/3 on the "
                "first of three machines"},
        Refusal{"SetWithGoldenMode", "run --set steps=1 --golden-mode update-all", 2,
                "cannot use --set with --golden-mode update-all (a golden stores values of the unchanged "
                "case); change the file, or omit one of them"},
        Refusal{"Reason", "run --reason why", 2,
                "cannot use --reason (the golden mode compare stores nothing); add --golden-mode "
                "update-changed, or omit it"},
        Refusal{"Tag", "list --tag fats", 2,
                "no case has the tag 'fats' (did you mean 'fast'?); known: fast"},
        Refusal{"NoTag", "list --not-tag fast", 2,
                "no case matches --tag and --not-tag; known tags: fast; see: parity list"},
        Refusal{"Calibrate", "calibrate", 2,
                "cannot calibrate without a case (each arm runs several times); name cases, or '*' for all: "
                "parity calibrate CASE"},
        Refusal{"Power", "power topic/same --samples 0", 2,
                "invalid --samples or --no-op-pairs (expected at least 1 and at least 0)"},
        Refusal{"Name", "bisect traces cases/topic/a.h5 cases/topic/b.h5 --name x", 2,
                "invalid --name 'x' (expected REGEX=REPLACEMENT)"},
        Refusal{"Floor", "bisect options topic/same --floor -1", 2,
                "invalid --floor -1 (expected a relative gap of 0 or more); for example 1e-6, or 0 to count "
                "every bit"},
        Refusal{"Report", "report a b", 2,
                "cannot merge several folders (no folder for the result); give --out DIR"},
        Refusal{"Bisect", "bisect", 2, "parity bisect needs a case or a verb; see: parity bisect --help"},
        Refusal{"OutsideGit", "bisect commits HEAD --run true", 2,
                "cannot search . (it is not in a git repository); name a folder of a repository with "
                "--repository"},
        Refusal{"NoGolden", "golden verify", 3,
                "none of these cases has a golden (their [golden] table names no arms)"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace parity::cli
