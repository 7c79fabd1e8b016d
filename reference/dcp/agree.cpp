// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/agree.hpp"

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "reference/comm/texts.hpp"

namespace parity::reference {
namespace {

std::string problem_of(const UserError& error) {
  return Json{{"message", error.what()}, {"code", static_cast<int>(error.code())}}.dump();
}

/// Returns what went wrong as JSON; "" if nothing did.
std::string attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (const UserError& error) {
    return problem_of(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return problem_of(error_of(error));
  }
  return "";
}

}  // namespace

void on_all_ranks(const Group& world, const std::function<void()>& work) {
  const std::vector<std::string> problems = gather_texts(attempt(work), world);
  for (size_t rank = 0; rank < problems.size(); ++rank)
    if (!problems[rank].empty()) {
      const Json problem = Json::parse(problems[rank]);
      const std::string who = world.size() == 1 ? "" : fmt::format("rank {}: ", rank);
      throw UserError(who + problem.at("message").get<std::string>(),
                      static_cast<ExitCode>(problem.at("code").get<int>()));
    }
}

}  // namespace parity::reference
