import { OPERATIONS, type OperationName, Refusal } from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { type Observable, tap } from 'rxjs';

/** How a command or query ended. */
type Ending = 'done' | 'refused' | 'failed';

/** Counts commands and queries. Labels are bounded: names of operations, kinds, and three endings. */
export class CountedRequests implements NestInterceptor {
  private readonly counter: Counter;

  constructor(registry: Registry) {
    this.counter = new Counter({
      name: 'penstock_pipeline_service_requests_total',
      help: 'Commands and queries that the pipeline service has handled, by name and ending',
      labelNames: ['kind', 'name', 'ending'],
      registers: [registry],
    });
  }

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { pattern } = execution.switchToRpc().getContext<LogRequestContext>();
    return next.handle().pipe(
      tap({
        complete: () => {
          this.count(pattern, 'done');
        },
        error: (error: unknown) => {
          this.count(pattern, error instanceof Refusal ? 'refused' : 'failed');
        },
      }),
    );
  }

  private count(pattern: string, ending: Ending): void {
    const { kind } = OPERATIONS[pattern as OperationName];
    this.counter.inc({ kind, name: pattern, ending });
  }
}
