#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the cases of the repository in this folder. parity itself appends its summary to the job's and annotates each
# failure. This script adds what parity cannot post: why there are no results. Ends with parity's exit status.
set -uo pipefail

# Posts that nothing was judged. $1: why, in one line; $2: a file with the whole text.
post_no_verdict() {
  local line=${1//'%'/%25}
  printf '::error title=parity::%s\n' "${line//$'\r'/%0D}"
  {
    printf '## ❌ parity judged nothing (exit status %s)\n\n' "$status"
    sed 's/^/    /' "$2"
    printf '\n'
  } >>"$GITHUB_STEP_SUMMARY"
}

program=${INPUT_PROGRAM:-$BUILT_PROGRAM}
mapfile -t cases < <(sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' <<<"$INPUT_CASES")
read -r -d '' -a arguments <<<"$INPUT_ARGUMENTS"
before=$(mktemp) errors=$(mktemp)
# Opened here and not at the command: bash would start tee in the command's child, whose number wait does not know.
exec 3> >(tee "$errors" >&2)
tee=$!
"$program" run --out "$INPUT_OUT" "${arguments[@]}" -- "${cases[@]}" 2>&3 3>&-
status=$?
exec 3>&-
wait "$tee"

results=$INPUT_OUT/results.json judged=
if [[ $results -nt $before ]]; then
  judged=yes
elif [[ $status == 0 ]]; then
  status=70 # no results, no pass
  printf '%s left no %s\n' "$program" "$results" >"$errors"
fi
case $status in
  0) verdict=agree ;;
  1) verdict=differ ;;
  2) verdict=bad_input ;;
  3) verdict=missing ;;
  4) verdict=crashed ;;
  130) verdict=interrupted ;;
  *) verdict=internal ;;
esac
printf 'status=%s\nverdict=%s\n' "$status" "$verdict" >>"$GITHUB_OUTPUT"
if [[ $judged ]]; then
  folder=$(cd "$INPUT_OUT" && pwd)
  {
    printf 'results=%s\nreport=%s\n' "$folder/results.json" "$folder/index.html"
    printf 'upload<<END_OF_PATHS\n%s\n!%s\nEND_OF_PATHS\n' "$folder" "$folder/runs/**"
  } >>"$GITHUB_OUTPUT"
else
  post_no_verdict "$(tail -n 1 "$errors")" "$errors"
fi
rm -f "$before" "$errors"
exit "$status"
