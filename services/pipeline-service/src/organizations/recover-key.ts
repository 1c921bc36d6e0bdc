import { type EventStore, handleCommand, PostgresEventStore } from '@penstock/event-sourcing';
import { CannotStart, newApiKey, SecretBox } from '@penstock/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { checkSecret } from '../data-keys/check-secret';
import { DataKeys } from '../data-keys/data-keys';
import { connectDatabase } from '../database/database';
import { organizationStream } from '../domain/organization.decide';
import { projectViews } from '../read-model/project-views';
import { addOperatorKey } from './add-operator-key';
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

const isInstalled = async ({ manager }: DataSource): Promise<boolean> => {
  const [row] = await manager.query<{ facts: string | null }[]>(
    `SELECT to_regclass('penstock.facts') AS facts`,
  );
  return row?.facts != null;
};

/**
 * @returns the id of the organization.
 * @throws CannotStart unless the database is one that this version has started on.
 */
const organizationIn = async (
  database: DataSource,
  store: EventStore<EntityManager>,
): Promise<string> => {
  const isThere = await isInstalled(database);
  // First of all, since nothing else can be read from the tables of another version.
  if (isThere && (await database.showMigrations()))
    throw new CannotStart(
      'the database is that of an earlier version: start this version once, then recover the key',
    );
  const id = isThere ? await knownOrganization(store) : undefined;
  if (id === undefined)
    throw new CannotStart(
      'there is no organization yet: the first start creates it and shows its API key',
    );
  return id;
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
    const { organization: name, ...decision } = await addOperatorKey(
      reading,
      organizationStream(id),
      key,
    );
    organization = name;
    return decision;
  });
  return { key: plain, organization };
};

/**
 * Creates an admin key of the organization, for an operator who has lost all of them: a fact like that of any other
 * key. A running pipeline service publishes it within a second, else the next one does when it starts.
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
