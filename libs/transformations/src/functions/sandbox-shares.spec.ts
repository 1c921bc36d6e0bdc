import * as fc from 'fast-check';
import { type SandboxDemand, sandboxShares } from './sandbox-shares';

const MIB = 1024 * 1024;
const RUNTIME_BYTES = 256 * MIB;

/** Maximal memory that guests and threads in places and spares may reach. */
const worstBytes = (demand: SandboxDemand): number => {
  const { places, growths, spares, easyBytes, threadBytes, memoryLimitBytes } =
    sandboxShares(demand);
  return (
    (places + 2 * spares) * (threadBytes + easyBytes) + growths * (memoryLimitBytes - easyBytes)
  );
};

it('has four places on a small machine, and lets two of them grow at a time', () => {
  expect(sandboxShares({ memoryLimitBytes: 256 * MIB, maxRunning: 4 })).toMatchObject({
    places: 4,
    growths: 2,
    maxInstances: 16,
    spares: 1,
  });
});

it('has fewer places when memory does not suffice for all of them', () => {
  const demand = { memoryLimitBytes: 256 * MIB, maxRunning: 64, maxInstances: 64 };
  expect(sandboxShares(demand).places).toBe(8);
  expect(sandboxShares({ ...demand, memoryCapBytes: 4096 * MIB }).places).toBe(64);
  expect(sandboxShares({ ...demand, memoryCapBytes: 4096 * MIB, maxInstances: 16 }).places).toBe(
    16,
  );
});

it('lets one function grow up to its limit, whatever the cap', () => {
  const demand = { memoryLimitBytes: 4096 * MIB, memoryCapBytes: 64 * MIB };
  expect(sandboxShares(demand)).toMatchObject({ places: 1, growths: 1 });
});

it('lets all functions grow whose limit is the easy size', () => {
  const { places, growths, easyBytes } = sandboxShares({ memoryLimitBytes: 16 * MIB });
  expect([growths, easyBytes]).toEqual([places, 16 * MIB]);
});

it('never allots more than the cap, unless one function exceeds it', () => {
  const demands = fc.record({
    memoryLimitBytes: fc.integer({ min: 16, max: 1024 }).map((mib) => mib * MIB),
    memoryCapBytes: fc.integer({ min: 1536, max: 16_384 }).map((mib) => mib * MIB),
    maxInstances: fc.integer({ min: 1, max: 64 }),
    maxRunning: fc.integer({ min: 1, max: 64 }),
    spares: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(demands, (demand) => {
      const { places, growths } = sandboxShares(demand);
      expect(places).toBeGreaterThanOrEqual(1);
      expect(places).toBeLessThanOrEqual(Math.min(demand.maxInstances, demand.maxRunning));
      expect(growths).toBeGreaterThanOrEqual(1);
      expect(growths).toBeLessThanOrEqual(places);
      expect(worstBytes(demand)).toBeLessThanOrEqual(demand.memoryCapBytes - RUNTIME_BYTES);
    }),
  );
});
