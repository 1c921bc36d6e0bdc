import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { LogUnavailable, type TopicSpec } from '../message-log';
import { UnsuitableTopic } from '../unsuitable-topic';
import { type Database, emptyWithoutSchema } from './database';
import { ensureIdentity } from './identity';
import { TABLES_LOCK, messagesTable, SCHEMA } from './schema';
import { makeSegments } from './segments';
import { within } from '../within';

export interface Topic {
  readonly id: number;
  readonly name: string;
  /** Row ids in `penstock_log.partitions`, by partition. */
  readonly partitionIds: readonly number[];
}

const MAKE_TABLE = {
  whole: (id: number) =>
    `create table ${messagesTable(id)} partition of penstock_log.messages for values in (${id})`,
  byTime: (id: number) =>
    `create table ${messagesTable(id)} partition of penstock_log.messages for values in (${id})
     partition by range (timestamp_ms)`,
};

const INSERT_TOPIC = `
  with topic as (
    insert into penstock_log.topics (name, partitions, retention) values ($1, $2, $3) returning id
  ), made as (
    insert into penstock_log.partitions (topic_id, partition)
    select id, generate_series(0, $2::int - 1) from topic
  )
  select id from topic`;

const FIND_TOPIC = `
  select t.id, array_agg(p.id order by p.partition)
  from penstock_log.topics t join penstock_log.partitions p on p.topic_id = t.id
  where t.name = $1
  group by t.id`;

interface Existing {
  readonly id: number;
  readonly partitions: number;
  readonly retention: string;
}

const make = async (client: PoolClient, { name, partitions, retention }: TopicSpec) => {
  const { rows } = await client.query<{ id: number }>(INSERT_TOPIC, [
    name,
    partitions,
    String(retention),
  ]);
  const id = rows[0]?.id ?? 0;
  const isTimed = typeof retention === 'number';
  await client.query(isTimed ? MAKE_TABLE.byTime(id) : MAKE_TABLE.whole(id));
  if (isTimed) await makeSegments(client, id, retention, Date.now());
};

const isTimed = (retention: string): boolean => /^\d+$/.test(retention);

/** Applies another retention time; refuses another kind, which would need another table. */
const reconcile = async (client: PoolClient, existing: Existing, wanted: TopicSpec) => {
  const { name, partitions } = wanted;
  const retention = String(wanted.retention);
  if (existing.partitions !== partitions)
    throw new UnsuitableTopic(
      'partitions',
      `topic ${name} has ${existing.partitions} partitions, not ${partitions}`,
    );
  if (existing.retention === retention) return;
  if (!isTimed(existing.retention) || !isTimed(retention))
    throw new UnsuitableTopic(
      'retention',
      `topic ${name} is kept as ${existing.retention}, not ${retention}`,
    );
  await client.query('update penstock_log.topics set retention = $2 where id = $1', [
    existing.id,
    retention,
  ]);
};

const ensure = async (client: PoolClient, specs: readonly TopicSpec[]) => {
  await client.query('select pg_advisory_xact_lock($1)', [TABLES_LOCK]);
  const { rowCount } = await client.query(
    `select where to_regclass('penstock_log.claims') is not null`,
  );
  if (rowCount === 0) await client.query(SCHEMA);
  await ensureIdentity(client);
  for (const spec of specs) {
    const { rows } = await client.query<Existing>(
      'select id, partitions, retention from penstock_log.topics where name = $1',
      [spec.name],
    );
    await (rows[0] ? reconcile(client, rows[0], spec) : make(client, spec));
  }
};

const RETRY_MS = 200;

/** The topics of the log. A topic that was found is remembered: its partitions never change. */
export class Topics {
  private readonly looking = new Map<string, Promise<Topic>>();
  private readonly found = new Map<string, Topic>();

  constructor(private readonly database: Database) {}

  /** Makes missing topics. @throws Error when one has another partition count or another kind of retention. */
  ensure(specs: readonly TopicSpec[]): Promise<void> {
    return this.database.transaction((client) => ensure(client, specs));
  }

  /** Returns a topic synchronously, once earlier waiting callers have been served, so that no call overtakes them. */
  ready(name: string): Topic | undefined {
    return this.found.get(name);
  }

  /** @throws Error naming the topic when it does not exist, LogUnavailable. */
  named(name: string): Promise<Topic> {
    const known = this.looking.get(name);
    if (known) return known;
    const topic = this.find(name);
    this.looking.set(name, topic);
    topic.then(
      (found) => setImmediate(() => this.found.set(name, found)),
      () => this.looking.delete(name),
    );
    return topic;
  }

  /**
   * Like {@link named}, but retries while PostgreSQL is unavailable. Callers that wait for one topic continue in order.
   *
   * @throws LogUnavailable after `timeoutMs`.
   */
  await(name: string, timeoutMs: number): Promise<Topic> {
    return within(timeoutMs, 'PostgreSQL', this.retry(name, performance.now() + timeoutMs));
  }

  private async retry(name: string, untilMs: number): Promise<Topic> {
    for (;;) {
      try {
        return await this.named(name);
      } catch (error) {
        const isLate = performance.now() + RETRY_MS > untilMs;
        if (isLate || !(error instanceof LogUnavailable)) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  private async find(name: string): Promise<Topic> {
    const [row] = await this.database
      .rows<[number, number[]]>({ text: FIND_TOPIC, values: [name] })
      .catch(emptyWithoutSchema);
    if (!row) throw new Error(`no topic ${name}`);
    return { id: row[0], name, partitionIds: row[1] };
  }
}
