// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options/place.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/suite/slurm/place.hpp"
#include "harness/suite/slurm/site.hpp"

namespace parity::cli {
namespace fs = std::filesystem;

void PlaceOptions::add_to(CLI::App& app) {
  app.add_option("--on", site,
                 "Submit runs to Slurm: a site of the file of sites, or slurm (default: run here)")
      ->type_name("SITE");
  app.add_option("--sites", sites, "File of sites: tables [sites.NAME]")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--partition", partition, "Partition of the jobs, in place of the site's")
      ->type_name("NAME");
  app.add_option("--account", account, "Account of the jobs, in place of the site's")->type_name("NAME");
  app.add_option("--max-jobs", max_jobs, "Largest number of jobs at a time, in place of the site's")
      ->type_name("N");
  app.add_flag("--attach", attach,
               "Continue every job of an earlier command for the same runs, also of arms without inputs");
}

std::unique_ptr<suite::RunPlace> PlaceOptions::make(const suite::SuiteOptions& suite) const {
  if (site.empty()) {
    if (!partition.empty() || !account.empty() || max_jobs || attach)
      throw UserError(
          "cannot use --partition, --account, --max-jobs or --attach without --on (runs execute on this "
          "machine); add --on slurm");
    return nullptr;
  }
  suite::Site chosen = suite::find_site(site, sites);
  if (!partition.empty())
    chosen.partition = partition;
  if (!account.empty())
    chosen.account = account;
  if (max_jobs && *max_jobs < 1)
    throw UserError(
        fmt::format("invalid --max-jobs {} (a run needs a job); omit it to use the site's", *max_jobs));
  chosen.max_jobs = max_jobs.value_or(chosen.max_jobs);
  const suite::FoundJobs found_jobs = attach            ? suite::FoundJobs::continue_all
                                      : suite.use_cache ? suite::FoundJobs::continue_cacheable
                                                        : suite::FoundJobs::cancel;
  std::error_code none;
  return std::make_unique<suite::SlurmPlace>(chosen, suite.out, fs::absolute(suite.trainer),
                                             fs::read_symlink("/proc/self/exe", none), found_jobs);
}

}  // namespace parity::cli
