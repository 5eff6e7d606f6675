"""Tries to acquire locks of any kind that a test names, one at a time, and prints how that ends."""

import sys
import threading

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock, ReadLock, Semaphore, WriteLock

ALL = ["-lock-", "__READ__", "__WRIT__"]


def tell(line):
    print(line, flush=True)


def made(kind, path):
    if kind == "semaphore":
        return Semaphore(client, path, max_leases=2)
    if kind == "read":
        # A reader does not wait for readers.
        return ReadLock(client, path, extra_lock_patterns=["-lock-", "__WRIT__"])
    if kind == "write":
        return WriteLock(client, path, extra_lock_patterns=ALL)
    patterns = {"plain": [], "lock": ["-lock-"], "lock-all": ALL}[kind]
    return Lock(client, path, extra_lock_patterns=patterns)


def wait():
    held.acquire()
    tell("acquired")


client = KazooClient(hosts=sys.argv[1], timeout=20)
client.start(timeout=30)
tell("ready")
for line in sys.stdin:
    word, *rest = line.split()
    if word == "release":
        held.release()
        tell("released")
        continue
    held = made(*rest)
    if word == "wait":
        threading.Thread(target=wait, daemon=True).start()
        tell("waits")
        continue
    try:
        tell("tried " + ("acquired" if held.acquire(blocking=False) else "busy"))
    except Exception as failure:
        tell("tried failed: %s %s" % (type(failure).__name__, failure))
