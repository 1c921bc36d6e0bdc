import { type OperationName, OPERATIONS, Refusal } from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import { type SpanEnd, type Tracing, withTrace } from '@penstock/runtime';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Observable, tap } from 'rxjs';

const endOf = (error: unknown): SpanEnd =>
  error instanceof Refusal
    ? { attributes: { 'penstock.refusal': error.code } }
    : { error: error instanceof Error ? error.name : 'Error' };

/** Makes a span of each command and query that carries the context of a trace. */
export class TracedRequests implements NestInterceptor {
  /** @param tracing absent: there are no spans. */
  constructor(private readonly tracing: Tracing | undefined) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { pattern, traceparent } = context.switchToRpc().getContext<LogRequestContext>();
    if (this.tracing === undefined || traceparent === undefined) return next.handle();
    const { kind } = OPERATIONS[pattern as OperationName];
    const span = this.tracing.begin(`${kind} ${pattern}`, {
      kind: 'server',
      parent: traceparent,
      attributes: { 'penstock.operation.name': pattern },
    });
    if (span === undefined) return next.handle();
    const handled = new Observable<unknown>((observer) =>
      withTrace(span.traceparent, () => next.handle().subscribe(observer)),
    );
    let how: SpanEnd = {};
    const noted = tap({
      error: (error: unknown) => {
        how = endOf(error);
      },
      finalize: () => {
        span.end(how);
      },
    });
    return handled.pipe(noted);
  }
}
