import type { Sealed } from '../connection.facts';
import type { ConnectionId, Instant } from '../ids';
import type { RefusedCode } from '../refused/refused-event';
import { always, query } from './operation';
import type { Page } from './page';

/** Which refused events of a source are wanted; what is absent does not matter. */
export interface RefusedEventsWanted {
  readonly source: ConnectionId;
  readonly code?: RefusedCode;
  /** They came at this time or later. */
  readonly from?: Instant;
  /** They came before this time. */
  readonly to?: Instant;
}

/** An event that was refused, or a number of them that were not recorded one by one. */
export interface RefusedEventView {
  readonly id: string;
  readonly at: Instant;
  /** Its index in the request, from 0; `null`: not known. */
  readonly index: number | null;
  /** `null`: it has none, or not a valid one. */
  readonly messageId: string | null;
  readonly code: RefusedCode;
  /** JSON pointer within the event, `''` for the event itself. */
  readonly path: string;
  readonly reason: string;
  /** The beginning of its JSON text, sealed for its place; `null`: there is none, or it has been erased. */
  readonly sealed: Sealed | null;
  readonly isCut: boolean;
  /** 1; more: so many events with this code were left out. */
  readonly count: number;
}

/** Number of refused events with one code. */
export interface RefusedCount {
  readonly code: RefusedCode;
  readonly count: number;
}

/** About events that were refused; the routers answer from the store that they share. */
export const REFUSED_OPERATIONS = {
  /** Newest first. `withValues`: the caller sees the excerpts; the access is recorded before they are answered. */
  ListRefusedEvents: query<
    Page & RefusedEventsWanted & { readonly withValues: boolean },
    { readonly events: readonly RefusedEventView[]; readonly cursor: string }
  >({ refusals: ['ConnectionNotExist'], isSlow: always, answeredBy: 'event-router' }),
  CountRefusedEvents: query<RefusedEventsWanted, { readonly counts: readonly RefusedCount[] }>({
    refusals: ['ConnectionNotExist'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
};
