import { type ExportDestination, type ImportSource, RUN_STEPS } from '@penstock/contracts';
import type { RunPipelineState } from '@penstock/contracts';
import { adviceOf, RUN_ERROR_CODES } from '../engine/run-error-codes';
import { runErrorText } from './run-error-text';

const COLUMNS = { userID: 'id', updatedAt: null, updatedAtFormat: null };
const FILE: Omit<Extract<ImportSource, { kind: 'file' }>, 'columns'> = {
  ...{ kind: 'file', format: 'excel', path: 'in/users.xlsx', sheet: 'Users' },
  ...{ compression: '', formatSettings: '{}' },
};

const SOURCES: readonly ImportSource[] = [
  { kind: 'application' },
  { kind: 'database', query: 'SELECT 1', columns: COLUMNS },
  { ...FILE, columns: COLUMNS },
];

const DESTINATIONS: readonly ExportDestination[] = [
  {
    ...{ kind: 'application', mode: 'CreateOnly', updateOnDuplicates: false },
    matching: { in: 'email', out: 'email' },
  },
  { kind: 'database', table: 'users', key: 'id' },
  { ...FILE, orderBy: 'email' },
];

const PIPELINES = [
  ...SOURCES.map((source) => ({ imports: { source } })),
  ...DESTINATIONS.map((destination) => ({ exports: { destination } })),
].map((kind) => kind as unknown as RunPipelineState);

it('every error of a run says where it is, what it is, and what to do', () => {
  for (const pipeline of [null, ...PIPELINES])
    for (const step of RUN_STEPS)
      for (const code of RUN_ERROR_CODES) {
        const text = runErrorText(pipeline, { step, code, message: 'it cannot be read' });
        expect(text).toMatch(/^[a-z][^:;]+: it cannot be read; [a-z][^;.]+$/);
      }
});

it('no advice is that of a code for something else', () => {
  for (const code of RUN_ERROR_CODES) expect(adviceOf(code).length).toBeLessThanOrEqual(100);
  expect(adviceOf('toString')).toBe('');
});

it.each([
  [SOURCES, 'Receive', ['users of the application', 'query', 'file in/users.xlsx, sheet Users']],
  [
    ...[DESTINATIONS, 'Finalize'],
    ['users of the application', 'table users', 'file in/users.xlsx, sheet Users'],
  ],
] as const)('a step names what it works on', (_, step, places) => {
  const of = step === 'Receive' ? PIPELINES.slice(0, 3) : PIPELINES.slice(3);
  const failure = { step, code: 'Unavailable', message: 'it is away' } as const;
  expect(of.map((pipeline) => runErrorText(pipeline, failure).split(':')[0])).toEqual(places);
});
