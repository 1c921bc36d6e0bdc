import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { pointer } from '@penstock/schema';
import type { Observable } from 'rxjs';
import { requestOf } from '../auth/caller';
import { malformed } from '../http/read-json';
import { type Description, DESCRIPTION } from '../openapi/schema/describe';

/** Rejects a parameter that the described route does not have, as a misspelled one would be ignored otherwise. */
@Injectable()
export class QueryInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  /** @throws Refusal BadRequest naming the parameter. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const description = this.reflector.get<Description | undefined>(
      DESCRIPTION,
      context.getHandler(),
    );
    if (description !== undefined) {
      const known = (description.query ?? []).map(({ name }) => name);
      const unknown = Object.keys(requestOf(context).query).find((name) => !known.includes(name));
      if (unknown !== undefined) throw malformed(pointer(unknown), 'unknown parameter');
    }
    return next.handle();
  }
}
