# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The shared libraries export their interfaces and nothing else, and bring their own fmt.

libparity-recorder.so exports the functions of recorder.h, libparity.so what lies in namespace parity::api.

Usage: exported_symbols_test.py NM RECORDER_LIBRARY LIBRARY HEADER
"""
import pathlib
import re
import subprocess
import sys

FROM_OUTSIDE = re.compile(r"3fmt|6parity|8nlohmann")


def symbols(nm, library, which):
    listing = subprocess.run([nm, "-D", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()}


def functions_of(header):
    return set(re.findall(r"\b(parity_recorder_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))


def c_problems(declared, exported, used):
    """Sentences about functions that are missing, symbols that are visible, and fmt's or ours from elsewhere."""
    yield from (f"{name}: declared, not exported" for name in sorted(declared - exported))
    yield from (f"{name}: exported, not declared" for name in sorted(exported - declared))
    yield from (f"{name}: taken from another library" for name in sorted(used) if FROM_OUTSIDE.search(name))


def cpp_problems(exported, used):
    """Sentences about symbols outside namespace parity::api, its hidden parts, and symbols from elsewhere."""
    for name in sorted(exported):
        if not re.match(r"_Z(NK?|T[ISV]N)6parity3api", name) or re.search(r"8nlohmann|3fmt|5State[CD]\d|11TraceAccess", name):
            yield f"{name}: exported, not of the interface"
    yield from (f"{name}: taken from another library" for name in sorted(used) if FROM_OUTSIDE.search(name))


def main():
    nm, recorder, library, header = sys.argv[1:]
    declared = functions_of(pathlib.Path(header).read_text())
    assert len(declared) > 15, f"only {declared} found in {header}"
    foreign = {"_ZN3fmt2v97vformatEv"}
    assert len(list(c_problems({"a"}, {"_ZN6parity1fEv"}, foreign))) == 3, "planted problems are not seen"
    assert len(list(cpp_problems({"_ZN6parity5TraceC1Ev", "_ZN6parity3api5TraceC1Ev"}, foreign))) == 2
    exported = symbols(nm, library, "--defined-only")
    assert len(exported) > 30, f"only {exported} found in {library}"
    found = list(c_problems(declared, symbols(nm, recorder, "--defined-only"), symbols(nm, recorder, "--undefined-only")))
    found += cpp_problems(exported, symbols(nm, library, "--undefined-only"))
    print("\n".join(found) or f"{len(declared)} C functions, {len(exported)} symbols of parity::api, nothing else")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
