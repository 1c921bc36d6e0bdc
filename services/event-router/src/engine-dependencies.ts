import type { RoutingReplica, Suppressions } from '@penstock/contracts';
import type { FunctionRunner } from '@penstock/transformations';
import type { RouterOptions } from './lanes/router.options';
import type { LiveSamples } from './live/live-samples';
import type { ReadSlice } from './reading/live-routing';
import type { IncomingEvent } from './routing/incoming-event';
import type { Routes } from './routing/routes';
import type { Destinations } from './sending/destination';
import type { LeaseGrant, RouterStore } from './store/router-store';
import type { Clock } from './time/clock';
import type { RouterSpans } from './telemetry/router-spans';

/** Dependencies of the engine. */
export interface EngineDependencies {
  readonly clock: Clock;
  readonly store: RouterStore;
  readonly options: RouterOptions;
  readonly replica: RoutingReplica;
  readonly routes: Routes;
  readonly suppressions: Suppressions;
  readonly destinations: Destinations;
  readonly functions: Pick<FunctionRunner, 'run' | 'circuitOf'>;
  readonly read: ReadSlice;
  /** Reads partitions as they grow; its records must be passed to `Engine.onBatch`. */
  readonly reader: {
    readonly start: (partition: number, offset: number) => void;
    readonly stop: (partition: number) => Promise<void>;
  };
  /** Whether the lease of the partition holds now. */
  readonly holds: (partition: number) => boolean;
  /** Called when a commit has failed because another owner has the partition. */
  readonly onLeaseLost: (grant: LeaseGrant) => void;
  /** Records events whose message id came before with another body; absent: they are only counted. */
  readonly onDifferentBody?: (incoming: IncomingEvent) => void;
  /** Samples what passes; absent: nobody can watch. */
  readonly live?: LiveSamples;
  readonly onError: (error: unknown) => void;
  /** Absent where telemetry is off. */
  readonly spans?: RouterSpans | undefined;
}
