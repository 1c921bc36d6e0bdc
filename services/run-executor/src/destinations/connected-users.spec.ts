import type { UpsertResult, UserSource } from '@penstock/connectors';
import { newRecord, parseJson, parseSchema } from '@penstock/schema';
import { WholeRunError } from '../engine/whole-run-error';
import { type ConnectedApplication, ConnectedUsers } from './connected-users';

const SCHEMA = parseSchema(
  parseJson(
    JSON.stringify({ kind: 'object', properties: [{ name: 'mail', type: { kind: 'string' } }] }),
  ),
);

const answered = <T>(value: T) => Promise.resolve({ kind: 'answered' as const, value });

const USERS = [{ id: null, values: newRecord(), idempotencyKey: 'k' }];
const WRITTEN: UpsertResult = { kind: 'answered', outcomes: [{ kind: 'written' }] };
const refused = (status: number): UpsertResult => ({
  ...{ kind: 'unavailable', reason: `answered ${String(status)}`, taken: 1, executed: 'no' },
  status,
});

/** With which look-ups are refused. */
const REFUSED_VERSION = 10;

/** An application whose settings have versions. @param upsert by the version that is used */
const opened = async (
  upsert: (version: number) => Promise<UpsertResult>,
  versions: readonly number[],
  maxValues = 0,
) => {
  const left = [...versions];
  let version = 1;
  const found: (readonly unknown[])[] = [];
  const connected = (): ConnectedApplication => ({
    source: { schema: () => answered(SCHEMA) } as unknown as UserSource,
    destination: {
      schema: () => answered(SCHEMA),
      limits: () => ({ maxUsers: 1, concurrency: 1 }),
      findsRepetitions: false,
      ...(maxValues > 0 && {
        lookUp: {
          maxValues,
          properties: () => answered(['mail']),
          find: (_: string, values: readonly unknown[]) => {
            found.push(values);
            const used = version;
            version = left.shift() ?? version;
            return used === REFUSED_VERSION
              ? Promise.resolve({ kind: 'unavailable', reason: 'not known', status: 401 } as const)
              : answered([]);
          },
        },
      }),
      upsert: () => {
        const used = version;
        version = left.shift() ?? version;
        return upsert(used);
      },
    },
    ...{ settings: new Map(), context: {} as never, version },
  });
  const users = new ConnectedUsers({
    ...{
      connected,
      outSchema: SCHEMA,
      deadlineMs: 100,
      takeTokens: ({ count }) => Promise.resolve({ count, waitMs: 0 }),
    },
    to: {
      ...{ kind: 'application', mode: 'CreateOrUpdate', updateOnDuplicates: false },
      matching: { in: 'mail', out: 'mail' },
    },
  });
  const { signal } = new AbortController();
  const application = await users.open(signal);
  return { application, found, upsert: () => application.upsert(USERS, signal), signal };
};

it('who is not known is asked for once more when the settings were changed meanwhile', async () => {
  const asked: number[] = [];
  const { upsert } = await opened(
    (version) => {
      asked.push(version);
      return Promise.resolve(version === 1 ? refused(401) : WRITTEN);
    },
    [2],
  );
  expect(await upsert()).toEqual(WRITTEN);
  expect(asked).toEqual([1, 2]);
});

it.each([
  ['the settings are the same', 403, [1]],
  ['it is refused for another reason', 429, [2]],
])('and only once, when %s', async (_, status, versions) => {
  let asked = 0;
  const { upsert } = await opened(() => {
    asked += 1;
    return Promise.resolve(refused(status));
  }, versions);
  expect(await upsert()).toMatchObject({ kind: 'unavailable', status });
  expect(asked).toBe(1);
});

it('who looks users up is asked for once more when the settings were changed meanwhile', async () => {
  const { application, found, signal } = await opened(
    () => Promise.resolve(WRITTEN),
    [REFUSED_VERSION, 11],
    10,
  );
  const find = () => application.find([{ value: 'a', text: 'a' }], signal);
  await find();
  expect(await find()).toEqual([]);
  expect(found).toHaveLength(3);
});

it('a request without an answer may have been carried out', async () => {
  const { upsert } = await opened(() => new Promise(() => undefined), []);
  expect(await upsert()).toMatchObject({ kind: 'unavailable', executed: 'unknown', taken: 1 });
});

it('a connector that throws fails the run', async () => {
  const { upsert } = await opened(() => Promise.reject(new Error('a bug')), []);
  await expect(upsert()).rejects.toBeInstanceOf(WholeRunError);
  await expect(upsert()).rejects.toMatchObject({ step: 'Finalize', code: 'ConnectorFailed' });
});

it.each([
  [0, false, false],
  [49, true, false],
  [50, true, true],
])('with look-ups of %d values', async (maxValues, canFind, isLookedUp) => {
  const { application, found, signal } = await opened(
    () => Promise.resolve(WRITTEN),
    [],
    maxValues,
  );
  expect(application).toMatchObject({ canFind, isLookedUp });
  if (!canFind) return;
  const values = Array.from({ length: 120 }, (_, n) => ({ value: String(n), text: String(n) }));
  expect(await application.find(values, signal)).toEqual([]);
  expect(found.map((each) => each.length)).toEqual(maxValues === 50 ? [50, 50, 20] : [49, 49, 22]);
});
