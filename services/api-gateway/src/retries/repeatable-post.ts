import { applyDecorators, Post, UseInterceptors } from '@nestjs/common';
import { IdempotencyInterceptor } from './idempotency.interceptor';

/**
 * Routes a POST that honours an `Idempotency-Key`: every POST of the API does. Other routes go without interceptors.
 */
export const RepeatablePost = (path = ''): MethodDecorator =>
  applyDecorators(Post(path), UseInterceptors(IdempotencyInterceptor));
