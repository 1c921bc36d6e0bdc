import { instant, type Instant } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import { CHAIN_START, chainHash } from './chain';
import type { Append, StoredFact, StoredReply } from './event-store';

/** The PostgreSQL channel on which the commit of an append notifies readers of new facts. */
export const FACTS_CHANNEL = 'penstock_facts';

/** Version of the shape of `data`, for all facts so far. */
const SCHEMA_VERSION = 1;
/** Thrown inside the transaction to roll it back: the command id already has a reply. */
export class Repeated extends Error {
  override readonly name = 'Repeated';
}

/** Thrown inside the transaction to roll it back after a successful dry run. */
export class DryRunDone extends Error {
  override readonly name = 'DryRunDone';
  constructor(readonly reply: StoredReply) {
    super('the dry run has gone well');
  }
}

/** Positions and times for the facts of one append. */
interface Place {
  /** Position of the last new fact; of the newest recorded fact when the append has none. */
  readonly position: number;
  /** Recording time by the database's clock, which all services share. */
  readonly time: Instant;
  /** Maximum of `time`, the effective time of the newest fact and the times closed by `FactHistory.positionAt`. */
  readonly effectiveTime: Instant;
}

/** Newest hash of each owner's chain, by owner. */
type Hashes = Readonly<Record<string, string>>;

const CLOCK = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * Locks the head row until the commit, so that appends run one at a time: positions have no gaps and stand in commit
 * order. `FOR NO KEY UPDATE` reads the newest version of a chain's row, not the one of the statement's snapshot.
 */
const TAKE_PLACE = `
  WITH head AS (
    UPDATE penstock.head SET position = position + $1, time = greatest(time, ${CLOCK})
    RETURNING position, least(time, ${CLOCK}) AS time, time AS effective),
  recorded AS (
    INSERT INTO penstock.replies (command_id, position, reply, answered_at)
    SELECT $2, position, $3, now() FROM head
    ON CONFLICT DO NOTHING RETURNING command_id),
  chains AS (
    SELECT chain.owner, chain.hash FROM head, penstock.chains chain
    WHERE chain.owner = ANY ($4) FOR NO KEY UPDATE OF chain)
  SELECT position, time, effective, EXISTS (SELECT FROM recorded) AS "isFirst",
         (SELECT coalesce(json_object_agg(owner, hash), '{}') FROM chains) AS hashes
  FROM head`;

interface PlaceRow {
  readonly position: string;
  readonly time: Date;
  readonly effective: Date;
  readonly isFirst: boolean;
  readonly hashes: Hashes;
}

/**
 * Reads the chains that `TAKE_PLACE` could not see: they were inserted while the statement waited for the lock, after
 * its snapshot.
 */
const newHashes = async (
  db: EntityManager,
  owners: readonly string[],
  known: Hashes,
): Promise<Hashes> => {
  const others = owners.filter((owner) => known[owner] === undefined);
  if (others.length === 0) return {};
  const rows = await db.query<{ owner: string; hash: string }[]>(
    'SELECT owner, hash FROM penstock.chains WHERE owner = ANY ($1)',
    [others],
  );
  return Object.fromEntries(rows.map(({ owner, hash }) => [owner, hash]));
};

/**
 * Allocates positions for `count` facts and records the reply.
 *
 * @returns positions and times, with the newest hash of each owner that has one.
 * @throws Repeated
 */
const takePlace = async (
  db: EntityManager,
  { cause: { commandId }, reply, streams }: Append<EntityManager>,
  count: number,
): Promise<Place & { readonly hashes: Hashes }> => {
  const owners = [...new Set(streams.map(({ owner }) => owner))];
  const values = [count, commandId, JSON.stringify(reply), owners];
  const [head] = await db.query<PlaceRow[]>(TAKE_PLACE, values);
  if (head === undefined) throw new Error('the event store has no head row');
  if (!head.isFirst) throw new Repeated(commandId);
  return {
    position: Number(head.position),
    time: instant(head.time),
    effectiveTime: instant(head.effective),
    hashes: { ...(await newHashes(db, owners, head.hashes)), ...head.hashes },
  };
};

type Placed = Omit<StoredFact, 'hash'>;

const placed = (
  { streams, cause: { commandId, actor, requestId } }: Append<EntityManager>,
  first: number,
  time: Instant,
): Placed[] =>
  streams
    .flatMap(({ stream, owner, version, facts }) =>
      facts.map((fact, index) => ({ ...fact, stream, owner, version: version + index + 1 })),
    )
    .map(({ type, data, state, stream, owner, version }, index) => ({
      position: first + index,
      stream,
      version,
      type,
      schemaVersion: SCHEMA_VERSION,
      time,
      actor,
      requestId,
      causation: commandId,
      owner,
      data,
      state,
    }));

/** Computes the hash of each fact, and the newest fact of each owner. */
const chained = (
  facts: readonly Placed[],
  hashes: Hashes,
): { facts: StoredFact[]; newest: ReadonlyMap<string, StoredFact> } => {
  const newest = new Map<string, StoredFact>();
  const linked = facts.map((fact): StoredFact => {
    const previous = newest.get(fact.owner)?.hash ?? hashes[fact.owner] ?? CHAIN_START;
    const hashed = { ...fact, hash: chainHash(previous, fact, JSON.stringify(fact.data)) };
    newest.set(fact.owner, hashed);
    return hashed;
  });
  return { facts: linked, newest };
};

/** Writes facts and the new ends of chains; the notification reaches readers at the commit. */
const WRITE = `
  WITH written AS (
    INSERT INTO penstock.facts (position, stream, version, type, schema_version, time, effective_time, actor, request_id,
                                causation, owner, hash, data, state)
    SELECT position, stream, version, type, schema_version, $7, $8, $9, $10, $11, owner, hash, data, state
    FROM unnest($1::bigint[], $2::text[], $3::int[], $4::text[], $5::int[], $6::text[], $12::text[], $13::json[],
                $14::json[])
         AS fact (position, stream, version, type, schema_version, owner, hash, data, state)),
  moved AS (
    INSERT INTO penstock.chains (owner, position, hash)
    SELECT * FROM unnest($15::text[], $16::bigint[], $17::text[])
    ON CONFLICT (owner) DO UPDATE SET position = excluded.position, hash = excluded.hash)
  SELECT pg_notify($18, '')`;

const write = async (
  db: EntityManager,
  { facts, newest }: ReturnType<typeof chained>,
  { time, effectiveTime }: Place,
  { actor, requestId, commandId }: Append<EntityManager>['cause'],
): Promise<void> => {
  const ends = [...newest.values()];
  await db.query(WRITE, [
    facts.map(({ position }) => position),
    facts.map(({ stream }) => stream),
    facts.map(({ version }) => version),
    facts.map(({ type }) => type),
    facts.map(({ schemaVersion }) => schemaVersion),
    facts.map(({ owner }) => owner),
    time,
    effectiveTime === time ? null : effectiveTime,
    actor,
    requestId,
    commandId,
    facts.map(({ hash }) => hash),
    facts.map(({ data }) => JSON.stringify(data)),
    facts.map(({ state }) => JSON.stringify(state)),
    ends.map(({ owner }) => owner),
    ends.map(({ position }) => position),
    ends.map(({ hash }) => hash),
    FACTS_CHANNEL,
  ]);
};

/**
 * Does the work of an append inside its transaction.
 *
 * @throws Repeated, DryRunDone
 */
export const appendIn = async (
  db: EntityManager,
  append: Append<EntityManager>,
): Promise<StoredReply> => {
  const count = append.streams.reduce((sum, { facts }) => sum + facts.length, 0);
  const place = await takePlace(db, append, count);
  const { position, time, hashes } = place;
  if (count > 0) {
    await append.verify?.(db);
    const linked = chained(placed(append, position - count + 1, time), hashes);
    await write(db, linked, place, append.cause);
    await append.project(db, linked.facts);
  }
  if (append.isDryRun === true)
    throw new DryRunDone({ position: position - count, reply: append.reply });
  return { position, reply: append.reply };
};
