import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { pointer } from '@penstock/schema';
import { requestOf } from '../auth/caller';
import { malformed } from '../http/read-json';
import { type Description, DESCRIPTION } from '../openapi/schema/describe';

/** Refuses parameters that the description of the route does not list: a misspelled one would otherwise be ignored. */
@Injectable()
export class QueryGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws Refusal BadRequest naming the parameter. */
  canActivate(context: ExecutionContext): boolean {
    const description = this.reflector.get<Description | undefined>(
      DESCRIPTION,
      context.getHandler(),
    );
    if (description !== undefined) {
      const known = (description.query ?? []).map(({ name }) => name);
      const unknown = Object.keys(requestOf(context).query).find((name) => !known.includes(name));
      if (unknown !== undefined) throw malformed(pointer(unknown), 'unknown parameter');
    }
    return true;
  }
}
