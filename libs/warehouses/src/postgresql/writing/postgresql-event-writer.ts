import { compareCodePoints, type RecordValue } from '@penstock/schema';
import { type Client, DatabaseError, escapeIdentifier } from 'pg';
import type { EventOutcome, EventWriter } from '../../platform/event-writer';
import { MAX_BATCH, type Writer } from '../../platform/warehouse-writer';
import type { ErasedRecord } from '../../platform/eraser';
import { keyOfEvent, recordsOfEvent } from '../../platform/records-of-event';
import { Turns } from '../../merging/turns';
import { Unwritable } from '../../merging/unwritable';
import { EVENTS_TABLE } from '../layout/events-table';
import { stageName } from '../layout/stages';
import { HASHES, type LeftOut } from '../erasing/left-out';
import { LOOK_UPS } from '../merging/merge-identities';
import { besideResolution } from '../resolving/beside-resolution';
import { profileOfEvent } from '../resolving/profile-of-event';
import { qualified } from '../sql/names';
import { EVENT_COLUMNS, eventText } from './event-columns';
import { type Guarded, writerGuard } from '../layout/guard';
import { isRefusal, reasonOf } from './refused-row';
import type { Sessions } from '../sessions/sessions';
import { stageRows } from './stage-rows';
import { transaction } from '../sql/transaction';

/** An event to be staged. */
interface StagedEvent {
  /** Source and message id. */
  readonly key: string;
  /** Its index in the batch. */
  readonly place: number;
  readonly text: string;
  /** Whom the event is about. */
  readonly of: () => readonly ErasedRecord[];
}

/** What a writer of events needs of the warehouse. */
interface EventsPlace extends Guarded {
  readonly leftOut: LeftOut;
  /** Seconds by which the server's clock is ahead of this one. */
  readonly aheadSeconds: number;
  /** `server_version_num` of the server. */
  readonly version: number;
}

const NAMES = EVENT_COLUMNS.map(({ name }) => escapeIdentifier(name)).join(', ');

/**
 * The first event of each key, in the order of their keys: batches that have keys in common never wait for each other in
 * a circle. Those that no warehouse should keep are refused.
 */
const stagedEvents = async (
  events: readonly RecordValue[],
  refused: Map<number, string>,
): Promise<readonly StagedEvent[]> => {
  const staged = new Map<string, StagedEvent>();
  const turns = new Turns();
  for (const [place, event] of events.entries()) {
    const turn = turns.before(EVENT_COLUMNS.length);
    if (turn !== undefined) await turn;
    const key = keyOfEvent(event);
    if (staged.has(key)) continue;
    try {
      const of = (): readonly ErasedRecord[] => recordsOfEvent(event);
      staged.set(key, { key, place, text: eventText(event), of });
    } catch (error) {
      if (!(error instanceof Unwritable)) throw error;
      refused.set(place, error.message);
    }
  }
  return [...staged.values()].sort((one, other) => compareCodePoints(one.key, other.key));
};

/** Writes the events of one workspace under one epoch. */
export class PostgresqlEventWriter implements EventWriter {
  constructor(
    private readonly sessions: Sessions,
    private readonly place: EventsPlace,
    private readonly writer: Writer,
  ) {}

  async write(events: readonly RecordValue[]): Promise<readonly EventOutcome[]> {
    if (events.length > MAX_BATCH) throw new RangeError(`a batch has at most ${MAX_BATCH} events`);
    const refused = new Map<number, string>();
    const rows = await stagedEvents(events, refused);
    if (rows.length > 0)
      await this.sessions.use((client) => this.writeOrHalve(client, rows, refused));
    return events.map((_, place) => {
      const reason = refused.get(place);
      return reason === undefined ? {} : { refused: reason };
    });
  }

  private async writeOrHalve(
    client: Client,
    rows: readonly StagedEvent[],
    refused: Map<number, string>,
  ): Promise<void> {
    const error = await this.mergeHashed(client, rows);
    if (error === undefined) return;
    const [first, second] = rows;
    if (first !== undefined && second === undefined) {
      refused.set(first.place, reasonOf(error));
      return;
    }
    const middle = Math.ceil(rows.length / 2);
    await this.writeOrHalve(client, rows.slice(0, middle), refused);
    await this.writeOrHalve(client, rows.slice(middle), refused);
  }

  /** As {@link merge}; the rows are staged again where that has to be with hashes. */
  private async mergeHashed(
    client: Client,
    rows: readonly StagedEvent[],
  ): Promise<DatabaseError | undefined> {
    try {
      return await this.merge(client, rows);
    } catch (error) {
      if (!this.place.leftOut.isMissing(error)) throw error;
      return this.merge(client, rows);
    }
  }

  /** @returns why the server has refused a row; then nothing was written */
  private async merge(
    client: Client,
    rows: readonly StagedEvent[],
  ): Promise<DatabaseError | undefined> {
    const { schema, leftOut, aheadSeconds, version } = this.place;
    const stage = qualified(schema, stageName(Date.now() / 1_000 + aheadSeconds));
    const hashed = rows.map(({ text, of }) => ({ text: leftOut.field(of) + text }));
    try {
      const columns = [HASHES, ...EVENT_COLUMNS];
      await stageRows(client, { table: stage, columns, version }, hashed);
      await transaction(client, [
        writerGuard(this.place, this.writer),
        besideResolution(schema),
        ...leftOut.eventStatements(stage),
        ...LOOK_UPS,
        'SET LOCAL enable_seqscan = off',
        `INSERT INTO ${qualified(schema, EVENTS_TABLE.name)} (profile_id, ${NAMES})
         SELECT ${profileOfEvent(schema, 's')}, ${NAMES} FROM ${stage} AS s
         ON CONFLICT (connection_id, message_id) DO NOTHING`,
        `DROP TABLE ${stage}`,
      ]);
      return undefined;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      await client.query('ROLLBACK');
      await client.query(`DROP TABLE IF EXISTS ${stage}`);
      if (isRefusal(error)) return error;
      throw error;
    }
  }
}
