import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  // Closed by hand, so that the process ends by itself or not at all.
  process.once('SIGTERM', () => void app.close());
  await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
  console.log(`Listening on ${await app.getUrl()}`);
}
await bootstrap();
