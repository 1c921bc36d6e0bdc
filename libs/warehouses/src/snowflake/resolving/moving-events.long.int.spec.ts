import { NEVER, resolveAll, rules } from '../../platform/resolving.fixture';
import { imported, said } from '../../platform/warehouse-writer.contract';
import { snowflakeOfSpecs } from '../stage.fixture';
import { movePiece, selectMoving } from './move-events';
import { ResolvingStage } from './resolving-stage.fixture';

jest.setTimeout(300_000);

const BY = rules(['email']);

const server = snowflakeOfSpecs();
let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open(server());
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

/** As if a source had sent so many of each. */
const addEvents = async (count: number, ...userIds: readonly string[]): Promise<void> => {
  const events = await stage.writers.beginEvents({ role: 'events', epoch: 1 });
  await events.write(
    Array.from({ length: count }, () => userIds.map((id) => stage.eventOf('c1', 'x', id))).flat(),
  );
};

const areRight = async (): Promise<void> => {
  const profiles = new Map(
    (await stage.rows()).map(({ _record_id, _profile_id }) => [_record_id, _profile_id]),
  );
  for (const { user_id, anonymous_id, profile_id } of await stage.events())
    expect(profile_id).toBe(profiles.get(user_id ?? anonymous_id) ?? null);
};

it('gives events their profiles in pieces of any size, and is last after them', async () => {
  await addEvents(7, 'u', 'v', 'nobody');
  await stage.event('c1', 'x');
  await stage.write('c1', [imported('u', 1), imported('v', 1), imported('w', 1)]);
  await stage.write('c1', [said('x', 1, {}, { anonymous: true })]);
  const resolver = await stage.resolver(BY);
  expect(await resolver.resolve(10, NEVER)).toMatchObject({ created: 4, isLast: false });
  const { owner, place } = stage.written.stage;
  const moved: number[] = [];
  const moving = async (): Promise<number> =>
    Number((await owner.rows(selectMoving(place)))[0]?.[0]);
  const withProfile = async (): Promise<number> =>
    (await stage.events()).filter(({ profile_id }) => profile_id !== null).length;
  expect(await moving()).toBe(3);
  for (let before = 0; (await moving()) > 0; before += moved.at(-1) ?? 0) {
    await movePiece((sql) => owner.rows(sql), place, { identities: 2, events: 5 });
    moved.push((await withProfile()) - before);
  }
  expect(Math.max(...moved)).toBe(5);
  expect(moved.reduce((sum, each) => sum + each)).toBe(15);
  await areRight();
  expect(await resolver.resolve(10, NEVER)).toMatchObject({ identities: 0, isLast: true });
});

it('moves the events of who is gone, of who is split off, and of who is joined', async () => {
  await addEvents(2, 'u', 'v', 'w');
  await stage.write(
    'c1',
    ['u', 'v', 'w'].map((id) => imported(id, 1, { email: 'a' })),
  );
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  await areRight();
  await stage.write('c1', [imported('v', 2, { email: 'b' })]);
  await stage.purge('c1', 'u');
  await resolveAll(resolver);
  await areRight();
  expect(await stage.profiles()).toHaveLength(2);
  await stage.write('c1', [imported('w', 3, { email: 'b' })]);
  await resolveAll(resolver);
  await areRight();
  expect(await stage.profiles()).toHaveLength(1);
});

it('takes apart with the events that were to be moved, and goes on after a crash by the next rules', async () => {
  await addEvents(2, 'u');
  await stage.write('c1', [imported('u', 1, { email: 'a' }), imported('v', 1, { email: 'a' })]);
  const resolver = await stage.resolver(rules([]));
  await resolver.resolve(10, NEVER);
  await resolver.takeApart();
  await areRight();
  const before = (await stage.rows()).map(({ _profile_id }) => _profile_id);
  expect(new Set(before).size).toBe(2);
  expect(await resolver.pending()).toBe(2);
  await stage.purge('c1', 'v');
  const next = await stage.resolver(BY);
  for (let times = 0; times < 2; times += 1) await next.takeApart();
  await resolveAll(next);
  await areRight();
  expect((await stage.profiles()).map(({ _profile_id }) => _profile_id)).toEqual([before[0]]);
});

it('removes profiles without identities, and tells of it, once', async () => {
  await stage.write(
    'c1',
    ['u', 'v', 'w'].map((id) => imported(id, 1, { email: id })),
  );
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  await stage.takeFacts(resolver);
  const [lost] = await stage.profiles();
  const id = lost?._profile_id ?? '';
  await stage.written.stage.rows(
    `DELETE FROM ${stage.at('_IDENTITIES')} WHERE "_PROFILE_ID" = '${id}'`,
  );
  for (let times = 0; times < 2; times += 1) await resolver.takeApart();
  expect(await resolver.pending()).toBe(3);
  await resolveAll(resolver, 2);
  expect(await stage.profiles()).toHaveLength(2);
  expect(await stage.takeFacts(resolver)).toEqual([
    { type: 'ProfileDeleted', id, reason: 'removed' },
  ]);
});
