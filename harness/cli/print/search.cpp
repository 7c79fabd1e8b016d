// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print/search.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/base/terminal/say.hpp"
#include "harness/base/terminal/terminal.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "reports/search/page.hpp"

namespace parity::cli {
namespace {

std::string effort_of(const bisect::SearchRecord& record) {
  if (record.runs() == 0 && record.cached() == 0)
    return "";
  return fmt::format("{} run{} executed, {} from the cache", record.runs(), record.runs() == 1 ? "" : "s",
                     record.cached());
}

void print(const bisect::SearchRecord& record) {
  const Style style = Style::for_stream(stdout);
  fmt::print("{}\n", escape_for_terminal(record.subject));
  size_t widest = 0;
  for (const bisect::SearchStage& stage : record.stages)
    widest = std::max(widest, stage.name.size());
  for (const bisect::SearchStage& stage : record.stages) {
    fmt::print("  {:<{}}  {}\n", stage.name, widest, escape_for_terminal(stage.answer));
    if (!stage.command.empty())
      fmt::print("  {:<{}}  $ {}\n", "", widest, escape_for_terminal(stage.command));
  }
  for (const std::string& note : record.notes)
    fmt::print("  ! {}\n", escape_for_terminal(note));
  if (const std::string effort = effort_of(record); !effort.empty())
    fmt::print("  {}\n", effort);
  const std::string sentence = escape_for_terminal(record.sentence);
  fmt::print("{}\n", record.differs ? style.bad(sentence) : style.good(sentence));
}

}  // namespace

ExitCode report_search(const bisect::SearchRecord& record, const std::filesystem::path& out,
                       const std::string& name, bool json) {
  const Json kept = record.to_json();
  const std::string text = json_text(kept, 1) + "\n";
  const std::filesystem::path file = bisect::search_record_file(out, name);
  std::filesystem::create_directories(file.parent_path());
  write_file(file, text);
  std::filesystem::path page = file;
  page.replace_extension(".html");
  write_file(page, reports::search_page(kept, file.filename().string()));
  if (json)
    fmt::print("{}", text);
  else
    print(record);
  std::fflush(stdout);
  say("{}\n", page.string());
  return record.differs ? ExitCode::differ : ExitCode::agree;
}

}  // namespace parity::cli
