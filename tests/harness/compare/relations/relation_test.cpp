// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/relation.hpp"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "harness/base/files/file.hpp"
#include "tests/support/places.hpp"

namespace parity {
namespace {

TEST(RelationTableTest, HasOneRowForEachRelationInOrder) {
  const auto table = relation_table();
  ASSERT_EQ(table.size(), names_of<Relation>().size());
  std::set<RelationFunction> functions;
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].relation, static_cast<Relation>(i));
    EXPECT_TRUE(table[i].arms == 1 || table[i].arms == 2);
    EXPECT_FALSE(table[i].claim.empty());
    EXPECT_TRUE(functions.insert(table[i].judge).second) << "two relations share a function";
    EXPECT_EQ(&row_of(table[i].relation), &table[i]);
  }
}

TEST(RelationTableTest, EachRelationHasAFileAndATest) {
  const std::filesystem::path root(places::source);
  for (const std::string& name : names_of<Relation>()) {
    EXPECT_TRUE(std::filesystem::exists(root / "harness/compare/relations" / (name + ".cpp"))) << name;
    const auto test = root / "tests/harness/compare/relations" / (name + "_test.cpp");
    ASSERT_TRUE(std::filesystem::exists(test)) << name;
    EXPECT_NE(read_file(test).find("Relation::" + name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace parity
