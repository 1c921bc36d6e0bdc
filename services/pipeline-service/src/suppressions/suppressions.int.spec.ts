import { type SuppressionId, suppressionId } from '@penstock/contracts';
import { Installation, SECRETS } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
});

afterAll(() => installation.close());

const idOf = (userId: string): SuppressionId =>
  suppressionId((text) => SECRETS.keyedHash(text), installation.workspace, userId);

it('suppresses a user and ends it, each once, and every replica follows', async () => {
  const replica = await installation.follow();
  const id = idOf('ada');
  const send = (name: 'SuppressUser' | 'UnsuppressUser') => installation.recorded(name, { id });
  const { position } = await send('SuppressUser');
  await replica.waitFor(position);
  expect(replica.suppressedIn(installation.workspace)).toEqual(new Set([id]));
  expect(await send('SuppressUser')).toEqual({ position, out: {} });
  expect(await send('UnsuppressUser')).toEqual({ position: position + 1, out: {} });
  await replica.waitFor(position + 1);
  expect(replica.suppressedIn(installation.workspace)).toEqual(new Set());
  expect(await send('UnsuppressUser')).toEqual({ position: position + 1, out: {} });

  const { facts } = await installation.query('ListFacts', {
    limit: 100,
    cursor: '',
    object: id,
    ofOrganization: false,
  });
  expect(facts.map(({ type }) => type)).toEqual(['UserUnsuppressed', 'UserSuppressed']);
});
