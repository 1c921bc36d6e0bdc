import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CHAIN_START, chainHash, type Hashed } from './chain';

const FACTS_A_PAGE = 1_000;
/** Bounds the memory of a page: the data of one fact may have a megabyte. */
const BYTES_A_PAGE = 10_000_000;

const PAGE = `
  SELECT position::text AS position, owner, stream, version, type, schema_version AS "schemaVersion", time, actor,
         request_id AS "requestId", causation, data
  FROM (SELECT page.*, row_number() OVER upwards AS nth, sum(octet_length(page.data)) OVER upwards AS bytes
        FROM (SELECT position, owner, stream, version, type, schema_version, time, actor, request_id, causation,
                     data::text AS data
              FROM penstock.facts WHERE position > $1 ORDER BY position LIMIT ${String(FACTS_A_PAGE)}) page
        WINDOW upwards AS (ORDER BY page.position)) sized
  WHERE nth = 1 OR bytes <= ${String(BYTES_A_PAGE)}
  ORDER BY nth`;

const EFFECTIVE_TIMES = `
  UPDATE penstock.facts fact SET effective_time = late.effective
  FROM (SELECT position, time, max(time COLLATE "C") OVER (ORDER BY position) AS effective FROM penstock.facts) late
  WHERE fact.position = late.position AND late.effective <> late.time`;

type Row = Omit<Hashed, 'position'> & { readonly position: string; readonly data: string };

/**
 * Writes the hash of every existing fact, a page at a time.
 *
 * @returns the position and hash of each owner's newest fact.
 */
const chainFacts = async (
  db: QueryRunner,
): Promise<ReadonlyMap<string, { position: string; hash: string }>> => {
  const newest = new Map<string, { position: string; hash: string }>();
  for (let last = '0'; ;) {
    const rows = (await db.query(PAGE, [last])) as Row[];
    if (rows.length === 0) return newest;
    const hashes = rows.map(({ data, ...row }) => {
      const previous = newest.get(row.owner)?.hash ?? CHAIN_START;
      const hash = chainHash(previous, { ...row, position: Number(row.position) }, data);
      newest.set(row.owner, { position: row.position, hash });
      return hash;
    });
    await db.query(
      `UPDATE penstock.facts fact SET hash = given.hash
       FROM unnest($1::bigint[], $2::text[]) AS given (position, hash) WHERE fact.position = given.position`,
      [rows.map(({ position }) => position), hashes],
    );
    last = rows.at(-1)?.position ?? last;
  }
};

/**
 * Adds the hash of each fact, the newest hash of each owner, and the time up to which the history is closed. The
 * effective time of a fact is the running maximum of the recording times up to it.
 */
export class CreateChain1700000000050 implements MigrationInterface {
  readonly name = 'CreateChain1700000000050';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'ALTER TABLE penstock.facts ADD COLUMN effective_time text, ADD COLUMN hash text',
    );
    await db.query(EFFECTIVE_TIMES);
    await db.query(`CREATE TABLE penstock.chains (
      owner text PRIMARY KEY, position bigint NOT NULL, hash text NOT NULL)`);
    const newest = [...(await chainFacts(db))];
    await db.query(
      'INSERT INTO penstock.chains SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])',
      [
        newest.map(([owner]) => owner),
        newest.map(([, { position }]) => position),
        newest.map(([, { hash }]) => hash),
      ],
    );
    await db.query('ALTER TABLE penstock.facts ALTER COLUMN hash SET NOT NULL');
    await db.query(
      `ALTER TABLE penstock.head ADD COLUMN time timestamptz NOT NULL DEFAULT 'epoch'`,
    );
    await db.query(
      `UPDATE penstock.head SET time = newest.time
       FROM (SELECT max(coalesce(effective_time, time)::timestamptz) AS time FROM penstock.facts) newest
       WHERE newest.time IS NOT NULL`,
    );
    await db.query(
      `CREATE INDEX facts_effective_time ON penstock.facts ((coalesce(effective_time, time) COLLATE "C"), position)`,
    );
    await db.query('CREATE INDEX facts_stream_position ON penstock.facts (stream, position)');
  }

  async down(db: QueryRunner): Promise<void> {
    for (const index of ['facts_effective_time', 'facts_stream_position'])
      await db.query(`DROP INDEX penstock.${index}`);
    await db.query('ALTER TABLE penstock.head DROP COLUMN time');
    await db.query('DROP TABLE penstock.chains');
    await db.query('ALTER TABLE penstock.facts DROP COLUMN effective_time, DROP COLUMN hash');
  }
}
