import type { SnowflakeSession } from '@penstock/databases';
import { type ApplicationMatch, MAX_MATCHES, type MatchWriter } from '../../platform/match-writer';
import type { Writer } from '../../platform/warehouse-writer';
import type { Guarded } from '../layout/guard';
import { inTurn } from '../layout/in-turn';
import type { Sessions } from '../sessions/sessions';
import { qualified } from '../sql/names';
import { canBeKept, listed, selectListed } from '../sql/listed';
import { wellFormed } from '../sql/well-formed';

const checkCount = (count: number): void => {
  if (count > MAX_MATCHES) throw new RangeError(`${String(count)} matches at once`);
};

/** Keeps the users of an application in `_MATCHES`. */
export class SnowflakeMatchWriter implements MatchWriter {
  private readonly table: string;

  constructor(
    private readonly sessions: Sessions,
    private readonly guarded: Guarded,
    private readonly writer: Writer,
    private readonly owner: string,
  ) {
    this.table = qualified(guarded.place, '_MATCHES');
  }

  async put(matches: readonly ApplicationMatch[]): Promise<void> {
    checkCount(matches.length);
    const possible = matches.filter(
      ({ externalId, value }) => canBeKept(externalId) && canBeKept(value),
    );
    const values = new Map(
      possible.map(({ externalId, value }) => [wellFormed(externalId), value]),
    );
    await this.execute(async (session) => {
      if (values.size > 0)
        await session.rows(
          `MERGE INTO ${this.table} AS m USING ${selectListed('ID', 'VAL')} AS g
           ON m."PIPELINE" = ? AND m."EXTERNAL_ID" = g.ID
           WHEN MATCHED THEN UPDATE SET "VALUE" = g.VAL
           WHEN NOT MATCHED THEN INSERT ("PIPELINE", "EXTERNAL_ID", "VALUE") VALUES (?, g.ID, g.VAL)`,
          [listed([...values]), this.owner, this.owner],
        );
    });
  }

  async find(values: readonly string[], limit: number): Promise<readonly ApplicationMatch[]> {
    checkCount(values.length);
    const wanted = new Map(values.filter(canBeKept).map((value) => [wellFormed(value), value]));
    if (wanted.size === 0) return this.execute(() => Promise.resolve([]));
    const rows = await this.execute((session) =>
      session.rows(
        `SELECT m."EXTERNAL_ID", m."VALUE" FROM ${this.table} AS m
         JOIN ${selectListed('VAL')} AS g ON g.VAL = m."VALUE" WHERE m."PIPELINE" = ?
         QUALIFY ROW_NUMBER() OVER (PARTITION BY m."VALUE" ORDER BY m."EXTERNAL_ID") <= ${String(limit)}`,
        [listed([...wanted.keys()].map((value) => [value])), this.owner],
      ),
    );
    return rows.map(([id, value]) => ({
      externalId: String(id),
      value: wanted.get(String(value)) ?? String(value),
    }));
  }

  async forget(): Promise<void> {
    await this.execute((session) =>
      session.rows(`DELETE FROM ${this.table} WHERE "PIPELINE" = ?`, [this.owner]),
    );
  }

  /** In a transaction in which the writer may write. */
  private execute<T>(work: (session: SnowflakeSession) => Promise<T>): Promise<T> {
    return inTurn(this.sessions, this.guarded, this.writer, work);
  }
}
