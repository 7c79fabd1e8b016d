// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "harness/base/enum_names.hpp"
#include "harness/cli/options/shell.hpp"
#include "harness/cli/verbs/verbs.hpp"

namespace parity::cli {
namespace {

/// Each script passes the line to `parity __complete` and shows its output. It splits the line itself, since
/// bash would split words at ':' and '='.
constexpr const char* bash_script = R"(# parity's completion for bash
_parity() {
  local line=${COMP_LINE:0:COMP_POINT} words candidate rest paths=
  read -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local current=${words[-1]}
  local before=${current%"${current##*[:=]}"}  # bash replaces only what follows the last ':' or '='
  COMPREPLY=()
  while IFS=$'\t' read -r candidate rest; do
    case $candidate in
      :files) paths=-f ;;
      :folders) paths=-d ;;
      *) COMPREPLY+=("${candidate#"$before"}") ;;
    esac
  done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 0 && $paths ]]; then
    mapfile -t COMPREPLY < <(compgen $paths -- "${current##*=}")
    compopt -o filenames  # quotes what is special in a path; in a case's name it would quote the ':'
  fi
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace
  return 0
}
complete -F _parity parity
)";

constexpr const char* zsh_script = R"(#compdef parity
# parity's completion for zsh
_parity() {
  local -a candidates
  local line
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#candidates )) && _describe -t parity parity candidates
}
if [[ $funcstack[1] == _parity ]]; then _parity "$@"; else compdef _parity parity; fi
)";

constexpr const char* fish_script = R"(# parity's completion for fish
function __parity_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c parity -f -a '(__parity_complete)'
)";

const char* script_of(Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash_script;
    case Shell::zsh:
      return zsh_script;
    case Shell::fish:
      break;
  }
  return fish_script;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "Shell to complete in: bash, zsh or fish")->required();
  app.footer(
      "Examples:\n"
      "  parity completion bash > ~/.local/share/bash-completion/completions/parity\n"
      "  parity completion zsh > ~/.zfunc/_parity     any folder of $fpath\n"
      "  parity completion fish > ~/.config/fish/completions/parity.fish");
  app.callback([shell, &action] {
    action = [shell] {
      fmt::print("{}", script_of(parse_enum<Shell>(*shell)));
      return ExitCode::agree;
    };
  });
}

}  // namespace parity::cli
