import type { IncomingMessage } from 'node:http';
import type { Holding } from '../http/holding';
import type { EventRoute } from './intake-routes';

/** A completely received request for events, whose write key was known when it arrived. */
export interface Received {
  readonly request: IncomingMessage;
  readonly route: EventRoute;
  /** Query of the URL, without the question mark. */
  readonly query: string;
  readonly key: string;
  /** The decompressed body. */
  readonly body: Buffer;
  /** Is charged with the body, and with the events made of it. */
  readonly holding: Holding;
  /** The span that appends its events, which are recorded with it; absent: it is not sampled. */
  readonly traceparent?: string;
}
