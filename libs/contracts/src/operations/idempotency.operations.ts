import type { Sealed } from '../connection.facts';
import { type Nothing, query } from './operation';

/**
 * What became of a request with an `Idempotency-Key`:
 *
 * - `first`: it is to be handled now, its commands under this id;
 * - `answered`: it was answered before, with this;
 * - `underWay`: it is being handled elsewhere;
 * - `another`: its key belongs to a request with other content.
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
  /** A hash of the request's content. */
  readonly digest: string;
  /** Who handles it: a unique name. */
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
