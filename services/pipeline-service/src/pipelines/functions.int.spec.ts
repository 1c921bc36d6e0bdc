import type { ConnectionId, CreatePipeline } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { SandboxUnavailable } from '@penstock/transformations';
import { eventually } from '../testing/eventually.fixture';
import { Installation } from '../testing/installation.fixture';
import { aFunction, aPipeline, mapped } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let destination: ConnectionId;

/** How often functions were compiled. */
let compiled = 0;
let isSandboxAway = false;
/** Functions are compiled once it resolves. */
let held: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  installation = await Installation.open();
  const { functions } = installation;
  const watched = Object.assign(Object.create(functions) as typeof functions, {
    compile: async (...args: Parameters<typeof functions.compile>) => {
      if (isSandboxAway) throw new SandboxUnavailable('does not start');
      compiled += 1;
      await held;
      return functions.compile(...args);
    },
  });
  await installation.start({ functions: watched });
});
afterAll(() => installation.close());

beforeEach(async () => {
  destination = await installation.destination();
});

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

type Refused = [title: string, members: object, text: string, place: object];

const REFUSED: readonly Refused[] = [
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
  // In both languages alike, as the specs of the sandbox show.
  ...(process.env['PENSTOCK_TEST_LONG'] === '1'
    ? ([
        [
          'Python that is never evaluated',
          { language: 'Python', source: 'while True: pass' },
          'Python: time limit of 2 s exceeded',
          {},
        ],
      ] satisfies Refused[])
    : []),
];

it.each(REFUSED)('refuses %s, and stores nothing', async (_, members, text, place) => {
  const refused = await create(members).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'TransformationFailed',
    kind: 'refused',
    message: expect.stringContaining(`transformation failed: ${text}`) as string,
    details: [{ path: AT, message: expect.stringContaining(text) as string, ...place }],
  });
  const { pipelines } = await installation.read('GetConnection', { id: destination });
  expect(pipelines).toEqual([]);
});

it('answers a repeated command with the recorded reply, without compiling again', async () => {
  const context = { commandId: newId() };
  const before = compiled;
  const pipeline = aPipeline(destination, onCart({}));
  const first = await installation.recorded('CreatePipeline', pipeline, context);
  expect(await installation.recorded('CreatePipeline', pipeline, context)).toEqual(first);
  expect(compiled).toBe(before + 1);
});

it('refuses with ServiceUnavailable while there is no sandbox, and records no refusal', async () => {
  const context = { commandId: newId() };
  isSandboxAway = true;
  try {
    await expect(create({}, {}, context)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      kind: 'unavailable',
    });
  } finally {
    isSandboxAway = false;
  }
  await create({}, {}, context);
});

it('does not delay other requests while a function is compiled', async () => {
  const before = compiled;
  let isAnswered = false;
  let release: (() => void) | undefined;
  held = new Promise<void>((resolve) => (release = resolve));
  const slow = create({}).then(() => (isAnswered = true));
  try {
    await eventually(() => compiled > before);
    // Enough of them that some stand on the same partition of the commands.
    const others = Array.from({ length: 24 }, () => aPipeline(destination));
    await Promise.all(others.map((other) => installation.command('CreatePipeline', other)));
    expect(isAnswered).toBe(false);
  } finally {
    release?.();
  }
  await slow;
  expect(isAnswered).toBe(true);
});
