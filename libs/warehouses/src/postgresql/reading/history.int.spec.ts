import type { ProfileCreated, ProfileFact } from '@penstock/contracts';
import { itKeepsHistory } from '../../platform/history.contract';
import { imported } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { NEVER, ResolvingStage, resolveAll, rules } from '../resolving/resolving-stage.fixture';

jest.setTimeout(60_000);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
afterAll(() => stage.close());
beforeEach(() => stage.empty());

itKeepsHistory(() => stage);

it('goes on behind what is there when the outbox was lost, whose numbers begin anew', async () => {
  const reader = await stage.reader();
  const say = async (us: number, ...emails: readonly string[]): Promise<readonly ProfileFact[]> => {
    const updates = emails.map((email, index) => imported(`u${String(index)}`, us, { email }));
    await stage.write('c1', updates);
    const resolver = await stage.resolver(rules(['email']));
    await resolveAll(resolver);
    return stage.takeFacts(resolver);
  };
  const [created] = await say(1, 'a', 'b');
  await stage.written.stage.run(`ALTER TABLE ${SCHEMA}._outbox ALTER COLUMN id RESTART`);
  const [merged] = await say(2, 'c', 'c');
  const profile = (created as ProfileCreated).id;
  const { past } = await reader.history({ profile, limit: 10, after: undefined }, NEVER);
  expect(past.map(({ fact }) => fact)).toEqual(
    [created, merged].map((fact) => expect.objectContaining({ type: fact?.type }) as unknown),
  );
});
