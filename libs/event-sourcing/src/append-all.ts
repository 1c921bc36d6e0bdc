import { instant, type Instant } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import { CHAIN_START, chainHash } from './chain';
import type { Append, StoredFact, StoredReply } from './event-store';
import { slicesOf, type WrittenFact } from './fact-slices';

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

/** Positions and times for the facts of some appends. */
interface Place {
  /** Position of the newest fact before them. */
  readonly base: number;
  /** Recording time by the database's clock, which all services share. */
  readonly time: Instant;
  /** Maximum of `time`, the effective time of the newest fact and the times closed by `FactHistory.positionAt`. */
  readonly effectiveTime: Instant;
}

/** Newest hash of each owner's chain, by owner. */
type Hashes = Readonly<Record<string, string>>;

const CLOCK = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * Locks the head row until the commit, so that transactions run one at a time: positions have no gaps and stand in
 * commit order. `FOR NO KEY UPDATE` reads the newest version of a chain's row, not the one of the statement's snapshot.
 */
const TAKE_PLACE = `
  WITH head AS (
    UPDATE penstock.head SET position = position + $1, time = greatest(time, ${CLOCK})
    RETURNING position - $1 AS base, least(time, ${CLOCK}) AS time, time AS effective),
  recorded AS (
    INSERT INTO penstock.replies (command_id, position, reply, answered_at)
    SELECT command_id, base + facts, reply, now()
    FROM head, unnest($2::text[], $3::bigint[], $4::json[]) AS given (command_id, facts, reply)
    ON CONFLICT DO NOTHING RETURNING command_id),
  chains AS (
    SELECT chain.owner, chain.hash FROM head, penstock.chains chain
    WHERE chain.owner = ANY ($5) FOR NO KEY UPDATE OF chain)
  SELECT base, time, effective, (SELECT count(*)::int FROM recorded) AS recorded,
         (SELECT coalesce(json_object_agg(owner, hash), '{}') FROM chains) AS hashes
  FROM head`;

interface PlaceRow {
  readonly base: string;
  readonly time: Date;
  readonly effective: Date;
  readonly recorded: number;
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

type Appends = readonly Append<EntityManager>[];

/** Number of facts up to the end of each append. */
const factsUpToEach = (appends: Appends): number[] => {
  let sum = 0;
  return appends.map(({ streams }) => {
    for (const { facts } of streams) sum += facts.length;
    return sum;
  });
};

/**
 * Allocates positions for all facts and records the replies.
 *
 * @param upTo number of facts up to the end of each append.
 * @returns positions and times, with the newest hash of each owner that has one.
 * @throws Repeated
 */
const takePlace = async (
  db: EntityManager,
  appends: Appends,
  upTo: readonly number[],
): Promise<Place & { readonly hashes: Hashes }> => {
  const owners = [...new Set(appends.flatMap(({ streams }) => streams.map(({ owner }) => owner)))];
  const commands = appends.map(({ cause }) => cause.commandId);
  const replies = appends.map(({ reply }) => JSON.stringify(reply));
  const values = [upTo.at(-1) ?? 0, commands, upTo, replies, owners];
  const [head] = await db.query<PlaceRow[]>(TAKE_PLACE, values);
  if (head === undefined) throw new Error('the event store has no head row');
  if (head.recorded < appends.length) throw new Repeated(commands.join(', '));
  return {
    base: Number(head.base),
    time: instant(head.time),
    effectiveTime: instant(head.effective),
    hashes: { ...(await newHashes(db, owners, head.hashes)), ...head.hashes },
  };
};

type Placed = Omit<StoredFact, 'hash'>;

const placed = (appends: Appends, { base, time }: Place): Placed[] =>
  appends
    .flatMap(({ streams, cause: { commandId, actor, requestId } }) =>
      streams.flatMap(({ stream, owner, version, facts }) =>
        facts.map((fact, index) => ({
          ...fact,
          stream,
          owner,
          version: version + index + 1,
          actor,
          requestId,
          causation: commandId,
        })),
      ),
    )
    .map((fact, index) => ({
      position: base + index + 1,
      stream: fact.stream,
      version: fact.version,
      type: fact.type,
      schemaVersion: SCHEMA_VERSION,
      time,
      actor: fact.actor,
      requestId: fact.requestId,
      causation: fact.causation,
      owner: fact.owner,
      data: fact.data,
      state: fact.state,
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
    SELECT position, stream, version, type, schema_version, $1, $2, actor, request_id, causation, owner, hash, data, state
    FROM unnest($3::bigint[], $4::text[], $5::int[], $6::text[], $7::int[], $8::text[], $9::text[], $10::text[],
                $11::text[], $12::text[], $13::json[], $14::json[])
         AS fact (position, stream, version, type, schema_version, actor, request_id, causation, owner, hash, data, state)),
  moved AS (
    INSERT INTO penstock.chains (owner, position, hash)
    SELECT * FROM unnest($15::text[], $16::bigint[], $17::text[])
    ON CONFLICT (owner) DO UPDATE SET position = excluded.position, hash = excluded.hash)
  SELECT pg_notify($18, '')`;

const write = async (
  db: EntityManager,
  { facts, newest }: ReturnType<typeof chained>,
  place: Place,
): Promise<void> => {
  const ends = [...newest.values()];
  let waiting: readonly WrittenFact[] = [];
  for (const slice of slicesOf(facts)) {
    if (waiting.length > 0) await writeSlice(db, waiting, [], place);
    waiting = slice;
  }
  await writeSlice(db, waiting, ends, place);
};

/** @param ends the newest facts of the owners; none before all facts are written. */
const writeSlice = async (
  db: EntityManager,
  slice: readonly WrittenFact[],
  ends: readonly StoredFact[],
  { time, effectiveTime }: Place,
): Promise<void> => {
  const facts = slice.map(({ fact }) => fact);
  await db.query(WRITE, [
    time,
    effectiveTime === time ? null : effectiveTime,
    facts.map(({ position }) => position),
    facts.map(({ stream }) => stream),
    facts.map(({ version }) => version),
    facts.map(({ type }) => type),
    facts.map(({ schemaVersion }) => schemaVersion),
    facts.map(({ actor }) => actor),
    facts.map(({ requestId }) => requestId),
    facts.map(({ causation }) => causation),
    facts.map(({ owner }) => owner),
    facts.map(({ hash }) => hash),
    slice.map(({ data }) => data),
    slice.map(({ state }) => state),
    ends.map(({ owner }) => owner),
    ends.map(({ position }) => position),
    ends.map(({ hash }) => hash),
    FACTS_CHANNEL,
  ]);
};

/**
 * Does the work of appends inside their transaction. Several of them share one `project`, and none of several has a
 * `verify` or is a dry run.
 *
 * @returns the recorded replies, in order.
 * @throws Repeated, DryRunDone
 */
export const appendAll = async (db: EntityManager, appends: Appends): Promise<StoredReply[]> => {
  const upTo = factsUpToEach(appends);
  const place = await takePlace(db, appends, upTo);
  const linked = chained(placed(appends, place), place.hashes);
  if (linked.facts.length > 0) {
    for (const { verify } of appends) await verify?.(db);
    await write(db, linked, place);
    const withFacts = appends.find(({ streams }) => streams.some(({ facts }) => facts.length > 0));
    await withFacts?.project(db, linked.facts);
  }
  const replies = appends.map(({ reply }, index) => {
    return { position: place.base + (upTo[index] ?? 0), reply };
  });
  const [only] = replies;
  if (only !== undefined && appends[0]?.isDryRun === true)
    throw new DryRunDone({ ...only, position: place.base });
  return replies;
};
