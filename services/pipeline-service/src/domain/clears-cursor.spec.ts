import type {
  ImportSettings,
  Instant,
  PipelineId,
  RequestedRun,
  RunControlFact,
  RunId,
  WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { clearsCursor } from './clears-cursor';
import { runControlDecider } from './run-control.decide';

type Definition = Parameters<typeof clearsCursor>[0];

const FILE = {
  kind: 'file',
  format: 'csv',
  path: 'users.csv',
  sheet: null,
  compression: '',
  formatSettings: '{}',
  columns: { userID: 'id', updatedAt: 'changed', updatedAtFormat: 'ISO8601' },
} as const;

const IMPORT: Definition = {
  filter: null,
  transformation: { mapping: { email: 'email' }, function: null },
  outSchema: '{"out":1}',
  imports: { source: FILE, inSchema: '{"in":1}', incremental: true },
};

const withImports = (changes: Partial<ImportSettings>): Definition => ({
  ...IMPORT,
  imports: { ...IMPORT.imports, ...changes },
});

const withFile = (changes: object): Definition => withImports({ source: { ...FILE, ...changes } });

const withColumns = (changes: object): Definition =>
  withFile({ columns: { ...FILE.columns, ...changes } });

const query = (text: string): Definition =>
  withImports({ source: { kind: 'database', query: text, columns: FILE.columns } });

describe('an update clears the cursor', () => {
  it.each<[string, Definition, Definition?]>([
    ['query', query('SELECT 2'), query('SELECT 1')],
    ['format', withFile({ format: 'excel' })],
    ['path', withFile({ path: 'others.csv' })],
    ['sheet', withFile({ sheet: 'S' })],
    ['compression', withFile({ compression: 'Zip' })],
    ['formatSettings', withFile({ formatSettings: '{"a":1}' })],
    ['userIDColumn', withColumns({ userID: 'email' })],
    ['updatedAtColumn', withColumns({ updatedAt: 'at' })],
    ['updatedAtFormat', withColumns({ updatedAtFormat: 'Excel' })],
    ['filter', { ...IMPORT, filter: '{}' }],
    ['transformation', { ...IMPORT, transformation: { mapping: { email: 'x' }, function: null } }],
    ['outSchema', { ...IMPORT, outSchema: '{"out":2}' }],
    ['inSchema', withImports({ inSchema: '{"in":2}' })],
    ['incremental, to false', withImports({ incremental: false })],
  ])('of %s', (_, after, before = IMPORT) => {
    expect(clearsCursor(before, after)).toBe(true);
    expect(clearsCursor(after, after)).toBe(false);
  });

  it('but not one of incremental to true, nor one of nothing that is read', () => {
    expect(clearsCursor(withImports({ incremental: false }), IMPORT)).toBe(false);
    expect(clearsCursor(IMPORT, { ...IMPORT })).toBe(false);
  });
});

describe('the cursor', () => {
  const { given } = specify(runControlDecider);
  const at = '2026-11-24T12:00:00.000Z' as Instant;
  const run = 'run000000001' as RunId;
  const request: RequestedRun = {
    run,
    trigger: 'API',
    pipelineVersion: 1,
    incremental: false,
    cursor: null,
    requestedAt: at,
    actor: 'key',
    slot: null,
  };
  const requested: RunControlFact = {
    type: 'RunRequested',
    data: {
      ...request,
      id: 'pipeline0001' as PipelineId,
      workspace: 'workspace0001' as WorkspaceId,
    },
  };
  const ended = (of: RunId = run): RunControlFact => ({
    type: 'RunEnded',
    data: {
      run: of,
      status: 'Succeeded',
      cursor: '2026-11-24T11:00:00.000000Z',
      error: '',
      endedAt: at,
    },
  });
  const cleared: RunControlFact = { type: 'CursorCleared', data: {} };
  const cursorAfter = (...facts: readonly RunControlFact[]) =>
    facts.reduce(runControlDecider.evolve, runControlDecider.initial)?.cursor;

  it('is cleared when there is one', () => {
    given(requested, ended()).when({ type: 'ClearCursor' }).then(cleared);
    expect(cursorAfter(requested, ended(), cleared)).toBeNull();
  });

  it('is not cleared when there is none, and no run that may make one', () => {
    given().when({ type: 'ClearCursor' }).thenNothing();
    given(requested, ended(), cleared).when({ type: 'ClearCursor' }).thenNothing();
  });

  it('is not moved by the end of a run that began before it was cleared', () => {
    given(requested).when({ type: 'ClearCursor' }).then(cleared);
    given(requested, cleared).when({ type: 'ClearCursor' }).thenNothing();
    expect(cursorAfter(requested, cleared, ended())).toBeNull();
    expect(cursorAfter(requested, ended())).toBe('2026-11-24T11:00:00.000000Z');
  });

  it('is moved again by the next run', () => {
    expect(cursorAfter(requested, cleared, ended(), requested, ended())).not.toBeNull();
  });
});
