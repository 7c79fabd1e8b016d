// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/binary_tokens.hpp"

#include "tests/reference/data/formats/token_fixture.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

class BinaryTokensTest : public StoredTokensTest {
 protected:
  const std::string llmc =
      "def llmc(magic, version, n, tokens, t):\n"
      "  h = np.zeros(256, dtype=np.int32); h[:3] = magic, version, n\n"
      "  return h.tobytes() + np.array(tokens, dtype=t).tobytes()\n";
};

TEST_F(BinaryTokensTest, ReadsWhatNumpyWritesForNanogpt) {
  python("np.array([1, 2, 49, 0], dtype=np.uint16).tofile(f / 'train.bin')");
  EXPECT_THAT(read_stored_tokens(named("train.bin", TokenFormat::nanogpt), 50).tokens,
              ElementsAre(1, 2, 49, 0));
}

TEST_F(BinaryTokensTest, ReadsBothFormsOfLlmc) {
  python(llmc +
         "(f / 'gpt2.bin').write_bytes(llmc(20240520, 1, 3, [7, 1, 49], np.uint16))\n"
         "(f / 'llama.bin').write_bytes(llmc(20240801, 7, 2, [70000, 3], np.uint32))\n");
  EXPECT_THAT(read_stored_tokens(named("gpt2.bin", TokenFormat::llmc), 50).tokens, ElementsAre(7, 1, 49));
  EXPECT_THAT(read_stored_tokens(named("llama.bin", TokenFormat::llmc), 70001).tokens, ElementsAre(70000, 3));
}

TEST_F(BinaryTokensTest, DocumentsOfLlmcBeginWithTheMark) {
  python(llmc +
         "(f / 'a.bin').write_bytes(llmc(20240520, 1, 5, [9, 1, 2, 9, 3], np.uint16))\n"
         "np.array([1, 2, 9, 3, 9], dtype=np.uint16).tofile(f / 'b.bin')\n");
  DataConfig llmc_data = named("a.bin", TokenFormat::llmc);
  DataConfig nanogpt = named("b.bin", TokenFormat::nanogpt);
  llmc_data.eos_id = nanogpt.eos_id = 9;
  EXPECT_THAT(read_stored_documents(llmc_data, 50), ElementsAre(ElementsAre(9, 1, 2), ElementsAre(9, 3)));
  EXPECT_THAT(read_stored_documents(nanogpt, 50), ElementsAre(ElementsAre(1, 2, 9), ElementsAre(3, 9)));
}

TEST_F(BinaryTokensTest, RefusesWhatNanogptDoesNotWrite) {
  const auto refused = [&](const std::string& content, const std::string& words) {
    expect_refused(bytes("x.bin", TokenFormat::nanogpt, content), words);
  };
  refused("", "is empty");
  refused("abc", "it has 3 bytes, and uint16 tokens have two each");
  refused(std::string("\x32\0", 2), "token 50 at offset 0 is beyond the vocabulary of 50");
  refused(std::string("\x88\xd8\x34\x01", 4) + std::string(1020, '\0'), "the header of an llm.c file");
  refused("MMIDIDX" + std::string(27, '\0'), "the header of a .npy or .idx file");
  refused("\x93NUMPY\x01" + std::string(121, ' '), "the header of a .npy or .idx file");
  expect_refused(named("none.bin", TokenFormat::nanogpt), "it does not exist");
  expect_refused(bytes("y.bin", TokenFormat::by_name, "ab"), "cannot tell the format");
}

TEST_F(BinaryTokensTest, RefusesWhatLlmcDoesNotWrite) {
  python(llmc +
         "whole = llmc(20240520, 1, 3, [7, 1, 49], np.uint16)\n"
         "(f / 'short.bin').write_bytes(whole[:-1])\n"
         "(f / 'less.bin').write_bytes(whole[:-2])\n"
         "(f / 'more.bin').write_bytes(whole + b'ab')\n"
         "(f / 'head.bin').write_bytes(whole[:1023])\n"
         "(f / 'none.bin').write_bytes(llmc(20240520, 1, 0, [], np.uint16))\n"
         "(f / 'magic.bin').write_bytes(llmc(20240521, 1, 3, [7, 1, 4], np.uint16))\n"
         "(f / 'version.bin').write_bytes(llmc(20240520, 2, 3, [7, 1, 4], np.uint16))\n"
         "(f / 'minus.bin').write_bytes(llmc(20240520, 1, -1, [7], np.uint16))\n"
         "(f / 'large.bin').write_bytes(llmc(20240520, 1, 2, [7, 50], np.uint16))\n");
  for (const auto& [name, words] : std::vector<std::pair<std::string, std::string>>{
           {"short", "states 3 tokens, and 5 bytes follow"},
           {"less", "states 3 tokens, and 4 bytes follow"},
           {"more", "states 3 tokens, and 8 bytes follow"},
           {"head", "1023 bytes, fewer than a header"},
           {"none", "is empty"},
           {"magic", "magic number is 20240521"},
           {"version", "version is 2, expected 1"},
           {"minus", "states -1 tokens"},
           {"large", "token 50 at offset 1 is beyond the vocabulary"}})
    expect_refused(named(name + ".bin", TokenFormat::llmc), words);
}

}  // namespace
}  // namespace parity::reference
