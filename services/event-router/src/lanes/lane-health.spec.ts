import { SteadyWall } from '../progress/steady-wall';
import { FakeClock } from '../testing/fake-clock';
import { LaneHealth } from './lane-health';

const OPTIONS = {
  backoffBaseMs: 1_000,
  backoffCapMs: 8_000,
  firstPauseProbeMs: 1_000,
  pauseProbeMs: 300_000,
};

const healthOn = (clock: FakeClock): LaneHealth =>
  new LaneHealth(clock, new SteadyWall(clock), OPTIONS);

const fail = (health: LaneHealth, times: number, keys: number): void => {
  for (let each = 0; each < times; each += 1) health.failed([`key${String(each % keys)}`], false);
};

it('opens the circuit at the tenth failure in a row, of five keys', () => {
  const health = healthOn(new FakeClock());
  fail(health, 9, 5);
  expect(health.state).toBe('flowing');
  expect(health.failed(['key0'], false)).toBe(true);
  expect(health.state).toBe('circuit');
});

it('does not open it for four keys, or when a request has succeeded in between', () => {
  const four = healthOn(new FakeClock());
  fail(four, 40, 4);
  expect(four.state).toBe('flowing');
  const mixed = healthOn(new FakeClock());
  fail(mixed, 9, 9);
  mixed.succeeded();
  fail(mixed, 9, 9);
  expect(mixed.state).toBe('flowing');
});

it('suspects the destination as a whole once five keys have failed, until a request succeeds', () => {
  const health = healthOn(new FakeClock());
  fail(health, 9, 4);
  expect(health.isSuspect).toBe(false);
  health.failed(['another key'], false);
  expect(health.isSuspect).toBe(true);
  health.succeeded();
  expect(health.isSuspect).toBe(false);
});

it('suspects it for a minute after the last failure, and not after its settings have changed', async () => {
  const clock = new FakeClock();
  const health = healthOn(clock);
  fail(health, 5, 5);
  await clock.advance(59_999);
  expect(health.isSuspect).toBe(true);
  await clock.advance(1);
  expect(health.isSuspect).toBe(false);
  health.failed(['key0'], false);
  expect(health.isSuspect).toBe(true);
  health.denied(false);
  health.resume(false);
  expect(health.isSuspect).toBe(false);
});

it('lets one probe at a time through an open circuit, and closes it at a success', async () => {
  const clock = new FakeClock();
  const health = healthOn(clock);
  fail(health, 10, 5);
  expect(health.waitMs).toBeGreaterThan(0);
  await clock.advance(1_000);
  expect(health.waitMs).toBe(0);
  health.begin();
  expect(health.waitMs).toBe(Infinity);
  expect(health.succeeded()).toBe(true);
  expect([health.state, health.waitMs]).toEqual(['flowing', 0]);
});

it('probes a paused lane after a second, then every five minutes', async () => {
  const clock = new FakeClock();
  const health = healthOn(clock);
  expect(health.denied(false)).toBe(true);
  expect(health.waitMs).toBe(1_000);
  await clock.advance(1_000);
  expect(health.begin()).toBe(true);
  expect(health.denied(true)).toBe(false);
  expect(health.waitMs).toBe(300_000);
  health.resume(false);
  expect([health.state, health.waitMs]).toEqual(['flowing', 0]);
});

it('does not postpone the probe for failures of requests that began before it was blocked', () => {
  const circuit = healthOn(new FakeClock());
  fail(circuit, 10, 5);
  const { waitMs } = circuit;
  fail(circuit, 50, 5);
  expect(circuit.waitMs).toBe(waitMs);
  const paused = healthOn(new FakeClock());
  for (let each = 0; each < 9; each += 1) paused.denied(false);
  expect(paused.waitMs).toBe(1_000);
});

it('waits as long as the destination has demanded', async () => {
  const clock = new FakeClock();
  const health = healthOn(clock);
  health.hold(7_000);
  health.hold(2_000);
  expect(health.waitMs).toBe(7_000);
  await clock.advance(7_000);
  expect(health.waitMs).toBe(0);
});

it('computes how long the lane was paused during the life of a delivery', async () => {
  const clock = new FakeClock();
  const health = healthOn(clock);
  const startMs = clock.wallMs();
  await clock.advance(100_000);
  health.setPauses([
    { fromMs: startMs + 10_000, toMs: startMs + 30_000 },
    { fromMs: startMs + 90_000, toMs: null },
  ]);
  expect(health.pausedMsSince(startMs)).toBe(30_000);
  expect(health.pausedMsSince(startMs + 20_000)).toBe(20_000);
});

it('does not count deliveries that came after the last probe as failed', async () => {
  const clock = new FakeClock();
  const health = healthOn(clock);
  fail(health, 10, 5);
  const openedMs = clock.wallMs();
  expect(health.hasFailedSince(openedMs)).toBe(true);
  await clock.advance(10_000);
  expect(health.hasFailedSince(openedMs)).toBe(true);
  expect(health.hasFailedSince(clock.wallMs())).toBe(false);
  health.begin();
  health.failed(['key0'], true);
  expect(health.hasFailedSince(clock.wallMs())).toBe(true);
  await clock.advance(10_000);
  health.begin();
  health.succeeded();
  expect(health.hasFailedSince(openedMs + 10_000)).toBe(true);
  expect(health.hasFailedSince(openedMs + 10_001)).toBe(false);
});
