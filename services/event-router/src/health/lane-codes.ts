import type { HealthCode } from '@penstock/contracts';
import type { LaneState } from '../lanes/lane-health';
import type { DestinationId } from '../store/lane-id';

/** Milliseconds for which a key fails before its lane is `KeysFail`. */
export const KEYS_FAIL_AFTER_MS = 60_000;
/** Failing keys of a lane that are looked at: those that have failed for longest come first. */
const KEYS_LOOKED_AT = 100;

/** What is looked at of a lane. */
export interface ObservedLane {
  readonly destination: DestinationId;
  readonly health: {
    readonly state: LaneState;
    readonly isSuspect: boolean;
    readonly successes: number;
  };
  readonly flow: { readonly troubled: Iterable<{ readonly troubleFromMs: number | undefined }> };
  readonly parts: Iterable<{ readonly detachment: object | undefined }>;
}

interface Look {
  readonly successes: number;
  readonly code: HealthCode | undefined;
}

/** Observes how well the lanes of this process work. It is looked at from outside, so that no delivery becomes slower. */
export class LaneCodes {
  private readonly last = new Map<DestinationId, Look>();

  /**
   * @param nowMs of the monotonic clock.
   * @returns the code of the lane's health; empty: requests have succeeded since the last trouble; undefined: nothing
   *   is known, since nothing was tried.
   */
  of(lane: ObservedLane, nowMs: number): HealthCode | undefined {
    const { successes } = lane.health;
    const last = this.last.get(lane.destination);
    const hasWorked = successes > (last?.successes ?? 0) || last?.code === '';
    const code = troubleOf(lane, nowMs) ?? (hasWorked && !mayFail(lane) ? '' : undefined);
    this.last.set(lane.destination, { successes, code });
    return code;
  }
}

const troubleOf = (
  { health, flow, parts }: ObservedLane,
  nowMs: number,
): HealthCode | undefined => {
  if (health.state === 'paused') return 'AccessDenied';
  if (health.state === 'circuit') return 'DestinationFails';
  if (hasFailedLong(flow.troubled, nowMs)) return 'KeysFail';
  for (const { detachment } of parts) if (detachment !== undefined) return 'Behind';
  return undefined;
};

const hasFailedLong = (troubled: ObservedLane['flow']['troubled'], nowMs: number): boolean => {
  let looked = 0;
  for (const { troubleFromMs = Infinity } of troubled) {
    if (nowMs - troubleFromMs >= KEYS_FAIL_AFTER_MS) return true;
    looked += 1;
    if (looked === KEYS_LOOKED_AT) return false;
  }
  return false;
};

/** Whether some requests have failed lately, so that it is not certain yet that the destination works. */
const mayFail = ({ health, flow }: ObservedLane): boolean => {
  if (health.isSuspect) return true;
  for (const _ of flow.troubled) return true;
  return false;
};
