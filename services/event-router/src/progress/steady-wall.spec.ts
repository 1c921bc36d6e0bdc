import { FakeClock } from '../testing/fake-clock';
import { SteadyWall } from './steady-wall';

const HOUR_MS = 3_600_000;

it.each([HOUR_MS, -HOUR_MS])(
  'follows a step of %d ms at a tenth of the elapsed time',
  async (stepMs) => {
    const clock = new FakeClock();
    const wall = new SteadyWall(clock);
    const startMs = wall.nowMs();

    clock.setWallMs(clock.wallMs() + stepMs);
    expect(wall.nowMs()).toBe(startMs);

    await clock.advance(1_000);
    expect(wall.nowMs() - startMs).toBeCloseTo(1_000 + Math.sign(stepMs) * 100, -1);
    await clock.advance(20 * HOUR_MS);
    expect(wall.nowMs()).toBe(clock.wallMs());
  },
);
