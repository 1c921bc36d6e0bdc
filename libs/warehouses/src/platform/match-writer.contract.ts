import { MINE, OPTIONS } from './warehouse-writer.contract';
import { MAX_MATCHES, type MatchWriter } from './match-writer';
import type { WarehouseWriter } from './warehouse-writer';

/** A warehouse of {@link MINE}, for the specs of a file. */
export interface Matched {
  open(options: typeof OPTIONS): Promise<Pick<WarehouseWriter, 'beginMatches' | 'close'>>;
  /** External ids that are kept, whoever keeps them. */
  kept(): Promise<readonly string[]>;
  /** Forgets all of them. */
  clear(): Promise<unknown>;
  close(): Promise<void>;
}

const ROLE = 'run r1';

const match = (externalId: string, value: string) => ({ externalId, value });

/** Every implementation keeps these promises. */
export const itKeepsMatches = (stage: (owner: typeof MINE) => Promise<Matched>): void => {
  let matched: Matched;
  let writers: Pick<WarehouseWriter, 'beginMatches' | 'close'>;
  let epoch = 0;

  beforeAll(async () => {
    matched = await stage(MINE);
    writers = await matched.open(OPTIONS);
  });
  beforeEach(() => matched.clear());
  afterAll(async () => {
    await writers.close();
    await matched.close();
  });

  const begin = (owner = 'p r1'): Promise<MatchWriter> => {
    epoch += 1;
    return writers.beginMatches({ role: ROLE, epoch }, owner);
  };

  it('users are found by their values, whatever these are, and only those of the same run', async () => {
    const matches = await begin();
    const values = ['a', "it's", 'ä\\"', '', '\u{1f600}', 'x'.repeat(10_000), 'A'];
    await matches.put(values.map((value, n) => match(`u${String(n)}`, value)));
    await (await begin('p r2')).put([match('other', 'a')]);
    const mine = await begin();
    for (const [n, value] of values.entries())
      expect(await mine.find([value], 2)).toEqual([match(`u${String(n)}`, value)]);
    expect(await mine.find(['b', 'it'], 2)).toEqual([]);
    expect(await mine.find([], 2)).toEqual([]);
    const all = await mine.find(values, 2);
    expect(new Set(all.map(({ externalId }) => externalId)).size).toBe(values.length);
  });

  it('a user that is given again has its newest value, and several of one value are given up to a limit', async () => {
    const matches = await begin();
    await matches.put([match('u1', 'a'), match('u2', 'a'), match('u3', 'a'), match('u1', 'b')]);
    await matches.put([match('u3', 'c')]);
    await matches.put([match('u3', 'a'), match('u4', 'a')]);
    expect(await matches.find(['b'], 5)).toEqual([match('u1', 'b')]);
    expect(await matches.find(['c'], 5)).toEqual([]);
    expect(await matches.find(['a'], 5)).toHaveLength(3);
    expect(await matches.find(['a'], 2)).toHaveLength(2);
  });

  it('a text with NUL, which no warehouse keeps, is left out', async () => {
    const matches = await begin();
    await matches.put([match('u\0', 'a'), match('u2', 'a\0')]);
    expect(await matches.find(['a', 'a\0'], 5)).toEqual([]);
  });

  it('all users of a run are forgotten, and no others', async () => {
    const matches = await begin();
    const many = (from: number) =>
      Array.from({ length: MAX_MATCHES }, (_, n) => match(`u${String(from + n)}`, 'a'));
    for (let from = 0; from < 3 * MAX_MATCHES; from += MAX_MATCHES) await matches.put(many(from));
    await (await begin('p r2')).put([match('other', 'a')]);
    await (await begin()).forget();
    expect(await matched.kept()).toEqual(['other']);
  });

  it('who has lost the role neither writes nor forgets', async () => {
    const old = await begin();
    await old.put([match('u1', 'a')]);
    await begin();
    for (const work of [() => old.put([]), () => old.find([], 1), () => old.forget()])
      await expect(work()).rejects.toMatchObject({ kind: 'fenced' });
  });

  it('a call has a limit', async () => {
    const matches = await begin();
    const over = Array.from({ length: MAX_MATCHES + 1 }, (_, n) => String(n));
    await expect(matches.find(over, 1)).rejects.toThrow(RangeError);
    await expect(matches.put(over.map((id) => match(id, id)))).rejects.toThrow(RangeError);
    expect(await matches.find(over.slice(1), 1)).toEqual([]);
  });
};
