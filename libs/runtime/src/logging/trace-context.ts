import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/** Runs the work within a span, given by its `traceparent`, so that what it logs and sends belongs to the trace. */
export const withTrace = <T>(traceparent: string, work: () => T): T =>
  storage.run(traceparent, work);

/** For what does not belong to the trace that happens to be under way. */
export const withoutTrace = <T>(work: () => T): T => storage.exit(work);

/**
 * The `traceparent` of the span that is under way.
 *
 * @returns undefined outside of {@link withTrace}.
 */
export const currentTrace = (): string | undefined => storage.getStore();

/** The members of a log line that name the span under way; undefined outside of one. */
export const traceMembers = ():
  | { readonly trace_id: string; readonly span_id: string }
  | undefined => {
  const [, traceId, spanId] = currentTrace()?.split('-') ?? [];
  return traceId === undefined || spanId === undefined
    ? undefined
    : { trace_id: traceId, span_id: spanId };
};
