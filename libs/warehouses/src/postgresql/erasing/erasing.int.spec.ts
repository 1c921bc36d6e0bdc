import { type ErasedStage, itErasesPeople } from '../../platform/erasing-resolved.contract';
import type { Eraser } from '../../platform/eraser';
import { eraseAll } from '../../platform/erasing-stage.fixture';
import type { Resolver } from '../../platform/resolver';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { besideResolution } from '../resolving/beside-resolution';
import { NEVER, ResolvingStage, resolveAll, rules } from '../resolving/resolving-stage.fixture';
import { SCHEMA } from '../stage.fixture';

jest.setTimeout(120_000);

const BY = rules(['email', 'phone']);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

const looks: Pick<ErasedStage, 'tableOf' | 'texts'> = {
  tableOf: (name) => `${SCHEMA}._${name}`,
  texts: async (statement) =>
    (await stage.written.stage.rows(statement)).map((row) => (row as { text: string | null }).text),
};

itErasesPeople(() => Object.assign(stage, looks), {
  runs: process.env['PENSTOCK_TEST_LONG'] === '1' ? 40 : 12,
  steps: 40,
});

let epoch = 1_000_000;

/** Whoever takes the erasure up, as after a crash of the one before. */
const eraserOf = (id: string, profile: string): Promise<Eraser> => {
  epoch += 1;
  return stage.writers.beginErasure({ role: 'erasure', epoch }, { id, profile });
};

/** Two people: one of three records, with what is theirs in every table, and a neighbour. */
const people = async (): Promise<{ resolver: Resolver; person: string; neighbour: string }> => {
  const resolver = await stage.resolver(BY);
  await stage.write('c1', [said('old', 1, { email: 'other' }), said('v', 1, { email: 'v' })]);
  await resolveAll(resolver);
  await stage.write('c1', [
    said('x', 2, {}, { anonymous: true }),
    said('u', 2, { email: 'e' }, { anonymousId: 'x' }),
    said('v', 3, {}, { anonymousId: 'x' }),
  ]);
  await stage.write('c2', [imported('7', 2, { email: 'e' })]);
  await resolveAll(resolver);
  await stage.write('c1', [said('old', 3, { email: 'e' })]);
  await resolveAll(resolver);
  await stage.takeFacts(resolver);
  for (const [user, anonymous] of [
    ['u', 'x'],
    ['v', 'x'],
    [undefined, 'x'],
    ['old', 'z'],
  ] as const)
    await stage.event('c1', anonymous, user);
  const idOf = async (record: string): Promise<string> =>
    (await stage.rows()).find(({ _record_id }) => _record_id === record)?._profile_id ?? '';
  return { resolver, person: await idOf('u'), neighbour: await idOf('v') };
};

it('erases what a run has purged while everything is resolved anew', async () => {
  const { resolver, person } = await people();
  await resolver.takeApart();
  await stage.purge('c1', 'old');
  await eraseAll(await eraserOf('one', person));
  expect((await stage.events()).map((event) => event.user_id ?? event.anonymous_id)).toEqual(['v']);
  await stage.write('c1', [said('old', 9)]);
  expect((await stage.rows()).map(({ _record_id }) => _record_id)).toEqual(['v']);
});

it('lets others write while a writer is stuck, and waits for none once the person is taken out', async () => {
  const { person } = await people();
  const beside = async <T>(work: () => Promise<T>): Promise<T> => {
    await stage.written.stage.run('BEGIN', besideResolution(SCHEMA));
    return work().finally(() => stage.written.stage.run('COMMIT'));
  };
  const eraser = await eraserOf('one', person);
  const taking = await beside(async () => {
    const taken = eraser.take(NEVER);
    await stage.write('c1', [said('v', 7)]);
    return { taken };
  });
  expect(await taking.taken).toBe(true);
  const { counts } = await beside(async () => eraseAll(await eraserOf('one', person)));
  expect(counts).toMatchObject({ identities: 4, events: 3 });
});

it('leaves no event behind that somebody else changes meanwhile', async () => {
  const { person } = await people();
  const eraser = await eraserOf('one', person);
  expect(await eraser.take(NEVER)).toBe(true);
  const change = `UPDATE ${SCHEMA}._events SET name = 'x' WHERE user_id = 'u'`;
  await stage.besideChange(change, () => eraseAll(eraser));
  expect((await stage.events()).map((event) => event.user_id)).toEqual(['v']);
});

it('erases many records and events in pieces, beside writers and a resolution', async () => {
  const count = 1_100;
  const resolver = await stage.resolver(BY);
  const writing = Array.from({ length: count }, (_, at) => said(`u${at}`, 1, { email: 'e' }));
  await stage.write('c1', writing);
  await stage.write('c1', [said('v', 1, { email: 'v' })]);
  await resolveAll(resolver);
  const person = (await stage.rows())[0]?._profile_id ?? '';
  const writer = await stage.writers.beginEvents({ role: 'events', epoch: 1 });
  const events = () =>
    Array.from({ length: 4_000 }, (_, at) =>
      stage.eventOf('c1', 'x', at % 40 === 0 ? 'v' : `u${at % count}`),
    );
  for (let batch = 0; batch < 3; batch += 1) await writer.write(events());
  const ended = new AbortController();
  const beside = (async () => {
    for (let round = 2; !ended.signal.aborted; round += 1) {
      await stage.write('c1', [
        said('u1', round, { email: 'e' }),
        said('v', round, { phone: `${round}` }),
      ]);
      await writer.write([stage.eventOf('c1', 'x', 'u2'), stage.eventOf('c1', 'x', 'v')]);
      await resolver.resolve(10, NEVER);
    }
  })();
  const eraser = await eraserOf('one', person);
  expect(await eraser.take(NEVER)).toBe(true);
  let pieces = 0;
  for (let isLast = false; !isLast; pieces += 1) ({ isLast } = await eraser.eraseEvents(NEVER));
  ended.abort();
  await beside;
  await resolveAll(resolver);
  await stage.write('c1', writing);
  expect(pieces).toBeGreaterThan(1);
  expect((await stage.rows()).map(({ _record_id }) => _record_id)).toEqual(['v']);
  const left = await stage.events();
  expect(new Set(left.map(({ user_id }) => user_id))).toEqual(new Set(['v']));
  expect(left.length).toBeGreaterThanOrEqual(300);
});
