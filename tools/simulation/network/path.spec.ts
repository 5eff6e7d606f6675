import { expect, it } from 'vitest';
import { Hosts } from './spec-hosts.js';

/** A channel from the client to the server that notes what is delivered, and when. */
function channel(hosts = new Hosts()) {
  const delivered: number[] = [];
  const times: number[] = [];
  const path = hosts.network.channel<number>(hosts.client, hosts.server, (item) => {
    delivered.push(item);
    times.push(hosts.scheduler.now);
  });
  return { hosts, path, delivered, times };
}

it('items arrive in order although each draws its own latency', async () => {
  const { hosts, path, delivered, times } = channel();
  hosts.toServer.latency = { min: 1, max: 50 };
  const sent = Array.from({ length: 100 }, (_, item) => item);
  for (const item of sent) hosts.at(item * 0.3, () => path.send(item, 10));
  await hosts.finished();
  expect(delivered).toEqual(sent);
  expect(times[0]).toBeGreaterThan(1);
  expect(times.at(-1)).toBeLessThan(30 + 51);
});

it('large items take longer, as far as the bandwidth limits them', async () => {
  const { hosts, path, times } = channel();
  hosts.toServer.bytesPerMs = 10;
  hosts.at(0, () => path.send(1, 5_000));
  await hosts.finished();
  expect(times[0]).toBeGreaterThan(500);
  expect(times[0]).toBeLessThan(501);
});

it('items wait for those before them, as far as the bandwidth limits them', async () => {
  const { hosts, path, times } = channel();
  hosts.toServer.bytesPerMs = 10;
  hosts.at(0, () => [1, 2, 3].forEach((item) => path.send(item, 5_000)));
  await hosts.finished();
  expect(times.map((time) => Math.floor(time / 100))).toEqual([5, 10, 15]);
});

it('what has not left yet leaves at the new speed when the bandwidth changes', async () => {
  const { hosts, path, times } = channel();
  hosts.toServer.bytesPerMs = 10;
  hosts.at(0, () => [1, 2, 3].forEach((item) => path.send(item, 5_000)));
  hosts.at(750, () => (hosts.toServer.bytesPerMs = 100));
  hosts.at(800, () => path.send(4, 5_000));
  await hosts.finished();
  // 2,500 bytes of the second are left at 750 ms.
  expect(times.map((time) => Math.floor(time))).toEqual([500, 775, 825, 875]);
});

it('what is sent after a loss does not wait for what was lost', async () => {
  const { hosts, path, times } = channel();
  hosts.toServer.bytesPerMs = 10;
  hosts.at(0, () => path.send(1, 50_000));
  hosts.at(100, () => {
    path.drop();
    path.send(2, 100);
  });
  await hosts.finished();
  expect(times.map((time) => Math.floor(time))).toEqual([110]);
});

it('a stalled direction keeps items, in order, until it is resumed; the way back is not stalled', async () => {
  const { hosts, path, delivered, times } = channel();
  let answered = 0;
  const back = hosts.network.channel<number>(
    hosts.server,
    hosts.client,
    () => (answered = hosts.scheduler.now),
  );
  hosts.at(1, () => {
    path.send(1, 10);
    hosts.toServer.stall();
    path.send(2, 10);
    back.send(0, 10);
  });
  hosts.at(500, () => path.send(3, 10));
  hosts.at(1_000, () => hosts.toServer.resume());
  await hosts.finished();
  expect(delivered).toEqual([1, 2, 3]);
  expect(times[0]).toBeGreaterThan(1_000);
  expect(times[2]).toBeLessThan(1_001);
  expect(answered).toBeLessThan(2);
});

it('a direction that is resumed although it was not stalled goes on as before', async () => {
  const { hosts, path, delivered } = channel();
  hosts.at(1, () => {
    path.send(1, 10);
    path.send(2, 10);
    hosts.toServer.resume();
  });
  await hosts.finished();
  expect(delivered).toEqual([1, 2]);
});

it('what a thread sends after it was descheduled leaves at that time', async () => {
  const { hosts, path, times } = channel();
  hosts.client.stallWithin(300);
  hosts.client.run(() => {
    hosts.client.clock.monotonic();
    path.send(1, 10);
  });
  await hosts.finished();
  expect(times[0]).toBeGreaterThan(300);
});

it('a closed path and a dead receiver drop what is in flight', async () => {
  const { hosts, path, delivered } = channel();
  hosts.at(1, () => {
    path.send(1, 10);
    path.close();
    path.send(2, 10);
  });
  const second = hosts.network.channel<number>(hosts.client, hosts.server, (item) => delivered.push(item));
  hosts.at(2, () => {
    second.send(3, 10);
    hosts.server.kill();
  });
  await hosts.finished();
  expect(delivered).toEqual([]);
});

it('the traffic of one path does not change the latencies of another', async () => {
  const arrivals = async (others: number): Promise<number[]> => {
    const { hosts, path, times } = channel(new Hosts('independent'));
    const other = hosts.network.channel(hosts.client, hosts.server, () => {});
    for (let item = 0; item < 5; item++) hosts.at(item * 10, () => path.send(item, 10));
    for (let item = 0; item < others; item++) hosts.at(item * 10 + 5, () => other.send(item, 10));
    await hosts.finished();
    return times;
  };
  expect(await arrivals(0)).toEqual(await arrivals(5));
});
