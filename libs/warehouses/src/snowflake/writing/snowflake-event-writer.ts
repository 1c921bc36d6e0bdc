import {
  type BoundRow,
  isSnowflakeRefusal,
  snowflakeName,
  type SnowflakeSession,
} from '@penstock/databases';
import type { RecordValue } from '@penstock/schema';
import { Unwritable } from '../../merging/unwritable';
import { Turns } from '../../merging/turns';
import type { EventOutcome, EventWriter } from '../../platform/event-writer';
import { keyOfEvent, recordsOfEvent } from '../../platform/records-of-event';
import { MAX_BATCH, type Writer } from '../../platform/warehouse-writer';
import { EVENTS_TABLE } from '../layout/events-table';
import { guardWriter } from '../layout/guard';
import { dropStage, stageRows } from '../layout/stages';
import { joinProfile } from '../resolving/profile-of-event';
import type { Sessions } from '../sessions/sessions';
import { list, qualified } from '../sql/names';
import { transaction } from '../sql/transaction';
import { EVENT_COLUMNS } from '../layout/event-columns';
import { eventCells, eventValues } from './event-columns';
import { reasonOf } from './refused-row';
import { PLACE } from './staged-identity';
import type { WritingPlace } from './writing-place';
import { wellFormed } from '../sql/well-formed';

/** The cells of an event, or why Snowflake cannot hold it. */
const cellsOf = (event: RecordValue): BoundRow | string => {
  try {
    return eventCells(event);
  } catch (error) {
    if (error instanceof Unwritable) return error.message;
    throw error;
  }
};

/** An event that is staged, with its index in the batch. */
interface StagedEvent {
  readonly place: number;
  readonly event: RecordValue;
  readonly cells: BoundRow;
}

/** Staged events, from one to before another. */
interface EventRange {
  readonly stage: string;
  readonly from: number;
  readonly to: number;
}

const NAMES = EVENT_COLUMNS.map(({ name }) => name);

/** The first event of each key. @param refused is given the reasons of those that Snowflake cannot hold, by their places */
const stagedEvents = async (
  events: readonly RecordValue[],
  refused: Map<number, string>,
): Promise<readonly StagedEvent[]> => {
  const staged = new Map<string, StagedEvent>();
  const turns = new Turns();
  for (const [place, event] of events.entries()) {
    const turn = turns.before(EVENT_COLUMNS.length);
    if (turn !== undefined) await turn;
    const key = wellFormed(keyOfEvent(event));
    if (staged.has(key)) continue;
    const cells = cellsOf(event);
    if (typeof cells === 'string') refused.set(place, cells);
    else staged.set(key, { place, event, cells });
  }
  return [...staged.values()];
};

/** Writes the events of one workspace under one epoch. */
export class SnowflakeEventWriter implements EventWriter {
  constructor(
    private readonly sessions: Sessions,
    private readonly place: WritingPlace,
    private readonly writer: Writer,
  ) {}

  async write(events: readonly RecordValue[]): Promise<readonly EventOutcome[]> {
    if (events.length > MAX_BATCH)
      throw new RangeError(`a batch has at most ${String(MAX_BATCH)} events`);
    const refused = new Map<number, string>();
    const rows = await stagedEvents(events, refused);
    if (rows.length > 0)
      await this.sessions.use((session) => this.stageAndMerge(session, rows, refused));
    return events.map((_, place) => {
      const reason = refused.get(place);
      return reason === undefined ? {} : { refused: reason };
    });
  }

  private async stageAndMerge(
    session: SnowflakeSession,
    rows: readonly StagedEvent[],
    refused: Map<number, string>,
  ): Promise<void> {
    const { place, aheadSeconds } = this.place;
    const cells = rows.map((row, index) => [String(index), ...row.cells]);
    const stage = await stageRows(session, place, [PLACE, ...NAMES], cells, aheadSeconds);
    try {
      await this.mergeOrHalve(session, rows, { stage, from: 0, to: rows.length }, refused);
    } finally {
      // What is left after a fault is dropped by the daily sweep.
      await dropStage(session, stage).catch(() => undefined);
    }
  }

  private async mergeOrHalve(
    session: SnowflakeSession,
    rows: readonly StagedEvent[],
    range: EventRange,
    refused: Map<number, string>,
  ): Promise<void> {
    const { from, to } = range;
    try {
      await this.merge(session, rows.slice(from, to), range);
    } catch (error) {
      if (!isSnowflakeRefusal(error)) throw error;
      const [first, second] = rows.slice(from, to);
      if (first !== undefined && second === undefined) {
        refused.set(first.place, reasonOf(error));
        return;
      }
      const middle = Math.ceil((from + to) / 2);
      await this.mergeOrHalve(session, rows, { ...range, to: middle }, refused);
      await this.mergeOrHalve(session, rows, { ...range, from: middle }, refused);
    }
  }

  private merge(
    session: SnowflakeSession,
    rows: readonly StagedEvent[],
    range: EventRange,
  ): Promise<void> {
    return transaction(session, async () => {
      await guardWriter(session, this.place, this.writer);
      await this.leaveOut(session, rows, range);
      await session.rows(this.mergeStatement(range));
    });
  }

  private mergeStatement({ stage, from, to }: EventRange): string {
    const { place } = this.place;
    const names = ['PROFILE_ID', ...NAMES];
    const at = `CAST(c."${PLACE}" AS NUMBER(38,0))`;
    return `
      MERGE INTO ${qualified(place, EVENTS_TABLE.name)} AS t
      USING (SELECT p.PROFILE AS "PROFILE_ID", e.*
             FROM (SELECT ${eventValues('c').join(', ')} FROM ${stage} AS c
                   WHERE ${at} >= ${String(from)} AND ${at} < ${String(to)}) AS e ${joinProfile(place, 'e')}) AS s
      ON t."CONNECTION_ID" = s."CONNECTION_ID" AND t."MESSAGE_ID" = s."MESSAGE_ID"
      WHEN NOT MATCHED THEN INSERT (${list(names)})
      VALUES (${names.map((name) => `s.${snowflakeName(name)}`).join(', ')})`;
  }

  /** Takes the events that name somebody who was erased out of the table. */
  private async leaveOut(
    session: SnowflakeSession,
    rows: readonly StagedEvent[],
    { stage, from }: EventRange,
  ): Promise<void> {
    const isErased = await this.place.leftOut.among(session, () =>
      rows.flatMap(({ event }) => recordsOfEvent(event)),
    );
    if (isErased === undefined) return;
    for (const [index, { event }] of rows.entries())
      if (recordsOfEvent(event).some(isErased))
        await session.rows(`DELETE FROM ${stage} WHERE "${PLACE}" = ?`, [String(from + index)]);
  }
}
