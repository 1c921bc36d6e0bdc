import { StillClock } from '../time/still-clock.fixture';
import { Overruns } from './overruns';
import { Pauses } from './pauses';

const overruns = () => {
  const clock = new StillClock();
  const pauses = new Pauses(clock);
  const all = new Overruns(clock, pauses);
  /** How long a function rests, in milliseconds; it does not wait for that. */
  const rest = async (isOpen: boolean, workspace = 'w'): Promise<number> => {
    const controller = new AbortController();
    const before = clock.delays.length;
    const resting = all.rest(workspace, isOpen, controller.signal).catch(() => undefined);
    const ms = clock.delays[before] ?? 0;
    controller.abort(new Error('nobody waits'));
    await resting;
    return ms;
  };
  return { clock, pauses, all, rest };
};

it('lets functions run in vain for 10 s, and for a tenth of the time from then on', async () => {
  const { clock, all, rest } = overruns();
  expect(await rest(true)).toBe(0);
  all.spend('w', 9_999);
  expect(await rest(true)).toBe(0);
  all.spend('w', 10_001);
  expect(await rest(true)).toBe(100_001);
  await clock.advance(100_000);
  expect(await rest(true)).toBe(1);
  await clock.advance(1);
  expect(await rest(true)).toBe(0);
});

it('lets those whose circuit is not open run in vain for 20 s more', async () => {
  const { all, rest } = overruns();
  all.spend('w', 29_999);
  expect(await rest(false)).toBe(0);
  all.spend('w', 1);
  expect(await rest(false)).toBe(1);
  expect(await rest(true)).toBe(200_001);
});

it('saves up no more than 10 s, and is separate for each workspace', async () => {
  const { clock, all, rest } = overruns();
  all.spend('w', 10_000);
  await clock.advance(10_000_000);
  all.spend('v', 20_000);
  all.spend('w', 10_000);
  expect(await rest(true)).toBe(1);
  expect(await rest(true, 'v')).toBe(100_001);
  expect(await rest(true, 'u')).toBe(0);
});

it('rests anew where others have spent meanwhile', async () => {
  const { clock, all } = overruns();
  all.spend('w', 10_000);
  let isOver = false;
  const resting = all.rest('w', true).then(() => (isOver = true));
  all.spend('w', 1_000);
  await clock.advance(1);
  expect([isOver, clock.delays]).toEqual([false, [10_000]]);
  await clock.advance(10_000);
  await resting;
  expect(isOver).toBe(true);
});

it('ends a rest when its signal is aborted, and all of them on close', async () => {
  const { clock, pauses, all } = overruns();
  all.spend('w', 50_000);
  const controller = new AbortController();
  const unwanted = all.rest('w', true, controller.signal);
  const wanted = all.rest('w', true);
  controller.abort(new Error('nobody waits'));
  await expect(unwanted).rejects.toThrow('nobody waits');
  pauses.close();
  await wanted;
  expect(clock.delays).toEqual([]);
  await all.rest('w', true);
});
