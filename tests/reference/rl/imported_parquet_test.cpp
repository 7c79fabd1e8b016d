// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/rl/imported_rollouts.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

/// Rollouts that pyarrow writes as Parquet, from the rows of JSON lines.
class ImportedParquetTest : public FolderTest {
 protected:
  /// Runs a program that has four good rows in `rows`, and `save` to write rows by the inferred types.
  void python(const std::string& program) const {
    const CommandResult result = run_python(
        folder,
        "import copy, json, pathlib, sys\nimport pyarrow as pa\nfrom pyarrow import parquet\n"
        "f = pathlib.Path(sys.argv[1])\n"
        "rows = [{'prompt': [1, 2], 'tokens': [3, 4 + i], 'logprobs': [-1.5, -0.1 * i], 'reward': 0.1 * i,"
        " 'version': i, 'id': 'x'} for i in range(4)]\n"
        "rows[3]['logprobs'][1] = None\n"
        "def save(name, rows, schema=None):\n"
        "  parquet.write_table(pa.Table.from_pylist(rows, schema), f / (name + '.parquet'))\n"
        "def changed(**members):\n"
        "  some = copy.deepcopy(rows)\n  some[2].update(members)\n  return some\n" +
            program,
        folder.string());
    ASSERT_EQ(result.status, 0) << result.output;
  }

  ImportedRollouts read(const std::string& name) const {
    RunConfig config;
    config.data.path = (folder / name).string();
    config.data.global_batch = config.rl.group_size = 2;
    return {config, 12};
  }

  void expect_refused(const std::string& name, const std::string& words) const {
    EXPECT_THAT([&] { read(name + ".parquet"); },
                testing::ThrowsMessage<UserError>(testing::HasSubstr(words)))
        << name;
  }
};

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b,
                            [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

TEST_F(ImportedParquetTest, RowsAreTheLinesOfJson) {
  python("(f / 'r.jsonl').write_text(''.join(json.dumps(row) + '\\n' for row in rows))\nsave('r', rows)\n");
  const ImportedRollouts lines = read("r.jsonl"), parquet = read("r.parquet");
  EXPECT_FALSE(parquet.has_update(3));
  for (const int64_t update : {1, 2}) {
    const std::vector<Rollout> expected = lines.of_update(update), found = parquet.of_update(update);
    ASSERT_EQ(found.size(), 2U);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].prompt, expected[i].prompt);
      EXPECT_EQ(found[i].completion, expected[i].completion);
      EXPECT_TRUE(same_numbers(found[i].logprobs, expected[i].logprobs));
      EXPECT_EQ(found[i].reward, expected[i].reward);
      EXPECT_EQ(found[i].version, expected[i].version);
    }
  }
  EXPECT_TRUE(std::isnan(parquet.of_update(2)[1].logprobs[1])) << "null is an unknown log probability";
  EXPECT_EQ(parquet.place(2, 0), "r.parquet:3");
}

TEST_F(ImportedParquetTest, BadRowsAreRefusedByPlaceAndCause) {
  python(
      "for member in ('prompt', 'tokens', 'logprobs', 'reward', 'version'):\n"
      "  save('no_' + member, [{k: v for k, v in row.items() if k != member} for row in rows])\n"
      "  save('null_' + member, changed(**{member: None}))\n"
      "save('element', changed(tokens=[3, None]))\n"
      "save('nan', changed(logprobs=[-1.0, float('nan')]))\n"
      "save('infinity', changed(logprobs=[-1.0, float('-inf')]))\n"
      "save('reward', changed(reward=float('nan')))\n"
      "save('positive', changed(logprobs=[-1.0, 0.25]))\n"
      "save('more', changed(logprobs=[-1.0]))\n"
      "save('vocabulary', changed(tokens=[3, 12]))\n"
      "save('minus', changed(version=-1))\n"
      "save('prompt', changed(prompt=[2, 2]))\n"
      "save('empty', changed(tokens=[], logprobs=[]))\n"
      "save('floats', [{**row, 'tokens': [3.0, 4.0]} for row in rows])\n"
      "save('text', [{**row, 'reward': 'high'} for row in rows])\n"
      "save('single', [{**row, 'prompt': 1} for row in rows])\n"
      "save('none', [], pa.Table.from_pylist(rows).schema)\n"
      "save('cut', rows)\n"
      "whole = (f / 'cut.parquet').read_bytes()\n(f / 'cut.parquet').write_bytes(whole[:-1])\n");
  for (const std::string member : {"prompt", "tokens", "logprobs", "reward", "version"}) {
    expect_refused("no_" + member, "it has no column '" + member + "', only:");
    expect_refused("null_" + member, "row 3 has null in its column '" + member + "'");
  }
  expect_refused("element", "row 3 has null in its column 'tokens'");
  expect_refused("nan", "row 3 has NaN in its column 'logprobs'");
  expect_refused("infinity", "row 3 has Infinity in its column 'logprobs'");
  expect_refused("reward", "row 3 has NaN in its column 'reward'");
  expect_refused("positive", "positive.parquet:3 has the log probability 0.25");
  expect_refused("more", "more.parquet:3 has 2 tokens and 1 log probabilities");
  expect_refused("vocabulary", "vocabulary.parquet:3 has the token 12");
  expect_refused("minus", "minus.parquet:3 has -1 as \"version\"");
  expect_refused("prompt", "prompt.parquet:4 has another prompt than line 3");
  expect_refused("empty", "empty.parquet:3 has no list of numbers as \"tokens\"");
  expect_refused("floats", "floats.parquet:1 has 3.0 in \"tokens\" (tokens are integers)");
  expect_refused("text", "text.parquet:1 has \"high\" as \"reward\"");
  expect_refused("single", "single.parquet:1 has no list of numbers as \"prompt\"");
  expect_refused("none", "is empty");
  expect_refused("cut", "magic bytes not found");
  expect_refused("missing", "does not exist");
}

}  // namespace
}  // namespace parity::reference
