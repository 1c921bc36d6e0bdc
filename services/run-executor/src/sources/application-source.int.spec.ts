import type { PipelineId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { applicationImport, Installation } from '../testing/installation.fixture';
import { HUBSPOT, STRIPE, VendorServer } from '../testing/vendor.fixture';

jest.setTimeout(600_000);

const COUNT = 350;
const LAST_YEAR = Date.UTC(2025, 0, 1);
const CONNECTORS = {
  hubspot: { handlers: HUBSPOT, secret: 'accessToken', id: String },
  stripe: { handlers: STRIPE, secret: 'apiKey', id: (n: number) => `cus_${String(n)}` },
} as const;

type Code = keyof typeof CONNECTORS;

let installation: Installation;
let vendor: VendorServer;

const open = async (code: Code): Promise<void> => {
  const { handlers, secret } = CONNECTORS[code];
  installation = await Installation.open();
  vendor = await VendorServer.start(handlers);
  vendor.users = Array.from({ length: COUNT }, (_, n) => ({
    ...{ id: n + 1, email: `user-${String(n + 1)}@example.com`, changedMs: LAST_YEAR + n },
  }));
  await installation.users({ [secret]: 'secret', baseURL: vendor.origin }, code);
  await installation.start();
};

afterEach(async () => {
  await installation.close();
  await vendor.close();
});

const importOf = (code: Code, incremental: boolean) =>
  applicationImport({
    imports: {
      source: { kind: 'application' },
      inSchema: JSON.stringify({
        kind: 'object',
        properties: [{ name: 'email', type: { kind: 'string' }, nullable: true }],
      }),
      incremental: code === 'hubspot' && incremental,
    },
  });

it.each(['hubspot', 'stripe'] as const)(
  'imports the users of %s, though it is busy and fails meanwhile',
  async (code) => {
    await open(code);
    vendor.failures.set(2, [429, { 'Retry-After': '1' }]);
    vendor.failures.set(3, [429, {}]);
    vendor.failures.set(5, [500, {}]);
    const pipeline = importOf(code, false);
    const run = await installation.ended(await installation.request(pipeline));
    expect([run.status, run.error]).toEqual(['Succeeded', '']);
    expect(run).toMatchObject({ passed: [1, 1, 1, 1, 1, 1].map(() => COUNT), attempt: 1 });
    const ids = [...installation.warehouse.identities.keys()].map((key) => key.split('/').at(-1));
    const { id } = CONNECTORS[code];
    expect(new Set(ids)).toEqual(new Set(vendor.users.map((user) => id(user.id))));
    expect(vendor.count).toBeGreaterThan(6);
  },
);

it.each([
  ['hubspot', 401, 'answered 401'],
  ['stripe', 400, 'answered 400'],
] as const)('a refusal by %s with %d ends the run', async (code, status, reason) => {
  await open(code);
  for (let n = 1; n <= 10; n += 1) vendor.failures.set(n, [status, {}]);
  const run = await installation.ended(await installation.request(importOf(code, false)));
  expect(run).toMatchObject({
    status: 'Failed',
    error: `users of the application: ${reason}; correct the settings of the connection, or what the application refuses`,
  });
});

it('goes on with the new token of a connection when the one it began with is refused', async () => {
  await open('hubspot');
  const other = { ...importOf('hubspot', false), id: newId() as PipelineId };
  let pages = 0;
  let isKnown: () => void = () => undefined;
  const known = new Promise<void>((resolve) => (isKnown = resolve));
  vendor.intercept = async ({ url, authorization }) => {
    if (authorization === 'Bearer rotated') isKnown();
    if (authorization !== 'Bearer secret') return undefined;
    if (url.searchParams.has('after')) pages += 1;
    if (pages < 2) return undefined;
    if (pages === 2) {
      await installation.users({ accessToken: 'rotated', baseURL: vendor.origin }, 'hubspot');
      // Another run shows that the executor has learned of it.
      await installation.request(other);
      await known;
    }
    return [401, {}];
  };
  const run = await installation.ended(await installation.request(importOf('hubspot', false)));
  expect([run.status, run.error]).toEqual(['Succeeded', '']);
  expect(run).toMatchObject({ passed: [1, 1, 1, 1, 1, 1].map(() => COUNT), attempt: 1 });
});

it.each([
  [1, 'Succeeded'],
  [3, 'Succeeded'],
  [4, 'Failed'],
] as const)(
  'begins anew when a page is not known any more, %d times: %s',
  async (times, status) => {
    await open('hubspot');
    let left: number = times;
    // Of each page the place is refused twice: when it is to be read next, and when reading goes on there.
    vendor.intercept = ({ url }) => {
      if (left === 0 || url.searchParams.get('after') !== '200') return Promise.resolve(undefined);
      left -= 1 / 2;
      return Promise.resolve([400, {}]);
    };
    const run = await installation.ended(await installation.request(importOf('hubspot', false)));
    expect(run).toMatchObject({ status });
    if (status === 'Succeeded')
      expect(run).toMatchObject({ passed: [1, 1, 1, 1, 1, 1].map(() => COUNT) });
  },
);

it('reads of hubspot what was changed since, the next time', async () => {
  await open('hubspot');
  const pipeline = importOf('hubspot', true);
  await installation.ended(await installation.request(pipeline));
  const [, second] = vendor.users;
  if (second === undefined) throw new Error('no users');
  second.changedMs = LAST_YEAR + 86_400_000;
  const since = new Date(LAST_YEAR + 1_000).toISOString().replace('Z', '000Z');
  const members = { incremental: true, cursor: since };
  const run = await installation.ended(await installation.request(pipeline, members));
  expect(run).toMatchObject({ status: 'Succeeded', incremental: true, error: '' });
  expect(run.passed[0]).toBe(1);
});
