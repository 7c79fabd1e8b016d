// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/relation.hpp"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "harness/base/files/file.hpp"
#include "tests/support/places.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

TEST(RelationTableTest, HasOneRowForEachRelationInOrder) {
  const auto table = relation_table();
  ASSERT_EQ(table.size(), names_of<Relation>().size());
  std::set<RelationFunction> functions;
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].relation, static_cast<Relation>(i));
    EXPECT_TRUE(table[i].arms == 1 || table[i].arms == 2);
    EXPECT_FALSE(table[i].claim.empty());
    const bool shared = table[i].subject == Subject::operators;  // harness/operators judges these
    EXPECT_TRUE(functions.insert(table[i].judge).second || shared) << "two relations share a function";
    EXPECT_EQ(&row_of(table[i].relation), &table[i]);
  }
}

TEST(RelationTableTest, EachRelationHasAFileAndATest) {
  const std::filesystem::path root(places::source);
  for (const RelationRow& row : relation_table()) {
    const std::string name(name_of(row.relation));
    if (row.subject == Subject::operators) {
      EXPECT_THAT(read_file(root / "tests/harness/operators/judge_test.cpp"), HasSubstr("Relation::" + name));
      continue;
    }
    const auto file = root / "harness/compare/relations" / (name + ".cpp");
    EXPECT_TRUE(std::filesystem::exists(file)) << "add " << file;
    const auto test = root / "tests/harness/compare/relations" / (name + "_test.cpp");
    ASSERT_TRUE(std::filesystem::exists(test)) << "add " << test;
    EXPECT_THAT(read_file(test), HasSubstr("Relation::" + name)) << test << " does not test the relation";
  }
}

TEST(RelationTableTest, EachRelationIsInTheCasesReadme) {
  const std::string readme = read_file(std::filesystem::path(places::source) / "cases/README.md");
  for (const std::string& name : names_of<Relation>())
    EXPECT_NE(readme.find("| `" + name + "` | "), std::string::npos)
        << "cases/README.md lacks a row for `" << name << "` in its table of relations";
}

TEST(RelationTableTest, ChannelsAlone_ARelationRefusesTensors) {
  for (const RelationRow& row : relation_table())
    if (!row.may_be_of_tensors()) {
      Check check;
      check.relation = row.relation;
      check.tensor = "*";
      const std::vector<Side> sides(row.arms);
      EXPECT_THROW(row.judge(check, sides), MissingEvidence) << name_of(row.relation);
    }
}

}  // namespace
}  // namespace parity::compare
