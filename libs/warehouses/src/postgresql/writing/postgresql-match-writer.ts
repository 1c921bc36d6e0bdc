import { createHash } from 'node:crypto';
import { escapeLiteral } from 'pg';
import { type ApplicationMatch, MAX_MATCHES, type MatchWriter } from '../../platform/match-writer';
import type { Writer } from '../../platform/warehouse-writer';
import { type Guarded, writerGuard } from '../layout/guard';
import { LOOK_UPS } from '../merging/merge-identities';
import type { Sessions } from '../sessions/sessions';
import { qualified } from '../sql/names';
import { transaction } from '../sql/transaction';

/** Rows that one transaction deletes. */
const FORGOTTEN_AT_ONCE = 10_000;

/** Bytes of a text that an index holds in any case; of longer ones the hash is kept. */
const MAX_BYTES = 1_000;

const kept = (text: string): string =>
  Buffer.byteLength(text) <= MAX_BYTES
    ? text
    : `sha256 ${createHash('sha256').update(text).digest('base64url')}`;

/** PostgreSQL has no such texts, so that no profile has one either; an id that is not kept whole is no id. */
const canBeKept = ({ externalId, value }: ApplicationMatch): boolean =>
  !externalId.includes('\0') && !value.includes('\0') && kept(externalId) === externalId;

const checkCount = (count: number): void => {
  if (count > MAX_MATCHES) throw new RangeError(`${String(count)} matches at once`);
};

/** Keeps the users of an application in `_matches`. */
export class PostgresqlMatchWriter implements MatchWriter {
  private readonly table: string;
  private readonly owner: string;

  constructor(
    private readonly sessions: Sessions,
    private readonly guarded: Guarded,
    private readonly writer: Writer,
    owner: string,
  ) {
    this.table = qualified(guarded.schema, '_matches');
    this.owner = escapeLiteral(owner);
  }

  async put(matches: readonly ApplicationMatch[]): Promise<void> {
    checkCount(matches.length);
    const values = new Map(
      matches.filter(canBeKept).map(({ externalId, value }) => [externalId, kept(value)]),
    );
    const rows = escapeLiteral(JSON.stringify([...values].map(([id, value]) => ({ id, value }))));
    await this.execute(
      `INSERT INTO ${this.table} (pipeline, external_id, value)
       SELECT ${this.owner}, id, value FROM json_to_recordset(${rows}::json) AS u (id text, value text)
       ON CONFLICT (pipeline, external_id) DO UPDATE SET value = excluded.value`,
    );
  }

  async find(values: readonly string[], limit: number): Promise<readonly ApplicationMatch[]> {
    checkCount(values.length);
    const wanted = new Map(
      values.filter((value) => !value.includes('\0')).map((value) => [kept(value), value]),
    );
    const list = escapeLiteral(JSON.stringify([...wanted.keys()]));
    const result = await this.execute(
      ...LOOK_UPS,
      `SELECT m.external_id AS "externalId", v.value FROM json_array_elements_text(${list}::json) AS v (value)
        CROSS JOIN LATERAL (
          SELECT external_id FROM ${this.table} AS m
           WHERE m.pipeline = ${this.owner} AND m.value = v.value
           ORDER BY external_id LIMIT ${String(limit)}) AS m`,
    );
    const rows = (result?.rows ?? []) as unknown as readonly ApplicationMatch[];
    return rows.map(({ externalId, value }) => ({ externalId, value: wanted.get(value) ?? value }));
  }

  async forget(): Promise<void> {
    const piece = `DELETE FROM ${this.table} WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM ${this.table} WHERE pipeline = ${this.owner} LIMIT ${String(FORGOTTEN_AT_ONCE)}))`;
    for (let deleted = FORGOTTEN_AT_ONCE; deleted === FORGOTTEN_AT_ONCE;)
      deleted = (await this.execute(piece))?.rowCount ?? 0;
  }

  private async execute(...statements: readonly string[]) {
    const guard = writerGuard(this.guarded, this.writer);
    const results = await this.sessions.use((client) =>
      transaction(client, [guard, ...statements]),
    );
    return results.at(-1);
  }
}
