import {
  existingWarehouse,
  primarySourcesOf,
  profilesOf,
  resolutionSettingsOf,
  type StartedProfileChange,
  type WaitingResolution,
  type WarehouseFact,
  type WarehouseState,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import { profilesDifference } from '@penstock/warehouses';
import type { EntityManager } from 'typeorm';
import type { Loaded } from '../command-handling/decide-on';
import { openChange, type Warehouse } from '../domain/warehouse.decide';
import {
  type Beside,
  refuseWhileResolved,
  triggerResolution,
} from '../live-resolutions/live-resolutions';

const NOTHING: Beside = { streams: [], verify: () => Promise.resolve() };

const sorted = (record: object): string => JSON.stringify(Object.entries(record).sort());

/** Whether the change has added or dropped columns. */
const hasOtherColumns = (
  before: WarehouseState,
  after: WarehouseState,
  { rePaths }: StartedProfileChange,
): boolean => {
  const [from, to] = [profilesOf(before).schema, profilesOf(after).schema];
  const difference = profilesDifference(from, to, new Map(Object.entries(rePaths)));
  return 'issues' in difference || difference.dropped.length + difference.added.length > 0;
};

/** What the end of a change of the schema of profiles asks for; undefined when profiles stay as they are. */
export const resolutionAfter = (
  before: WarehouseState,
  after: WarehouseState,
): WaitingResolution | undefined => {
  const change = openChange(before);
  if (change === undefined || before.profiles === after.profiles) return undefined;
  // They follow what is renamed: only one whose property is gone is missing.
  const [some, left] = [before, after].map((each) => resolutionSettingsOf(each).identifiers.length);
  const isPrimarySame = sorted(primarySourcesOf(before)) === sorted(primarySourcesOf(after));
  if (some !== left || !isPrimarySame) return { trigger: 'Settings', full: true };
  return hasOtherColumns(before, after, change) ? { trigger: 'Schema', full: false } : undefined;
};

/** What is decided about resolutions with a step of a change: none runs when it begins, and its end may ask for one. */
export const besideChange = async (
  reading: Reading<EntityManager>,
  { state, decider }: Loaded<Warehouse, WarehouseFact>,
  facts: readonly WarehouseFact[],
): Promise<Beside> => {
  const before = existingWarehouse(state);
  if (facts.some(({ type }) => type === 'ProfileSchemaChangeStarted'))
    return refuseWhileResolved(reading, before.id);
  const wanted = resolutionAfter(
    before,
    existingWarehouse(facts.reduce<Warehouse>(decider.evolve, before)),
  );
  if (wanted === undefined) return NOTHING;
  return { ...NOTHING, streams: [await triggerResolution(reading, before.id, wanted)] };
};
