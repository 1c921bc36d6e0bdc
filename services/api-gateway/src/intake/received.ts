import type { IncomingMessage } from 'node:http';
import type { Holding } from '../http/holding';
import type { EventRoute } from './intake-routes';

/** A request for events that is wholly here, from somebody whose write key was known when it came. */
export interface Received {
  readonly request: IncomingMessage;
  readonly route: EventRoute;
  /** Of the URL, without its mark. */
  readonly query: string;
  readonly key: string;
  /** Plain. */
  readonly body: Buffer;
  /** Is charged with the body, and with all that is made of it. */
  readonly holding: Holding;
}
