import type { ConnectionId, CreatePipeline } from '@penstock/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFunctionRunner, SandboxUnavailable } from '@penstock/transformations';
import { Installation } from '../testing/installation.fixture';
import { aFunction, aPipeline, mapped } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let destination: ConnectionId;

beforeEach(async () => {
  installation = await Installation.open();
});
afterEach(() => installation.close());

const start = async (options: Parameters<Installation['start']>[0] = {}): Promise<void> => {
  await installation.start(options);
  destination = await installation.destination();
};

const onCart = (members: object): Partial<CreatePipeline> => ({
  ...mapped,
  eventType: 'send_add_to_cart',
  transformation: aFunction(members),
});

const create = (members: object, changes: Partial<CreatePipeline> = {}, context = {}) =>
  installation.command(
    'CreatePipeline',
    aPipeline(destination, { ...onCart(members), ...changes }),
    context,
  );

const GOOD = {
  JavaScript: 'async function transform(event) { return { email: event.traits.email }; }',
  Python: 'def transform(event):\n    return {"email": event["traits"]["email"]}',
} as const;

const AT = '/transformation/function/source';

it('stores functions in both languages, with their paths sorted, and updates them', async () => {
  await start();
  for (const language of ['JavaScript', 'Python'] as const) {
    const source = GOOD[language];
    const { id } = await create({
      language,
      source,
      inPaths: ['traits', 'properties', 'context.page.url'],
      outPaths: ['itemName', 'email'],
    });
    const stored = {
      source,
      language,
      preserveJSON: false,
      inPaths: ['context.page.url', 'properties', 'traits'],
      outPaths: ['email', 'itemName'],
    };
    expect(await installation.read('GetPipeline', { id })).toMatchObject({
      version: 1,
      transformation: { mapping: null, function: stored },
    });
    const transformation = aFunction({ ...stored, inPaths: [] });
    const update = { ...mapped, id, name: 'N', filter: null, transformation };
    await installation.command('UpdatePipeline', update);
    expect(await installation.read('GetPipeline', { id })).toMatchObject({
      version: 2,
      transformation: { function: { ...stored, inPaths: [] } },
    });
  }
});

const REFUSED: readonly [string, object, string, object][] = [
  [
    'JavaScript that is none',
    { source: 'function transform(event) {\n  return {;\n}' },
    'JavaScript: SyntaxError: ',
    { line: 2, column: expect.any(Number) as number },
  ],
  [
    'Python that is none',
    { language: 'Python', source: 'def transform(event):\n    return {]' },
    'Python: SyntaxError: ',
    { line: 2, column: expect.any(Number) as number },
  ],
  [
    'JavaScript without transform',
    { source: 'const transformer = () => ({});' },
    'JavaScript: ',
    {},
  ],
  ['Python without transform', { language: 'Python', source: 'x = 1' }, 'Python: ', {}],
  [
    'JavaScript that throws when it is evaluated',
    { source: 'const x = 1;\nthrow new RangeError("no");' },
    'JavaScript: RangeError: no',
    { line: 2 },
  ],
  [
    'JavaScript that is never evaluated',
    { source: 'for (;;);' },
    'JavaScript: time limit of 2 s exceeded',
    {},
  ],
  [
    'Python that is never evaluated',
    { language: 'Python', source: 'while True: pass' },
    'Python: time limit of 2 s exceeded',
    {},
  ],
];

it.each(REFUSED)('refuses %s, and stores nothing', async (_, members, text, place) => {
  await start();
  const refused = await create(members).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'TransformationFailed',
    kind: 'refused',
    message: expect.stringContaining(`transformation failed: ${text}`) as string,
    details: [{ path: AT, message: expect.stringContaining(text) as string, ...place }],
  });
  const { pipelines } = await installation.read('ListPipelines', { limit: 10, cursor: '' });
  expect(pipelines).toEqual([]);
});

it('answers a repeated command with the recorded reply, without compiling again', async () => {
  let compiled = 0;
  const { functions } = installation;
  const counting = Object.assign(Object.create(functions) as typeof functions, {
    compile: (...args: Parameters<typeof functions.compile>) => {
      compiled += 1;
      return functions.compile(...args);
    },
  });
  await start({ functions: counting });
  const context = { commandId: 'the-same' };
  const pipeline = aPipeline(destination, onCart({}));
  const first = await installation.recorded('CreatePipeline', pipeline, context);
  expect(await installation.recorded('CreatePipeline', pipeline, context)).toEqual(first);
  expect(compiled).toBe(1);
});

it('refuses with ServiceUnavailable while there is no sandbox, and records no refusal', async () => {
  const { functions } = installation;
  let isAway = true;
  const sometimes = Object.assign(Object.create(functions) as typeof functions, {
    compile: (...args: Parameters<typeof functions.compile>) =>
      isAway
        ? Promise.reject(new SandboxUnavailable('does not start'))
        : functions.compile(...args),
  });
  await start({ functions: sometimes });
  const context = { commandId: 'the-same' };
  await expect(create({}, {}, context)).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    kind: 'unavailable',
  });
  isAway = false;
  await create({}, {}, context);
});

it('does not delay other requests while a function that never ends is compiled', async () => {
  const functions = createFunctionRunner({ timeLimitMs: 20_000, spares: 0 });
  await start({ functions });
  let isRefused = false;
  const endless = create({ source: 'for (;;) {}' }).catch(() => (isRefused = true));
  await sleep(500);
  // Enough of them that some stand on the same partition of the commands.
  const others = Array.from({ length: 24 }, () => aPipeline(destination));
  await Promise.all(others.map((other) => installation.command('CreatePipeline', other)));
  expect(isRefused).toBe(false);
  await endless;
  expect(isRefused).toBe(true);
  await functions.close();
});
