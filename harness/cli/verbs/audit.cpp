// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/audit.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/cli/options/repeated.hpp"
#include "harness/cli/options/runs.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/laws/batches/causality.hpp"
#include "harness/laws/laws.hpp"
#include "harness/suite/cases/named_case.hpp"
#include "harness/suite/derived/causality_probe.hpp"
#include "harness/suite/results/file/last.hpp"

namespace parity::cli {
namespace {

struct AuditOptions {
  std::string trace;
  std::string before, changed;
  std::vector<std::string> laws;
  std::string root = "cases";
  RunOptions run;
  bool causality = false;
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
  std::vector<laws::Law> all(laws::all_laws().begin(), laws::all_laws().end());
  all.push_back(laws::causality_law());
  for (const laws::Law& law : all) {
    list.push_back({{"law", law.name}, {"question", law.question}, {"needs", law.needs}});
    if (!json)
      fmt::print("{}\n  {}\n  needs {}\n", law.name, law.question, law.needs);
  }
  if (json)
    fmt::print("{}\n", json_text({{"schema", laws::audit_schema}, {"laws", list}}, 1));
  return ExitCode::agree;
}

trace::Trace open_trace(const AuditOptions& options, const std::string& words) {
  return trace::Trace::open(suite::find_trace(words, options.run.out));
}

/// Runs the arm that CASE:ARM names, and its probe.
laws::Audit probe(const AuditOptions& options) {
  const suite::ArmWords words(options.trace);
  const suite::Case source = suite::named_case(words.source, options.root);
  const std::string arm = words.arm.empty() ? source.reference : words.arm;
  suite::require_arm(source, arm);
  Progress progress(stderr);
  return suite::probe_causality(source, arm, options.run.suite_options(), progress);
}

laws::Audit ask(const AuditOptions& options) {
  if (options.causality)
    return probe(options);
  const trace::Trace trace = open_trace(options, options.trace);
  if (!options.changed.empty())
    return laws::audit_causality(trace, open_trace(options, options.changed));
  if (options.before.empty())
    return laws::audit(trace, options.laws);
  const trace::Trace before = open_trace(options, options.before);
  return laws::audit(trace, options.laws, &before);
}

ExitCode run_audit(const AuditOptions& options) {
  if (options.list)
    return print_list(options.run.json);
  if (options.trace.empty())
    throw UserError("cannot audit a run (no trace was named); give a trace, a run folder or CASE:ARM");
  const laws::Audit audit = ask(options);
  if (options.run.json)
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
  add_repeated(app, "--law", options->laws, "Ask this law only; may be repeated (default: all)", "LAW");
  app.add_option("--before", options->before, "Trace of the run that TRACE continues, for the law restart")
      ->type_name("TRACE");
  CLI::Option* changed = app.add_option("--changed", options->changed,
                                        "Trace of the same run with one other token in its first update: ask "
                                        "only causality")
                             ->type_name("TRACE");
  app.add_flag("--causality", options->causality,
               "Run the first update of CASE:ARM twice, the second time with one other token: ask only "
               "causality")
      ->excludes(changed);
  app.add_option("--cases", options->root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  app.add_option("--out", options->run.out, "Folder of the results that CASE:ARM refers to")
      ->type_name("DIR")
      ->capture_default_str();
  add_trainer_option(app, options->run.trainer);
  app.add_flag("--no-cache", options->run.no_cache, "Run everything again, without cached runs");
  app.add_flag("--list", options->list, "List the laws and what each needs");
  app.add_flag("--json", options->run.json, "Print the answers as JSON (schema parity.audit/1)");
  app.footer(
      "Judges one run alone, without a partner or a golden. Each law recomputes in float64 what must follow\n"
      "from what the trace holds, and names what is wrong.\n"
      "Examples:\n"
      "  parity audit run/trace.h5\n"
      "  parity audit run --law clip --law update --json\n"
      "  parity audit resumed/trace.h5 --before interrupted/trace.h5 --law restart\n"
      "  parity audit masks/packing:flex --causality\n"
      "  parity audit run/trace.h5 --changed probe/trace.h5\n"
      "  parity audit --list\n"
      "Exit status 0 if every law that could be asked holds, 1 if one departs, 3 if none, or one that was "
      "named,\n"
      "could not be asked, 4 if the laws hold but the run did not end well.");
  app.callback([options, &action] { action = [options] { return run_audit(*options); }; });
}

}  // namespace parity::cli
