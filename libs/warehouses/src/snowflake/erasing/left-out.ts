import type { SnowflakeSession } from '@penstock/databases';
import type { ErasedRecord } from '../../platform/eraser';
import { erasedHash } from '../../platform/erased-hash';
import { type Place, qualified } from '../sql/names';
import { listed, selectListed } from '../sql/listed';

/** Has the writers of a warehouse leave out who was erased. Nothing is hashed where nobody was. */
export class LeftOut {
  constructor(
    private readonly place: Place,
    private readonly keyedHash: (text: string) => string,
  ) {}

  /**
   * Tells who of some was erased. Within a transaction that has the lock of the warehouse, so that nobody is erased until it has
   * ended.
   *
   * @returns whether a record was erased; undefined: nobody was.
   */
  async among(
    session: SnowflakeSession,
    records: () => readonly ErasedRecord[],
  ): Promise<((record: ErasedRecord) => boolean) | undefined> {
    const erased = qualified(this.place, '_ERASED');
    if ((await session.rows(`SELECT 1 FROM ${erased} LIMIT 1`)).length === 0) return undefined;
    const hashes = records().map((record) => [this.hashOf(record)]);
    const rows = await session.rows(
      `SELECT e."HASH" FROM ${erased} AS e JOIN ${selectListed('HASH')} AS g ON g.HASH = e."HASH"`,
      [listed(hashes)],
    );
    if (rows.length === 0) return undefined;
    const found = new Set(rows.map(([hash]) => hash));
    return (record) => found.has(this.hashOf(record));
  }

  private hashOf(record: ErasedRecord): string {
    return erasedHash(this.keyedHash, record);
  }
}
