// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/unsealed.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/path_name.hpp"

namespace parity::golden {
using hdf5::Handle;
namespace {

constexpr std::string_view unsealed_schema = "parity.golden/1.0";
using Names = std::initializer_list<std::string_view>;

std::vector<std::string> attribute_names(hid_t object) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  hdf5::check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect, &names),
              "cannot list the attributes of " + hdf5::path_of(object));
  std::ranges::sort(names);
  return names;
}

/// Returns the first name that is not known; "" if all are.
std::string first_unknown(const std::vector<std::string>& names, Names known) {
  const auto found = std::ranges::find_if(
      names, [&](const std::string& name) { return std::ranges::find(known, name) == known.end(); });
  return found == names.end() ? "" : *found;
}

/// Returns the first attribute or member of a group that schema 1.0 did not have; "" if there is none.
std::string later_field(const trace::InputFile& file, hid_t group, Names attributes, Names members) {
  if (const std::string name = first_unknown(attribute_names(group), attributes); !name.empty())
    return fmt::format("attribute {} of {}", name, hdf5::path_of(group));
  const std::string name = first_unknown(file.names(group), members);
  return name.empty() ? "" : fmt::format("{} in {}", name, hdf5::path_of(group));
}

std::string later_field(const trace::InputFile& file) {
  std::string field = later_field(file, file.root(),
                                  {"schema", "case", "producer", "commit", "command", "content"}, {"arms"});
  if (!field.empty())
    return field;
  const Handle arms = file.group(file.root(), "arms");
  for (const std::string& link : file.names(arms)) {
    field = later_field(file, file.group(arms, link), {"config", "fingerprint"},
                        {"steps", "channels", "sketches", "twin"});
    if (!field.empty())
      return field;
  }
  return "";
}

}  // namespace

std::string problem_without_seal(const trace::InputFile& file, std::string_view schema) {
  if (schema != unsealed_schema)
    return fmt::format("it has no seal, which every file of schema {} has",
                       escape_to_line(std::string(schema)));
  const std::string field = later_field(file);
  return field.empty()
             ? ""
             : fmt::format("it has no seal and states schema {}, which did not have {}: its seal was removed",
                           unsealed_schema, escape_to_line(field));
}

}  // namespace parity::golden
