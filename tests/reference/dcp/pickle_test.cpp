// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "reference/dcp/pickle/read_pickle.hpp"
#include "reference/dcp/pickle/write_pickle.hpp"
#include "tests/support/scratch.hpp"

namespace parity::reference {
namespace {

using Kind = PickleValue::Kind;

/// A value as Python's repr() of tuples, numbers, texts and dicts would show it; sets and tuples as lists.
std::string shown(const PickleValue& value) {
  std::string text;
  const auto listed = [&](const std::vector<const PickleValue*>& items) {
    for (const PickleValue* item : items)
      text += (text.size() > 1 ? ", " : "") + shown(*item);
  };
  switch (value.kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return value.integer != 0 ? "True" : "False";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::real:
      return "real";
    case Kind::text:
      return "'" + value.text + "'";
    case Kind::global:
      return value.text;
    case Kind::list:
      text = "[";
      listed(value.items);
      return text + "]";
    case Kind::dict:
      text = "{";
      for (const auto& [key, entry] : value.entries)
        text += (text.size() > 1 ? ", " : "") + shown(*key) + ": " + shown(*entry);
      return text + "}";
    case Kind::object:
      text = "(";
      listed(value.arguments->items);
      return shown(*value.callee) + text + ")" + (value.state != nullptr ? "+" + shown(*value.state) : "");
  }
  return "";
}

class PickleTest : public FolderTest {};

TEST_F(PickleTest, PythonsProtocols_AreReadAlike) {
  ASSERT_EQ(run_python(folder, R"(
import dataclasses, fractions, pickle, sys
class Point: pass
point = Point(); point.x, point.y = 1, [point.__class__]
value = {"a": (1, -2, 300, -70000, 1 << 40, -(1 << 40), True, None), "b": [point, point], "long " * 100: b"bytes",
         "set": {7}, 0.5: fractions.Fraction(1, 3)}
for protocol in range(2, 6):
    with open(f"{sys.argv[1]}/{protocol}", "wb") as file:
        pickle.dump(value, file, protocol=protocol)
)",
                       folder.string())
                .status,
            0);
  const std::string longer = [] {
    std::string text;
    for (int i = 0; i < 100; ++i)
      text += "long ";
    return text;
  }();
  const std::string point = "__main__.Point()+{'x': 1, 'y': [__main__.Point]}";
  for (const char* protocol : {"3", "4", "5"}) {
    SCOPED_TRACE(protocol);
    const std::string bytes = read_file(folder / protocol);
    const Pickle pickle = read_pickle(bytes);
    const std::string text = shown(*pickle.root);
    EXPECT_THAT(text,
                testing::HasSubstr("'a': [1, -2, 300, -70000, 1099511627776, -1099511627776, True, None]"));
    EXPECT_THAT(text, testing::HasSubstr("'b': [" + point + ", " + point + "]"));
    EXPECT_THAT(text, testing::HasSubstr("'" + longer + "': 'bytes'"));
    EXPECT_THAT(text, testing::HasSubstr("real: fractions.Fraction("));
    for (size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(read_pickle(bytes.substr(0, size)), FormatError) << size;
  }
  EXPECT_THAT(shown(*read_pickle(read_file(folder / "2")).root), testing::HasSubstr("'b': [" + point));
}

TEST_F(PickleTest, WrittenValues_PythonAndWeRead) {
  PickleWriter to;
  to.tuple([&] {
    to.integer(-1), to.integer(int64_t{1} << 40), to.text("\xc3\xa9"), to.boolean(true), to.none();
    to.list([] {});
    to.call("fractions", "Fraction", [&] { to.integer(1), to.integer(3); });
    to.dict([&] { to.text("again"), to.call("fractions", "Fraction", [&] { to.integer(2); }); });
  });
  const std::string bytes = to.finish();
  write_file(folder / "value", bytes);
  const CommandResult python = run_python(
      folder, "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')))", (folder / "value").string());
  EXPECT_EQ(python.output,
            "(-1, 1099511627776, 'é', True, None, [], Fraction(1, 3), {'again': Fraction(2, 1)})\n");
  EXPECT_EQ(
      shown(*read_pickle(bytes).root),
      "[-1, 1099511627776, 'é', True, None, [], fractions.Fraction(1, 3), {'again': fractions.Fraction(2)}]");
}

TEST_F(PickleTest, BadPrograms_AreRefused) {
  for (const std::string_view bytes :
       {"", ".", "\x80\x02.", "a.", "N)a.", "t.", "(Nu.", "}(Nu.", "NR.", "\x93.", "h\x05.", "I1\n.",
        "\x8a\x09"
        "123456789.",
        "X\xff\xff\xff\xff."})
    EXPECT_THROW(read_pickle(bytes), FormatError) << bytes;
}

TEST_F(PickleTest, SelfReferences_End) {
  const Pickle list = read_pickle(
      "]q\x01h\x01"
      "a.");  // a list in itself
  EXPECT_EQ(list.root->items.at(0), list.root);
  EXPECT_EQ(read_pickle(std::string(100000, ']') + ".").root->kind, Kind::list);
}

}  // namespace
}  // namespace parity::reference
