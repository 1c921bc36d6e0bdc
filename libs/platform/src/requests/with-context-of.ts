import type { Request } from '@penstock/contracts';
import { withRequestId, withTrace } from '@penstock/runtime';

/** Adds the request id of the gateway, and the trace, to every log line of a request; option `within` of a LogServer. */
export const withContextOf = <T>(
  data: unknown,
  handle: () => T,
  traceparent: string | undefined,
): T => {
  const requestId = (data as Partial<Request<unknown>> | null)?.context?.requestId;
  const identified = (): T =>
    requestId === undefined ? handle() : withRequestId(requestId, handle);
  return traceparent === undefined ? identified() : withTrace(traceparent, identified);
};
