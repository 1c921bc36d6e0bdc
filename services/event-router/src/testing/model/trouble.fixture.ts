import { type Mood, WELL } from './destinations.fixture';
import { USERS } from './gateway.fixture';
import { CRASHING, FAILING, FORBIDDEN, PLAIN, POISON, REFUSED } from './odd-messages.fixture';
import type { SimulatedRouter, World } from './world.fixture';

const HOUR_MS = 3_600_000;
const MAX_ROUTERS = 3;

const MOODS: readonly Partial<Mood>[] = [
  {},
  { unavailable: 1 },
  { unavailable: 0.3 },
  { throttled: 0.3 },
  { hanging: 0.2 },
  { denies: true },
];

/** Moods that make dead letters. */
const STRICT: readonly Partial<Mood>[] = [{ rejecting: 1 }, { rejecting: 0.5 }];

const STRANGE = ['', 'nothing', '{}\n{}', '[2,"of a newer version"]\n{}', null];

const newMessage = ({ simulation, gateway, configuration, traits }: World): void => {
  const { hasFunctions, optsOut } = traits;
  const odd = [REFUSED, FORBIDDEN, POISON, ...(hasFunctions ? [FAILING, CRASHING] : [])];
  const kind = simulation.chance(0.1) ? simulation.pick(odd) : PLAIN;
  gateway.accept({
    source: simulation.pick(configuration.sources),
    user: simulation.pick(USERS),
    name: simulation.pick(['A', 'B', 'C']),
    messageId: `${kind}-${gateway.accepted.length}`,
    integrations: optsOut && simulation.chance(0.3) ? gateway.integrations() : null,
    body: kind === POISON || (kind === REFUSED && simulation.chance(0.5)) ? POISON : '',
  });
};

/** Repeats the last message soon, as a client without an answer does, while the first may still be in a router. */
const repeatSoon = ({ simulation, gateway }: World): void => {
  const last = gateway.accepted.at(-1)!;
  simulation.later(simulation.between(1, 150), () => {
    gateway.repeat(last, false);
  });
};

const messages = (world: World): void => {
  const { simulation, gateway, traits } = world;
  for (let each = simulation.between(1, 8); each > 0; each -= 1) newMessage(world);
  if (simulation.chance(0.3)) repeatSoon(world);
  if (!traits.hasStrangers) return;
  if (simulation.chance(0.3)) gateway.append(simulation.pick(STRANGE));
  if (simulation.chance(0.1)) gateway.appendMisfit(`misfit-${gateway.strangers.length}`);
};

const changeMood = ({ simulation, applications, traits }: World): void => {
  const application = simulation.pick([...applications.byLane.values()]);
  application.hasDenied ||= application.mood.denies;
  const moods = traits.redrives || traits.replays ? [...MOODS, ...STRICT] : MOODS;
  application.mood = { ...WELL, ...simulation.pick(moods) };
};

const changeFaults = ({ simulation, faults, sandbox }: World): void => {
  faults.failing = simulation.pick([0, 0.1, 0.5, 1]);
  faults.lostAnswers = simulation.pick([0, 0.1, 0.3]);
  faults.late = simulation.pick([0, 0.2]);
  faults.maxDelayMs = simulation.pick([2, 10, 300]);
  sandbox.unavailable = simulation.pick([0, 0.3, 1]);
  sandbox.maxDelayMs = simulation.pick([5, 60, 1_000]);
};

const forget = ({ simulation, log }: World): void => {
  const partition = simulation.between(0, log.partitions.length - 1);
  const begin = log.begins[partition]!;
  log.forget(partition, simulation.between(begin, log.end(partition)));
};

const stepClock = ({ simulation, routers }: World): void => {
  const hours = simulation.pick([-24, -1, 1, 24]);
  for (const { clock } of routers) if (simulation.chance(0.7)) clock.wallStepMs += hours * HOUR_MS;
};

const freeze = ({ simulation, applications }: World, { clock }: SimulatedRouter): void => {
  const forMs = simulation.between(100, 5_000);
  if (simulation.chance(0.5)) applications.freezeNextMs = forMs;
  else clock.freeze(forMs);
};

/** Crashes or freezes the router that has run the longest, or changes the faults of the store. */
const accident = (world: World, dice: number): void => {
  const [router] = world.routers;
  if (dice >= 95) changeFaults(world);
  else if (router === undefined) return;
  else if (dice < 92) world.crash(router);
  else freeze(world, router);
};

/** Makes one random thing happen; most often events are sent. */
export const trouble = (world: World): void => {
  const { simulation, gateway, configuration, routers, traits } = world;
  const dice = simulation.between(0, 99);
  const [router] = routers;
  if (traits.redrives && simulation.chance(0.15)) world.redrives.changeSomething();
  else if (traits.replays && simulation.chance(0.2)) world.replays.changeSomething();
  else if (traits.forgets && simulation.chance(0.15)) forget(world);
  else if (traits.stepsClocks && simulation.chance(0.15)) stepClock(world);
  else if (dice < 45) messages(world);
  else if (dice < 50 && gateway.accepted.length > 0)
    gateway.repeat(simulation.pick(gateway.accepted), simulation.chance(0.3));
  else if (dice < 60) configuration.changeSomething(USERS);
  else if (dice < 75) changeMood(world);
  else if (dice < 82) {
    if (routers.size < MAX_ROUTERS) world.startRouter();
  } else if (dice < 88) {
    if (router !== undefined) void world.stop(router);
  } else if (!traits.isOrderly) accident(world, dice);
};
