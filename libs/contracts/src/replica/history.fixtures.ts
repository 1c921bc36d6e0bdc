import fc from 'fast-check';
import type { ConnectionId, PipelineId, WorkspaceId } from '../ids';
import type { ConnectionState, SendingPipelineState, StateRecord } from '../state';

const connectionId = (index: number): ConnectionId =>
  `connection00000${String(index)}` as ConnectionId;

export const CONNECTIONS = [0, 1, 2, 3].map(connectionId);
export const PIPELINES = [0, 1, 2, 3].map(
  (index) => `pipeline0000000${String(index)}` as PipelineId,
);

export const connectionState = (members: Partial<ConnectionState> = {}): ConnectionState => ({
  kind: 'connection',
  id: connectionId(0),
  workspace: 'workspace000001' as WorkspaceId,
  name: 'A connection',
  connector: 'webhook',
  connectorType: 'Webhook',
  role: 'Source',
  sendingMode: null,
  settings: 'sealed',
  version: 1,
  deleted: false,
  writeKeys: [],
  links: [],
  ...members,
});

export const pipelineState = (
  members: Partial<SendingPipelineState> = {},
): SendingPipelineState => ({
  kind: 'pipeline',
  id: 'pipeline00000000' as PipelineId,
  workspace: 'workspace000001' as WorkspaceId,
  connection: connectionId(0),
  target: 'Event',
  eventType: 'send_event',
  name: 'A pipeline',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
  version: 1,
  deleted: false,
  ...members,
});

/** One change, of an object that may not be there: then nothing happens. */
interface Change {
  readonly kind: 'connection' | 'pipeline' | 'organization';
  readonly index: number;
  readonly what: 'create' | 'delete' | 'settings' | 'links' | 'enable';
  readonly links: readonly ConnectionId[];
}

const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('connection', 'connection', 'connection', 'pipeline', 'organization'),
  index: fc.nat(3),
  what: fc.constantFrom('create', 'create', 'delete', 'settings', 'settings', 'links', 'enable'),
  links: fc.subarray(CONNECTIONS),
});

type Known = Map<string, ConnectionState | SendingPipelineState>;

const connectionAfter = (known: Known, { index, what, links }: Change) => {
  const id = connectionId(index);
  const before = known.get(id) as ConnectionState | undefined;
  if (before === undefined) return what === 'create' ? connectionState({ id }) : undefined;
  if (before.deleted || what === 'create') return undefined;
  const version = before.version + 1;
  if (what === 'delete') return { ...before, version, deleted: true, links: [] };
  if (what === 'links') return { ...before, version, links };
  return { ...before, version, name: `${what} ${String(version)}` };
};

const pipelineAfter = (known: Known, { index, what, links }: Change) => {
  const id = PIPELINES[index] as PipelineId;
  const before = known.get(id) as SendingPipelineState | undefined;
  if (before === undefined)
    return what === 'create' && links[0] !== undefined
      ? pipelineState({ id, connection: links[0] })
      : undefined;
  if (before.deleted || what === 'create') return undefined;
  const version = before.version + 1;
  if (what === 'delete') return { ...before, version, deleted: true };
  return { ...before, version, enabled: what === 'enable' };
};

const organization = (position: number): StateRecord =>
  ({ position, state: { kind: 'organization', id: 'o1', apiKeys: [] } }) as unknown as StateRecord;

const recordAfter = (known: Known, change: Change, position: number): StateRecord | undefined => {
  if (change.kind === 'organization') return organization(position);
  const after = change.kind === 'connection' ? connectionAfter : pipelineAfter;
  const state = after(known, change);
  if (state === undefined) return undefined;
  known.set(state.id, state);
  return { position, state };
};

/** What stands in the topic before anything of it is compacted: a record for each position, from 1. */
export const histories: fc.Arbitrary<readonly StateRecord[]> = fc
  .array(changes, { maxLength: 60 })
  .map((list) => {
    const known: Known = new Map();
    const records: StateRecord[] = [];
    for (const change of list) {
      const record = recordAfter(known, change, records.length + 1);
      if (record !== undefined) records.push(record);
    }
    return records;
  });
