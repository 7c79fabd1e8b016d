// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/json_lines.hpp"

#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/documents.hpp"
#include "reference/data/text_corpus.hpp"
#include "tests/reference/data/formats/token_fixture.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class JsonLinesTest : public StoredTokensTest {
 protected:
  DataConfig lines(const std::string& content) const {
    return bytes("a.jsonl", TokenFormat::by_name, content);
  }
};

TEST_F(JsonLinesTest, ReadsTheDocumentsThatMegatronsFilesHave) {
  python(
      "sys.path.insert(0, '" + places::source +
      "/harness/python/src')\n"
      "import json\n"
      "from parity.tokens.indexed import Writer\n"
      "rows = [[i % 50 for i in range(n, 2 * n + 2)] for n in range(40)]\n"
      "(f / 'a.jsonl').write_text(''.join(json.dumps({'tokens': row, 'n': 1.5}) + '\\n' for row in rows))\n"
      "writer = Writer(f / 'a.bin', 50)\n"
      "for row in rows: writer.add(row)\n"
      "writer.close(f / 'a.idx')\n");
  const auto documents = read_stored_documents(named("a.jsonl", TokenFormat::by_name), 50);
  EXPECT_EQ(documents.size(), 40U);
  EXPECT_EQ(documents, read_stored_documents(named("a.idx", TokenFormat::by_name), 50));
  EXPECT_EQ(documents[2], (std::vector<int64_t>{2, 3, 4, 5}));
}

TEST_F(JsonLinesTest, ColumnAndFormatChooseWhatIsRead) {
  DataConfig data = bytes("a.txt", TokenFormat::jsonl,
                          "{\"ids\": [1, 2], \"tokens\": [3, 4]}\r\n \n"
                          "{\"ids\": [5, 6, 7], \"tokens\": [8, 9]}");
  EXPECT_THAT(read_stored_documents(data, 50), ElementsAre(ElementsAre(3, 4), ElementsAre(8, 9)));
  data.column = "ids";
  EXPECT_THAT(read_stored_documents(data, 50), ElementsAre(ElementsAre(1, 2), ElementsAre(5, 6, 7)));
}

TEST_F(JsonLinesTest, TextsAreDocumentsOfBytes) {
  DataConfig data = lines("{\"text\": \"abc\"}\n{\"text\": \"\"}\n{\"text\": \"na\\u00efve\\n\"}\n");
  data.source = DataSource::text;
  EXPECT_EQ(read_json_lines_texts(data.path, ""), (std::vector<std::string>{"abc", "", "naïve\n"}));
  const auto documents = read_text_documents(data.path);
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(documents[2], ByteTokenizer::encode_document("naïve\n"));
  data.shuffle = true;
  EXPECT_EQ(make_documents(data, {258, 16})->document(0).front(), ByteTokenizer::begin_of_text);
}

TEST_F(JsonLinesTest, RefusesWhatIsNoListOfTokensByLine) {
  const std::string good = "{\"tokens\": [1, 2]}\n\n";
  for (const auto& [line, words] : std::vector<std::pair<std::string, std::string>>{
           {"{\"ids\": [1], \"n\": 2}",
            "a.jsonl:3 (it has no \"tokens\", only: ids, n); set data.column to one"},
           {"{}", "has no \"tokens\", only: none"},
           {"{\"tokens\": [1, 2}", "a.jsonl:3 (it is not a JSON object); write an object a line"},
           {"{\"tokens\": [NaN]}", "is not a JSON object"},
           {"[1, 2]", "is not a JSON object"},
           {"{\"tokens\": \"1 2\"}", "has no list of integers as \"tokens\""},
           {"{\"tokens\": null}", "has no list of integers as \"tokens\""},
           {"{\"tokens\": [1, null]}", "has null in \"tokens\", and no integer"},
           {"{\"tokens\": [1, 2.0]}", "has 2.0 in \"tokens\", and no integer"},
           {"{\"tokens\": [1, true]}", "has true in \"tokens\", and no integer"},
           {"{\"tokens\": [9223372036854775808]}", "has 9223372036854775808 in \"tokens\", and no integer"},
           {"{\"tokens\": [7, -3]}", "token -3 at offset 3 is negative"},
           {"{\"tokens\": [7, 50]}", "token 50 at offset 3 is beyond the vocabulary of 50"},
           {"{\"tokens\": [1, 2]} {\"tokens\": [3]}", "is not a JSON object"},
           {"{\"tokens\": [1]}\xff", "is not UTF-8"}})
    expect_refused(lines(good + line), words);
  expect_refused(lines(""), "is empty");
  expect_refused(lines("\n \n"), "is empty");
  expect_refused(lines("{\"tokens\": []}"), "is empty");
  expect_refused(named("missing.jsonl", TokenFormat::by_name), "it does not exist");
  EXPECT_THAT([&] { read_stored_documents(lines(good + "{\"tokens\": [1]}"), 50); },
              ThrowsMessage<UserError>(HasSubstr("document 2 has one token")));
}

TEST_F(JsonLinesTest, RefusesTextsThatAreNot) {
  const auto refused = [&](const std::string& content, const char* words) {
    const DataConfig data = lines(content);
    EXPECT_THAT([&] { read_json_lines_texts(data.path, ""); }, ThrowsMessage<UserError>(HasSubstr(words)));
  };
  refused("{\"text\": [1]}", "a.jsonl:1 (it has no text as \"text\")");
  refused("{\"text\": \"a\"}\n{\"text\": null}", "a.jsonl:2 (it has no text as \"text\")");
  refused("{\"text\": \"\\ud800\"}", "is not a JSON object");
  refused("\n", "is empty (there is nothing to train on)");
}

}  // namespace
}  // namespace parity::reference
