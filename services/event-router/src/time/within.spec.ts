import { insist } from '../ownership/insist';
import { FakeClock } from '../testing/fake-clock';
import { Unanswered, within } from './within';

const later = (clock: FakeClock, ms: number): Promise<string> =>
  new Promise((resolve) => {
    clock.after(ms, () => {
      resolve('answer');
    });
  });

describe('an answer within a time', () => {
  it('is passed on when it comes before, and leaves no timer behind', async () => {
    const clock = new FakeClock();
    const answer = within(clock, 1_000, later(clock, 999));
    await clock.advance(999);
    await expect(answer).resolves.toBe('answer');
    expect(clock.pending).toBe(0);
  });

  it('is not waited for after it', async () => {
    const clock = new FakeClock();
    const failed = expect(within(clock, 1_000, later(clock, 1_001))).rejects.toThrow(Unanswered);
    await clock.advance(1_000);
    await failed;
  });
});

describe('insisting', () => {
  const attempts = async (failures: number) => {
    const clock = new FakeClock();
    const times: number[] = [];
    const errors: unknown[] = [];
    const work = () => {
      times.push(clock.nowMs());
      return times.length > failures ? Promise.resolve() : Promise.reject(new Error('not yet'));
    };
    const done = insist(clock, { pauseMs: 400, limitMs: 1_000 }, work, (error) =>
      errors.push(error),
    );
    await clock.advance(5_000);
    await done;
    return { times, errors: errors.length };
  };

  it('retries until it succeeds', async () => {
    expect(await attempts(0)).toEqual({ times: [0], errors: 0 });
    expect(await attempts(2)).toEqual({ times: [0, 400, 800], errors: 2 });
  });

  it('ends when the time is over', async () => {
    expect(await attempts(3)).toEqual({ times: [0, 400, 800], errors: 3 });
  });

  it('ends although an attempt does not', async () => {
    const clock = new FakeClock();
    const onError = jest.fn();
    const limits = { pauseMs: 400, limitMs: 1_000 };
    const done = insist(clock, limits, () => new Promise(() => undefined), onError);
    await clock.advance(1_000);
    await done;
    expect(onError).toHaveBeenCalledTimes(1);
  });
});
