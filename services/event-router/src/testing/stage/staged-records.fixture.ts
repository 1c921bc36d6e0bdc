import {
  bodyDigest,
  type ConfigurationState,
  type ConnectionId,
  type ConnectionState,
  orderKey,
  type PipelineId,
  type StateRecord,
  writeAcceptedEvent,
} from '@penstock/contracts';
import { onlyEvent, pipelineState, WORKSPACE } from '../pipelines.fixture';
import type { StagedDestination } from './stage.fixture';

const SOURCE_COUNT = 2;

export const idOf = (name: string): ConnectionId => name.padEnd(15, 'x') as ConnectionId;

const connection = (
  id: ConnectionId,
  links: readonly ConnectionId[] | undefined,
): ConnectionState =>
  ({
    kind: 'connection',
    id,
    workspace: WORKSPACE,
    name: id,
    connector: links === undefined ? 'http' : 'nodejs',
    connectorType: links === undefined ? 'Application' : 'SDK',
    role: links === undefined ? 'Destination' : 'Source',
    sendingMode: null,
    settings: '',
    version: 1,
    deleted: false,
    writeKeys: [],
    links: links ?? [],
  }) as unknown as ConnectionState;

/** Destinations with one pipeline each, and sources that are linked to all of them. */
export const stagedConfiguration = (destinations: readonly StagedDestination[]): StateRecord[] => {
  const lanes = destinations.map(({ name }) => idOf(name));
  const pipelines = destinations.map(({ name, only }) =>
    pipelineState({
      id: `pipeline${name}` as PipelineId,
      connection: idOf(name),
      filter: only === undefined ? null : onlyEvent(only),
    }),
  );
  const states: ConfigurationState[] = [
    ...lanes.map((lane) => connection(lane, undefined)),
    ...pipelines,
    ...Array.from({ length: SOURCE_COUNT }, (_, at) => connection(idOf(`source${at}`), lanes)),
  ];
  return states.map((state, index) => ({ position: index + 1, state }));
};

/** Key and value of an event's log record. */
export const stagedEvent = ({
  at,
  user,
  name,
  number,
  time,
  seen,
  bytes,
}: {
  readonly at: number;
  readonly user: string;
  readonly name: string;
  readonly number: number;
  readonly time: string;
  readonly seen: number;
  /** Length of a filler. */
  readonly bytes: number;
}): { readonly key: string; readonly value: string } => {
  const source = idOf(`source${at}`);
  const messageId = `${source} ${user}/${number}`;
  const before = `{"connectionId":"${source}","anonymousId":"${user}","event":"${name}","messageId":"${messageId}",`;
  const times = `"receivedAt":"${time}","sentAt":"${time}","originalTimestamp":"${time}","timestamp":"${time}",`;
  const after = `"properties":{"filler":"${'x'.repeat(bytes)}"},"traits":{},"type":"track","userId":"${user}"}`;
  const digest = bodyDigest(before, after);
  const head = { workspace: WORKSPACE, source, messageId, seen, integrations: null, digest };
  const value = writeAcceptedEvent({ ...head, eventText: before + times + after });
  return { key: orderKey(source, user), value };
};
