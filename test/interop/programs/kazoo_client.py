"""Does what a test says, line by line, with kazoo's Lock, and prints a line for all that happens."""

import json
import sys
import threading

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock

hosts, path, pattern, identifier = sys.argv[1:5]


def tell(line):
    print(line, flush=True)


def acquire():
    lock.acquire()
    tell("acquired")


client = KazooClient(hosts=hosts, timeout=20)
client.start(timeout=30)
lock = Lock(client, path, identifier, extra_lock_patterns=[pattern])
tell("ready")
for line in sys.stdin:
    word = line.strip()
    if word == "acquire":
        threading.Thread(target=acquire, daemon=True).start()
    elif word == "release":
        lock.release()
        tell("released")
    else:
        tell("participants " + json.dumps(lock.contenders()))
