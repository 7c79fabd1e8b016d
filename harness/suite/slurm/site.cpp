// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/site.hpp"

#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

toml::table parse_sites(const fs::path& file) {
  try {
    return toml::parse(read_file(file), file.string());
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}:{}: {}", file.string(), error.source().begin.line,
                                error.source().begin.column, std::string(error.description())));
  }
}

/// Returns a number that must be above zero.
double positive(const TomlTable& table, std::string_view key, double fallback) {
  const double value = table.number(key, fallback);
  if (!(value > 0 && value < 1e6))
    table.fail(table.place_of(key), fmt::format("{} = {} (expected a number above 0)", key, value));
  return value;
}

Site site_from(const std::string& name, const TomlTable& table) {
  table.allow_only({"scheduler", "partition", "account", "qos", "options", "setup", "gpu_options", "max_jobs",
                    "time_minutes", "poll_seconds", "settle_seconds", "retry_seconds", "patience_minutes"});
  if (const std::string scheduler = table.string("scheduler", "slurm"); scheduler != "slurm")
    table.fail(table.place_of("scheduler"),
               fmt::format("unknown scheduler {} (parity submits through slurm)", parity::quoted(scheduler)));
  Site site;
  site.name = name;
  site.partition = table.string("partition");
  site.account = table.string("account");
  site.qos = table.string("qos");
  site.options = table.strings("options");
  site.setup = table.strings("setup");
  if (table.has("gpu_options"))
    site.gpu_options = table.strings("gpu_options");
  site.max_jobs = static_cast<int>(positive(table, "max_jobs", site.max_jobs));
  site.time_minutes =
      static_cast<int64_t>(table.has("time_minutes") ? positive(table, "time_minutes", 0) : 0);
  site.poll_seconds = positive(table, "poll_seconds", site.poll_seconds);
  site.settle_seconds = positive(table, "settle_seconds", site.settle_seconds);
  site.retry_seconds = positive(table, "retry_seconds", site.retry_seconds);
  site.patience_minutes = positive(table, "patience_minutes", site.patience_minutes);
  return site;
}

}  // namespace

Json Site::identity() const {
  return {{"scheduler", "slurm"}, {"setup", setup}};
}

Site find_site(const std::string& name, const fs::path& file) {
  std::error_code error;
  std::vector<std::string> known = {"slurm"};
  if (fs::exists(file, error)) {
    const toml::table parsed = parse_sites(file);
    const TomlTable root(parsed, file.string(), "file of sites");
    root.allow_only({"sites"});
    const TomlTable sites = root.table("sites", "table of sites");
    if (sites.raw()[name].is_table())
      return site_from(name, sites.table(name, "site " + parity::quoted(name)));
    for (const auto& [key, node] : sites.raw())
      known.emplace_back(key.str());
  }
  if (name == "slurm")
    return {};
  throw UserError(
      fmt::format("unknown site {} (no table [sites.{}] in {}){}", parity::quoted(name), escape_to_line(name),
                  escape_for_terminal(file.string()), suggestion(name, known)),
      ExitCode::missing);
}

}  // namespace parity::suite
