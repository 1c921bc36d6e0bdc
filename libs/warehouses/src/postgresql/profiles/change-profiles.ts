import type { WorkspaceId } from '@penstock/contracts';
import type { Client } from 'pg';
import { type ProfilesChange, WarehouseFault } from '../../platform/warehouse';
import type { ProfilesDifference } from '../../profiles/profiles-difference';
import { LOCK, REPAIR_LOCK } from '../layout/lock';
import { isBehind, repair } from '../layout/marker';
import { grantsOn } from '../layout/view-grants';
import { qualified } from '../sql/names';
import { changeStatements } from './change-statements';

/** Source: the specification of the warehouse, "Profile schema": waits for locks. */
const LOCK_WAIT_MS = 10_000;

/**
 * A process that freezes within the transaction holds its locks no longer: the server ends its session, and nothing was
 * changed. Source: "an operation of a dead worker blocks no longer than ten seconds".
 */
const IDLE_MS = 10_000;

const busy = (): WarehouseFault =>
  new WarehouseFault('busy', 'is being repaired or its schema of profiles is changed');

const tryLock = async (client: Client, schema: string): Promise<boolean> => {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`,
    [schema],
  );
  return rows[0]?.locked === true;
};

/** Takes the lock of the warehouse until the transaction ends. @throws WarehouseFault busy */
export const takeLock = async (client: Client, schema: string): Promise<void> => {
  if (!(await tryLock(client, schema))) throw busy();
};

/** How often, and how many seconds apart, a lock is tried that is about to be released. */
const TRIES = 50;
const TRY_SECONDS = 0.02;

/** Bounds waits for tables, and how long a process that has frozen holds what it has. */
const limitTransaction = async (client: Client): Promise<void> => {
  await client.query(`SET LOCAL lock_timeout = ${String(LOCK_WAIT_MS)}`);
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${String(IDLE_MS)}`);
};

/**
 * Waits until no other repair of the warehouse is under way, then takes its lock until the transaction ends.
 *
 * @throws WarehouseFault busy
 */
export const takeRepairLock = async (client: Client, schema: string): Promise<void> => {
  await client.query(`SELECT pg_advisory_xact_lock(${REPAIR_LOCK})`, [schema]);
  await limitTransaction(client);
  // The locks of a transaction that has ended are released one by one: that of its repair may be before the other one.
  for (let tries = 1; !(await tryLock(client, schema)); tries += 1) {
    if (tries === TRIES) throw busy();
    await client.query(`SELECT pg_sleep(${String(TRY_SECONDS)})`);
  }
};

const runAll = async (client: Client, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await client.query(statement);
};

/** What becomes of the name of a column; undefined: it is gone, or another one has its name. */
const newNames = ({
  dropped,
  renamed,
  added,
}: ProfilesDifference): ((column: string) => string | undefined) => {
  const names = new Map(renamed.map(({ from, to }) => [from.column, to.column]));
  const gone = new Set([...dropped, ...added].map(({ column }) => column));
  return (column) => names.get(column) ?? (gone.has(column) ? undefined : column);
};

/** Until the transaction ends nobody reads or writes: writers look at the marker before they touch a table. */
const excludeOthers = async (client: Client, schema: string): Promise<void> => {
  await client.query(`SELECT FROM ${qualified(schema, '_meta')} FOR UPDATE`);
  // Views before their tables, as whoever reads them does.
  const names = ['identities', 'profiles', '_identities', '_profiles'];
  const relations = names.map((name) => qualified(schema, name)).join(', ');
  await client.query(`LOCK TABLE ${relations} IN ACCESS EXCLUSIVE MODE`);
};

/**
 * Changes the columns of the profiles. Within one transaction, under the lock of the warehouse.
 *
 * @throws WarehouseFault
 */
export const changeProfiles = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
  change: ProfilesChange,
): Promise<void> => {
  await limitTransaction(client);
  await takeLock(client, schema);
  const isOlder = await isBehind(client, schema, workspace, change.from);
  await change.begun();
  if (isOlder) await repair(client, schema, workspace, change.from);
  await excludeOthers(client, schema);
  const { anew, before, views, after } = changeStatements(schema, change);
  const nameOf = newNames(change.difference);
  const grants: string[] = [];
  for (const view of anew)
    grants.push(...(await grantsOn(client, qualified(schema, view), nameOf)));
  await runAll(client, [...before, ...views, ...grants, ...after]);
};
