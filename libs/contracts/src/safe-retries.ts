import type { Sealed } from './connection.facts';

/**
 * What became of a request with an `Idempotency-Key`:
 *
 * - `first`: it is to be handled now, its commands under this id;
 * - `answered`: it was answered before, with this;
 * - `underWay`: it is being handled elsewhere;
 * - `another`: its key was given to a request that says something else.
 */
export type Begun =
  | { readonly is: 'first'; readonly commandId: string }
  | { readonly is: 'answered'; readonly answer: Sealed }
  | { readonly is: 'underWay' }
  | { readonly is: 'another' };

/** What is remembered of requests that may be repeated. No configuration changes by it. */
export interface SafeRetries {
  BeginRequest: {
    in: {
      /** Names API key, method, path and `Idempotency-Key`; a hash. */
      readonly key: string;
      /** Tells what one request says from what another says; a hash. */
      readonly digest: string;
      /** Who handles it: a name that nobody had before. */
      readonly holder: string;
    };
    out: Begun;
  };
  EndRequest: {
    in: {
      readonly key: string;
      /** When another has taken the request over, nothing changes. */
      readonly holder: string;
      /** `null`: none that counts; whoever repeats the request handles it. */
      readonly answer: Sealed | null;
    };
    out: Record<never, never>;
  };
}
