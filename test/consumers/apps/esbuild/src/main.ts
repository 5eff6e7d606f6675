import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  // Closed explicitly, so that the process exits only if nothing stays open.
  process.once('SIGTERM', () => void app.close());
  await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
  console.log(`Listening on ${await app.getUrl()}`);
}
bootstrap();
