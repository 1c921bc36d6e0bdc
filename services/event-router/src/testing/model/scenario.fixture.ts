import { imbalances } from './balance.fixture';
import { WELL } from './destinations.fixture';
import { trouble } from './trouble.fixture';
import type { World } from './world.fixture';

/** Milliseconds with faults, and limit in which everything must end afterwards. */
const TROUBLE_MS = 8_000;
const HEALING_MS = 120_000;
/** Waves of events at the end: their successes prove that a denied event, not the credentials, is at fault. */
const WAVES = 4;
const WAVE_MS = 2_000;
/** Interval at which the counts are compared with the stored state. */
const AUDIT_MS = 500;
/** Interval at which the end is checked for, and time for which the run continues after it. */
const LOOK_MS = 500;
const QUIET_MS = 1_000;
const STOP_MS = 10_000;

const heal = ({
  simulation,
  applications,
  faults,
  sandbox,
  configuration,
  replays,
}: World): void => {
  for (const lane of configuration.lanes) {
    const application = applications.byLane.get(lane)!;
    application.hasDenied ||= application.mood.denies;
    application.mood = { ...WELL };
  }
  Object.assign(faults, { failing: 0, lostAnswers: 0, late: 0, maxDelayMs: 5 });
  applications.freezeNextMs = 0;
  replays.cancelHeld();
  Object.assign(sandbox, { unavailable: 0, maxDelayMs: simulation.between(2, 20) });
};

/** @returns whether everything has ended within the limit. */
const untilFinished = async (world: World): Promise<boolean> => {
  const { simulation } = world;
  for (const endMs = simulation.nowMs + HEALING_MS; simulation.nowMs < endMs;) {
    await simulation.run(simulation.nowMs + LOOK_MS);
    if ((await world.unfinished()) === '') return true;
  }
  return false;
};

/** Runs with faults for a while, then without; stops all routers at the end. */
export const scenario = async (world: World): Promise<void> => {
  const { simulation, applications, gateway } = world;
  world.startRouter();
  const count = simulation.between(10, 40);
  for (let each = 0; each < count; each += 1)
    simulation.later(simulation.between(0, TROUBLE_MS), () => {
      trouble(world);
    });
  for (let atMs = AUDIT_MS; atMs <= TROUBLE_MS; atMs += AUDIT_MS)
    simulation.later(atMs, () => {
      void imbalances(world).then((found) => world.imbalances.push(...found));
    });
  await simulation.run(TROUBLE_MS);
  heal(world);
  if (world.routers.size === 0) world.startRouter();
  for (let wave = 1; wave <= WAVES; wave += 1)
    simulation.later(WAVE_MS * wave, () => {
      gateway.acceptFromAll(`last${wave}`);
    });
  await simulation.run(TROUBLE_MS + WAVE_MS * (WAVES + 1));
  applications.forbids = false;
  if (!(await untilFinished(world))) return;
  await simulation.run(simulation.nowMs + QUIET_MS);
  for (const router of world.routers) void world.stop(router);
  await simulation.run(simulation.nowMs + STOP_MS);
};
