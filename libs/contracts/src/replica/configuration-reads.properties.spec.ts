import fc from 'fast-check';
import type { ConnectionId, OrganizationId, PipelineId, WorkspaceId } from '../ids';
import type { Reads } from '../operations/operations';
import { Refusal } from '../refusals';
import type { ConfigurationState, ConnectionState, PipelineState, StateRecord } from '../state';
import { ConfigurationReads, type ReadContext } from './configuration-reads';
import { ConfigurationReplica } from './configuration-replica';
import { connectionState, pipelineState } from './history.fixtures';

const WORKSPACES = ['workspace0000001', 'workspace0000002'] as WorkspaceId[];
const CONNECTIONS = ['a', 'b', 'c', 'd', 'e'].map((end) => `connection0000${end}` as ConnectionId);
const PIPELINES = ['a', 'b', 'c', 'd', 'e', 'f'].map((end) => `pipeline000000${end}` as PipelineId);

const NAMES = ['Carts', 'CARTS of Europe', 'Orders'];
/** What is searched for, and which of the names have it. */
const SEARCHES: readonly (readonly [string | undefined, RegExp])[] = [
  [undefined, /^/],
  ['carts', /carts/i],
  ['Of e', /of e/i],
  ['nothing', /nothing/i],
];

/** The same objects belong together each time, as ids do. */
const workspaceOf = (index: number): WorkspaceId => WORKSPACES[index % 2] ?? ('' as WorkspaceId);

const context = (workspace: WorkspaceId): ReadContext => ({
  organization: 'organization0001' as OrganizationId,
  workspace,
});

interface Change {
  readonly index: number;
  readonly isPipeline: boolean;
  readonly isDeleted: boolean;
  readonly enabled: boolean;
  readonly links: readonly ConnectionId[];
  readonly text: string | null;
}

const changes: fc.Arbitrary<Change> = fc.record({
  index: fc.nat(5),
  isPipeline: fc.boolean(),
  isDeleted: fc.nat(3).map((nth) => nth === 0),
  enabled: fc.boolean(),
  links: fc.subarray(CONNECTIONS),
  text: fc.constantFrom(null, '{}', `{"values":["${'long, and compressed: é😀 '.repeat(200)}"]}`),
});

const connectionAfter = (change: Change, version: number): ConnectionState => {
  const index = change.index % CONNECTIONS.length;
  return connectionState({
    id: CONNECTIONS[index] as ConnectionId,
    workspace: workspaceOf(index),
    name: NAMES[change.index % NAMES.length] ?? '',
    role: index < 3 ? 'Source' : 'Destination',
    links: index < 3 && !change.isDeleted ? change.links : [],
    deleted: change.isDeleted,
    version,
  });
};

const pipelineAfter = (change: Change, version: number): PipelineState => {
  const connection = change.index % CONNECTIONS.length;
  return pipelineState({
    id: PIPELINES[change.index] as PipelineId,
    connection: CONNECTIONS[connection] as ConnectionId,
    workspace: workspaceOf(connection),
    name: NAMES[change.index % NAMES.length] ?? '',
    enabled: change.enabled,
    filter: change.text,
    deleted: change.isDeleted,
    version,
  });
};

/** What a log holds after the changes; nothing that was deleted comes back. */
const recordsOf = (made: readonly Change[]): StateRecord[] => {
  const newest = new Map<string, ConnectionState | PipelineState>();
  return made.flatMap((change, index): StateRecord[] => {
    const after = change.isPipeline ? pipelineAfter : connectionAfter;
    const before = newest.get(after(change, 1).id);
    if (before?.deleted === true) return [];
    const state = after(change, (before?.version ?? 0) + 1);
    newest.set(state.id, state);
    return [{ position: index + 1, state }];
  });
};

const isOf =
  <Kind extends ConfigurationState['kind']>(kind: Kind) =>
  (state: ConfigurationState): state is Extract<ConfigurationState, { readonly kind: Kind }> =>
    state.kind === kind;

/** Computed from the last record of each object by looking at all of them each time. */
class Expected {
  private readonly present: readonly ConfigurationState[];

  constructor(records: readonly StateRecord[]) {
    const newest = new Map(records.map(({ state }) => [state.id, state]));
    this.present = [...newest.values()].filter((state) => !('deleted' in state && state.deleted));
  }

  connections(workspace: string): ConnectionState[] {
    const all = this.present.filter(isOf('connection'));
    return newestFirst(all.filter((each) => each.workspace === workspace));
  }

  pipelines(workspace: string, connection?: string, enabled?: boolean): PipelineState[] {
    const all = this.present.filter(isOf('pipeline')).filter((each) => {
      const isThere = this.connections(workspace).some(({ id }) => id === each.connection);
      return each.workspace === workspace && isThere;
    });
    return newestFirst(
      all.filter(
        (each) =>
          (connection === undefined || each.connection === connection) &&
          (enabled === undefined || each.enabled === enabled),
      ),
    );
  }

  linked({ id, role, links }: ConnectionState): readonly ConnectionId[] {
    if (role === 'Source') return links;
    const sources = this.present.filter(isOf('connection'));
    return sources
      .filter((each) => each.links.includes(id))
      .map((each) => each.id)
      .sort();
  }

  pipelinesOn(connection: ConnectionId): readonly PipelineId[] {
    const all = this.present.filter(isOf('pipeline'));
    return all
      .filter((each) => each.connection === connection)
      .map(({ id }) => id)
      .sort();
  }
}

const newestFirst = <T extends { readonly id: string }>(items: T[]): T[] =>
  items.sort((one, other) => (one.id < other.id ? 1 : -1));

const orRefusal = <T>(read: () => T): T | string => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

/** All pages of a list behind each other. */
const listed = <T>(page: (cursor: string) => { items: readonly T[]; cursor: string }): T[] => {
  const items: T[] = [];
  let cursor = '';
  do {
    const next = page(cursor);
    items.push(...next.items);
    cursor = next.cursor;
  } while (cursor !== '');
  return items;
};

const check = (reads: ConfigurationReads, expected: Expected, limit: number): void => {
  const get = <Name extends keyof Reads>(
    name: Name,
    input: Reads[Name]['in'],
    workspace: WorkspaceId,
  ) => orRefusal(() => reads.read(name, input, context(workspace)));
  for (const workspace of WORKSPACES) {
    const there = context(workspace);
    const connections = listed((cursor) => {
      const list = reads.read('ListConnections', { limit, cursor }, there);
      return { items: list.connections, cursor: list.cursor };
    });
    const wanted = expected.connections(workspace);
    expect(connections.map(({ id, version }) => [id, version])).toEqual(
      wanted.map(({ id, version }) => [id, version]),
    );
    for (const [index, state] of wanted.entries()) {
      expect(connections[index]).toMatchObject({
        linkedConnections: expected.linked(state),
        pipelines: expected.pipelinesOn(state.id),
      });
      expect(get('GetConnection', { id: state.id }, workspace)).toEqual(connections[index]);
    }
    for (const [search, named] of SEARCHES) {
      const input = { limit: 100, cursor: '', ...(search !== undefined && { search }) };
      const found = reads.read('ListConnections', input, there).connections;
      const those = wanted.filter(({ name }) => named.test(name));
      expect(found.map(({ id }) => id)).toEqual(those.map(({ id }) => id));
      const pipelines = reads.read('ListPipelines', input, there).pipelines;
      const others = expected.pipelines(workspace).filter(({ name }) => named.test(name));
      expect(pipelines.map(({ id }) => id)).toEqual(others.map(({ id }) => id));
    }
    for (const connection of [undefined, ...CONNECTIONS])
      for (const enabled of [undefined, true, false]) {
        const pipelines = listed((cursor) => {
          const input = {
            limit,
            cursor,
            ...(connection !== undefined && { connection }),
            ...(enabled !== undefined && { enabled }),
          };
          const list = reads.read('ListPipelines', input, there);
          return { items: list.pipelines, cursor: list.cursor };
        });
        expect(pipelines).toMatchObject(
          expected
            .pipelines(workspace, connection, enabled)
            .map(({ id, version, filter }) => ({ id, version, filter })),
        );
        for (const view of pipelines)
          expect(get('GetPipeline', { id: view.id }, workspace)).toEqual(view);
      }
    const gone = (present: readonly { readonly id: string }[], ids: readonly string[]): string[] =>
      ids.filter((id) => !present.some((each) => each.id === id));
    for (const id of gone(wanted, CONNECTIONS))
      expect(get('GetConnection', { id }, workspace)).toBe('ConnectionNotExist');
    for (const id of gone(expected.pipelines(workspace), PIPELINES))
      expect(get('GetPipeline', { id }, workspace)).toBe('PipelineNotExist');
  }
};

it.each([true, false])(
  'answers as a scan of every object does, despite repeated records (compressed: %s)',
  (isCompressed) => {
    fc.assert(
      fc.property(
        fc.array(changes, { maxLength: 40 }),
        fc.nat(40),
        fc.integer({ min: 1, max: 4 }),
        (made, again, limit) => {
          const records = recordsOf(made);
          const replica = new ConfigurationReplica({ isCompressed });
          // A reader that has lost its place begins anew.
          for (const record of [...records.slice(0, again), ...records]) replica.apply(record);
          check(new ConfigurationReads(replica), new Expected(records), limit);
        },
      ),
    );
  },
);
