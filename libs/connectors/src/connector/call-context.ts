import type { ConnectionId } from '@penstock/contracts';
import type { GuardedHttp } from './guarded-http';

/** What goes with every call to an application. */
export interface CallContext {
  readonly connection: ConnectionId;
  readonly http: GuardedHttp;
  /** Fires when nobody waits for the answer any more: what came of the call is then not known. */
  readonly signal: AbortSignal;
}
