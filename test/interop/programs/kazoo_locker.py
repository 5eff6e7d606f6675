"""Takes and releases kazoo's Lock a number of times, and prints one line of JSON for each event."""

import json
import os
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock

hosts, path, grants, hold_ms, pattern = sys.argv[1:6]


def tell(event):
    print(json.dumps(event), flush=True)


def end_with_parent():
    sys.stdin.read()
    os._exit(1)


client = KazooClient(hosts=hosts, timeout=20)
client.start(timeout=30)
tell({"what": "ready"})
sys.stdin.readline()
threading.Thread(target=end_with_parent, daemon=True).start()

for _ in range(int(grants)):
    lock = Lock(client, path, extra_lock_patterns=[pattern] if pattern else [])
    lock.acquire()
    acquired = time.monotonic_ns()
    czxid = client.exists(path + "/" + lock.node).czxid
    tell({"what": "acquired", "at": str(acquired), "czxid": str(czxid)})
    time.sleep(int(hold_ms) / 1000)
    tell({"what": "releasing", "at": str(time.monotonic_ns()), "czxid": str(czxid)})
    lock.release()

client.stop()
