import { destinationState, Installation, sourceState } from './testing/installation.fixture';
import { pipelineState } from './testing/pipelines.fixture';
import { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

let installation: Installation;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.open();
  installation = await Installation.open();
  await installation.configure(sourceState(), destinationState(receiver.url), pipelineState());
});

afterEach(async () => {
  await installation.close();
  await receiver.close();
});

const ADA = { user: 'a', messageId: 'm1', userId: 'ada' };
const BOB = { user: 'b', messageId: 'm2', userId: 'bob' };

it('filters events accepted before the suppression, and aliases of the user', async () => {
  await installation.accept(ADA, BOB, { user: 'c', messageId: 'm3', previousId: 'ada' });
  await installation.suppress('ada');
  await installation.start();
  await until(async () => (await installation.counts())['Filtered Suppressed'] === 2);
  await until(() => receiver.taken.length === 1);
  expect(receiver.of('b')).toEqual(['m2']);
});

it('filters deliveries that wait for a retry, and stores nothing of them', async () => {
  receiver.answer = () => 503;
  await installation.start({ spillAfterMs: 100 });
  await installation.accept(ADA, BOB);
  await until(async () => (await installation.storedBodies()) === 2);
  await installation.suppress('ada');
  await until(async () => (await installation.storedBodies()) === 1);
  receiver.answer = () => 200;
  await until(async () => (await installation.counts())['Delivered'] === 1);
  expect(receiver.of('a')).toEqual([]);
  expect(await installation.counts()).toEqual({ Delivered: 1, 'Filtered Suppressed': 1 });
});

it.each([
  ['waiting deliveries', 503],
  ['dead letters', 400],
])(
  'erases %s of an anonymous visitor, not of the same browser once its user is known',
  async (_, status) => {
    receiver.answer = () => status;
    await installation.start({ spillAfterMs: 100 });
    const [source] = [sourceState().id];
    const before = { user: 'a', messageId: 'm4' };
    await installation.accept(before, { ...before, messageId: 'm5', userId: 'eve' }, BOB);
    await until(async () => (await installation.storedBodies()) === 3);
    await installation.suppressVisitor(source, 'a');
    await until(async () => (await installation.storedBodies()) === 2);
    receiver.answer = () => 200;
    if (status === 400) return;
    await until(async () => (await installation.counts())['Delivered'] === 2);
    expect(receiver.of('a')).toEqual(['m5']);
    expect(await installation.counts()).toEqual({ Delivered: 2, 'Filtered Suppressed': 1 });
  },
);

it('erases dead letters of that user only', async () => {
  receiver.answer = () => 400;
  await installation.start();
  await installation.accept(ADA, BOB);
  await until(async () => (await installation.storedDeliveries()).length === 2);
  await installation.suppress('ada');
  await until(async () => (await installation.storedDeliveries()).length === 1);
  expect(await installation.storedBodies()).toBe(1);
  expect(await installation.counts()).toEqual({ 'Rejected 400': 2 });
});

it.each(['', '[1,"workspace000001","source000000001","",7,null,"AAAAAAAAAAAAAAAA"]\n'])(
  'erases them although a dead letter is kept without its event: %j',
  async (body) => {
    receiver.answer = () => 400;
    await installation.start();
    await installation.accept(ADA, BOB);
    await until(async () => (await installation.storedDeliveries()).length === 2);
    await installation.pool.query('INSERT INTO penstock_router.bodies VALUES (0, -1, $1)', [body]);
    await installation.pool.query(
      `INSERT INTO penstock_router.deliveries
         (partition, "offset", pipeline, version, lane, order_key, state, attempts, due, step, code, reason)
       VALUES (0, -1, 'p', 1, 'l', '', 'Rejected', 1, now(), 'Finalize', 'Unstorable', '')`,
    );
    await installation.suppress('ada');
    await until(async () => (await installation.storedBodies()) === 2);
  },
);

it('delivers events of the user again when the suppression has ended', async () => {
  await installation.suppress('ada');
  await installation.start();
  await installation.suppress('ada', false);
  await installation.accept(ADA);
  await until(() => receiver.taken.length === 1);
  expect(receiver.of('a')).toEqual(['m1']);
});
