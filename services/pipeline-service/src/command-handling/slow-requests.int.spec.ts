import { setTimeout } from 'node:timers/promises';
import { type ConnectionId, OPERATIONS, type WorkspaceId } from '@penstock/contracts';
import { createFunctionRunner, type FunctionRunner } from '@penstock/transformations';
import { anEvent } from '../testing/event.fixture';
import { eventually } from '../testing/eventually.fixture';
import { HeldTimers } from '../testing/held-timers.fixture';
import { Installation } from '../testing/installation.fixture';
import { aFunction, aPipeline, mapped } from '../testing/pipeline.fixture';

// Of a machine with much else to do: sandboxes begin beside functions that use whole processors.
jest.setTimeout(300_000);

const GOOD = 'const transform = ({ traits }) => ({ email: traits.email });';
const ENDLESS = 'const transform = () => { for (;;); };';
const NEVER_LOADED = 'for (;;);';
/** Slow requests of one workspace that are under way at once. */
const PLACES = 31;

let installation: Installation;
let functions: FunctionRunner;
let running = 0;
let begun = 0;

/** Counts what is with the sandbox. */
const counted = (runner: FunctionRunner): FunctionRunner => {
  const count = async <T>(work: Promise<T>): Promise<T> => {
    running += 1;
    begun += 1;
    return work.finally(() => (running -= 1));
  };
  return {
    run: (...given) => count(runner.run(...given)),
    compile: (...given) => count(runner.compile(...given)),
    circuitOf: (batch) => runner.circuitOf(batch),
    close: () => runner.close(),
  };
};

/** The limits of a preview: no function that never ends is ended by one, however busy the machine is. */
let limits: readonly HeldTimers[];

beforeEach(async () => {
  [running, begun] = [0, 0];
  limits = [25_000, OPERATIONS.PreviewSendEvent.limitMs].map((ms) => new HeldTimers(ms));
  installation = await Installation.open();
  functions = counted(createFunctionRunner({ timeLimitMs: 600_000, spares: 0 }));
  await installation.start({ functions });
});
afterEach(async () => {
  for (const each of limits.toReversed()) each.release();
  await installation.close();
  await functions.close();
});

const previewInput = (connection: ConnectionId, source: string) => ({
  ...mapped,
  connection,
  eventType: 'send_add_to_cart',
  event: anEvent(),
  transformation: aFunction({ source }),
});

/** Previews as a client that waits for the answer however long it takes. */
const preview = (input: ReturnType<typeof previewInput>, context = {}) =>
  installation.query('PreviewSendEvent', input, context, 600_000);

const create = (connection: ConnectionId, source: string, context = {}) => {
  const changes = { ...mapped, eventType: 'send_add_to_cart' };
  const pipeline = aPipeline(connection, { ...changes, transformation: aFunction({ source }) });
  return installation.recorded('CreatePipeline', pipeline, context, 600_000);
};

/** Another workspace, with a destination. */
const neighbour = async (): Promise<{ workspace: WorkspaceId; connection: ConnectionId }> => {
  const workspace = await installation.bareWorkspace();
  return { workspace, connection: await installation.destination({}, { workspace }) };
};

/** Requests of one workspace that never end by themselves: how many have been answered, and with what. */
const flood = (requests: readonly Promise<unknown>[]) => {
  const answers: unknown[] = [];
  const settled = requests.map((request) =>
    request.then(
      () => answers.push('done'),
      (error: unknown) => answers.push(error),
    ),
  );
  return { answers, settled: Promise.all(settled) };
};

const many = <T>(count: number, make: () => Promise<T>): Promise<T>[] =>
  Array.from({ length: count }, make);

it('answers another workspace while one previews sixty functions that never end', async () => {
  const own = await installation.destination();
  const { workspace, connection } = await neighbour();
  const endless = previewInput(own, ENDLESS);
  const { answers, settled } = flood(many(60, () => preview(endless)));
  const input = previewInput(connection, GOOD);
  await eventually(() => running > 0);
  const { preview: text } = await preview(input, { workspace });
  expect(text).toContain('ada@example.com');
  await create(connection, GOOD, { workspace });
  expect(answers).toEqual([]);
  await functions.close();
  await settled;
  expect(answers).toHaveLength(60);
});

it('refuses what one workspace has too much of, and nobody else for it', async () => {
  const own = await installation.destination();
  const { workspace, connection } = await neighbour();
  const endless = previewInput(own, ENDLESS);
  const { answers, settled } = flood(many(120, () => preview(endless)));
  const refused = () => answers.filter((answer) => String(answer).includes('too many requests'));
  // 31 are under way, and 32 wait.
  await eventually(
    () => refused().length,
    (count) => count === 57,
  );
  expect(refused()[0]).toMatchObject({ code: 'ServiceUnavailable', kind: 'unavailable' });
  const input = previewInput(connection, GOOD);
  const { preview: text } = await preview(input, { workspace });
  expect(text).toContain('ada@example.com');
  await functions.close();
  await settled;
  expect(answers).toHaveLength(120);
});

it('ends what nobody waits for any more', async () => {
  const own = await installation.destination();
  const pipeline = aPipeline(own, {
    ...mapped,
    eventType: 'send_add_to_cart',
    transformation: aFunction({ source: NEVER_LOADED }),
  });
  // On a busy machine, the first deadline is over before anything has begun.
  for (let timeoutMs = 1_000; begun === 0; timeoutMs *= 2)
    await flood([installation.recorded('CreatePipeline', pipeline, {}, timeoutMs)]).settled;
  await eventually(
    () => running,
    (count) => count === 0,
  );
  const { pipelines } = await installation.read('ListPipelines', { limit: 10, cursor: '' });
  expect(pipelines).toEqual([]);
});

it('does not begin a request that has waited until its deadline', async () => {
  const endless = previewInput(await installation.destination(), ENDLESS);
  const previews = (count: number, timeoutMs: number) =>
    flood(many(count, () => installation.query('PreviewSendEvent', endless, {}, timeoutMs)));
  // The deadlines of those that wait must be over before a place is free: the machine decides how long that takes.
  for (let timeoutMs = 2_000; ; timeoutMs *= 2) {
    begun = 0;
    const first = previews(PLACES, timeoutMs);
    while (begun < PLACES && first.answers.length === 0) await setTimeout(10);
    await previews(20, timeoutMs / 4).settled;
    const wasFull = begun === PLACES && first.answers.length === 0;
    await first.settled;
    await eventually(
      () => running,
      (count) => count === 0,
    );
    if (!wasFull) continue;
    expect(begun).toBe(PLACES);
    return;
  }
});
