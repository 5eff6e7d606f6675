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

// Fencing tokens are bigints, which JSON does not know.
app.set('json replacer', readable);
app.useStaticAssets(fileURLToPath(new URL('../../public', import.meta.url)));

// A process that is told to stop gives its locks back, instead of leaving them to the session timeout.
app.enableShutdownHooks();

await app.listen(settings.port, settings.host);
const url = await app.getUrl();
new Logger('BoxOffice').log(`The box office is open, look at it: ${url}`);

// Tells a parent such as the demo where to find this process, and does not outlive it.
process.send?.({ url });
process.once('disconnect', () => void app.close());
