// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/versions/environments.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/bisect/commits/shell_line.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

constexpr const char* made_file = "environment.json";  // written last
constexpr size_t longest_answer = size_t{1} << 20;

/// Makes a virtual environment that imports from the base where it has nothing itself.
/// Arguments: FOLDER.
constexpr const char* make_script =
    "import importlib.util, os, sys, sysconfig, venv\n"
    "folder, has_pip = sys.argv[1], importlib.util.find_spec('pip') is not None\n"
    "venv.EnvBuilder(clear=True, symlinks=True, with_pip=not has_pip).create(folder)\n"
    "own = sysconfig.get_path('purelib', 'venv', {'base': folder, 'platbase': folder})\n"
    "bases = dict.fromkeys(sysconfig.get_path(kind) for kind in ('purelib', 'platlib'))\n"
    "with open(os.path.join(own, 'zz_base.pth'), 'w') as file:\n"
    "    for base in bases:\n"
    "        file.write(f'import site; site.addsitedir({base!r})\\n')\n";

/// Checks what an environment imports. A version without a local label, "+cpu", stands for every label, as it
/// does for pip. Arguments: NAME VERSION ...
constexpr const char* check_script =
    "import sys\n"
    "from importlib.metadata import version\n"
    "for name, wanted in zip(sys.argv[1::2], sys.argv[2::2]):\n"
    "    found = version(name)\n"
    "    if wanted not in (found, found.split('+')[0]):\n"
    "        sys.exit(f'{name} is {found} after the installation of {wanted}')\n";

/// Writes the modules of installed packages that another copy hides, {NAME: PATH}, as JSON. The first entry
/// of sys.path is this script's folder, in whose place the command has FIRST. Arguments: FIRST FILE NAME ...
constexpr const char* copies_script =
    "import importlib.util, json, os, sys\n"
    "from importlib.metadata import distributions\n"
    "first, answer, names = sys.argv[1], sys.argv[2], sys.argv[3:]\n"
    "early = {os.path.realpath(one) for one in os.environ.get('PYTHONPATH', '').split(os.pathsep) if one}\n"
    "installed = [one for one in sys.path[1:] if os.path.realpath(one) not in early]\n"
    "sys.path[0] = first\n"
    "copies = {}\n"
    "for name in names:\n"
    "    found = next(iter(distributions(name=name, path=installed)), None)\n"
    "    files = found.files or [] if found else []\n"
    "    root = os.path.realpath(found.locate_file('')) if found else ''\n"
    "    tops = {file.parts[0] for file in files if file.suffix in ('.py', '.so') and file.parts[0] != "
    "'..'}\n"
    "    for module in sorted({top.split('.')[0] for top in tops}):\n"
    "        spec = importlib.util.find_spec(module) if module.isidentifier() else None\n"
    "        places = [spec.origin] if spec and spec.has_location else []\n"
    "        if spec and not places:  # a package without __init__.py may lie in several folders\n"
    "            places = list(spec.submodule_search_locations or [])\n"
    "        below = [os.path.commonpath([os.path.realpath(one), root]) == root for one in places]\n"
    "        if places and not any(below):\n"
    "            copies.setdefault(name, places[0])\n"
    "with open(answer, 'w') as file:\n"
    "    json.dump(copies, file)\n";

/// Writes the releases of a package as JSON. Arguments: NAME FROM TO FILE.
constexpr const char* releases_script =
    "import json, subprocess, sys\n"
    "from pip._vendor.packaging.version import InvalidVersion, Version\n"
    "name, start, end, answer = sys.argv[1:5]\n"
    "asked = [sys.executable, '-m', 'pip', 'index', 'versions', '--pre', name]\n"
    "said = subprocess.run(asked, capture_output=True, text=True)\n"
    "line = [one for one in said.stdout.splitlines() if one.startswith('Available versions:')]\n"
    "if not line:\n"
    "    sys.exit((said.stderr.strip() or 'pip printed no versions').splitlines()[-1])\n"
    "texts = {start, end}\n"
    "texts.update(one.strip() for one in line[0].split(':', 1)[1].split(','))\n"
    "first, last = Version(start), Version(end)\n"
    "pre = first.is_prerelease or last.is_prerelease\n"
    "found = {}\n"
    "for text in texts:\n"
    "    try:\n"
    "        version = Version(text)\n"
    "    except InvalidVersion:\n"
    "        continue\n"
    "    if min(first, last) <= version <= max(first, last) and (pre or not version.is_prerelease):\n"
    "        found.setdefault(version, text)\n"
    "with open(answer, 'w') as file:\n"
    "    json.dump([found[one] for one in sorted(found, reverse=last < first)], file)\n";

/// Returns the last line of a log that says something.
std::string last_line(const fs::path& log) {
  std::string text = tail_of(log, 1);
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

}  // namespace

Environments::Environments(fs::path base, const fs::path& folder, double timeout_seconds, Progress& progress)
    : base_(std::move(base)),
      folder_(fs::absolute(folder)),
      timeout_seconds_(timeout_seconds),
      progress_(progress) {}

const MadeEnvironment& Environments::with(const Pins& pins) {
  const std::string text = text_of(pins);
  const auto known = known_.find(text);
  return known != known_.end() ? known->second : known_.emplace(text, make(pins)).first->second;
}

MadeEnvironment Environments::make(const Pins& pins) {
  const std::string what = text_of(pins);
  // Another interpreter at the same path is another base.
  const std::string base = fs::canonical(base_).string() + "\n" + base_.string();
  const fs::path place = folder_ / suite::content_hash(base + "\n" + what).substr(0, 16);
  MadeEnvironment result{place / "bin" / "python", "", place.string() + ".log"};
  if (fs::exists(place / made_file))
    return result;
  progress_.note(fmt::format("the environment with {} is made", what));
  fs::create_directories(folder_);
  fs::remove(result.log);
  std::vector<std::string> install = {result.python.string(),       "-m", "pip", "install", "--no-input",
                                      "--disable-pip-version-check"};
  std::vector<std::string> check = {result.python.string(), script("check.py", check_script)};
  for (const auto& [name, version] : pins) {
    install.push_back(name + "==" + version);
    check.insert(check.end(), {name, version});
  }
  const std::vector<std::vector<std::string>> steps = {
      {base_.string(), script("make.py", make_script), place.string()}, install, check};
  for (const auto& words : steps) {
    const ShellEnd end = run_shell_line({shell_quote(words), folder_, {}, result.log, timeout_seconds_},
                                        "installs " + what, progress_);
    if (end.succeeded())
      continue;
    result.python.clear();
    result.reason = fmt::format("cannot be installed ({}: {})", end.text(), last_line(result.log));
    return result;
  }
  ++made_;
  write_file(place / made_file, json_text({{"base", base_.string()}, {"packages", pins}}, 1) + "\n");
  return result;
}

std::vector<std::string> Environments::releases(const std::string& package, const std::string& from,
                                                const std::string& to, const Pins& with_pip) {
  const MadeEnvironment& any = with(with_pip);
  const fs::path log = folder_ / "releases.log", answer = folder_ / "releases.json";
  const std::vector<std::string> words = {(any.made() ? any.python : base_).string(),
                                          script("releases.py", releases_script),
                                          package,
                                          from,
                                          to,
                                          answer.string()};
  fs::remove(answer);
  const ShellEnd end = run_shell_line({shell_quote(words), folder_, {}, log, timeout_seconds_},
                                      "asks for the releases of " + package, progress_);
  if (!end.succeeded())
    throw UserError(fmt::format("cannot list the releases of {} ({}); check its name and the index of pip",
                                package, last_line(log)));
  std::vector<std::string> versions;
  for (const Json& version : read_json(read_file(answer, longest_answer)))
    versions.push_back(version.get<std::string>());
  return versions;
}

std::map<std::string, std::string> Environments::copies(const Pins& pins,
                                                        const std::vector<std::string>& packages,
                                                        const ImportPlace& place) {
  const fs::path log = folder_ / "copies.log", answer = folder_ / "copies.json";
  std::vector<std::string> words = {with(pins).python.string(), script("copies.py", copies_script),
                                    place.first.string(), answer.string()};
  words.insert(words.end(), packages.begin(), packages.end());
  fs::remove(answer);
  const ShellEnd end =
      run_shell_line({shell_quote(words), fs::current_path(), place.environment, log, timeout_seconds_},
                     "asks what the runs import", progress_);
  if (!end.succeeded())
    throw UserError(fmt::format("cannot ask what the runs import ({}: {}); see {}", end.text(),
                                last_line(log), path_from_here(log)),
                    ExitCode::missing);
  return read_json(read_file(answer, longest_answer)).get<std::map<std::string, std::string>>();
}

std::string Environments::script(const std::string& name, const char* text) const {
  const fs::path file = folder_ / name;
  write_file(file, text);
  return file.string();
}

}  // namespace parity::bisect
