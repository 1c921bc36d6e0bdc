import type { MemoryBudget } from '../progress/memory-budget';
import type { SteadyWall } from '../progress/steady-wall';
import type { Clock } from '../time/clock';
import type { Delivery, RowDelivery } from './delivery';
import type { Endings } from './endings';
import type { KeyQueue } from './key-queue';
import type { LanePart } from './lane-part';
import type { RouterOptions } from './router.options';
import type { PageLimits } from './row-room';

/** Dependencies of a lane. */
export interface LaneContext {
  readonly clock: Clock;
  readonly wall: SteadyWall;
  readonly options: RouterOptions;
  readonly budget: MemoryBudget;
  readonly endings: Endings;
  /** Loads the rows after the key's row cursor, in order. Rejects while the database is unavailable. */
  readonly loadRows: (key: KeyQueue, limits: PageLimits) => Promise<RowDelivery[]>;
  /** Whether the delivery's pipeline or destination was deleted. */
  readonly isDeleted: (delivery: Delivery) => boolean;
  /** Passes the delivery to its function; calls `onMade` when its values are set. */
  readonly transform: (delivery: Delivery, onMade: () => void) => void;
  /** Called when the lane, or a key of it, was detached in the partition. */
  readonly onBehind: (part: LanePart) => void;
  /** Called when a detached lane, or that of a job, may have room for more deliveries. */
  readonly onRoom: () => void;
  readonly onError: (error: unknown) => void;
}
