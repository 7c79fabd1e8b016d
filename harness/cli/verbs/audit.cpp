// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/audit.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/laws/laws.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::cli {
namespace {

struct AuditOptions {
  std::string trace;
  std::vector<std::string> laws;
  std::string out = "out/suite";
  bool json = false;
  bool list = false;
};

void print_answers(const laws::Audit& audit) {
  std::vector<std::vector<std::string>> rows;
  for (const laws::Audit::Row& row : audit.rows) {
    const laws::Finding& finding = row.finding;
    const bool asked = finding.answer() != laws::Answer::not_asked;
    rows.push_back({std::string(row.law->name), std::string(name_of(finding.answer())),
                    asked ? std::to_string(finding.checked) : "-",
                    asked ? fmt::format("{:.2g}", finding.largest) : "-"});
  }
  fmt::print("{}\n", text_table({"law", "answer", "compared", "largest error / bound"}, rows));
}

/// Prints departures first, then what was noted, then what could not be asked.
void print_sentences(const laws::Audit& audit) {
  const Style style = Style::for_stream(stdout);
  const auto line = [](std::string_view law, const std::string& text) {
    return fmt::format("{}: {}", law, escape_to_line(text, 600));
  };
  for (const laws::Audit::Row& row : audit.rows)
    for (const laws::Departure& each : row.finding.departures)
      fmt::print("{}\n", style.bad(line(row.law->name, each.text())));
  for (const laws::Audit::Row& row : audit.rows)
    for (const std::string& note : row.finding.notes)
      fmt::print("{}\n", line(row.law->name, note));
  for (const laws::Audit::Row& row : audit.rows)
    if (row.finding.answer() == laws::Answer::not_asked)
      fmt::print("{}\n",
                 line(row.law->name, "not asked: " + row.finding.why + "; record " + row.finding.record));
  for (const std::string& fault : audit.faults)
    fmt::print("the run had an injected fault: {}\n", escape_to_line(fault));
}

void print_audit(const laws::Audit& audit) {
  print_answers(audit);
  print_sentences(audit);
  const Style style = Style::for_stream(stdout);
  const std::string verdict = audit.verdict();
  fmt::print("\n{}\n", audit.exit_code() == ExitCode::agree ? style.good(verdict) : style.bad(verdict));
}

ExitCode print_list(bool json) {
  Json list = Json::array();
  for (const laws::Law& law : laws::all_laws()) {
    list.push_back({{"law", law.name}, {"question", law.question}, {"needs", law.needs}});
    if (!json)
      fmt::print("{}\n  {}\n  needs {}\n", law.name, law.question, law.needs);
  }
  if (json)
    fmt::print("{}\n", json_text({{"schema", laws::audit_schema}, {"laws", list}}, 1));
  return ExitCode::agree;
}

ExitCode run_audit(const AuditOptions& options) {
  if (options.list)
    return print_list(options.json);
  if (options.trace.empty())
    throw UserError("cannot audit a run (no trace was named); give a trace, a run folder or CASE:ARM");
  const trace::Trace trace = trace::Trace::open(suite::find_trace(options.trace, options.out));
  const laws::Audit audit = laws::audit(trace, options.laws);
  if (options.json)
    fmt::print("{}\n", json_text(audit.to_json(), 1));
  else
    print_audit(audit);
  return audit.exit_code();
}

}  // namespace

void add_audit(CLI::App& app, Action& action) {
  auto options = std::make_shared<AuditOptions>();
  app.add_option("TRACE", options->trace, "Trace, folder of a run, or CASE:ARM of the last run")
      ->type_name("TRACE");
  app.add_option("--law", options->laws, "Ask this law only; may be repeated (default: all)")
      ->type_name("LAW")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--out", options->out, "Folder of the results that CASE:ARM refers to")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_flag("--list", options->list, "List the laws and what each needs");
  app.add_flag("--json", options->json, "Print the answers as JSON (schema parity.audit/1)");
  app.footer(
      "Judges one run alone, without a partner or a golden. Each law recomputes in float64 what must follow\n"
      "from what the trace holds, and names what is wrong.\n"
      "Examples:\n"
      "  parity audit run/trace.h5\n"
      "  parity audit run --law clip --law update --json\n"
      "  parity audit --list\n"
      "Exit status 0 if every law that could be asked holds, 1 if one departs, 3 if none could be asked,\n"
      "4 if the laws hold but the run did not end well.");
  app.callback([options, &action] { action = [options] { return run_audit(*options); }; });
}

}  // namespace parity::cli
