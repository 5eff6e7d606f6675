import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { readable } from './live/readable.js';
import { settings } from './settings.js';
import { startZooKeeperUnlessThere } from './start-zookeeper.js';

if (!settings.zookeeper) {
  const { host, port } = settings.embeddedZooKeeper;
  await startZooKeeperUnlessThere(host, port);
}
const app = await NestFactory.create<NestExpressApplication>(AppModule);

// Fencing tokens are bigints, which JSON does not support.
app.set('json replacer', readable);
app.useStaticAssets(fileURLToPath(new URL('../../public', import.meta.url)));

// Releases the locks on SIGTERM; otherwise they would stay until the session timeout.
app.enableShutdownHooks();

await app.listen(settings.port, settings.host);
const url = await app.getUrl();
new Logger('BoxOffice').log(`The box office is open: ${url}`);

// Sends the URL to the parent, if there is one, such as the demo, and does not outlive it.
process.send?.({ url });
process.once('disconnect', () => void app.close());
