import type { Request } from '@penstock/contracts';
import { withRequestId } from '@penstock/runtime';

/** Adds the request id of the gateway to every log line of a request; option `within` of a LogServer. */
export const withRequestIdOf = <T>(data: unknown, handle: () => T): T => {
  const requestId = (data as Partial<Request<unknown>> | null)?.context?.requestId;
  return requestId === undefined ? handle() : withRequestId(requestId, handle);
};
