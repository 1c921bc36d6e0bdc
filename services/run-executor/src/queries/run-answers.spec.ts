import type { LogRequestContext } from '@penstock/messaging';
import type { RunStore } from '../store/run-store';
import { RunAnswers } from './run-answers';

const REQUEST = { context: { workspace: 'w', organization: 'o' }, in: { seen: 3 } } as never;
const CONTEXT = {
  pattern: 'ListRuns',
  signal: new AbortController().signal,
} as unknown as LogRequestContext;
const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

const answer = (
  upTo: () => Promise<void>,
  read: () => Promise<string> = () => Promise.resolve('read'),
) => new RunAnswers({} as RunStore, { upTo }).take(REQUEST, CONTEXT, read);

const taken = () => Promise.resolve();
const unavailable = { code: 'ServiceUnavailable', kind: 'unavailable' };

it('reads once runs were taken over', async () => {
  await expect(answer(taken)).resolves.toBe('read');
});

it.each([
  ['runs are taken over', () => Promise.reject(away), undefined],
  ['they are read', taken, () => Promise.reject(away)],
])('refuses as unavailable while the database is away when %s', async (_, upTo, read) => {
  await expect(answer(upTo, read)).rejects.toMatchObject(unavailable);
});

it.each([
  ['taking over', (error: Error) => answer(() => Promise.reject(error))],
  ['reading', (error: Error) => answer(taken, () => Promise.reject(error))],
])('hides no other error of %s', async (_, failing) => {
  const error = new Error('a bug');
  await expect(failing(error)).rejects.toBe(error);
});
