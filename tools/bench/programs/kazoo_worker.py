"""The worker of the benchmark for kazoo's Lock. README.md describes the protocol."""

import json
import os
import sys
import threading
import time
import traceback
from array import array

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock

LONG_HOLD_INTERVAL_NS = 100_000_000
LONG_HOLD_SECONDS = 0.001
# A thousand waiters are a thousand threads.
STACK_BYTES = 256 * 1024

address, root, session_timeout = sys.argv[1:4]


def answer(words):
    """The sign tells answers from other output."""
    print("@" + words, flush=True)


def in_thread(target, *args):
    """An error in any thread ends the process."""

    def run():
        try:
            target(*args)
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


class Window:
    """The limits that the waiters share, and their log: key, request, grant and release of each turn."""

    def __init__(self, milliseconds, turns):
        self.milliseconds = milliseconds
        self.turns = turns
        self.deadline = float("inf")
        self.next_long_hold = 0
        self.log = array("d")
        self.started = threading.Event()

    def start(self):
        now = time.monotonic_ns()
        if self.milliseconds > 0:
            self.deadline = now + self.milliseconds * 1_000_000
        self.started.set()
        return now

    def take_turns(self, key):
        lock = None if key is None else Lock(client, f"{root}/key-{key}")
        self.started.wait()
        turn = 0
        while True:
            requested = time.monotonic_ns()
            # No other turn has that time.
            with lock or Lock(client, f"{root}/key-{requested}"):
                self.hold(requested if key is None else key, requested)
            turn += 1
            if turn == self.turns or time.monotonic_ns() >= self.deadline:
                return

    def hold(self, key, requested):
        acquired = time.monotonic_ns()
        if acquired >= self.next_long_hold:
            self.next_long_hold = acquired + LONG_HOLD_INTERVAL_NS
            time.sleep(LONG_HOLD_SECONDS)
        self.log.extend((key, requested, acquired, time.monotonic_ns()))


def run_window(keys, waiters, milliseconds, turns, file):
    window = Window(int(milliseconds), int(turns))
    keys = int(keys)
    keys_of_waiters = [i % keys if keys > 0 else None for i in range(max(keys, 1) * int(waiters))]
    threads = [in_thread(window.take_turns, key) for key in keys_of_waiters]
    answer("prepared")
    sys.stdin.readline()  # go
    cpu = time.process_time_ns()
    started_at = window.start()
    for thread in threads:
        thread.join()
    ended_at = time.monotonic_ns()
    cpu_micros = (time.process_time_ns() - cpu) // 1_000
    with open(file, "wb") as target:
        window.log.tofile(target)
    answer("done " + json.dumps({"startedAt": started_at, "endedAt": ended_at, "cpuMicros": cpu_micros}))


def hold_forever():
    Lock(client, f"{root}/key-0").acquire()
    answer(f"granted {time.monotonic_ns()}")
    threading.Event().wait()


threading.stack_size(STACK_BYTES)
client = KazooClient(hosts=address, timeout=int(session_timeout) / 1_000)
client.start(timeout=30)
answer("ready")
for line in sys.stdin:
    command, *words = line.split()
    if command == "hold":
        in_thread(hold_forever)
    elif command == "window":
        run_window(*words)
# The end of the input: the parent has ended.
os._exit(0)
