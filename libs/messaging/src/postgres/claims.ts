import type { PoolClient } from 'pg';
import type { Database } from './database';
import { type Holding, shareOf } from './share';

/** Lease of a member: without renewal for this time it loses its partitions. */
export const LEASE_MS = 10_000;

/** A member of a group that reads a topic. */
export interface Member {
  readonly id: string;
  readonly group: string;
  readonly topicId: number;
}

/** A partition held by a member. The member's writes are effective only while the row has this epoch. */
export interface Claim {
  readonly partition: number;
  readonly epoch: number;
  /** The group's position at the time of the claim. */
  readonly position: number;
}

export interface Balance {
  /** Partitions claimed by this call. */
  readonly claimed: readonly Claim[];
  /** Epochs of all partitions that the member holds now, by partition. */
  readonly held: ReadonlyMap<number, number>;
  readonly giveUp: readonly number[];
}

const MEMBER = 'group_name = $1 and topic_id = $2';

const RENEW = `
  insert into penstock_log.members (id, group_name, topic_id, lease_until)
  values ($3, $1, $2, clock_timestamp() + $4 * interval '1 ms')
  on conflict (id) do update set lease_until = excluded.lease_until`;

const RELEASE_DEAD = `
  with dead as (
    delete from penstock_log.members where ${MEMBER} and lease_until < clock_timestamp() returning id
  )
  update penstock_log.claims claim set member = null
  where ${MEMBER} and member is not null and (
    member in (select id from dead)
    or not exists (select from penstock_log.members present where present.id = claim.member)
  )`;

const MEMBERS = `select id from penstock_log.members where ${MEMBER} order by joined_at, id`;

const HOLDINGS = `
  select partition, member, epoch::int from penstock_log.claims where ${MEMBER} order by partition`;

const CLAIM = `
  update penstock_log.claims set member = $3, epoch = epoch + 1
  where ${MEMBER} and partition = any($4::int[])
  returning partition, epoch::int, position`;

type HoldingRow = Holding & { readonly epoch: number };

const claim = async (
  client: PoolClient,
  { id, group, topicId }: Member,
  partitions: readonly number[],
): Promise<readonly Claim[]> => {
  if (partitions.length === 0) return [];
  const { rows } = await client.query<{ partition: number; epoch: number; position: string }>(
    CLAIM,
    [group, topicId, id, partitions],
  );
  return rows.map(({ position, ...row }) => ({ ...row, position: Number(position) }));
};

/**
 * Renews the member's lease, releases the partitions of dead members, and claims the member's share. Serialized per
 * group.
 */
export const balance = (database: Database, member: Member): Promise<Balance> =>
  database.transaction(async (client) => {
    const { id, group, topicId } = member;
    const key = [group, topicId];
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [topicId, group]);
    await client.query(RENEW, [...key, id, LEASE_MS]);
    const { rowCount: freed } = await client.query(RELEASE_DEAD, key);
    const { rows: members } = await client.query<{ id: string }>(MEMBERS, key);
    const { rows: holdings } = await client.query<HoldingRow>(HOLDINGS, key);
    const ids = members.map((row) => row.id);
    const share = shareOf(id, ids, holdings);
    const claimed = await claim(client, member, share.claim);
    if (freed) await client.query(`select pg_notify('penstock_log_groups', $1)`, [group]);
    const mine = holdings.filter((holding) => holding.member === id);
    const held = new Map([...mine, ...claimed].map(({ partition, epoch }) => [partition, epoch]));
    return { claimed, held, giveUp: share.giveUp };
  });

const ENTER = `
  with made as (
    insert into penstock_log.claims (group_name, topic_id, partition)
    select $1, $2, generate_series(0, $3::int - 1) on conflict do nothing
  ), member as (
    insert into penstock_log.members (id, group_name, topic_id, lease_until)
    values ($4, $1, $2, clock_timestamp() + $5 * interval '1 ms')
  )
  select pg_notify('penstock_log_groups', $1)`;

/** Adds the member to the group, without partitions. */
export const enter = async (
  database: Database,
  { id, group, topicId }: Member,
  partitions: number,
): Promise<void> => {
  await database.rows({ text: ENTER, values: [group, topicId, partitions, id, LEASE_MS] });
};

const RELEASE = `
  with freed as (
    update penstock_log.claims claim set member = null
    from unnest($4::int[], $5::bigint[]) as held (partition, epoch)
    where ${MEMBER} and member = $3
      and claim.partition = held.partition and claim.epoch = held.epoch
  )
  select pg_notify('penstock_log_groups', $1)`;

/** Releases the partitions for other members. */
export const release = async (
  database: Database,
  { id, group, topicId }: Member,
  held: readonly Pick<Claim, 'partition' | 'epoch'>[],
): Promise<void> => {
  const columns = [held.map(({ partition }) => partition), held.map(({ epoch }) => epoch)];
  await database.rows({ text: RELEASE, values: [group, topicId, id, ...columns] });
};

const LEAVE = `
  with gone as (
    delete from penstock_log.members where id = $3
  ), freed as (
    update penstock_log.claims set member = null where ${MEMBER} and member = $3
  )
  select pg_notify('penstock_log_groups', $1)`;

/** Removes the member and releases its partitions. */
export const leave = async (database: Database, { id, group, topicId }: Member): Promise<void> => {
  await database.rows({ text: LEAVE, values: [group, topicId, id] });
};

/** Committed without waiting for fsync: after a crash of the server, lost positions only cause redelivery. */
const MOVE = `
  with quick as materialized (select set_config('synchronous_commit', 'off', true))
  update penstock_log.claims claim set position = moved.position
  from unnest($4::int[], $5::bigint[], $6::bigint[]) as moved (partition, epoch, position), quick
  where ${MEMBER} and member = $3
    and claim.partition = moved.partition and claim.epoch = moved.epoch
  returning claim.partition`;

/** Sets the group's positions. @returns the partitions whose claim the member still holds. */
export const movePositions = async (
  database: Database,
  { id, group, topicId }: Member,
  moves: readonly Claim[],
): Promise<ReadonlySet<number>> => {
  const columns = [
    moves.map(({ partition }) => partition),
    moves.map(({ epoch }) => epoch),
    moves.map(({ position }) => position),
  ];
  const rows = await database.rows<[number]>({
    name: 'penstock_log_move',
    text: MOVE,
    values: [group, topicId, id, ...columns],
  });
  return new Set(rows.map(([partition]) => partition));
};
