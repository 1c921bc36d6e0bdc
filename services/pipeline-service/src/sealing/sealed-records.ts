import { type OperationName, OPERATIONS, Refusal, type RequestContext } from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import { openMessage, type SealedMessage, sealOutcome } from '@penstock/runtime';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { catchError, from, map, type Observable, of, switchMap } from 'rxjs';
import { EntityManager } from 'typeorm';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';

/** A received request, whose input is opened before it is handled. */
interface Arrived {
  readonly context: RequestContext;
  in: unknown;
}

/**
 * Opens requests that are sealed since they hold events or users, and seals their answers, also refusals, which may
 * quote them.
 */
@Injectable()
export class SealedRecords implements NestInterceptor<object, unknown> {
  constructor(
    private readonly dataKeys: DataKeys,
    private readonly database: EntityManager,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<unknown> {
    const rpc = context.switchToRpc();
    const { pattern } = rpc.getContext<LogRequestContext>();
    if (!OPERATIONS[pattern as OperationName].carriesRecords) return next.handle();
    const request = rpc.getData<Arrived>();
    const { workspace, commandId } = request.context;
    const sealsOf = this.dataKeys.of(this.database, workspace);
    return from(orUnavailable(sealsOf)).pipe(
      switchMap((seals) => {
        const place = { workspace, commandId };
        const sealed = request.in as SealedMessage;
        request.in = openMessage(seals, sealed, { ...place, is: 'request' });
        return next.handle().pipe(
          catchError((error: unknown) => {
            if (error instanceof Refusal) return of(error);
            throw error;
          }),
          map((answered) => sealOutcome(seals, answered, place)),
        );
      }),
    );
  }
}
