import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { requestOf } from '../auth/caller';
import { JsonText, jsonTextOf } from '../http/json-text';
import { malformed } from '../http/read-json';
import { isDryRun } from '../validation/dry-run';
import { ANSWERED_ONCE } from './answered-once';
import { type Handling, IdempotentRequests } from './idempotent-requests';
import { again, failure, type KeptAnswer, success, answerNotKept } from './kept-answer';

/** Printable ASCII characters and spaces. */
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

type Answer = Json | JsonText | undefined;

/**
 * Makes a POST with an `Idempotency-Key` repeatable: it is executed once, and repetitions get the same answer for a
 * day. Dry runs are excluded: their answers are not stored, and they are not answered with a stored one.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor<Answer, Answer> {
  constructor(
    private readonly requests: IdempotentRequests,
    private readonly reflector: Reflector,
  ) {}

  async intercept(
    context: ExecutionContext,
    next: CallHandler<Answer>,
  ): Promise<Observable<Answer>> {
    const request = requestOf(context);
    const key = request.header('idempotency-key');
    if (key === undefined) return next.handle();
    if (!IDEMPOTENCY_KEY.test(key))
      throw malformed('/Idempotency-Key', 'must be 1 to 255 characters of ASCII');
    if (isDryRun(request) === true) return next.handle();
    const begun = await this.requests.begin(request, key);
    if ('is' in begun) return of(repeated(begun, context));
    request.commandId = begun.commandId;
    const isAnsweredOnce = this.reflector.get<boolean | undefined>(
      ANSWERED_ONCE,
      context.getHandler(),
    );
    return of(await handled(begun, next, isAnsweredOnce ?? false));
  }
}

const handled = async (
  handling: Handling,
  next: CallHandler<Answer>,
  isAnsweredOnce: boolean,
): Promise<Answer> => {
  try {
    const answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
    const text = answer === undefined ? undefined : jsonTextOf(answer);
    await handling.end(isAnsweredOnce ? answerNotKept() : success(text?.text));
    return text;
  } catch (error) {
    await handling.end(failure(error));
    throw error;
  }
};

const repeated = (kept: KeptAnswer, context: ExecutionContext): Answer => {
  const response = context.switchToHttp().getResponse<Response>();
  response.set('Idempotent-Replayed', 'true');
  const body = again(kept);
  return body === undefined ? undefined : new JsonText(body);
};
