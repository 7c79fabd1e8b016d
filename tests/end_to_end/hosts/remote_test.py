# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity's own launcher over two hosts: a remote shell starts two ranks on each.

Usage: remote_test.py BUILD_DIR PYTHON     as hosts_test.py
"""
import json
import shlex

import hosts
from hosts import LINKS, words_on_host

NETNS = ["ip", "netns", "exec", "{host}", "env", "GLOO_SOCKET_IFNAME={host}"]


class RemoteTest(hosts.Hosts):
    def run_remote(self, shell, names=LINKS, **more):
        keys = {"launcher": "remote", "launcher_options": shell, "hosts": list(names), **more}
        return self.run_case(keys, words_on_host(0, ["env", f"GLOO_SOCKET_IFNAME={LINKS[0]}"]), ranks=4)

    def shell(self):
        """A shell as ssh is one: it joins its words, and a shell of the host reads them. node-b sees nothing of the run."""
        lines = ["host=$1; shift"]
        for host, name in enumerate(LINKS):
            words = words_on_host(host, ["sh", "-c"], "/mnt", *([self.folder] if host == 1 else []))
            line = " ".join(shlex.quote(str(word)) for word in words)
            lines.append(f'[ "$host" = {name} ] && exec env GLOO_SOCKET_IFNAME={name} {line} "$*"')
        return [self.script("shell.sh", "\n".join([*lines, "exit 97", ""])), "{host}", "{command}"]

    def require_two_on_each(self, _, arm, verdict):
        self.assertEqual((arm["status"], verdict), ("complete", "identical"), arm.get("failure"))
        folder = self.out / "runs" / arm["run"] / "launch.0"
        return [json.loads((folder / f"rank.{rank}.began.json").read_text())["machine"] for rank in range(4)]

    def test_two_ranks_on_each_of_two_hosts_compute_the_same(self):
        self.require_two_on_each(*self.run_remote(NETNS))

    def test_nothing_is_shared(self):
        self.out = self.folder / "o'u t"
        names = self.require_two_on_each(*self.run_remote(self.shell(), local_traces="/mnt", shared_folder=False))
        self.assertEqual(names, ["node-a", "node-a", "node-b", "node-b"])

    def test_a_host_that_is_not_there_is_named(self):
        status, arm, verdict = self.run_remote(self.shell(), [LINKS[0], "nowhere"], local_traces="/mnt", shared_folder=False)
        self.assertEqual((status, verdict), (4, "crashed"), arm["failure"])
        self.assertRegex(arm["failure"]["message"], r"rank 2 of .* on nowhere did not begin: its remote shell ended with exit status 97")


if __name__ == "__main__":
    hosts.main()
