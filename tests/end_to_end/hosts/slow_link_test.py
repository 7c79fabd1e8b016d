# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity-train over two hosts whose link is slow, loses frames, and stands still for a while.

Usage: slow_link_test.py BUILD_DIR PYTHON     as root; else, and where namespaces are not to be had, status 77 (skipped)
"""
import time

import hosts
from slow_wire import SlowWire

DELAY, LOSS = 0.005, 0.01  # [s] each way; share of frames
wire = None


def connect():
    """Lays the slow wire between the hosts."""
    global wire
    try:
        wire = SlowWire(hosts.LINKS, DELAY, LOSS)
    except OSError:
        return False
    return all(hosts.ip("link", "set", name, "netns", name).returncode == 0 for name in hosts.LINKS)


class SlowLinkTest(hosts.Hosts):
    def test_delay_and_loss_change_no_bit(self):
        passed, lost = wire.passed, wire.lost
        trace = self.folder / "trace.h5"
        self.start_ranks(3, trace, 60)
        self.assertEqual(self.wait(200), [0] * 4, self.log("rank0"))
        self.assertGreater(wire.passed - passed, 500)
        self.assertGreater(wire.lost - lost, 0)
        self.require_same(trace, 3)

    def test_a_link_that_stands_still_for_less_than_the_limit_changes_no_bit(self):
        trace = self.folder / "trace.h5"
        self.start_ranks(6, trace, 60)
        end = time.monotonic() + 90
        while "step 2/6" not in self.log("rank0"):
            self.assertLess(time.monotonic(), end, self.log("rank0"))
            time.sleep(0.02)
        wire.cut = True
        time.sleep(4)
        wire.cut = False
        self.assertEqual(self.wait(200), [0] * 4, self.log("rank0"))
        self.require_same(trace, 6)


if __name__ == "__main__":
    hosts.main(connect)
