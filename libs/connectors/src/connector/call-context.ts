import type { ConnectionId } from '@penstock/contracts';
import type { GuardedHttp } from './guarded-http';

/** What goes with every call to an application. */
export interface CallContext {
  readonly connection: ConnectionId;
  readonly http: GuardedHttp;
  /** Fires when the caller has given up: the result of the call is then unknown. */
  readonly signal: AbortSignal;
}
