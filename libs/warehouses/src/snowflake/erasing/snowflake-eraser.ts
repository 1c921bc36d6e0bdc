import type { ConnectionId } from '@penstock/contracts';
import { erasedHash } from '../../platform/erased-hash';
import type { ErasedPiece, ErasedRecord, Eraser, Erasure } from '../../platform/eraser';
import { WarehouseFault } from '../../platform/warehouse';
import type { Writer } from '../../platform/warehouse-writer';
import type { Guarded } from '../layout/guard';
import type { Execute } from '../resolving/batch';
import { ResolvingTransactions } from '../resolving/resolving-transactions';
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
import { MAKE_STAGE } from './person-statements';
import { type Taken, takePerson } from './take-person';

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
  private readonly transactions: ResolvingTransactions;
  private readonly of: ErasurePlace;

  constructor(
    sessions: Sessions,
    private readonly place: ErasingPlace,
    writer: Writer,
    private readonly erasure: Erasure,
  ) {
    this.transactions = new ResolvingTransactions(sessions, place, writer);
    this.of = { place: place.place, erasure: erasure.id };
  }

  take(signal: AbortSignal): Promise<boolean> {
    return this.transactions.change(
      signal,
      (execute) => this.takeIn(execute),
      async (session) => {
        await session.rows(MAKE_STAGE);
      },
    );
  }

  async next(): Promise<readonly ErasedRecord[]> {
    const select = selectRecords(this.of, FIRST, PIECE.records);
    return (await this.transactions.read(select)).map(recordOf);
  }

  eraseEvents(signal: AbortSignal): Promise<ErasedPiece> {
    return this.transactions.change(signal, (execute) => this.erasePiece(execute));
  }

  private async takeIn(execute: Execute): Promise<boolean> {
    const { place, erasure } = this.of;
    const [found = []] = await execute(
      `SELECT (SELECT COUNT(*) FROM ${qualified(place, '_ERASURES')} WHERE "ERASURE" = ?),
              COALESCE((SELECT MAX("PROFILE_ID") FROM ${qualified(place, '_PROFILE_ALIASES')} WHERE "ALIAS" = ?), ?)`,
      [erasure, this.erasure.profile, this.erasure.profile],
    );
    const [begun, profile] = found;
    if (begun !== '0') return true;
    const taken = await takePerson(execute, { ...this.of, profile: String(profile) });
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
