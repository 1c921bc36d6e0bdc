import type { ConnectionId } from '@penstock/contracts';

/** The destination of the demo, where there is one. */
export class DemoDestination {
  constructor(readonly connection: ConnectionId | undefined) {}
}
