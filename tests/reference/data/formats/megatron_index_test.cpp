// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/formats/megatron_index.hpp"

#include "tests/reference/data/formats/token_fixture.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

class MegatronIndexTest : public StoredTokensTest {
 protected:
  /// A Python function that writes both files as Megatron-LM's IndexedDatasetBuilder does.
  const std::string writer =
      "TYPES = {1: 'u1', 2: 'i1', 3: '<i2', 4: '<i4', 5: '<i8', 6: '<f8', 8: '<u2'}\n"
      "def save(name, sequences, bounds, code=8, version=1, change=lambda i: i, bin=lambda b: b):\n"
      "  data = [np.array(s, dtype=TYPES[code]) for s in sequences]\n"
      "  at = np.cumsum([0] + [d.nbytes for d in data])[:-1]\n"
      "  index = b'MMIDIDX\\x00\\x00' + struct.pack('<QBQQ', version, code, len(data), len(bounds))\n"
      "  index += np.array([len(d) for d in data], dtype='<i4').tobytes()\n"
      "  index += np.array(at, dtype='<i8').tobytes() + np.array(bounds, dtype='<i8').tobytes()\n"
      "  (f / (name + '.idx')).write_bytes(change(index))\n"
      "  (f / (name + '.bin')).write_bytes(bin(b''.join(d.tobytes() for d in data)))\n";

  DataConfig index(const std::string& name) const { return named(name + ".idx", TokenFormat::by_name); }
};

TEST_F(MegatronIndexTest, ReadsEveryIntegerType) {
  python(writer + "for c in (1, 2, 3, 4, 5, 8):\n  save(f't{c}', [[1, 2], [49, 0, 3]], [0, 1, 2], c)\n");
  for (const char* name : {"t1", "t2", "t3", "t4", "t5", "t8"})
    EXPECT_THAT(read_stored_tokens(index(name), 50).tokens, ElementsAre(1, 2, 49, 0, 3)) << name;
}

TEST_F(MegatronIndexTest, JoinsTheSequencesOfADocument) {
  python(writer + "save('a', [[1, 2], [3], [4, 5, 6]], [0, 2, 3])");
  EXPECT_THAT(read_stored_documents(index("a"), 50), ElementsAre(ElementsAre(1, 2, 3), ElementsAre(4, 5, 6)));
}

TEST_F(MegatronIndexTest, RefusesDocumentsWithoutALabel) {
  python(writer + "save('one', [[1, 2], [3]], [0, 1, 2])\nsave('no', [[], [1, 2]], [0, 1, 2])\n");
  EXPECT_THAT([&] { read_stored_documents(index("one"), 50); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("document 2 has one token")));
  EXPECT_THAT([&] { read_stored_documents(index("no"), 50); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr("document 1 has no token")));
}

TEST_F(MegatronIndexTest, RefusesDamagedFiles) {
  python(writer +
         "s, b = [[1, 2], [3, 4]], [0, 1, 2]\n"
         "save('magic', s, b, change=lambda i: b'X' + i[1:])\n"
         "save('version', s, b, version=2)\n"
         "save('floats', s, b, code=6)\n"
         "save('cut', s, b, change=lambda i: i[:-1])\n"
         "save('head', s, b, change=lambda i: i[:20])\n"
         "save('modes', s, b, change=lambda i: i + bytes(2))\n"
         "save('longer', s, b, change=lambda i: i + bytes(5))\n"
         "save('huge', s, b, change=lambda i: i[:18] + b'\\xff' * 8 + i[26:])\n"
         "save('short', s, b, bin=lambda b: b[:-1])\n"
         "save('extra', s, b, bin=lambda b: b + b'ab')\n"
         "save('bounds', s, [0, 1])\n"
         "save('falls', s, [0, 2, 1, 2])\n"
         "save('negative', s, b, change=lambda i: i[:34] + struct.pack('<i', -2) + i[38:])\n"
         "save('pointer', s, b, change=lambda i: i[:50] + struct.pack('<q', 2) + i[58:])\n"
         "save('large', [[1, 50]], [0, 1])\n"
         "save('empty', [], [0])\n"
         "save('alone', s, b)\n(f / 'alone.bin').unlink()\n(f / 'zero.idx').write_bytes(b'')\n");
  for (const auto& [name, words] : std::vector<std::pair<std::string, std::string>>{
           {"magic", "does not begin with MMIDIDX"},
           {"version", "its version is 2, expected 1"},
           {"floats", "has the code 6, and no integer type has it"},
           {"cut", "it is cut short"},
           {"head", "it is cut short"},
           {"modes", "it is multimodal"},
           {"longer", "its sequences need"},
           {"huge", "it is cut short"},
           {"short", "it is cut short"},
           {"extra", "it has 10 bytes, and its index lists 4 tokens"},
           {"bounds", "do not cover its 2 sequences"},
           {"falls", "do not cover its 2 sequences"},
           {"negative", "sequence 0 of its index has -2 tokens"},
           {"pointer", "expected at byte 4"},
           {"large", "token 50 at offset 1 is beyond the vocabulary"},
           {"empty", "is empty"},
           {"alone", "it does not exist"},
           {"zero", "does not begin with MMIDIDX"}})
    expect_refused(index(name), words);
  expect_refused(named("alone.bin", TokenFormat::megatron), "it does not exist");
}

}  // namespace
}  // namespace parity::reference
