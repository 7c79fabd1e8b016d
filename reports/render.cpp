// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/render.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <future>
#include <map>
#include <numeric>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reports/html/page.hpp"
#include "reports/html/plot_library.hpp"
#include "reports/text/junit.hpp"
#include "reports/text/summary.hpp"
#include "reports/text/terminal.hpp"

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

constexpr std::array<Renderer, 4> renderer_table = {{
    {"terminal", "report.txt", Order::of_the_suite,
     [](const Results& results, Sink out, const fs::path&) -> std::unique_ptr<Form> {
       return std::make_unique<TerminalForm>(results, std::move(out), Colour::plain, 110);
     }},
    {"junit", "junit.xml", Order::of_the_suite,
     [](const Results& results, Sink out, const fs::path&) -> std::unique_ptr<Form> {
       return std::make_unique<JunitForm>(results, std::move(out));
     }},
    {"summary", "summary.md", Order::of_the_suite,
     [](const Results& results, Sink out, const fs::path&) -> std::unique_ptr<Form> {
       return std::make_unique<SummaryForm>(results, std::move(out));
     }},
    {"html", "index.html", Order::failing_first,
     [](const Results& results, Sink out, const fs::path& folder) -> std::unique_ptr<Form> {
       return std::make_unique<HtmlForm>(results, std::move(out), folder);
     }},
}};

/// Positions in results.json.
std::vector<size_t> places_in(Order order, const Results& results) {
  std::vector<size_t> places(results.cases.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (order == Order::failing_first)
    std::ranges::stable_partition(places, [&](size_t place) { return results.cases[place].failed(); });
  return places;
}

struct OpenForm {
  std::unique_ptr<Form> form;
  Order order;
};

/// Reads cases in the order of `places`. Another thread reads the next one while the caller uses this one.
class CasesAhead {
 public:
  CasesAhead(const ResultsFile& file, const std::vector<size_t>& places) : file_(file), places_(places) {
    read_ahead();
  }

  bool done() const { return at_ == places_.size(); }

  Case next() {
    Case item = ahead_.get();
    ++at_;
    read_ahead();
    return item;
  }

 private:
  void read_ahead() {
    if (!done())
      ahead_ = std::async(std::launch::async, [this, place = places_[at_]] { return file_.whole(place); });
  }

  const ResultsFile& file_;
  const std::vector<size_t>& places_;
  size_t at_ = 0;
  std::future<Case> ahead_;  ///< of the case at at_
};

/// Passes every case to each form. If both orders agree, each case is read once for both.
void pass_cases_to_forms(const ResultsFile& file, const std::vector<OpenForm>& forms) {
  std::map<std::vector<size_t>, std::vector<Form*>> alike;
  for (const OpenForm& open : forms)
    alike[places_in(open.order, file.results())].push_back(open.form.get());
  for (const auto& [places, same] : alike)
    for (CasesAhead cases(file, places); !cases.done();) {
      const Case item = cases.next();
      for (Form* form : same)
        form->add(item);
    }
  for (const OpenForm& open : forms)
    open.form->end();
}

/// Returns where the plotting library is. \throws UserError (exit 3) if it is not there
fs::path installed_library() {
  std::error_code error;
  const fs::path file = plot_library();
  if (!fs::exists(file, error))
    throw UserError("no plotting library at " + file.string() +
                        " (it is installed next to the program); build the target reports, or install again",
                    ExitCode::missing);
  return file;
}

}  // namespace

std::span<const Renderer> renderers() {
  return renderer_table;
}

std::string rendered(const Renderer& renderer, const ResultsFile& results) {
  std::string text;
  std::vector<OpenForm> form;
  form.push_back(
      {renderer.begin(
           results.results(), [&](std::string_view piece) { text += piece; }, fs::temp_directory_path()),
       renderer.order});
  pass_cases_to_forms(results, form);
  return text;
}

Results render(const fs::path& results_json, const fs::path& out_dir) {
  const ResultsFile results = load_results(results_json);
  const fs::path library = installed_library();
  std::deque<NewFile> files;
  std::vector<OpenForm> forms;
  for (const Renderer& renderer : renderer_table)
    forms.push_back(
        {renderer.begin(results.results(), files.emplace_back(out_dir / renderer.file).sink(), out_dir),
         renderer.order});
  pass_cases_to_forms(results, forms);
  for (NewFile& file : files)
    file.finish();
  NewFile copy(out_dir / plot_library_name);
  pass_on(library, copy.sink());
  copy.finish();
  return results.results();
}

}  // namespace parity::reports
