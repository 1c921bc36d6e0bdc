import {
  type Commands,
  type ConfigurationReplica,
  type ConnectionId,
  type CreateConnection,
  type JsonString,
  type PipelineId,
  type Recorded,
  type Request,
  SLOW_OPERATION_MS,
  TOPIC,
  type WorkspaceState,
} from '@penstock/contracts';
import { type LogClient, LogRequest } from '@penstock/messaging';
import { newId, newWriteKey, Seals, type SecretBox } from '@penstock/runtime';
import { lastValueFrom } from 'rxjs';
import { customersPipeline, writeCustomers } from './demo-import';

/** The demo that the banner refers to. */
export interface Demo {
  readonly writeKey: string;
  /** The destination whose deliveries are shown at `/demo`. */
  readonly destination: ConnectionId;
}

const FILTER: JsonString = JSON.stringify({
  logical: 'and',
  conditions: [
    { property: 'type', operator: 'is', values: ['track'] },
    { property: 'event', operator: 'is', values: ['Add to Cart'] },
  ],
});

const MAPPING: JsonString = JSON.stringify({
  mapping: {
    email: 'coalesce(traits.email, concat(lower(userId), "@example.com"))',
    itemName: 'initcap(properties.item_name)',
    itemId: 'properties.item_id',
  },
});

const OUT_SCHEMA: JsonString = JSON.stringify({
  kind: 'object',
  properties: [
    { name: 'email', type: { kind: 'string' }, createRequired: true },
    { name: 'itemName', type: { kind: 'string' } },
    { name: 'itemId', type: { kind: 'int', bitSize: 32 } },
  ],
});

const [SOURCE, DESTINATION, FILES] = ['Demo source', 'Demo application', 'Demo files'];

/** How often the file of the demo is imported. */
const PERIOD = '1h';

/**
 * Whether the demo is to be created: the first workspace has no connections, or only those of an unfinished attempt, which ends
 * with the pipeline of the application.
 * Once an object of the demo was deleted, it is not created again.
 */
export const lacksDemo = (replica: ConfigurationReplica): boolean => {
  const workspace = replica.firstWorkspace();
  if (workspace === undefined) return false;
  return replica
    .connectionsEverOf(workspace.id)
    .every(
      ({ id, name, deleted }) =>
        !deleted &&
        (name === FILES ||
          ((name === SOURCE || name === DESTINATION) && !replica.hasHadPipeline(id))),
    );
};

type DemoCommand = 'CreateConnection' | 'CreatePipeline' | 'SetSchedulePeriod' | 'RunPipeline';

/** Sends commands about the workspace to the pipeline service, as a gateway does. */
const commandsIn =
  (client: LogClient, { organization, id: workspace }: WorkspaceState) =>
  async <Name extends DemoCommand>(
    name: Name,
    commandId: string,
    input: Commands[Name]['in'],
  ): Promise<Commands[Name]['out']> => {
    const context = { organization, workspace, commandId, actor: 'system', requestId: commandId };
    const data: Request<object> = { context, in: input };
    const about = { key: input.id, commandId, topic: TOPIC.commands };
    const request = new LogRequest({ ...about, data, timeoutMs: SLOW_OPERATION_MS });
    const recorded = client.send<Recorded<Commands[Name]['out']>>(name, request);
    return (await lastValueFrom(recorded)).out;
  };

type Send = ReturnType<typeof commandsIn>;

/** Imports the file of the demo now and once in a while. Repeating it changes nothing. */
const importCustomers = async (send: Send, files: ConnectionId): Promise<void> => {
  const pipeline = customersPipeline(newId() as PipelineId, files);
  const { id } = await send('CreatePipeline', 'make Demo import', pipeline);
  await send('SetSchedulePeriod', 'schedule Demo import', { id, period: PERIOD });
  await send('RunPipeline', 'run Demo import', { id, incremental: null });
};

const sealsOf = (replica: ConfigurationReplica, secrets: SecretBox): Seals =>
  new Seals(secrets, (workspace) => replica.dataKey(workspace));

/** Makes connections of the demo, by name, that are not there yet. */
const connectionsIn = (
  { id: workspace }: WorkspaceState,
  replica: ConfigurationReplica,
  seals: Seals,
  send: Send,
) => {
  const there = new Map(replica.connectionsOf(workspace).map(({ name, id }) => [name, id]));
  return async (
    name: string,
    what: Omit<CreateConnection, 'id' | 'name' | 'settings' | 'sendingMode'>,
  ): Promise<ConnectionId> => {
    const id = there.get(name);
    if (id !== undefined) return id;
    const settings = seals.seal('{}', workspace);
    const input = { id: newId() as ConnectionId, name, settings, sendingMode: null, ...what };
    return (await send('CreateConnection', `make ${name}`, input)).id;
  };
};

/**
 * Creates the missing parts of the demo in the first workspace: a source, a destination whose deliveries can be viewed,
 * and a pipeline with filter and mapping.
 *
 * @param filesRoot where a file is written that another pipeline imports; undefined: the folder is not of Penstock.
 */
export const makeDemo = async (
  client: LogClient,
  replica: ConfigurationReplica,
  secrets: SecretBox,
  filesRoot: string | undefined,
): Promise<void> => {
  const first = replica.firstWorkspace();
  if (first === undefined) return;
  const seals = sealsOf(replica, secrets);
  const send = commandsIn(client, first);
  const made = connectionsIn(first, replica, seals, send);
  const destination = await made(DESTINATION, {
    role: 'Destination',
    connector: 'dummy',
    linkedConnections: [],
    writeKey: { hash: '', sealed: '' },
  });
  if (filesRoot !== undefined) {
    await writeCustomers(filesRoot);
    const files = await made(FILES, {
      role: 'Source',
      connector: 'filesystem',
      linkedConnections: [],
      writeKey: { hash: '', sealed: '' },
    });
    await importCustomers(send, files);
  }
  const key = newWriteKey();
  await made(SOURCE, {
    role: 'Source',
    connector: 'nodejs',
    linkedConnections: [destination],
    writeKey: { hash: secrets.keyedHash(key), sealed: seals.seal(key, first.id) },
  });
  await send('CreatePipeline', 'make Demo pipeline', {
    id: newId() as PipelineId,
    connection: destination,
    target: 'Event',
    eventType: 'send_add_to_cart',
    name: 'Carts',
    enabled: true,
    filter: FILTER,
    transformation: MAPPING,
    outSchema: OUT_SCHEMA,
  });
};

/** Finds the demo as it is now; undefined when it was never created or was deleted. */
export const findDemo = (replica: ConfigurationReplica, secrets: SecretBox): Demo | undefined => {
  const workspace = replica.firstWorkspace()?.id;
  if (workspace === undefined) return undefined;
  for (const source of replica.connectionsOf(workspace)) {
    const [key] = source.writeKeys;
    const [destination] = source.links;
    if (source.name === SOURCE && key !== undefined && destination !== undefined)
      return { writeKey: sealsOf(replica, secrets).open(key.sealed, workspace), destination };
  }
  return undefined;
};
