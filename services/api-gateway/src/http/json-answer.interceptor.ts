import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { type Json, writeJson } from '@penstock/schema';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { JsonText } from './json-text';

type Answer = Json | JsonText | undefined;

/**
 * Writes the result of a handler as compact JSON, with every digit of numbers; no body when the result is undefined.
 */
export class JsonAnswerInterceptor implements NestInterceptor<Answer, string | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<string | undefined> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((json) => {
        if (json === undefined) return undefined;
        response.type('application/json');
        return json instanceof JsonText ? json.text : writeJson(json);
      }),
    );
  }
}
