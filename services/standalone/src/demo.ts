import {
  type ConfigurationPicture,
  type ConnectionId,
  instant,
  type JsonString,
  type PipelineId,
  type RequestContext,
} from '@penstock/contracts';
import type { RunningPipelineService } from '@penstock/pipeline-service';
import { newId, newWriteKey, type SecretBox } from '@penstock/runtime';

/** What there is to look at after the first start. */
export interface Demo {
  readonly writeKey: string;
  /** Its deliveries are shown. */
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

type Scope = Pick<RequestContext, 'organization' | 'workspace'>;

/** The only workspace of a new installation. */
const firstWorkspace = (picture: ConfigurationPicture): Scope => {
  const [workspace] = picture.allWorkspaces();
  if (workspace === undefined) throw new Error('there is no workspace');
  return { organization: workspace.organization, workspace: workspace.id };
};

/**
 * A source, a destination that can be looked at and a pipeline with filter and mapping. The commands have ids of
 * their own, so that they are carried out once.
 */
export const makeDemo = async (
  { connections, pipelines }: RunningPipelineService,
  picture: ConfigurationPicture,
  secrets: SecretBox,
): Promise<void> => {
  const scope = firstWorkspace(picture);
  const { workspace } = scope;
  const context = (commandId: string): RequestContext => ({
    ...scope,
    commandId,
    actor: 'system',
    requestId: commandId,
    time: instant(new Date()),
  });
  const key = newWriteKey();
  const destination = await connections.create({
    context: context('demo-destination'),
    in: {
      id: newId() as ConnectionId,
      name: 'Demo application',
      role: 'Destination',
      connector: 'dummy',
      settings: secrets.seal('{}', workspace),
      sendingMode: null,
      linkedConnections: [],
      writeKey: { hash: '', sealed: '' },
    },
  });
  await connections.create({
    context: context('demo-source'),
    in: {
      id: newId() as ConnectionId,
      name: 'Demo source',
      role: 'Source',
      connector: 'nodejs',
      settings: secrets.seal('{}', workspace),
      sendingMode: null,
      linkedConnections: [destination.out.id],
      writeKey: { hash: secrets.keyedHash(key), sealed: secrets.seal(key, workspace) },
    },
  });
  await pipelines.create({
    context: context('demo-pipeline'),
    in: {
      id: newId() as PipelineId,
      connection: destination.out.id,
      target: 'Event',
      eventType: 'send_add_to_cart',
      name: 'Carts',
      enabled: true,
      filter: FILTER,
      transformation: MAPPING,
      outSchema: OUT_SCHEMA,
    },
  });
};

/** The demo as it is now; undefined when it was never made or was deleted. */
export const findDemo = (picture: ConfigurationPicture, secrets: SecretBox): Demo | undefined => {
  const { workspace } = firstWorkspace(picture);
  for (const source of picture.connectionsOf(workspace)) {
    const [key] = source.writeKeys;
    const [destination] = source.links;
    if (source.name === 'Demo source' && key !== undefined && destination !== undefined)
      return { writeKey: secrets.open(key.sealed, workspace), destination };
  }
  return undefined;
};
