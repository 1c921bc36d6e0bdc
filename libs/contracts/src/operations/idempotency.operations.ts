import type { Sealed } from '../connection.facts';
import { type Nothing, query } from './operation';

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

/** A request with an `Idempotency-Key`, before it is handled. */
export interface BeginRequest {
  /** Names API key, method, path and `Idempotency-Key`; a hash. */
  readonly key: string;
  /** Tells what one request says from what another says; a hash. */
  readonly digest: string;
  /** Who handles it: a name that nobody had before. */
  readonly holder: string;
}

/** The same request, after it was handled. */
export interface EndRequest {
  readonly key: string;
  /** When another has taken the request over, nothing changes. */
  readonly holder: string;
  /** `null`: none that counts; whoever repeats the request handles it. */
  readonly answer: Sealed | null;
}

/** What is remembered of idempotent requests. No configuration changes by it, so that these count as queries. */
export const IDEMPOTENCY_OPERATIONS = {
  BeginRequest: query<BeginRequest, Begun>(),
  EndRequest: query<EndRequest, Nothing>(),
};
