import type { MemoryBudget } from '../progress/memory-budget';
import type { SteadyWall } from '../progress/steady-wall';
import type { Clock } from '../time/clock';
import type { Delivery, RowDelivery } from './delivery';
import type { Endings } from './endings';
import type { KeyQueue } from './key-queue';
import type { LanePart } from './lane-part';
import type { RouterOptions } from './router.options';

/** What a lane needs of the router around it. */
export interface LaneContext {
  readonly clock: Clock;
  readonly wall: SteadyWall;
  readonly options: RouterOptions;
  readonly budget: MemoryBudget;
  readonly endings: Endings;
  /** The next rows of the key behind its row cursor, in order. Rejects while the database is away. */
  readonly loadRows: (key: KeyQueue) => Promise<RowDelivery[]>;
  /** Whether the delivery's pipeline or destination is gone. */
  readonly isDeleted: (delivery: Delivery) => boolean;
  /** Brings the delivery to its function; `onMade` is called once its values are there. */
  readonly transform: (delivery: Delivery, onMade: () => void) => void;
  /** The lane, or a key of it, stands below the live reader of the partition. */
  readonly onBehind: (part: LanePart) => void;
  /** A lane that stands below the live reader may have room for more. */
  readonly onRoom: () => void;
  readonly onError: (error: unknown) => void;
}
