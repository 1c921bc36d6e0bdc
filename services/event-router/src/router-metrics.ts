import { Gauge, type Registry } from 'prom-client';
import type { EventRouter } from './event-router';

/** What the router has in memory. Labels are bounded by the number of destinations. */
export const registerRouterMetrics = (router: EventRouter, registry: Registry): void => {
  new Gauge({
    name: 'penstock_router_memory_bytes',
    help: 'Bytes of events in memory, of the budget',
    registers: [registry],
    collect() {
      this.set(router.bytesInMemory);
    },
  });
  new Gauge({
    name: 'penstock_router_lane_deliveries',
    help: 'Deliveries in memory, by destination connection',
    labelNames: ['connection'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [connection, length] of router.lengths) this.set({ connection }, length);
    },
  });
};
