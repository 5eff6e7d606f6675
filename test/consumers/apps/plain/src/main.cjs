const { createServer } = require('node:http');
const { createLockService, LockService } = require('nestjs-locked');

async function main() {
  const locks = await createLockService({ connectString: process.env.ZOOKEEPER });

  const server = createServer((request, response) => {
    const order = request.url.split('/')[2];
    locks
      .withLock(`order:${order}`, { wait: 10_000 }, async () => {
        response.writeHead(201, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ order, token: String(LockService.current()?.fencingToken) }));
      })
      .catch((error) => response.writeHead(500).end(String(error)));
  });

  process.once('SIGTERM', () => {
    server.close();
    void locks.close();
  });

  server.listen(Number(process.env.PORT), '127.0.0.1', () => {
    console.log(`Listening on http://127.0.0.1:${server.address().port}`);
  });
}

void main();
