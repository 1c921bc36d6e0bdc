import { type SystemTimes, SystemClock } from './clock';

class Machine implements SystemTimes {
  private monotonic = 5_000;
  private uptime = 777_000;
  private wall = 1_700_000_000_000;
  uptimeAsked = 0;

  monotonicMs(): number {
    return this.monotonic;
  }

  uptimeMs(): number {
    this.uptimeAsked += 1;
    return Math.floor(this.uptime / 10) * 10;
  }

  wallMs(): number {
    return Math.floor(this.wall);
  }

  run(durationMs: number): void {
    this.monotonic += durationMs;
    this.sleep(durationMs);
  }

  /** Suspends the machine: the monotonic clock stands still. */
  sleep(durationMs: number): void {
    this.uptime += durationMs;
    this.wall += durationMs;
  }

  stepWall(byMs: number): void {
    this.wall += byMs;
  }
}

describe('the time of the system', () => {
  it('runs with the monotonic clock', () => {
    const machine = new Machine();
    const clock = new SystemClock(machine);
    const beginMs = clock.nowMs();
    for (let second = 0; second < 100; second += 1) machine.run(1_000.25);
    expect(Math.abs(clock.nowMs() - beginMs - 100_025)).toBeLessThanOrEqual(10);
  });

  it('counts a suspend, at once', () => {
    const machine = new Machine();
    const clock = new SystemClock(machine);
    machine.run(100);
    const beforeMs = clock.nowMs();
    machine.sleep(3_600_000);
    expect(clock.nowMs() - beforeMs).toBeGreaterThanOrEqual(3_600_000 - 10);
    machine.run(500);
    expect(clock.nowMs() - beforeMs).toBeGreaterThanOrEqual(3_600_500 - 10);
  });

  it.each([3_600_000, -3_600_000])('ignores a step of the wall clock by %i ms', (stepMs) => {
    const machine = new Machine();
    const clock = new SystemClock(machine);
    const beforeMs = clock.nowMs();
    machine.stepWall(stepMs);
    machine.run(100);
    expect(Math.abs(clock.nowMs() - beforeMs - 100)).toBeLessThanOrEqual(10);
    expect(clock.wallMs()).toBe(1_700_000_000_100 + stepMs);
  });

  it('never goes back', () => {
    const machine = new Machine();
    const clock = new SystemClock(machine);
    let lastMs = clock.nowMs();
    for (let turn = 0; turn < 1_000; turn += 1) {
      if (turn % 7 === 0) machine.sleep(turn);
      if (turn % 11 === 0) machine.stepWall(turn % 2 === 0 ? turn : -turn);
      machine.run(3.3);
      const nowMs = clock.nowMs();
      expect(nowMs).toBeGreaterThan(lastMs);
      lastMs = nowMs;
    }
  });

  it('reads the up-time seldom, since it is slow', () => {
    const machine = new Machine();
    const clock = new SystemClock(machine);
    for (let turn = 0; turn < 10_000; turn += 1) {
      machine.run(0.2);
      clock.nowMs();
    }
    expect(machine.uptimeAsked).toBeLessThanOrEqual(4);
  });

  it('agrees with the real system', () => {
    const clock = new SystemClock();
    const beforeMs = Date.now();
    const wallMs = clock.wallMs();
    expect(wallMs).toBeGreaterThanOrEqual(beforeMs);
    expect(wallMs).toBeLessThanOrEqual(Date.now());
    const firstMs = clock.nowMs();
    expect(clock.nowMs()).toBeGreaterThanOrEqual(firstMs);
  });
});

describe('the timers of the system', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('wait as long as they were set for', () => {
    const clock = new SystemClock();
    const work = jest.fn();
    clock.after(250, work);
    jest.advanceTimersByTime(249);
    expect(work).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('are not run once cancelled, in their first minute or later', () => {
    const clock = new SystemClock();
    const work = jest.fn();
    const cancels = [clock.after(250, work), clock.after(600_000, work)];
    cancels[0]?.();
    jest.advanceTimersByTime(300_000);
    cancels[1]?.();
    jest.advanceTimersByTime(600_000);
    expect(work).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([2 ** 31 - 1, 2 ** 31, 40 * 86_400_000])('may be set for %i ms', (delayMs) => {
    const clock = new SystemClock();
    const work = jest.fn();
    clock.after(delayMs, work);
    jest.advanceTimersByTime(delayMs - 1);
    expect(work).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('run at most a minute late when a suspend was longer than the remaining wait', () => {
    const machine = new Machine();
    const clock = new SystemClock(machine);
    const work = jest.fn();
    clock.after(86_400_000, work);
    machine.sleep(86_400_000);
    machine.run(60_000);
    jest.advanceTimersByTime(60_000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('run after pending work', async () => {
    jest.useRealTimers();
    const clock = new SystemClock();
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      clock.soon(() => {
        order.push('soon');
        resolve();
      });
      void Promise.resolve().then(() => order.push('at hand'));
    });
    expect(order).toEqual(['at hand', 'soon']);
  });
});
