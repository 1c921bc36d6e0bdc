import { setImmediate as turn } from 'node:timers/promises';
import { healthzAnswer, readyzAnswer } from './answer';
import { Health } from './health';

const never = (): Promise<never> => new Promise(() => undefined);
const fails = () => Promise.reject(new Error('hush'));
const works = () => Promise.resolve();

it('is ready without any check', async () => expect(await new Health().notReady()).toEqual([]));

it('names what fails, throws, or takes too long, sorted', async () => {
  const health = new Health(20);
  health.addCheck('works', works);
  health.addCheck('throws', () => {
    throw new Error('at once');
  });
  health.addCheck('fails', fails);
  health.addCheck('hangs', never);
  expect(await health.notReady()).toEqual(['fails', 'hangs', 'throws']);
});

it('runs a check that hangs once, until it ends', async () => {
  const health = new Health(10);
  const ends: (() => void)[] = [];
  health.addCheck('slow', () => new Promise<void>((resolve) => ends.push(resolve)));
  expect(await health.notReady()).toEqual(['slow']);
  expect(await health.notReady()).toEqual(['slow']);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await turn();
  await health.notReady();
  expect(ends).toHaveLength(2);
});

it('forgets a check that is removed, but not the one that replaced it', async () => {
  const health = new Health();
  const removeFirst = health.addCheck('database', works);
  const removeSecond = health.addCheck('database', fails);
  removeFirst();
  expect(await health.notReady()).toEqual(['database']);
  removeSecond();
  expect(await health.notReady()).toEqual([]);
});

it('answers 200 while alive', () => {
  expect(healthzAnswer()).toMatchObject({ status: 200, contentType: 'application/json' });
});

it('answers 200 when ready, else 503 with the names alone', async () => {
  const health = new Health();
  expect((await readyzAnswer(health)).status).toBe(200);
  health.addCheck('database', fails);
  expect(await readyzAnswer(health)).toEqual({
    status: 503,
    contentType: 'application/json',
    body: '{"notReady":["database"]}',
  });
});
