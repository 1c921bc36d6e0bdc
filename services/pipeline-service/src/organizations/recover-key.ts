import type { WorkspaceId } from '@penstock/contracts';
import { type EventStore, handleCommand, PostgresEventStore } from '@penstock/event-sourcing';
import { CannotStart, newApiKey, SealBroken, SecretBox } from '@penstock/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { appendTo, load } from '../command-handling/decide-on';
import { DataKeyRow } from '../data-keys/data-key.row';
import { DataKeys } from '../data-keys/data-keys';
import { connectDatabase } from '../database/database';
import { organizationDecider, organizationStream } from '../domain/organization.decide';
import { projectViews } from '../read-model/project-views';
import { adminKey } from './admin-key';
import { knownOrganization } from './known-organization';

/** A new admin key. */
export interface RecoveredKey {
  /** To be shown once; it is stored nowhere. */
  readonly key: string;
  /** Name of the organization. */
  readonly organization: string;
}

/** Who did it, for the audit: somebody with the rights of the operator, without an API key. */
const ACTOR = 'recovered on the machine';

/** The operator's key is added regardless of the limit of keys. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

const isInstalled = async ({ manager }: DataSource): Promise<boolean> => {
  const [row] = await manager.query<{ facts: string | null }[]>(
    `SELECT to_regclass('penstock.facts') AS facts`,
  );
  return row?.facts != null;
};

/** @returns the id of the organization. @throws CannotStart unless the database is one that this version has started on. */
const organizationIn = async (
  database: DataSource,
  store: EventStore<EntityManager>,
): Promise<string> => {
  const id = (await isInstalled(database)) ? await knownOrganization(store) : undefined;
  if (id === undefined)
    throw new CannotStart(
      'there is no organization yet: the first start creates it and shows its API key',
    );
  if (await database.showMigrations())
    throw new CannotStart(
      'the database is that of an earlier version: start this version once, then recover the key',
    );
  return id;
};

/** A key that is hashed with another secret would never be found. @throws CannotStart */
const checkSecret = async (db: EntityManager, dataKeys: DataKeys): Promise<void> => {
  const [row] = await db.find(DataKeyRow, { take: 1 });
  if (row === undefined) return;
  const workspace: WorkspaceId = row.workspace;
  try {
    (await dataKeys.of(db, workspace)).seal('', workspace);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new CannotStart(
      'PENSTOCK_SECRET is not that of the installation: set the one that its services have',
      { cause },
    );
  }
};

const addKey = async (
  store: EventStore<EntityManager>,
  id: string,
  secrets: SecretBox,
): Promise<RecoveredKey> => {
  const plain = newApiKey();
  const key = adminKey('recovered', plain, secrets);
  const commandId = `recover-${key.id}`;
  const cause = { commandId, actor: ACTOR, requestId: commandId };
  let organization = '';
  await handleCommand(store, cause, projectViews, async (reading) => {
    const own = await load(reading, organizationDecider, organizationStream(id));
    organization = own.state?.name ?? '';
    const command = { type: 'CreateApiKey', key, maxKeys: NO_LIMIT } as const;
    return { streams: [appendTo(own, organizationDecider.decide(command, own.state))], reply: {} };
  });
  return { key: plain, organization };
};

/**
 * Creates an admin key of the organization, for an operator who has lost all of them: a fact like that of any other key. A
 * running pipeline service publishes it within a second, else the next one does when it starts.
 *
 * @param databaseUrl of the service's own database.
 * @param secret that of the installation.
 * @throws CannotStart when there is no organization, the secret is another one, or the database is of another version.
 */
export const recoverKey = async (databaseUrl: string, secret: string): Promise<RecoveredKey> => {
  const database = await connectDatabase(databaseUrl, () => undefined);
  try {
    const store = new PostgresEventStore(database.manager);
    const secrets = new SecretBox(secret);
    const id = await organizationIn(database, store);
    await checkSecret(database.manager, new DataKeys(secrets));
    return await addKey(store, id, secrets);
  } finally {
    await database.destroy();
  }
};
