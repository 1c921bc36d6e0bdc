import type { ServerResponse } from 'node:http';
import { Counter, type Registry } from 'prom-client';

/** The label of requests whose path is of no route. */
const NO_ROUTE = 'none';

/** Counts answers of the API. Labels are bounded: declared paths, and classes of status codes. */
export class ApiMetrics {
  private readonly byRoute = new Map<string, Map<string, number>>();

  constructor(registry: Registry) {
    const { byRoute } = this;
    new Counter({
      name: 'penstock_api_requests_total',
      help: 'Answered requests to the API, by declared path and class of the status.',
      labelNames: ['route', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [route, byStatus] of byRoute)
          for (const [status, count] of byStatus) this.inc({ route, status }, count);
      },
    });
  }

  /** Counts the request when it has been answered. @param route the declared path; undefined: there is none. */
  watch(response: ServerResponse, route = NO_ROUTE): void {
    response.once('finish', () => {
      const status = `${String(Math.floor(response.statusCode / 100))}xx`;
      const byStatus = this.byRoute.get(route) ?? new Map<string, number>();
      this.byRoute.set(route, byStatus.set(status, (byStatus.get(status) ?? 0) + 1));
    });
  }
}
