import { hash } from 'node:crypto';
import type { PipelineId } from '@penstock/contracts';
import type { LaneId } from '../store/lane-id';
import type { Audience } from '../store/changes';
import type { LaneRoutes } from './lane-routes';
import type { SourceRoutes } from './source-routes';

/** 16 bytes of a SHA-256, written as a UUID. */
const hashUuid = (text: string): string => {
  const hex = hash('sha256', text, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};

type Lanes = ReadonlySet<LaneId>;

interface Known {
  readonly ofLane: Map<LaneId, Audience>;
  readonly without: WeakMap<Lanes, WeakMap<Lanes, Audience>>;
}

const NONE: Lanes = new Set();
const known = new WeakMap<SourceRoutes, Known>();

const knownOf = (routes: SourceRoutes): Known => {
  const found = known.get(routes) ?? { ofLane: new Map(), without: new WeakMap() };
  known.set(routes, found);
  return found;
};

const audience = (lanes: readonly LaneRoutes[]): Audience => {
  const enabled = lanes.flatMap(({ pipelines }) => pipelines.map(({ state }) => state.id)).sort();
  const disabled: PipelineId[] = lanes.flatMap((each) => each.disabled).sort();
  return { id: hashUuid(`${enabled.join()}\n${disabled.join()}`), enabled, disabled };
};

const ofLane = (routes: SourceRoutes, lane: LaneId): Audience => {
  const sets = knownOf(routes).ofLane;
  const found = sets.get(lane) ?? audience(routes.lanes.filter((each) => each.lane === lane));
  sets.set(lane, found);
  return found;
};

const without = (routes: SourceRoutes, excluded: Lanes, also: Lanes): Audience => {
  const ofExcluded = knownOf(routes).without;
  const ofBoth = ofExcluded.get(excluded) ?? new WeakMap<Lanes, Audience>();
  ofExcluded.set(excluded, ofBoth);
  const found =
    ofBoth.get(also) ??
    audience(routes.lanes.filter(({ lane }) => !excluded.has(lane) && !also.has(lane)));
  ofBoth.set(also, found);
  return found;
};

/**
 * The pipelines of a source for which an event is counted together. Results are cached by the identity of the sets.
 *
 * @param lanes one lane, or the set of excluded lanes, which must not be changed afterwards.
 * @param also more excluded lanes: those that the event opts out of ({@link SourceRoutes.optedOut}).
 */
export const audienceOf = (
  routes: SourceRoutes,
  lanes: Lanes | LaneId,
  also: Lanes = NONE,
): Audience => (typeof lanes === 'string' ? ofLane(routes, lanes) : without(routes, lanes, also));
