# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A link between two hosts that is slow and loses frames, for kernels without netem: a program that passes frames on."""
import fcntl
import heapq
import os
import random
import select
import struct
import threading
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x2, 0x1000
LARGEST_FRAME = 1 << 16


class SlowWire:
    """Two network interfaces (TAP) and a thread that passes the frames of each on to the other, `delay` seconds late.

    loss: share of the frames that it drops, drawn from a fixed seed. cut: while it is true, all of them."""

    def __init__(self, names, delay, loss):
        self.delay, self.loss, self.cut = delay, loss, False
        self.passed = self.lost = 0
        self._ends = [self._open(name) for name in names]
        self._over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @staticmethod
    def _open(name):
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
        return end

    def close(self):
        self._over = True
        self._thread.join()
        for end in self._ends:
            os.close(end)

    def _run(self):
        draw, on_the_way = random.Random(1), []  # frames as (when they arrive, number, end, bytes)
        while not self._over:
            wait = min(0.05, max(0, on_the_way[0][0] - time.monotonic())) if on_the_way else 0.05
            for end in select.select(self._ends, [], [], wait)[0]:
                frame = self._read(end)
                if frame and (self.cut or draw.random() < self.loss):
                    self.lost += 1
                elif frame:
                    self.passed += 1
                    other = self._ends[1 - self._ends.index(end)]
                    heapq.heappush(on_the_way, (time.monotonic() + self.delay, self.passed, other, frame))
            while on_the_way and on_the_way[0][0] <= time.monotonic():
                _, _, other, frame = heapq.heappop(on_the_way)
                self._write(other, frame)

    @staticmethod
    def _read(end):
        try:
            return os.read(end, LARGEST_FRAME)
        except OSError:  # the interface is not up
            return b""

    def _write(self, end, frame):
        try:
            os.write(end, frame)
        except OSError:
            self.lost += 1
