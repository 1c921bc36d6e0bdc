import type { SnowflakeSession } from '@penstock/databases';
import type { ConnectionId } from '@penstock/contracts';
import { erasedHash } from '../../platform/erased-hash';
import type { ErasedPiece, ErasedRecord, Eraser, Erasure } from '../../platform/eraser';
import { WarehouseFault } from '../../platform/warehouse';
import type { Writer } from '../../platform/warehouse-writer';
import type { Guarded } from '../layout/guard';
import { inTurn, inTurnOn } from '../layout/in-turn';
import { dropStage, stageNow } from '../layout/stages';
import type { Sessions } from '../sessions/sessions';
import { listed, selectListed } from '../sql/listed';
import { qualified } from '../sql/names';
import { changedRows } from '../sql/transaction';
import {
  countErased,
  countEvents,
  deleteEvents,
  deleteRecords,
  type ErasurePlace,
  PIECE,
  reachOf,
  selectErasure,
  selectRecords,
} from './erase-events';
import { type Execute, type Taken, takePerson } from './take-person';
import { untilGivenUp } from './until-given-up';

/** What an eraser needs of the warehouse. */
export interface ErasingPlace extends Guarded {
  readonly keyedHash: (text: string) => string;
}

const FIRST = '0';

/** Hashes that are made and written at a time. */
const HASHES = 10_000;

type RecordRow = readonly (string | null)[];

const recordOf = ([, connection, anonymous, recordId]: RecordRow): ErasedRecord => ({
  connection: connection as ConnectionId,
  anonymous: anonymous === '1',
  recordId: String(recordId),
});

/** Erases a person from the warehouse of one workspace under one epoch. */
export class SnowflakeEraser implements Eraser {
  private readonly of: ErasurePlace;

  constructor(
    private readonly sessions: Sessions,
    private readonly place: ErasingPlace,
    private readonly writer: Writer,
    private readonly erasure: Erasure,
  ) {
    this.of = { place: place.place, erasure: erasure.id };
  }

  take(signal: AbortSignal): Promise<boolean> {
    return this.sessions.use(async (session) => {
      const execute = untilGivenUp(session, signal);
      const stage = await this.makeStage(session, execute);
      try {
        return await inTurnOn(session, this.place, this.writer, () => this.takeIn(execute, stage));
      } finally {
        // What is left after a fault is dropped by the daily sweep.
        await dropStage(session, stage).catch(() => undefined);
      }
    });
  }

  next(): Promise<readonly ErasedRecord[]> {
    return inTurn(this.sessions, this.place, this.writer, async (session) =>
      (await session.rows(selectRecords(this.of, FIRST, PIECE.records))).map(recordOf),
    );
  }

  eraseEvents(signal: AbortSignal): Promise<ErasedPiece> {
    return inTurn(this.sessions, this.place, this.writer, (session) =>
      this.erasePiece(untilGivenUp(session, signal)),
    );
  }

  /** A table for the numbers of identities. Outside of a transaction, which it would commit. */
  private async makeStage(session: SnowflakeSession, execute: Execute): Promise<string> {
    const stage = await stageNow(session, this.place.place);
    await execute(`CREATE TRANSIENT TABLE ${stage} ("IDENTITY" NUMBER(38,0))`);
    return stage;
  }

  private async takeIn(execute: Execute, stage: string): Promise<boolean> {
    const { place, erasure } = this.of;
    const [found = []] = await execute(
      `SELECT (SELECT COUNT(*) FROM ${qualified(place, '_ERASURES')} WHERE "ERASURE" = ?),
              COALESCE((SELECT MAX("PROFILE_ID") FROM ${qualified(place, '_PROFILE_ALIASES')} WHERE "ALIAS" = ?), ?)`,
      [erasure, this.erasure.profile, this.erasure.profile],
    );
    const [begun, profile] = found;
    if (begun !== '0') return true;
    const person = { ...this.of, stage, profile: String(profile) };
    const taken = await takePerson(execute, person);
    if (taken === undefined) return false;
    await this.keepHashes(execute);
    await this.begin(execute, taken);
    return true;
  }

  /** From then on no writer writes what the person was known by. */
  private async keepHashes(execute: Execute): Promise<void> {
    const erased = qualified(this.of.place, '_ERASED');
    const merge = `
      MERGE INTO ${erased} AS t
      USING (SELECT g.HASH AS HASH, MIN(g.CONNECTION) AS CONNECTION
             FROM ${selectListed('CONNECTION', 'HASH')} AS g GROUP BY g.HASH) AS s ON t."HASH" = s.HASH
      WHEN NOT MATCHED THEN INSERT ("CONNECTION", "HASH") VALUES (s.CONNECTION, s.HASH)`;
    for (let after = FIRST; ;) {
      const rows = await execute(selectRecords(this.of, after, HASHES));
      const last = rows.at(-1)?.[0];
      if (last === undefined) return;
      const records = rows.map(recordOf);
      const hashes = records.map((record) => [record.connection, this.hashOf(record)]);
      await execute(merge, [listed(hashes)]);
      if (rows.length < HASHES) return;
      after = String(last);
    }
  }

  private hashOf(record: ErasedRecord): string {
    return erasedHash(this.place.keyedHash, record);
  }

  private async begin(execute: Execute, taken: Taken): Promise<void> {
    const counts = [taken.profiles, taken.identities, taken.history].map(String);
    await execute(
      `INSERT INTO ${qualified(this.of.place, '_ERASURES')}
         ("ERASURE", "TAKEN_AT", "PROFILES", "IDENTITIES", "HISTORY", "EVENTS")
       SELECT ?, CURRENT_TIMESTAMP(), ${counts.join(', ')}, 0`,
      [this.of.erasure],
    );
  }

  private async erasePiece(execute: Execute): Promise<ErasedPiece> {
    const reach = reachOf(await execute(countEvents(this.of)));
    if (reach !== undefined) {
      const events = changedRows(await execute(deleteEvents(this.of, reach.upTo)));
      if (reach.ended !== undefined) await execute(deleteRecords(this.of, reach.ended));
      if (events > 0) await execute(countErased(this.of, events));
    }
    const [row] = await execute(selectErasure(this.of));
    if (row === undefined) throw new WarehouseFault('unusable', 'the erasure was not begun');
    const [profiles = 0, identities = 0, history = 0, events = 0, left] = row.map(Number);
    return { counts: { profiles, identities, history, events }, isLast: left === 0 };
  }
}
