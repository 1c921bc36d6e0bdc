import type { Integrations } from '@penstock/contracts';
import { type DestinationId, workspaceOfWarehouse } from '../store/lane-id';

/** The names of a destination that an event's `integrations` may use. */
export interface NamedDestination {
  readonly lane: DestinationId;
  /** Code of the connector; empty for the warehouse. */
  readonly connector: string;
  readonly label: string;
}

/**
 * Whether the event's `integrations` exclude the destination: its own entry takes precedence over `All`. They never
 * exclude the warehouse, which is no destination connection.
 */
export const isOptedOut = (
  integrations: Integrations | null,
  { lane, connector, label }: NamedDestination,
): boolean => {
  if (integrations === null || workspaceOfWarehouse(lane) !== undefined) return false;
  const own = [lane, connector, label].find((name) => Object.hasOwn(integrations, name));
  return integrations[own ?? 'All'] === false;
};

const NONE: ReadonlySet<DestinationId> = new Set();

/** Number of cached values of `integrations`; events of a source have few different ones. */
const MAX_KNOWN = 1_000;

/** Computes which of some destinations an event opts out of. */
export class OptOuts {
  private readonly byChoice = new Map<string, ReadonlySet<DestinationId>>();
  private readonly byLanes = new Map<string, ReadonlySet<DestinationId>>();

  constructor(private readonly destinations: readonly NamedDestination[]) {}

  /** The lanes that the event opts out of. Equal sets are usually the same object, so that callers can cache by it. */
  of(integrations: Integrations | null): ReadonlySet<DestinationId> {
    if (integrations === null) return NONE;
    const choice = JSON.stringify(integrations);
    const known = this.byChoice.get(choice);
    if (known !== undefined) return known;
    this.makeRoom();
    const lanes = this.shared(this.optedOut(integrations));
    this.byChoice.set(choice, lanes);
    return lanes;
  }

  private optedOut(integrations: Integrations): DestinationId[] {
    const found = this.destinations.filter((each) => isOptedOut(integrations, each));
    return found.map(({ lane }) => lane);
  }

  private shared(lanes: readonly DestinationId[]): ReadonlySet<DestinationId> {
    if (lanes.length === 0) return NONE;
    const key = lanes.join();
    const known = this.byLanes.get(key) ?? new Set(lanes);
    this.byLanes.set(key, known);
    return known;
  }

  private makeRoom(): void {
    if (this.byChoice.size < MAX_KNOWN) return;
    this.byChoice.clear();
    this.byLanes.clear();
  }
}
