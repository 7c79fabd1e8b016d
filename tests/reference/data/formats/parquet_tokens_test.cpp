// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/parquet_tokens.hpp"

#include "reference/data/byte_tokenizer.hpp"
#include "reference/data/documents.hpp"
#include "reference/data/parquet/read_parquet.hpp"
#include "reference/data/text_corpus.hpp"
#include "tests/reference/data/formats/token_fixture.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Files that pyarrow writes.
class ParquetTokensTest : public StoredTokensTest {
 protected:
  static std::string pyarrow(const std::string& program) {
    return "import json\nimport pyarrow as pa\nfrom pyarrow import parquet\n"
           "def save(name, array, column='tokens', **options):\n"
           "  parquet.write_table(pa.table({column: array}), f / (name + '.parquet'), **options)\n" +
           program;
  }
  DataConfig file(const std::string& name) const { return named(name + ".parquet", TokenFormat::by_name); }
};

TEST_F(ParquetTokensTest, ReadsTheDocumentsThatMegatronsFilesHave) {
  python(
      pyarrow("sys.path.insert(0, '" + places::source + "/harness/python/src')\n" +
              "from parity.tokens.indexed import Writer\n"
              "lines = [json.dumps({'tokens': [i % 50 for i in range(n, 2 * n + 2)]}) for n in range(40)]\n"
              "rows = [json.loads(line)['tokens'] for line in lines]\n"
              "save('a', pa.array(rows, pa.list_(pa.int32())), row_group_size=7)\n"
              "writer = Writer(f / 'a.bin', 50)\n"
              "for row in rows: writer.add(row)\n"
              "writer.close(f / 'a.idx')\n"));
  const auto documents = read_stored_documents(file("a"), 50);
  EXPECT_EQ(documents.size(), 40U);
  EXPECT_EQ(documents, read_stored_documents(named("a.idx", TokenFormat::by_name), 50));
  EXPECT_EQ(documents[2], (std::vector<int64_t>{2, 3, 4, 5}));
}

TEST_F(ParquetTokensTest, ReadsEveryIntegerAndKindOfList) {
  python(
      pyarrow("rows = [[1, 2], [49, 3]]\n"
              "for t in ('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'):\n"
              "  save(t, pa.array(rows, pa.list_(getattr(pa, t)())))\n"
              "save('large', pa.array(rows, pa.large_list(pa.int32())))\n"
              "save('fixed', pa.array(rows, pa.list_(pa.int32(), 2)))\n"
              "save('dictionary', pa.array(rows, pa.list_(pa.int64())), compression='zstd')\n"
              "save('old', pa.array(rows, pa.list_(pa.int64())), version='1.0', compression='gzip')\n"));
  for (const char* name : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "large",
                           "fixed", "dictionary", "old"})
    EXPECT_THAT(read_stored_documents(file(name), 50), ElementsAre(ElementsAre(1, 2), ElementsAre(49, 3)))
        << name;
}

TEST_F(ParquetTokensTest, TextsAreDocumentsOfBytes) {
  python(
      pyarrow("texts = ['abc', '', 'naïve\\n', '漢字']\n"
              "save('a', pa.array(texts), 'text')\nsave('b', pa.array(texts, pa.large_string()), 'body')\n"
              "np.array([t for x in texts for t in [256, *x.encode(), 257]], dtype=np.int32)"
              ".tofile(f / 'expected.bin')\n"));
  const std::string bytes = read_file(folder / "expected.bin");
  std::vector<int64_t> expected;
  for (size_t i = 0; i < bytes.size(); i += sizeof(int32_t))
    expected.push_back(*reinterpret_cast<const int32_t*>(bytes.data() + i));
  for (const auto& [name, column] : {std::pair("a.parquet", ""), std::pair("b.parquet", "body")}) {
    const TextCorpus corpus(folder / name, column);
    ASSERT_EQ(corpus.size(), static_cast<int64_t>(expected.size()));
    std::vector<int64_t> tokens(expected.size());
    corpus.read(0, tokens);
    EXPECT_EQ(tokens, expected);
  }
  DataConfig data = file("a");
  data.source = DataSource::text;
  data.shuffle = true;
  EXPECT_EQ(make_documents(data, {258, 8})->document(0).front(), ByteTokenizer::begin_of_text);
}

TEST_F(ParquetTokensTest, RefusesWhatIsNoListOfTokens) {
  python(
      pyarrow("ints = pa.list_(pa.int64())\nrows = [[1, 2], [3, 4]]\n"
              "save('column', pa.array(rows, ints), 'ids')\n"
              "save('row', pa.array([[1, 2], None], ints))\n"
              "save('element', pa.array([[1, 2], [3, None]], ints))\n"
              "save('floats', pa.array([[1.0, 2.0]]))\n"
              "save('single', pa.array([1, 2]))\n"
              "save('text', pa.array(['1 2']))\n"
              "save('nested', pa.array([[[1, 2]]]))\n"
              "save('bool', pa.array([[True, False]]))\n"
              "save('huge', pa.array([[1, 2**63]], pa.list_(pa.uint64())))\n"
              "save('none', pa.array([], ints))\n"
              "save('beyond', pa.array([[1, 50]], ints))\n"
              "save('lists', pa.array([[], []], ints))\n"
              "parquet.write_table(pa.Table.from_arrays([pa.array(rows, ints)] * 2, ['tokens'] * 2), "
              "f / 'twice.parquet')\n"
              "(f / 'empty.parquet').write_bytes(b'')\n"
              "(f / 'json.parquet').write_text('{\"tokens\": [1, 2]}\\n')\n"
              "(f / 'folder.parquet').mkdir()\n"));
  for (const auto& [name, words] : std::vector<std::pair<std::string, std::string>>{
           {"column", "it has no column 'tokens', only: ids); set data.column to one of these"},
           {"row", "row 2 has null in its column 'tokens'"},
           {"element", "row 2 has null in its column 'tokens'"},
           {"floats", "is list<element: double>, not a list of integers"},
           {"single", "is int64, not a list of integers"},
           {"text", "is string, not a list of integers"},
           {"nested", "neither integers, floats of 32 or 64 bits, text, nor a list"},
           {"bool", "neither integers, floats of 32 or 64 bits, text, nor a list"},
           {"huge", "row 1 has 9223372036854775808, which is beyond int64"},
           {"none", "is empty (there is nothing to train on)"},
           {"beyond", "token 50 at offset 1 is beyond the vocabulary of 50"},
           {"lists", "is empty (there is nothing to train on)"},
           {"twice", "two columns have the name 'tokens'"},
           {"empty", "0 bytes"},
           {"json", "magic bytes not found"},
           {"folder", "cannot read"},
           {"missing", "it does not exist"}})
    expect_refused(file(name), words);
}

TEST_F(ParquetTokensTest, RefusesTextsThatAreNot) {
  python(
      pyarrow("save('null', pa.array(['a', None]), 'text')\nsave('bytes', pa.array([b'a']), 'text')\n"
              "save('ids', pa.array([[1, 2]]), 'text')\n"
              "broken = pa.array([b'ok', b'a\\xff']).view(pa.string())\nsave('broken', broken, 'text')\n"));
  const auto refused = [&](const char* name, const char* words) {
    EXPECT_THAT([&] { read_parquet_texts(folder / name, ""); }, ThrowsMessage<UserError>(HasSubstr(words)));
  };
  refused("null.parquet", "row 2 has null in its column 'text'");
  refused("bytes.parquet", "its column 'text' is binary, neither");
  refused("ids.parquet", "its column 'text' is list<element: int64>, not text");
  refused("broken.parquet", "row 2 of its column 'text' is not UTF-8: byte 1");
}

/// A file of which a byte is missing or another is refused, or has the same tokens: a version in its footer,
/// for example, does not change them.
TEST_F(ParquetTokensTest, DamagedFilesAreNeverOtherTokens) {
  python(
      pyarrow("save('a', pa.array([[1, 2], [3, 4, 5]], pa.list_(pa.int64())), write_page_checksum=True, "
              "store_schema=False)\n"));
  const std::string whole = read_file(folder / "a.parquet");
  const StoredTokens expected = read_stored_tokens(file("a"), 50);
  size_t refused = 0;
  const auto try_read = [&](const std::string& content) {
    write_file(folder / "b.parquet", content);
    try {
      const StoredTokens found = read_stored_tokens(file("b"), 50);
      EXPECT_TRUE(found.tokens == expected.tokens && found.ends == expected.ends);
    } catch (const UserError& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("data.path"));
    }
  };
  for (size_t size = 1; size < whole.size(); ++size)
    try_read(whole.substr(0, size));
  EXPECT_EQ(refused, whole.size() - 1) << "each cut file";
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    try_read(changed);
  }
  EXPECT_GT(refused, whole.size() - 1 + whole.size() / 4);
}

TEST_F(ParquetTokensTest, ABuildWithoutArrowSaysHowToGetIt) {
  const auto refusal = [&] { load_parquet_plugin(folder / "libparity-parquet.so", "a.parquet"); };
  EXPECT_THAT(refusal, ThrowsMessage<UserError>(testing::AllOf(
                           HasSubstr("cannot read a.parquet (this build of parity-train has no"),
                           HasSubstr("configure with -DPARITY_PARQUET=ON, which installs pyarrow"))));
  write_file(folder / "libparity-parquet.so", "no library");
  EXPECT_THAT(refusal, ThrowsMessage<UserError>(HasSubstr("build it again where pyarrow is installed")));
}

}  // namespace
}  // namespace parity::reference
