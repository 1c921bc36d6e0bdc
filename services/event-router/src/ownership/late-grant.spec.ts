import type { LeaseGrant } from '../store/router-store';
import { Slot } from './slot';
import type { TenureDependencies } from './tenure';

/** A slot that has asked for a lease. @returns what the answer makes of it */
const answered = async (grant: Partial<LeaseGrant>, superseding?: Partial<LeaseGrant>) => {
  const times = { leaseMs: 10_000, takeMs: 1_000, pauseMs: 100 };
  const deps = { clock: { nowMs: () => 0 }, times } as unknown as TenureDependencies;
  const pausesMs: number[] = [];
  const slot = new Slot(deps, (pauseMs) => pausesMs.push(pauseMs));
  let answer: (grant: LeaseGrant) => void = () => undefined;
  slot.claim(new Promise((resolve) => (answer = resolve)), 0);
  expect(slot.state).toBe('leasing');
  if (superseding !== undefined) slot.supersede(superseding as LeaseGrant);
  answer(grant as LeaseGrant);
  await slot.ended();
  return { state: slot.state, tenure: slot.tenure, pausesMs, isHeld: slot.isHeld };
};

it('a grant is refused where a later lease was given back before its answer came', async () => {
  expect(await answered({ epoch: 4 }, { epoch: 5 })).toEqual({
    ...{ state: 'wanted', tenure: undefined, pausesMs: [100], isHeld: false },
  });
});
