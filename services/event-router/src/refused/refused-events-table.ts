import {
  type ConnectionId,
  instant,
  type RefusedCode,
  type RefusedCount,
  type RefusedEvent,
  type RefusedEventsWanted,
  type RefusedEventView,
  type Sealed,
  type SuppressionId,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import { cleanText } from '../store/clean-text';
import {
  COUNT_REFUSED,
  ERASE_REFUSED,
  KEPT_USERS,
  LIST_REFUSED,
  PRUNE_REFUSED,
  WRITE_REFUSED,
} from './refused-statements';

/** Rows of a source that are kept: the newest. */
export const MAX_ROWS_OF_SOURCE = 1_000;

/** Where a page of a list begins: after this event. */
export interface RefusedPlace {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly id: string;
}

/** A row that names users. */
export interface RowOfUsers {
  readonly source: ConnectionId;
  readonly id: string;
  readonly workspace: WorkspaceId;
  readonly users: readonly SuppressionId[];
}

interface Row {
  readonly id: string;
  readonly at_ms: number;
  readonly index: number | null;
  readonly message_id: string | null;
  readonly code: RefusedCode;
  readonly path: string;
  readonly reason: string;
  readonly sealed: Sealed | null;
  readonly is_cut: boolean;
  readonly count: number;
}

const viewOf = ({ at_ms, message_id, is_cut, ...row }: Row): RefusedEventView => ({
  ...row,
  at: instant(new Date(at_ms)),
  messageId: message_id,
  isCut: is_cut,
});

const filterOf = ({ source, code, from, to }: RefusedEventsWanted): unknown[] => [
  source,
  code ?? null,
  from ?? null,
  to ?? null,
];

const columnsOf = (events: readonly RefusedEvent[]): unknown[] => [
  events.map(({ source }) => source),
  events.map(({ id }) => id),
  events.map(({ workspace }) => workspace),
  events.map(({ at }) => at),
  events.map(({ index }) => index),
  events.map(({ messageId }) => (messageId === null ? null : cleanText(messageId))),
  events.map(({ code }) => code),
  events.map(({ path }) => cleanText(path)),
  events.map(({ reason }) => cleanText(reason)),
  // Ids of users have no commas: they are hashes.
  events.map(({ users }) => users.join()),
  events.map(({ sealed }) => sealed),
  events.map(({ isCut }) => isCut),
  events.map(({ count }) => count),
];

/** The refused events that are kept: of each source the newest 1,000. */
export class RefusedEventsTable {
  constructor(private readonly pool: Pool) {}

  /** Adds the events that it does not have, and removes the oldest ones of their sources. */
  async write(events: readonly RefusedEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.pool.query(WRITE_REFUSED, columnsOf(events));
    const sources = [...new Set(events.map(({ source }) => source))];
    await this.pool.query(PRUNE_REFUSED, [sources, MAX_ROWS_OF_SOURCE]);
  }

  /** At most `limit` events of a source, newest first. */
  async list(
    workspace: string,
    wanted: RefusedEventsWanted,
    { limit, after }: { readonly limit: number; readonly after: RefusedPlace | undefined },
  ): Promise<readonly { readonly view: RefusedEventView; readonly place: RefusedPlace }[]> {
    const place = [after?.atMs ?? null, after?.id ?? null];
    const values = [...filterOf(wanted), workspace, ...place, limit];
    const { rows } = await this.pool.query<Row>(LIST_REFUSED, values);
    return rows.map((row) => ({ view: viewOf(row), place: { atMs: row.at_ms, id: row.id } }));
  }

  /** Numbers of events by code, the largest first; those that were not recorded one by one included. */
  async counts(workspace: string, wanted: RefusedEventsWanted): Promise<readonly RefusedCount[]> {
    const { rows } = await this.pool.query<RefusedCount>(COUNT_REFUSED, [
      ...filterOf(wanted),
      workspace,
    ]);
    return rows;
  }

  /** A page of rows with an excerpt that name users, in the order of their keys. */
  async ofUsers(
    after: Pick<RowOfUsers, 'source' | 'id'> | undefined,
    limit: number,
  ): Promise<readonly RowOfUsers[]> {
    const values = [after?.source ?? '', after?.id ?? '', limit];
    return (await this.pool.query<RowOfUsers>(KEPT_USERS, values)).rows;
  }

  /** Erases what the events say about their users. */
  async erase(events: readonly Pick<RowOfUsers, 'source' | 'id'>[]): Promise<void> {
    const values = [events.map(({ source }) => source), events.map(({ id }) => id)];
    await this.pool.query(ERASE_REFUSED, values);
  }
}
