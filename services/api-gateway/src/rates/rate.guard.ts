import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type Caller, requestOf } from '../auth/caller';
import { ApiRates } from './api-rates';
import { rateHeaders, requireAdmission } from './rate-headers';

/**
 * Limits the requests of each caller and sends the remaining ones as headers. Runs after the guard that sets the
 * caller.
 */
@Injectable()
export class RateGuard implements CanActivate {
  constructor(private readonly rates: ApiRates) {}

  canActivate(context: ExecutionContext): boolean {
    const caller = requestOf(context).caller as Caller | undefined;
    if (caller === undefined) return true;
    const admission = this.rates.take(caller.key, caller.organization.id, Date.now());
    requireAdmission(admission);
    context.switchToHttp().getResponse<Response>().set(rateHeaders(admission));
    return true;
  }
}
