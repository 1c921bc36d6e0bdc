import { instant, type Instant } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import { CHAIN_START, chainHash } from './chain';
import type { Append, StoredFact, StoredReply } from './event-store';
import { FactRow } from './fact-row';

/** The channel on which an append tells that there are new facts. */
export const FACTS_CHANNEL = 'penstock_facts';

/** Shape of `data` of all facts so far. */
const SCHEMA_VERSION = 1;
/** A statement takes 65,535 parameters, a fact has fourteen. */
const FACTS_A_STATEMENT = 1_000;

/** Thrown inside the transaction to undo it: the command was answered before. */
export class Repeated extends Error {
  override readonly name = 'Repeated';
}

/** Thrown inside the transaction to undo it: it was a dry run, and has gone well. */
export class DryRunDone extends Error {
  override readonly name = 'DryRunDone';
  constructor(readonly reply: StoredReply) {
    super('the dry run has gone well');
  }
}

/** Where and when facts are recorded. */
interface Place {
  /** Of the last of them; of the newest fact where there are none. */
  readonly position: number;
  /** By the database's clock: one for all services. */
  readonly time: Instant;
  /** The latest at which a fact was recorded so far, or which nothing may be recorded before any more. */
  readonly effectiveTime: Instant;
}

const CLOCK = `date_trunc('milliseconds', clock_timestamp())`;

/** From here to the commit no other append goes on: positions are gapless and in commit order. */
const takePlace = async (db: EntityManager, count: number): Promise<Place> => {
  const [rows] = await db.query<[{ position: string; time: Date; effective: Date }[], number]>(
    `UPDATE penstock.head SET position = position + $1, time = greatest(time, ${CLOCK})
     RETURNING position, least(time, ${CLOCK}) AS time, time AS effective`,
    [count],
  );
  const [head] = rows;
  if (head === undefined) throw new Error('the event store has no head row');
  const { position, time, effective } = head;
  return {
    position: Number(position),
    time: instant(time),
    effectiveTime: instant(effective),
  };
};

/** By owner. */
type Hashes = Readonly<Record<string, string>>;

/** Nothing comes between this and the commit, so that the chains end as they are answered. @throws Repeated */
const RECORD_REPLY = `
  WITH recorded AS (
    INSERT INTO penstock.replies (command_id, position, reply, answered_at) VALUES ($1, $2, $3, now())
    ON CONFLICT DO NOTHING RETURNING command_id)
  SELECT EXISTS (SELECT FROM recorded) AS "isFirst",
         (SELECT coalesce(json_object_agg(owner, hash), '{}') FROM penstock.chains WHERE owner = ANY ($4)) AS hashes`;

/** @returns the newest hash of each owner that has one. @throws Repeated */
const recordReply = async (
  db: EntityManager,
  { cause: { commandId }, reply, streams }: Append<EntityManager>,
  position: number,
): Promise<Hashes> => {
  const owners = [...new Set(streams.map(({ owner }) => owner))];
  const values = [commandId, position, JSON.stringify(reply), owners];
  const [found] = await db.query<{ isFirst: boolean; hashes: Hashes }[]>(RECORD_REPLY, values);
  if (found?.isFirst !== true) throw new Repeated(commandId);
  return found.hashes;
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

/** Each with its hash, and the newest of each owner. */
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

const insertFacts = async (
  db: EntityManager,
  facts: readonly StoredFact[],
  effectiveTime: Instant,
): Promise<void> => {
  const rows = facts.map((fact) => ({
    ...fact,
    position: String(fact.position),
    effectiveTime: fact.time === effectiveTime ? null : effectiveTime,
  }));
  for (let from = 0; from < rows.length; from += FACTS_A_STATEMENT)
    await db.insert(FactRow, rows.slice(from, from + FACTS_A_STATEMENT));
};

const MOVE_CHAINS = `
  WITH moved AS (
    INSERT INTO penstock.chains (owner, position, hash)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
    ON CONFLICT (owner) DO UPDATE SET position = excluded.position, hash = excluded.hash)
  SELECT pg_notify($4, '')`;

/** The ends of the chains; readers are woken by the commit. */
const moveChains = async (
  db: EntityManager,
  newest: ReadonlyMap<string, StoredFact>,
): Promise<void> => {
  const facts = [...newest.values()];
  await db.query(MOVE_CHAINS, [
    facts.map(({ owner }) => owner),
    facts.map(({ position }) => position),
    facts.map(({ hash }) => hash),
    FACTS_CHANNEL,
  ]);
};

/**
 * What an append does inside its transaction.
 *
 * @throws Repeated, DryRunDone
 */
export const appendIn = async (
  db: EntityManager,
  append: Append<EntityManager>,
): Promise<StoredReply> => {
  const count = append.streams.reduce((sum, { facts }) => sum + facts.length, 0);
  const { position, time, effectiveTime } = await takePlace(db, count);
  const hashes = await recordReply(db, append, position);
  if (count > 0) {
    await append.verify?.(db);
    const { facts, newest } = chained(placed(append, position - count + 1, time), hashes);
    await insertFacts(db, facts, effectiveTime);
    await append.project(db, facts);
    await moveChains(db, newest);
  }
  if (append.isDryRun === true)
    throw new DryRunDone({ position: position - count, reply: append.reply });
  return { position, reply: append.reply };
};
