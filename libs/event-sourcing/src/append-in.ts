import type { EntityManager } from 'typeorm';
import type { Append, StoredFact, StoredReply } from './event-store';
import { FactRow, ReplyRow } from './fact-row';

/** The channel on which an append tells that there are new facts. */
export const FACTS_CHANNEL = 'penstock_facts';

/** Shape of `data` of all facts so far. */
const SCHEMA_VERSION = 1;
/** A statement takes 65,535 parameters, a fact has twelve. */
const FACTS_A_STATEMENT = 1_000;

/** Thrown inside the transaction to undo it: the command was answered before. */
export class Repeated extends Error {
  override readonly name = 'Repeated';
}

/** From here to the commit no other append goes on: positions are gapless and in commit order. */
const takePositions = async (db: EntityManager, count: number): Promise<number> => {
  const [rows] = await db.query<[{ position: string }[], number]>(
    'UPDATE penstock.head SET position = position + $1 RETURNING position',
    [count],
  );
  const [head] = rows;
  if (head === undefined) throw new Error('the event store has no head row');
  return Number(head.position);
};

/** @throws Repeated */
const recordReply = async (
  db: EntityManager,
  { cause: { commandId }, reply }: Append<EntityManager>,
  position: number,
): Promise<void> => {
  const inserted = await db
    .createQueryBuilder()
    .insert()
    .into(ReplyRow)
    .values({ commandId, position: String(position), reply, answeredAt: () => 'now()' })
    .orIgnore()
    .returning('command_id')
    .execute();
  if ((inserted.raw as unknown[]).length === 0) throw new Repeated(commandId);
};

const placed = (
  { streams, cause: { commandId, actor, requestId, time } }: Append<EntityManager>,
  first: number,
): StoredFact[] =>
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

const insertFacts = async (db: EntityManager, facts: readonly StoredFact[]): Promise<void> => {
  const rows = facts.map((fact) => ({ ...fact, position: String(fact.position) }));
  for (let from = 0; from < rows.length; from += FACTS_A_STATEMENT)
    await db.insert(FactRow, rows.slice(from, from + FACTS_A_STATEMENT));
};

/**
 * What an append does inside its transaction.
 *
 * @throws Repeated
 */
export const appendIn = async (
  db: EntityManager,
  append: Append<EntityManager>,
): Promise<StoredReply> => {
  const count = append.streams.reduce((sum, { facts }) => sum + facts.length, 0);
  const position = await takePositions(db, count);
  await recordReply(db, append, position);
  if (count > 0) {
    await append.verify?.(db);
    const facts = placed(append, position - count + 1);
    await insertFacts(db, facts);
    await append.project(db, facts);
    await db.query(`SELECT pg_notify($1, '')`, [FACTS_CHANNEL]);
  }
  return { position, reply: append.reply };
};
